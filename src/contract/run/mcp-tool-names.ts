// How the tools of a world are named over MCP: said in the URL of the endpoint, which is all that every client is given.
import type { McpToolNames, Target } from './target.js';

/** Of the endpoint's URL, `SERVICE_MCP_URL`. */
const parameter = 'toolNames';

/** The URL of an MCP endpoint as the target wants it. */
export function mcpUrlFor(url: string, { mcpToolNames }: Pick<Target, 'mcpToolNames'>): string {
  return mcpToolNames === undefined ? url : `${url}?${parameter}=${mcpToolNames}`;
}

/** What the query of an endpoint's URL says; null for names that there are not. */
export function toolNamesIn(query: string): McpToolNames | undefined | null {
  const said = new URLSearchParams(query).get(parameter);
  if (said === null) return undefined;
  return said === 'underscores' || said === 'own' ? said : null;
}
