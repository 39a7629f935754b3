// Bytes of a world: they are there after a crash, at a fork, a snapshot and a reset, in a copy that replays the log, and gone when nothing
// speaks of them any more.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256Digest } from '../../src/contract/digest.js';
import type { JsonObject } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import type { CallResult } from '../../src/contract/world/world-protocol.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { keyKinds, rangeOfKind } from '../../src/worlds/kv/keys.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import { tuning } from '../../src/worlds/tuning.js';
import { verifyWorlds } from '../../src/worlds/verify-worlds.js';
import { createDepot, randomBytes } from '../bindings/bodies-kit.js';
import { openWireWorlds, position, wireFolder } from '../bindings/wire-kit.js';
import { commitNow, newWorld, temporaryStore, turn } from './storage-kit.js';
import { digestOfStore, MemoryLog, temporaryCopy } from './stream-kit.js';

const large = randomBytes(3 * 1024 * 1024 + 5, 2);

async function put(world: WorldRef, key: string, bytes: Buffer): Promise<void> {
  const digest = sha256Digest(bytes);
  const body = { kind: 'bytes', value: { digest, length: bytes.length, contentType: 'x/y' } } as const;
  const request = { routeId: 'object.put', method: 'PUT', pathname: `/b/${key}`, path: { bucket: 'b', key }, query: {}, headers: {}, body };
  const blobs = [{ digest, base64: bytes.toString('base64') }];
  const result = await world.command({ kind: 'callRoute', actorId: 'agent', packageId: 'depot', request, blobs });
  assert.equal(result.kind, 'answered');
}
/** What a handler reads of it. */
async function read(world: WorldRef, bytes: Buffer): Promise<unknown> {
  const blob = { digest: sha256Digest(bytes), length: bytes.length, contentType: 'x/y' };
  const range = { from: bytes.length - 3, length: 3 };
  const call = {
    kind: 'call',
    actorId: 'agent',
    packageId: 'depot',
    operationId: 'blob.use',
    arguments: { how: 'read', blob, range },
  } as const;
  const { outcome }: CallResult = await world.command(call);
  return outcome.kind === 'ok' ? ((outcome.value as JsonObject | null)?.bytes ?? null) : assert.fail(outcome.error.message);
}
const end = (bytes: Buffer) => [...bytes.subarray(-3)];

// WORLD-BLOBS-1, BLOBS-3
test('a restart, a fork, a snapshot and a reset have the bytes that were there, and no others', async () => {
  const open = () => openWireWorlds('blobs', { layout: 'shared' });
  let worlds = await open();
  after(() => worlds.close());
  const world = await createDepot(worlds, 'world_0000000blobs');
  const [one, two, three] = [Buffer.from('one'), Buffer.from('the second'), Buffer.from('the third')];
  await put(world, 'k', large);
  await put(world, 'one', one);
  const { evidenceSequence } = await position(world);
  await put(world, 'two', two);
  const { snapshotId } = await world.command({ kind: 'snapshot' });
  await put(world, 'three', three);
  await worlds.killHost(0);
  for (const bytes of [large, one, two, three]) assert.deepEqual(await read(world, bytes), end(bytes));
  const early = (await world.fork({ worldId: 'world_0000000early', atSequence: evidenceSequence })).world;
  const now = (await world.fork({ worldId: 'world_000000000now' })).world;
  const back = (await world.fork({ worldId: 'world_00000000back', snapshotId })).world;
  const there = async (of: WorldRef) => Promise.all([large, one, two, three].map(async (bytes) => (await read(of, bytes)) !== null));
  assert.deepEqual(await there(early), [true, true, false, false]);
  assert.deepEqual(await there(back), [true, true, true, false]);
  await put(early, 'two', two);
  assert.deepEqual(await there(early), [true, true, true, false]);
  await early.fork({ worldId: 'world_0000000child' });
  await world.command({ kind: 'reset', snapshotId });
  assert.deepEqual(await there(world), [true, true, true, false]);
  await put(world, 'four', Buffer.from('four'));
  await world.command({ kind: 'reset' });
  assert.deepEqual(await there(world), [false, false, false, false]);
  assert.deepEqual(await there(now), [true, true, true, true], 'what shares them keeps them');
  await worlds.close();
  worlds = await open();
  assert.deepEqual(await there(await worlds.open('world_000000000now')), [true, true, true, true]);
  assert.deepEqual(await there(await worlds.open('world_0000000child')), [true, true, true, false]);
  for (const worldId of ['world_0000000blobs', 'world_0000000early', 'world_000000000now', 'world_00000000back', 'world_0000000child'])
    await (await worlds.open(worldId)).destroy();
  await worlds.close();
  const file = join(wireFolder('blobs'), 'host-0');
  const faults: string[] = [];
  await verifyWorlds(join(file, 'data.mdb'), (fault) => faults.push(fault));
  assert.deepEqual(faults, []);
  const store = KvWriter.open({ directory: file, durability: 'committed' });
  while (store.sweep());
  for (const kind of [keyKinds.blob, keyKinds.blobPiece]) assert.deepEqual([...store.keys(rangeOfKind(kind))], []);
  await store.close();
});

test('a fork into another data file has a copy', async (t) => {
  const worlds = await openWireWorlds('blob-copies');
  t.after(() => worlds.close());
  const world = await createDepot(worlds);
  await put(world, 'k', large);
  const child = (await world.fork({ worldId: 'world_00000000copy' })).world;
  await world.destroy();
  assert.deepEqual(await read(child, large), end(large));
});

test('two worlds with the same calls have the same hashes, whatever their hosts went through', async (t) => {
  const worlds = await openWireWorlds('blob-hashes', { isolation: 'process' });
  t.after(() => worlds.close());
  const [one, two] = [await createDepot(worlds), await createDepot(worlds)];
  for (const world of [one, two]) {
    await put(world, 'k', large);
    if (world === two) await worlds.killHost(0);
    await read(world, large);
  }
  assert.deepEqual(await position(one), await position(two));
});

const commit = (world: WorldState, body: () => void): void => {
  turn(world, 0, () => {
    world.journal.draft({ kind: 'lifecycle', phase: 'world_reset', details: {} });
    body();
  });
  commitNow(world, {});
};
const keep = (world: WorldState, text: string) => {
  const bytes = Buffer.from(text);
  return world.blobs.put(sha256Digest(bytes), bytes, world.journal.sequence);
};
const kept = (world: WorldState, text: string) => world.blobs.read(sha256Digest(text))?.toString();

test('a copy that replays the records of a log has the bytes', async (t) => {
  const log = new MemoryLog();
  const store = temporaryStore(t, { log });
  const world = newWorld(store);
  commit(world, () => keep(world, 'a'.repeat(3_000_000)));
  await store.flushed();
  const copy = temporaryCopy(t);
  copy.replay(log.records);
  assert.equal(digestOfStore(copy), digestOfStore(store.store));
});

// WORLD-BLOBS-3
test('a chain of resets to snapshots stays short, and shows what it did', (t) => {
  const world = newWorld(temporaryStore(t));
  const rounds = tuning.blobLayersMax + 3;
  for (let round = 0; round < rounds; round++) {
    commit(world, () => keep(world, `${round}`));
    world.takeSnapshot(`snap_${round}`, {});
    world.reset(`snap_${round}`);
    commitNow(world, {});
  }
  for (let round = 0; round < rounds; round++) assert.equal(kept(world, `${round}`), `${round}`);
  assert.ok((world.blobs.stored()?.layers.length ?? 0) <= tuning.blobLayersMax);
  world.reset('snap_1');
  assert.deepEqual([kept(world, '1'), kept(world, '2')], ['1', undefined]);
});

// WORLD-BLOBS-2
test('a rollback takes bytes back; each bound has a name', (t) => {
  const world = newWorld(temporaryStore(t));
  turn(world, 0, () => {
    keep(world, 'gone');
    world.rollbackEffects();
  });
  assert.equal(kept(world, 'gone'), undefined);
  const zeros = (length: number) => Buffer.alloc(length);
  turn(world, 0, () => {
    assert.equal(world.blobs.put(sha256Digest('each'), zeros(limits.blobBytesEachMax + 1), 1), 'blobBytesEachMax');
    assert.equal(world.blobs.put(sha256Digest('1'), zeros(limits.blobBytesEachMax), 1), undefined);
    assert.equal(world.blobs.put(sha256Digest('2'), zeros(limits.blobBytesEachMax), 1), 'turnBlobBytesMax');
  });
  for (const name of ['2', '3', '4'])
    turn(world, 0, () => assert.equal(world.blobs.put(sha256Digest(name), zeros(limits.blobBytesEachMax), 1), undefined));
  turn(world, 0, () => assert.equal(world.blobs.put(sha256Digest('5'), zeros(1), 1), 'worldBlobBytesMax'));
});
