// `drillyard world mcp`: the world as an MCP server on stdin and stdout, for clients that start their servers. Stdout carries messages and
// nothing else; it ends when stdin does.
import { serveMcpOnStdio } from '../bindings/mcp-stdio.js';
import { RemoteWorld } from '../bindings/remote-world.js';
import { toolNamesIn } from '../contract/run/mcp-tool-names.js';
import type { Endpoint } from '../drills/ports/bindings-port.js';
import { type ExitCode, exitCodes } from './exit-codes.js';

export async function worldMcp(): Promise<ExitCode> {
  const endpoint = endpointIn(process.env);
  if (endpoint === undefined) {
    process.stderr.write(
      'Neither SERVICE_MCP_URL and SERVICE_MCP_TOKEN nor SERVICE_CLI_URL and SERVICE_CLI_TOKEN are set: this command works inside a drill whose target lists the binding mcp or cli.\n',
    );
    return exitCodes.usage;
  }
  if (!URL.canParse(endpoint.url) || !/^https?:$/.test(new URL(endpoint.url).protocol)) {
    process.stderr.write('The address in SERVICE_MCP_URL or SERVICE_CLI_URL is not one of a world.\n');
    return exitCodes.usage;
  }
  const toolNames = toolNamesIn(new URL(endpoint.url).search) ?? undefined;
  const world = new RemoteWorld({ ...endpoint, url: endpoint.url.replace(/(?:\/mcp\/?)?(?:\?.*)?$/, '') });
  await serveMcpOnStdio({ world, toolNames, input: process.stdin, output: process.stdout });
  return exitCodes.passed;
}

/** Both name the same access; the address of the MCP endpoint is the world's with `/mcp` behind it. */
function endpointIn({ SERVICE_MCP_URL, SERVICE_MCP_TOKEN, SERVICE_CLI_URL, SERVICE_CLI_TOKEN }: NodeJS.ProcessEnv): Endpoint | undefined {
  if (SERVICE_MCP_URL !== undefined && SERVICE_MCP_TOKEN !== undefined) return { url: SERVICE_MCP_URL, token: SERVICE_MCP_TOKEN };
  if (SERVICE_CLI_URL !== undefined && SERVICE_CLI_TOKEN !== undefined) return { url: SERVICE_CLI_URL, token: SERVICE_CLI_TOKEN };
  return undefined;
}
