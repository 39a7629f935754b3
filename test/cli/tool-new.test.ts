// `drillyard tool create`, which `tool new` is too: what it writes compiles, has no type error, and answers.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { validateRepository } from '../../src/index.js';
import { mockTool } from '../../src/testing.js';
import { createRepository } from '../drills/repository.js';
import { warmDrillyard } from './warm-cli.js';

test('a new tool compiles and answers, and nothing is written over', async (t) => {
  const { root, remove } = createRepository();
  t.after(remove);
  const make = (id: string) => warmDrillyard(['tool', id === 'notes' ? 'new' : 'create', id, '--root', root]);
  const { code, stdout, stderr } = await make('order-desk');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^2 files written to .*drillyard\/tools\/order-desk\. Next:\n {2}.*drillyard validate\n/);
  const { valid, diagnostics, types } = await validateRepository({ root });
  assert.deepEqual([valid, diagnostics, types.state], [true, [], 'checked']);
  const folder = join(root, 'drillyard/tools/order-desk');
  const desk = await mockTool({ package: './order-desk', from: join(root, 'drillyard/tools') });
  t.after(() => desk.close());
  const item = (await desk.call('item.create', { name: 'Lamp' })) as { id: string };
  assert.deepEqual(await desk.call('item.get', { id: item.id }), item);
  assert.deepEqual(await desk.call('item.list', {}), { items: [item] });
  assert.equal((await desk.outcome('item.get', { id: 'none' })).kind, 'tool_error');
  await desk.fault('busy');
  assert.equal((await desk.outcome('item.create', { name: 'Chair' })).kind, 'tool_error');

  const before = readFileSync(join(folder, 'behavior.ts'), 'utf8');
  for (const id of ['order-desk', 'notes', '../escape', 'Upper']) assert.equal((await make(id)).code, 2, id);
  assert.equal(readFileSync(join(folder, 'behavior.ts'), 'utf8'), before);
  assert.deepEqual(readdirSync(join(root, 'drillyard/tools')), ['order-desk']);
});
