// The official client, connected to the world: over HTTP where there is an address, else to a server that it starts itself.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export async function connect() {
  const client = new Client({ name: 'order-agent', version: '1.0.0' });
  await client.connect(transport());
  const tools = new Map();
  let cursor;
  do {
    const page = await client.listTools({ cursor });
    for (const tool of page.tools) tools.set(tool.name, tool);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { client, tools };
}

function transport() {
  const { SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: token } = process.env;
  if (url !== undefined)
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
  return new StdioClientTransport({ command: 'drillyard', args: ['world', 'mcp'], env: process.env });
}
