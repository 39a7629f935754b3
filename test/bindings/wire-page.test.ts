// docs/wire-routes.md: its example works as it is written, and its bounds are the bounds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { limits } from '../../src/contract/limits.js';
import { createLocalWorld } from '../../src/index.js';
import { folder } from '../compiler/repository.js';

const page = readFileSync(new URL('../../../docs/wire-routes.md', import.meta.url), 'utf8');
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}[^\\n]*\\n([^]*?)\`\`\``).exec(page)?.[1] ?? assert.fail(`no ${language}`);

test('the worked example answers as the page says', async (t) => {
  const root = folder(t, {
    'drillyard.json': '{ "schemaVersion": 1 }',
    'drillyard/world.yaml':
      'schemaVersion: 1\nid: w\nactors: [{ id: agent, grants: [{ packageId: tickets, operationId: ticket.create }] }]\n',
    'drillyard/tickets.tool.json': JSON.stringify({
      schemaVersion: 1,
      module: 'behavior.ts',
      manifest: { schemaVersion: 1, id: 'tickets', version: '1.0.0', engine: '*', ...(parse(block('yaml')) as object) },
    }),
    'drillyard/behavior.ts': block('ts'),
  });
  const bindings = createBindings();
  const local = await createLocalWorld({ root });
  t.after(async () => {
    await bindings.close();
    await local.close();
  });
  const { url, token } =
    (await bindings.open({ world: local.world, actorId: 'agent', bindings: ['http'] })).endpoints.http ?? assert.fail();
  const create = async (project: string, ticket?: object) => {
    const headers = { authorization: `token ${token}`, ...(ticket === undefined ? {} : { 'content-type': 'application/json' }) };
    const reply = await fetch(`${url}/projects/${project}/tickets`, {
      method: 'POST',
      headers,
      ...(ticket && { body: JSON.stringify(ticket) }),
    });
    const { code, title } = (await reply.json()) as { code?: string; title?: string };
    return [reply.status, code ?? title, reply.headers.get('x-api-version')];
  };
  assert.deepEqual(await create('p1', { title: 'It breaks' }), [201, 'It breaks', '3']);
  assert.deepEqual(await create('p2', { title: 'It breaks' }), [404, 'PROJECT_NOT_FOUND', null]);
  assert.deepEqual(await create('p1', { title: '' }), [422, 'INVALID_ARGUMENTS', null]);
  assert.deepEqual(await create('p1'), [400, 'control.INVALID_REQUEST', null]);
});

test('the bounds that the page names are the bounds', () => {
  const [small, large] = [limits.bodyBytesMax, limits.wireBodyBytesMax].map((bytes) => `${bytes / 1024 / 1024} MiB at most`);
  assert.ok(page.includes(`JSON, forms and text are in UTF-8, ${small}; bytes and bodies in parts have ${large}.`));
  assert.ok(page.includes(`${limits.encodedHeadersMax} of ${limits.headerBytesMax / 1024} KiB together at most`));
  assert.ok(page.includes(`A body has ${limits.encodedBodyBytesMax / 1024 / 1024} MiB at most`));
});
