// Half of a surrogate pair, which UTF-8 and canonical JSON cannot carry, wherever tool code and callers can put one: an outcome or
// a refusal says so, and the world answers as before.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { checkJson } from '../../src/contract/json-check.js';
import { recordBounds } from '../../src/contract/json-fault.js';
import type { CallTool } from '../../src/contract/world/world-protocol.js';
import type { Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { createMaker, Maker } from './maker-kit.js';

const directory = mkdtempSync(join(tmpdir(), 'drillyard-half-pairs-'));
const failed: string[] = [];
let worlds: Worlds;
before(async () => {
  const log = (entry: { event: string }) => {
    if (entry.event === 'actor_failed') failed.push(JSON.stringify(entry));
  };
  worlds = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread', log });
});
after(async () => {
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
});

// CUT-TEXT-1
test('from tool code it is an outcome like any other failure', async () => {
  const maker = await createMaker(worlds, 'world_000000000001');
  assert.ok(Maker.halves.length > 20);
  for (const way of Maker.halves) {
    const outcome = await maker.make('half', { way });
    assert.equal(outcome.kind, 'tool_error', way);
    assert.ok(outcome.error.message.isWellFormed(), way);
    assert.ok(outcome.error.message.length <= 1100, way);
  }
  const { entries } = await maker.world.query({ kind: 'evidence', fromSequence: 1, limit: 100 });
  assert.equal(checkJson(entries, recordBounds), null);
  assert.equal(await maker.rowCount(), 0);
  assert.deepEqual(failed, []);
});

// CUT-TEXT-1
test('from the handler of an event it fails that event, and the next advance passes it', async () => {
  const maker = await createMaker(worlds, 'world_000000000002');
  await maker.make('tick');
  const advanced = await maker.world.command({ kind: 'advance', targetUs: 1_000, maxEvents: 100 });
  assert.equal(advanced.status, 'failed');
  assert.match(advanced.failure?.message ?? '', /x\ufffd$/);
  const again = await maker.world.command({ kind: 'advance', targetUs: 1_000, maxEvents: 100 });
  assert.deepEqual([again.status, again.reachedUs], ['completed', 1_000]);
  assert.deepEqual(failed, []);
});

test('a caller whose names or key hold one is refused, and leaves no entry', async () => {
  const { world } = await createMaker(worlds, 'world_000000000003');
  const call: CallTool = { kind: 'call', actorId: 'clerk', packageId: 'maker', operationId: 'empty', arguments: {} };
  for (const half of ['\ud800', 'a\udc00']) {
    const more = [{ packageId: half }, { instanceId: half }, { operationId: half }, { idempotencyKey: half }, { actorId: half }];
    for (const member of more) await assert.rejects(world.command({ ...call, ...member }), { code: 'control.INVALID_REQUEST' });
  }
  const { evidenceSequence } = await world.query({ kind: 'position' });
  assert.equal((await world.command({ ...call, arguments: { '\ud800': 1 } })).outcome.kind, 'invalid');
  assert.equal((await world.command(call)).sequence, evidenceSequence + 2);
  assert.deepEqual(failed, []);
});
