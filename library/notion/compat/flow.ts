// Every route, driven by @notionhq/client as it is.
import assert from 'node:assert/strict';
import {
  APIErrorCode,
  APIResponseError,
  Client,
  collectPaginatedAPI,
  isFullBlock,
  isFullComment,
  isFullDatabase,
  isFullDataSource,
  isFullPage,
  LogLevel,
} from '@notionhq/client';
import type { CompatContext } from 'drillyard/compat';

const text = (content: string) => [{ text: { content } }];
const refused = (code: APIErrorCode) => (error: unknown) => APIResponseError.isAPIResponseError(error) && error.code === code;

export async function flow({ url, token, advance }: CompatContext): Promise<void> {
  const notion = new Client({ auth: token, baseUrl: url, retry: false, logLevel: LogLevel.ERROR });
  await people(notion);
  const pageId = await pages(notion, advance);
  await blocks(notion, pageId);
  const sourceId = await databases(notion, pageId);
  await rows(notion, sourceId);
  await comments(notion, pageId);
  const stranger = new Client({ auth: 'secret_of_nobody', baseUrl: url, retry: false, logLevel: LogLevel.ERROR });
  await assert.rejects(stranger.users.me({}), refused(APIErrorCode.Unauthorized));
  await assert.rejects(notion.pages.retrieve({ page_id: 'ff000000-0000-4000-8000-000000000001' }), refused(APIErrorCode.ObjectNotFound));
  await assert.rejects(notion.users.list({ page_size: 1000 }), refused(APIErrorCode.ValidationError));
  await assert.rejects(notion.request({ path: 'nothing', method: 'get' }), refused(APIErrorCode.InvalidRequestURL));
}

async function people(notion: Client): Promise<void> {
  assert.equal((await notion.users.me({})).type, 'bot');
  const all = await collectPaginatedAPI(notion.users.list, { page_size: 2 });
  const [first] = all;
  assert.ok(all.length > 2 && first !== undefined);
  assert.equal((await notion.users.retrieve({ user_id: first.id })).name, first.name);
}

async function pages(notion: Client, advance: CompatContext['advance']): Promise<string> {
  const [parent, other] = (await notion.search({ filter: { property: 'object', value: 'page' }, query: 'home' })).results.concat(
    (await notion.search({ query: 'retrospective' })).results,
  );
  assert.ok(parent !== undefined && other !== undefined);
  const markdown = '# Plan\n- [ ] Call **Basel**\n- [x] Ask `Tom`\n';
  const page = await notion.pages.create({
    parent: { page_id: parent.id },
    properties: { title: { title: text('Tour of the lake') } },
    markdown,
  });
  assert.deepEqual((await notion.search({ query: 'tour of the lake' })).results, []);
  await advance(5_000_000);
  assert.equal((await notion.search({ query: 'tour of the lake' })).results[0]?.id, page.id);
  const renamed = await notion.pages.update({ page_id: page.id, properties: { title: { title: text('Tour') } }, icon: { emoji: '🚲' } });
  assert.ok(isFullPage(renamed) && renamed.icon?.type === 'emoji');
  const title = await notion.pages.properties.retrieve({ page_id: page.id, property_id: 'title' });
  assert.ok(title.object === 'list' && title.results.length === 1);
  assert.equal((await notion.pages.retrieveMarkdown({ page_id: page.id })).markdown, markdown.trimEnd());
  const update = { content_updates: [{ old_str: 'Basel', new_str: 'Bern' }] };
  const written = await notion.pages.updateMarkdown({ page_id: page.id, type: 'update_content', update_content: update });
  assert.ok(written.markdown.includes('**Bern**'));
  const moved = await notion.pages.move({ page_id: page.id, parent: { page_id: other.id } });
  assert.ok(isFullPage(moved) && moved.parent.type === 'page_id' && moved.parent.page_id === other.id);
  const trashed = await notion.pages.update({ page_id: page.id, in_trash: true });
  assert.ok(isFullPage(trashed) && trashed.in_trash);
  await notion.pages.update({ page_id: page.id, in_trash: false });
  const seen = await notion.pages.retrieve({ page_id: page.id });
  assert.ok(isFullPage(seen) && !seen.in_trash);
  return page.id;
}

async function blocks(notion: Client, pageId: string): Promise<void> {
  const before = await collectPaginatedAPI(notion.blocks.children.list, { block_id: pageId, page_size: 1 });
  assert.equal(before.length, 3);
  const appended = await notion.blocks.children.append({
    block_id: pageId,
    position: { type: 'start' },
    children: [
      { callout: { rich_text: text('Bring a helmet'), icon: { emoji: '⛑️' }, color: 'red_background' } },
      { toggle: { rich_text: text('Stops'), children: [{ bulleted_list_item: { rich_text: text('Thun') } }] } },
      { code: { rich_text: text('cargo run'), language: 'rust' } },
      { table: { table_width: 1, children: [{ table_row: { cells: [text('a')] } }] } },
      { bookmark: { url: 'https://www.example.com' } },
      { image: { external: { url: 'https://www.example.com/a.png' } } },
      { divider: {} },
      { equation: { expression: 'e = mc^2' } },
    ],
  });
  const [callout, toggle] = appended.results;
  assert.ok(callout !== undefined && toggle !== undefined && isFullBlock(toggle) && toggle.has_children);
  const stops = await notion.blocks.children.list({ block_id: toggle.id });
  assert.equal(stops.results.length, 1);
  const changed = await notion.blocks.update({ block_id: callout.id, callout: { rich_text: text('Bring lights') } });
  assert.ok(isFullBlock(changed) && changed.type === 'callout' && changed.callout.color === 'red_background');
  const deleted = await notion.blocks.delete({ block_id: callout.id });
  assert.ok(isFullBlock(deleted) && deleted.in_trash);
  const seen = await notion.blocks.retrieve({ block_id: callout.id });
  assert.ok(isFullBlock(seen) && seen.in_trash);
}

async function databases(notion: Client, pageId: string): Promise<string> {
  const made = await notion.databases.create({
    parent: { type: 'page_id', page_id: pageId },
    title: text('Riders'),
    initial_data_source: { properties: { Name: { title: {} }, Age: { number: {} }, Level: { select: { options: [{ name: 'easy' }] } } } },
  });
  const changed = await notion.databases.update({ database_id: made.id, description: text('Who comes along') });
  const database = await notion.databases.retrieve({ database_id: changed.id });
  assert.ok(isFullDatabase(database) && database.data_sources.length === 1);
  const [first] = database.data_sources;
  assert.ok(first !== undefined);
  const source = await notion.dataSources.create({
    parent: { type: 'database_id', database_id: database.id },
    title: text('Bikes'),
    properties: { Name: { title: {} }, Rider: { relation: { data_source_id: first.id, dual_property: {} } } },
  });
  assert.ok(isFullDataSource(source) && source.properties.Rider?.type === 'relation');
  await notion.dataSources.update({ data_source_id: first.id, properties: { Born: { date: {} }, Number: { unique_id: { prefix: 'R' } } } });
  const seen = await notion.dataSources.retrieve({ data_source_id: first.id });
  assert.ok(isFullDataSource(seen) && seen.properties.Born?.type === 'date' && seen.properties['Related to Rider'] !== undefined);
  assert.deepEqual((await notion.dataSources.listTemplates({ data_source_id: first.id })).templates, []);
  return first.id;
}

async function rows(notion: Client, sourceId: string): Promise<void> {
  for (const [index, name] of ['Ada', 'Ben', 'Cy'].entries()) {
    const properties = {
      Name: { title: text(name) },
      Age: { number: 30 + index },
      Level: { select: { name: index === 1 ? 'hard' : 'easy' } },
    };
    await notion.pages.create({ parent: { data_source_id: sourceId }, properties });
  }
  const found = await collectPaginatedAPI(notion.dataSources.query, {
    data_source_id: sourceId,
    page_size: 1,
    filter: {
      or: [
        { property: 'Age', number: { greater_than: 31 } },
        { property: 'Level', select: { equals: 'hard' } },
      ],
    },
    sorts: [{ property: 'Age', direction: 'descending' as const }],
  });
  const numbers = found.map((page) =>
    isFullPage(page as never) ? (page as { properties: Record<string, { number?: number }> }).properties.Age?.number : 0,
  );
  assert.deepEqual(numbers, [32, 31]);
}

async function comments(notion: Client, pageId: string): Promise<void> {
  const first = await notion.comments.create({ parent: { page_id: pageId }, rich_text: text('Who books the train?') });
  assert.ok(isFullComment(first));
  await notion.comments.create({ discussion_id: first.discussion_id, rich_text: text('I do.') });
  const all = await collectPaginatedAPI(notion.comments.list, { block_id: pageId, page_size: 1 });
  assert.equal(all.length, 2);
  const seen = await notion.comments.retrieve({ comment_id: first.id });
  assert.ok(isFullComment(seen) && seen.rich_text[0]?.plain_text === 'Who books the train?');
}
