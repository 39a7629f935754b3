// What stays true of a workspace, under whatever is asked of it, and how Notion's own client meets its faults.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { APIErrorCode, APIResponseError, Client, isNotionClientError, LogLevel } from '@notionhq/client';
import { openWorld } from '../../src/testing/open-world.js';
import fc from '../fast-check.js';
import { library, PackageWorld } from './package-world.js';

interface Row {
  id: string;
  parent: { type: string; page_id?: string; block_id?: string };
  content?: string[];
}

let world: PackageWorld;
before(async () => {
  world = await PackageWorld.open('notion');
});
after(() => world.close());

const dayUs = 86_400_000_000;
const page = fc.integer({ min: 1, max: 6 }).map((number) => `c1000000-0000-4000-8000-00000000000${number}`);
const rich_text = [{ text: { content: 'x' } }];
const step = fc.oneof(
  fc.record({ call: fc.constant('pages.create'), parent: fc.record({ page_id: page }), properties: fc.constant({}) }),
  fc.record({ call: fc.constant('pages.move'), page_id: page, parent: fc.record({ page_id: page }) }),
  fc.record({ call: fc.constant('pages.update'), page_id: page, in_trash: fc.boolean() }),
  fc.record({ call: fc.constant('blocks.delete'), block_id: page }),
  fc.record({ call: fc.constant('blocks.children.append'), block_id: page, children: fc.constant([{ toggle: { rich_text } }]) }),
  fc.record({ call: fc.constant('advance'), days: fc.constantFrom(1, 20, 31) }),
);

test('each thing lies where it says, once, and nothing lies where nothing is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      await world.reset();
      for (const { call, ...args } of steps) {
        if (call === 'advance') await world.advance((args as unknown as { days: number }).days * dayUs);
        else await world.call(call, JSON.parse(JSON.stringify(args)));
      }
      const holders = [...(await world.rows<Row>('pages')), ...(await world.rows<Row>('blocks'))];
      const things = new Map([...holders, ...(await world.rows<Row>('databases'))].map((row) => [row.id, row]));
      const held = holders.flatMap(({ id, content = [] }) => content.map((child) => ({ id, child })));
      assert.equal(new Set(held.map(({ child }) => child)).size, held.length);
      for (const { id, child } of held) {
        const { parent } = things.get(child) ?? assert.fail(`${child} is not there`);
        assert.equal(parent.page_id ?? parent.block_id, id);
      }
      for (const { id, parent } of things.values())
        if (parent.type === 'page_id' || parent.type === 'block_id')
          assert.ok(
            held.some(({ child }) => child === id),
            id,
          );
    }),
    { numRuns: 15, includeErrorInReport: true },
  );
});

const faults = { 'rate-limited': APIErrorCode.RateLimited, 'write-conflict': APIErrorCode.ConflictError };
for (const [scenarioId, code] of Object.entries(faults)) {
  test(`the client tells ${code}, and a write that was turned away was not done`, async () => {
    await using served = await openWorld({ root: `${library}/notion/conformance`, scenarioId });
    const { http } = await served.connect({ actorId: 'operator' });
    const notion = new Client({ auth: http?.token ?? '', baseUrl: http?.url ?? '', retry: false, logLevel: LogLevel.ERROR });
    const comment = { parent: { page_id: 'c1000000-0000-4000-8000-000000000001' }, rich_text };
    await assert.rejects(notion.comments.create(comment), (error) => isNotionClientError(error) && error.code === code);
    const { results } = await notion.comments
      .list({ block_id: comment.parent.page_id })
      .catch(() => notion.comments.list({ block_id: comment.parent.page_id }));
    assert.deepEqual(results, []);
  });
}

test('what does not fit is a validation_error that says where, what should be, and what was instead', async () => {
  await using served = await openWorld({ root: `${library}/notion/conformance` });
  const { http } = await served.connect({ actorId: 'operator' });
  const notion = new Client({ auth: http?.token ?? '', baseUrl: http?.url ?? '', retry: false, logLevel: LogLevel.ERROR });
  const page_id = 'c1000000-0000-4000-8000-000000000001';
  const data_source_id = 'd5000000-0000-4000-8000-000000000001';
  type Asked = Parameters<typeof notion.request>[0];
  const post = (path: string, body: object): Asked => ({ method: 'post', path, body: body as Record<string, unknown> });
  const patch = (path: string, body: object): Asked => ({ ...post(path, body), method: 'patch' });
  const get = (path: string, query: Record<string, string> = {}): Asked => ({ method: 'get', path, query });
  const parent = { page_id };
  for (const [asked, ...words] of [
    [post('pages', {}), 'body failed validation: body.parent should be defined, instead was `undefined`.'],
    [post('pages', { parent: 'x' }), 'body failed validation: body.parent should be an object, instead was `"x"`.'],
    [
      post('pages', { parent: {} }),
      'body failed validation. Fix one:',
      'body.parent.page_id should be defined, instead was `undefined`.',
      'body.parent.database_id should be defined, instead was `undefined`.',
      'body.parent.data_source_id should be defined, instead was `undefined`.',
    ],
    [
      post('pages', { parent: { page_id: 'home' } }),
      'body failed validation: body.parent.page_id should be a valid uuid, instead was `"home"`.',
    ],
    [post('pages', { parent, children: {} }), 'body failed validation: body.children should be an array, instead was `{}`.'],
    [post('pages', { parent, colour: 'red' }), 'body failed validation: body.colour should be not present, instead was `"red"`.'],
    [post('pages', { parent, icon: 'x' }), 'body failed validation: body.icon should be an object or `null`, instead was `"x"`.'],
    [post('pages', { parent: { data_source_id }, properties: { Nothing: { number: 1 } } }), 'Nothing is not a property that exists.'],
    [patch('pages/home', {}), 'path failed validation: path.page_id should be a valid uuid, instead was `"home"`.'],
    [patch(`pages/${page_id}`, { in_trash: 'yes' }), 'body failed validation: body.in_trash should be a boolean, instead was `"yes"`.'],
    [patch(`blocks/${page_id}/children`, {}), 'body failed validation: body.children should be defined, instead was `undefined`.'],
    [
      patch(`blocks/${page_id}/children`, { children: [{ paragraph: {} }] }),
      'body failed validation: body.children[0].paragraph.rich_text should be defined, instead was `undefined`.',
    ],
    [get('pages/home'), 'path failed validation: path.page_id should be a valid uuid, instead was `"home"`.'],
    [get(`pages/${'x'.repeat(201)}`), 'path failed validation: path.page_id.length should be ≤ `200`, instead was `201`.'],
    [get('comments'), 'query failed validation: query.block_id should be defined, instead was `undefined`.'],
    [get('comments', { block_id: 'home' }), 'query failed validation: query.block_id should be a valid uuid, instead was `"home"`.'],
    [get('users', { page_size: 'ten' }), 'query failed validation: query.page_size should be a number, instead was `"ten"`.'],
    [get('users', { page_size: '101' }), 'query failed validation: query.page_size should be ≤ `100`, instead was `101`.'],
    [post('search', { page_size: 101 }), 'body failed validation: body.page_size should be ≤ `100`, instead was `101`.'],
    [
      post(`comments`, { rich_text }),
      'body failed validation. Fix one:',
      'body.parent should be defined, instead was `undefined`.',
      'body.discussion_id should be defined, instead was `undefined`.',
    ],
  ] as [Asked, ...string[]][])
    await assert.rejects(notion.request(asked), (error) => {
      assert.ok(APIResponseError.isAPIResponseError(error), String(error));
      assert.deepEqual([error.status, error.code, error.message], [400, APIErrorCode.ValidationError, words.join('\n')]);
      return true;
    });
});
