// The proof that the workspace is as Notion's own programs expect it: `drillyard tool verify library:notion`.
import { defineCompat } from 'drillyard/compat';
import { flow } from './flow.js';
import { mcp } from './mcp.js';
import { checkResponse, document } from './responses.js';

export default defineCompat({
  clients: ['@notionhq/client', '@notionhq/notion-mcp-server'],
  operations: { openapi: document },
  unsupported: {},
  checkResponse,
  flow,
  mcp,
});
