// Notion's own MCP server as a process of its own, as it is, with its API at the world: each of its tools is called.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CompatContext } from 'drillyard/compat';

// biome-ignore lint/suspicious/noExplicitAny: results of the vendor's server have no type
type Answer = any;

export async function mcp({ url, token }: CompatContext): Promise<void> {
  const program = createRequire(import.meta.url)
    .resolve('@notionhq/notion-mcp-server/package.json')
    .replace('package.json', 'bin/cli.mjs');
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const env = { PATH: process.env.PATH ?? '', NOTION_TOKEN: token, BASE_URL: url };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: 'ignore' }));
  const called = new Set<string>();
  const ask = async (name: string, args: Record<string, unknown> = {}): Promise<Answer> => {
    called.add(name);
    const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] };
    return JSON.parse(content[0]?.text ?? 'null');
  };
  try {
    await drive(ask);
    const { tools } = await client.listTools();
    assert.deepEqual([...called].sort(), tools.map(({ name }) => name).sort(), 'every tool of the server is called');
  } finally {
    await client.close();
  }
}

async function drive(ask: (name: string, args?: Record<string, unknown>) => Promise<Answer>): Promise<void> {
  const me = await ask('API-get-self');
  assert.equal(me.type, 'bot');
  const { results: users } = await ask('API-get-users', { page_size: 2 });
  assert.equal((await ask('API-get-user', { user_id: users[0].id })).id, users[0].id);
  const home = (await ask('API-post-search', { query: 'team home' })).results[0].id;
  const rich_text = [{ text: { content: 'Written by an agent' } }];
  // As some clients do it, an object comes as text.
  const page = await ask('API-post-page', {
    parent: JSON.stringify({ page_id: home }),
    properties: { title: { title: rich_text } },
    icon: { emoji: '🤖' },
    children: [{ paragraph: { rich_text } }],
  });
  assert.equal(page.object, 'page');
  assert.equal((await ask('API-retrieve-a-page', { page_id: page.id })).icon.emoji, '🤖');
  assert.equal((await ask('API-retrieve-a-page-property', { page_id: page.id, property_id: 'title' })).results.length, 1);
  const { results: children } = await ask('API-get-block-children', { block_id: page.id, page_size: 10 });
  assert.equal((await ask('API-retrieve-a-block', { block_id: children[0].id })).type, 'paragraph');
  const added = await ask('API-patch-block-children', {
    block_id: page.id,
    children: [{ bulleted_list_item: { rich_text } }],
    after: children[0].id,
  });
  assert.equal(
    (await ask('API-update-a-block', { block_id: added.results[0].id, bulleted_list_item: { rich_text: [] } })).type,
    'bulleted_list_item',
  );
  assert.equal((await ask('API-delete-a-block', { block_id: added.results[0].id })).in_trash, true);
  assert.equal((await ask('API-retrieve-page-markdown', { page_id: page.id })).markdown, 'Written by an agent');
  const replace_content = { new_str: '# New' };
  assert.equal((await ask('API-update-page-markdown', { page_id: page.id, type: 'replace_content', replace_content })).markdown, '# New');
  const comment = await ask('API-create-a-comment', { parent: { page_id: page.id }, rich_text });
  assert.equal((await ask('API-retrieve-a-comment', { block_id: page.id })).results[0].id, comment.id);
  await sources(ask, home);
  assert.equal((await ask('API-move-page', { page_id: page.id, parent: { type: 'workspace' } })).parent.type, 'workspace');
  assert.equal((await ask('API-patch-page', { page_id: page.id, in_trash: true })).in_trash, true);
  assert.equal((await ask('API-retrieve-a-page', { page_id: 'ff000000-0000-4000-8000-000000000001' })).code, 'object_not_found');
}

async function sources(ask: (name: string, args?: Record<string, unknown>) => Promise<Answer>, home: string): Promise<void> {
  const { results } = await ask('API-get-block-children', { block_id: home });
  const database = results.find((block: { type: string }) => block.type === 'child_database').id;
  const { data_sources } = await ask('API-retrieve-a-database', { database_id: database });
  const source = await ask('API-retrieve-a-data-source', { data_source_id: data_sources[0].id });
  const found = await ask('API-query-data-source', {
    data_source_id: source.id,
    page_size: 1,
    sorts: [{ property: 'Name', direction: 'ascending' }],
  });
  assert.equal(found.results.length, 1);
  assert.ok(Array.isArray((await ask('API-list-data-source-templates', { data_source_id: source.id })).templates));
  const made = await ask('API-create-a-data-source', { parent: { database_id: database }, properties: { Name: { title: {} } } });
  assert.equal(made.object, 'data_source');
  const changed = await ask('API-update-a-data-source', { data_source_id: made.id, properties: { Size: { number: {} } } });
  assert.equal(changed.properties.Size.type, 'number');
}
