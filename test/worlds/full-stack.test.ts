// Tool code that calls the context with its stack nearly full: its turn fails like that of a handler which overflows by itself. No bug is
// logged, no incarnation of the world ends, and what the world holds in memory is what it has stored.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ActorLogEntry } from '../../src/actors/options.js';
import type { Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { createMaker, type Maker } from './maker-kit.js';

const calls = ['get', 'put', 'delete', 'scan', 'emit', 'schedule', 'random', 'clock', 'source', 'actor', 'unknown', 'huge'];
const directory = mkdtempSync(join(tmpdir(), 'drillyard-stack-'));
const logged: ActorLogEntry[] = [];
let worlds: Worlds;
let neighbor: Maker;
before(async () => {
  const log = (entry: ActorLogEntry): void => void logged.push(entry);
  worlds = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread', log });
  neighbor = await createMaker(worlds, 'world_000000000999', { recordRandom: true });
  assert.equal((await neighbor.make('rows', { count: 3, chars: 10 })).kind, 'ok');
});
after(async () => {
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
});

for (const [index, what] of calls.entries()) {
  test(`${what}: at many depths, an ordinary failure`, { timeout: 120_000 }, async () => {
    const world = await createMaker(worlds, `world_${String(index).padStart(12, '0')}`, { recordRandom: what === 'random' });
    assert.equal((await world.make('rows', { count: 5, chars: 10 })).kind, 'ok');
    const neighborBefore = await neighbor.world.query({ kind: 'position' });
    for (const operationId of ['burn', 'lie']) {
      // What the frames of tool code leave free differs from one to the next.
      for (let pad = 0; pad < 2; pad++) {
        const outcome = await world.call(operationId, { what, pad });
        assert.equal(outcome.kind, 'tool_error');
        const { code, message } = (outcome as { error: { code: string; message: string } }).error;
        if (code === 'HANDLER_FAILED') assert.match(message, /^(RangeError|TypeError|TypeError: mine|ContextError: .*)$/);
        // A call at each level may be one row or text too many before the stack is full.
        else assert.equal(code, 'BOUND_EXCEEDED');
      }
    }
    for (let pad = 0; pad < 12; pad++) await world.call('deep', { what, pad });
    assert.equal((await world.call('empty', {})).kind, 'ok');
    const inMemory = await world.world.query({ kind: 'position' });
    const rows = await world.rowCount();
    await world.world.passivate();
    assert.deepEqual(await world.world.query({ kind: 'position' }), inMemory, 'stored is what was in memory');
    assert.equal(await world.rowCount(), rows);
    assert.deepEqual(await neighbor.world.query({ kind: 'position' }), neighborBefore);
    assert.deepEqual(
      logged.filter(({ event }) => event === 'actor_failed'),
      [],
    );
  });
}
