// Tool code that loops for ever, throws, takes all memory or reaches for the prototypes everybody shares: its world answers with the
// documented error, stays at its last commit and continues; other worlds never notice.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import { ServiceError } from '../../src/contract/errors.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { CallTool } from '../../src/contract/world/world-protocol.js';
import type { WorldRef, Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';

let scratch = '';
let build: CompiledBuild;

before(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'drillyard-hostile-'));
  const compiled = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/counter', import.meta.url)) });
  assert.ok(compiled.build, JSON.stringify(compiled.diagnostics));
  build = compiled.build;
});
after(() => rmSync(scratch, { recursive: true, force: true }));

const call = (operationId: string, input: CallTool['arguments']): CallTool => ({
  kind: 'call',
  actorId: 'operator',
  packageId: 'counter',
  operationId,
  arguments: input,
});
const add = call('add', { counter: 'main', amount: 1 });

for (const isolation of ['thread', 'process'] as const) {
  test(`${isolation} isolation: hostile tool code costs its own world one answer, and others nothing`, {
    timeout: 120_000,
  }, async (context) => {
    const worlds = await openWorlds({
      directory: mkdtempSync(join(scratch, 'w-')),
      layout: 'shared',
      durability: 'committed',
      hosts: 2,
      isolation,
      handlerTimeoutMs: 500,
      hostHeapMb: 64,
    });
    context.after(() => worlds.close());
    const worldIds = Array.from({ length: 6 }, (_, index) => `run_00000000000${index}`);
    const all = await Promise.all(worldIds.map((worldId) => create(worlds, worldId)));
    const [hostile, ...others] = all as [WorldRef, ...WorldRef[]];

    await context.test('a throw is an outcome, and its effects are rolled back', async () => {
      const { outcome } = await hostile.command(call('misbehave', { how: 'throw' }));
      assert.equal(outcome.kind, 'tool_error');
      assert.equal(outcome.kind === 'tool_error' && outcome.error.code, 'HANDLER_FAILED');
      assert.equal(await misbehaved(hostile), null);
    });

    await context.test('asking its world without end is counted, and ends as a failure of the handler', async () => {
      const { outcome } = await hostile.command(call('misbehave', { how: 'ask' }));
      assert.equal(outcome.kind === 'tool_error' && outcome.error.code, 'BOUND_EXCEEDED');
      assert.equal(await misbehaved(hostile), null);
    });

    await context.test('a prototype cannot be polluted', async () => {
      const { outcome } = await hostile.command(call('misbehave', { how: 'pollute' }));
      assert.equal(outcome.kind === 'tool_error' && outcome.error.code, 'HANDLER_FAILED');
      assert.equal(({} as { polluted?: boolean }).polluted, undefined);
      for (const other of others) assert.equal((await other.command(add)).outcome.kind, 'ok');
    });

    for (const [how, codes] of [
      ['spin', ['world.HANDLER_TIMEOUT']],
      ['hog', ['world.ACTOR_RESTARTED', 'world.HANDLER_TIMEOUT']],
    ] as const) {
      await context.test(`${how}: the caller gets ${codes.join(' or ')}, the world its last commit`, async () => {
        const before = await totals(all);
        const refused = hostile.command(call('misbehave', { how })).then(
          () => assert.fail('it answered'),
          (error) => error,
        );
        const error = await refused;
        assert.ok(error instanceof ServiceError && (codes as readonly string[]).includes(error.code), String(error));
        assert.equal(await misbehaved(hostile), null);
        for (const world of all) assert.equal((await world.command(add)).outcome.kind, 'ok');
        assert.deepEqual(
          await totals(all),
          before.map((total) => total + 1),
        );
      });
    }
  });
}

async function create(worlds: Worlds, worldId: string): Promise<WorldRef> {
  const { setup, setupHash } = build.baseline;
  return await worlds.create({ worldId, build, setup, setupHash, seed: { seed: '1', trial: 1, attempt: 1 } });
}
async function misbehaved(world: WorldRef): Promise<unknown> {
  return (await world.query({ kind: 'row', packageId: 'counter', namespace: 'log', rowId: 'misbehaved' })).value;
}
async function totals(worlds: readonly WorldRef[]): Promise<number[]> {
  const rows = await Promise.all(
    worlds.map((world) => world.query({ kind: 'row', packageId: 'counter', namespace: 'counters', rowId: 'main' })),
  );
  return rows.map((row) => Number(row.value?.total));
}
