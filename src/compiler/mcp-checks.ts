// What a manifest tells clients of MCP and they would not take.
import type { JsonValue } from '../contract/json.js';
import { pointerToken } from '../contract/json-fault.js';
import { headerParamsOf } from '../contract/world/mcp-header-params.js';
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import type { ManifestFinding } from './manifest-finding.js';

export function mcpFindings(manifest: ToolManifest): ManifestFinding[] {
  return [...headerFindings(manifest), ...nameFindings(manifest), ...outputFindings(manifest)];
}

/** Of two tools with one name for models, one would have to be called something that nobody wrote. */
function nameFindings({ id: packageId, operations }: ToolManifest): ManifestFinding[] {
  const named = new Map<string, string>();
  return operations.flatMap(({ id, mcp }, index): ManifestFinding[] => {
    const name = (mcp?.name ?? `${packageId}.${id}`).replaceAll('.', '_');
    const other = named.get(name);
    named.set(name, other ?? id);
    if (other === undefined || other === id) return [];
    return [
      {
        code: 'DY5030',
        path: `/operations/${index}/${mcp?.name === undefined ? 'id' : 'mcp/name'}`,
        message: `models would know '${id}' and '${other}' by one name, '${name}': theirs have no dots`,
        suggestion: 'Give one of them another name in mcp.name.',
      },
    ];
  });
}

function headerFindings({ operations }: ToolManifest): ManifestFinding[] {
  return operations.flatMap(({ inputSchema }, index) =>
    headerParamsOf(inputSchema).faults.map(({ path, message }) => ({
      code: 'DY5018' as const,
      path: `/operations/${index}/inputSchema${path}`,
      message: `${message}; MCP clients leave out the tool`,
    })),
  );
}

/** Keywords of 2020-12 that clients of MCP do not check as they are meant: some refuse values that are valid. */
const keywordsMisread = ['prefixItems', '$dynamicRef'];
/** Below these there are values, not schemas. */
const valued = ['const', 'enum', 'default', 'examples'];

function outputFindings({ operations }: ToolManifest): ManifestFinding[] {
  return operations.flatMap(({ outputSchema, mcp }, index) => {
    if (mcp?.structured === false) return [];
    const found = misreadIn(outputSchema as JsonValue, '');
    if (found === undefined) return [];
    return [
      {
        code: 'DY5037' as const,
        path: `/operations/${index}/outputSchema${found.path}`,
        message: `widely used MCP clients misread '${found.keyword}' in the schema of a result, and refuse results that are valid`,
        suggestion: 'Say it without this keyword, or set mcp.structured: false for the operation: then its MCP tool has no outputSchema.',
      },
    ];
  });
}

function misreadIn(schema: JsonValue, path: string): { keyword: string; path: string } | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  for (const [name, member] of Object.entries(schema)) {
    const at = path + pointerToken(name);
    // A property may have such a name: then it stands for a schema.
    const isKeyword = keywordsMisread.includes(name) && (typeof member === 'string' || Array.isArray(member));
    const found = isKeyword ? { keyword: name, path: at } : valued.includes(name) ? undefined : misreadIn(member, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
