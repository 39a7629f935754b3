// Snapshots of homes: made by a follower and by an owner, restored where the log no longer reaches back, smaller when worlds go.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LogUnavailable } from '../../src/cluster/log.js';
import { openPostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { readSnapshot, writeSnapshot } from '../../src/cluster/snapshot-stream.js';
import { ServiceError } from '../../src/contract/errors.js';
import { Bank, createBank } from '../worlds/bank-kit.js';
import { temporaryFolder } from '../worlds/storage-kit.js';
import { homes, idIn, KeeperCluster, type KeeperNode, ownedBank, streams } from './keeper-kit.js';
import { eachOf } from './log-kit.js';
import { postgresMissing, startPostgres } from './postgres-server.js';

const [one, two] = streams;
const isCode = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

async function sizeOf(cluster: KeeperCluster, home: number): Promise<number> {
  const { snapshotSequence } = await cluster.stateOf(home);
  let bytes = 0;
  for await (const piece of cluster.log.door('look').snapshots.get(home, snapshotSequence)) bytes += piece.length;
  return bytes;
}
async function addUntilDue(node: KeeperNode, bank: Bank): Promise<void> {
  while (!node.snapshots.isDue(node.keeper, 1)) {
    await bank.add(1);
    await node.follow(1);
  }
}

// CLUSTER-SNAPSHOTS-1, CLUSTER-SNAPSHOTS-2, SNAPSHOT-STREAM-1
test('a follower makes snapshots as the log grows; a new node begins at one, behind a trimmed log', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  await createBank(await owner.project(two), idIn(1));
  await copy.follow(1);
  assert.equal((await cluster.stateOf(1)).firstSequence, 1);
  const sequences: number[] = [];
  for (let round = 0; round < 3; round++) {
    await addUntilDue(copy, bank);
    assert.ok(await copy.snapshots.make(copy.keeper, 1));
    copy.states.set(1, await cluster.stateOf(1));
    assert.equal(copy.snapshots.isDue(copy.keeper, 1), false);
    sequences.push((await cluster.stateOf(1)).snapshotSequence);
  }
  assert.equal(await copy.snapshots.make(copy.keeper, 1), false);
  const { firstSequence } = await cluster.stateOf(1);
  assert.equal(firstSequence, (sequences[1] as number) + 1);
  await assert.rejects(async () => {
    for await (const _ of cluster.log.door('look').snapshots.get(1, sequences[0] as number));
  }, isCode('control.NOT_FOUND'));
  await bank.add(1);
  const balance = await bank.balance();

  const late = cluster.node('late');
  await owner.give(1);
  await late.follow(1);
  for (const stream of [one, two]) assert.equal(late.digest(1, stream), owner.digest(1, stream));
  await late.take(1);
  assert.equal(await new Bank(await (await late.project(one)).open(bank.world.worldId)).balance(), balance);
});

test('an owner without followers makes its snapshots beside its files, one from the other', async (t) => {
  const cluster = new KeeperCluster(t);
  const owner = cluster.node('owner');
  await owner.take(1);
  const bank = await createBank(await owner.project(one), idIn(1));
  for (let round = 0; round < 3; round++) {
    await bank.add(1);
    assert.ok(await owner.snapshots.make(owner.keeper, 1));
    owner.states.set(1, await cluster.stateOf(1));
  }
  await bank.add(1);
  await owner.give(1);
  const late = cluster.node('late');
  await late.follow(1);
  assert.equal(late.digest(1, one), owner.digest(1, one));
});

test('snapshots and log shrink when worlds and streams have gone', async (t) => {
  const cluster = new KeeperCluster(t);
  const [owner, copy] = [cluster.node('owner'), cluster.node('copy')];
  await owner.take(1);
  const worlds = await owner.project(one);
  const banks = await Promise.all(Array.from({ length: 12 }, () => createBank(worlds, idIn(1))));
  const other = await createBank(await owner.project(two), idIn(1));
  for (let round = 0; round < 20; round++) await Promise.all(banks.map((bank) => bank.add(round)));
  const snapshot = async (): Promise<number> => {
    await other.add(1);
    await copy.follow(1);
    assert.ok(await copy.snapshots.make(copy.keeper, 1));
    return await sizeOf(cluster, 1);
  };
  const full = await snapshot();
  await Promise.all(banks.map(({ world }) => world.destroy()));
  // What was deleted in one late commit is swept by the next one of its file.
  await createBank(worlds, idIn(1));
  const withoutWorlds = await snapshot();
  await worlds.close();
  owner.worlds.delete(one);
  await owner.keeper.removeStream(one);
  const withoutStream = await snapshot();
  assert.ok(withoutWorlds < full * 0.75 && withoutStream < withoutWorlds, `${full}, ${withoutWorlds}, ${withoutStream}`);
  await snapshot();
  const { firstSequence } = await cluster.stateOf(1);
  assert.ok((await cluster.endOf(1)) - firstSequence < 8);
});

// SNAPSHOT-STREAM-1, CLUSTER-REBUILD-1
test('a damaged snapshot is refused and replaces nothing', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  await copy.follow(1);
  const before = copy.digest(1, one);
  await bank.add(1);
  await owner.snapshots.make(owner.keeper, 1);
  const door = cluster.log.door('look');
  const { snapshotSequence } = await cluster.stateOf(1);
  const bytes: Buffer[] = [];
  for await (const piece of door.snapshots.get(1, snapshotSequence)) bytes.push(piece);
  const whole = Buffer.concat(bytes);
  const flipped = Buffer.from(whole);
  flipped[20] = (flipped[20] as number) ^ 0x55;
  for (const damaged of [whole.subarray(0, whole.length / 2), Buffer.from('nothing'), flipped]) {
    await door.snapshots.put(
      1,
      snapshotSequence,
      (async function* () {
        yield damaged;
      })(),
    );
    await assert.rejects(copy.keeper.restore(await cluster.stateOf(1)), isCode('control.DATA_DAMAGED'));
    assert.equal(copy.digest(1, one), before);
  }
  // One of another place is no better.
  const { firstSequence, ...state } = await cluster.stateOf(1);
  await door.snapshots.put(
    2,
    snapshotSequence,
    (async function* () {
      yield whole;
    })(),
  );
  await assert.rejects(copy.keeper.restore({ ...state, firstSequence, home: 2 }), isCode('control.DATA_DAMAGED'));
});

// CLUSTER-REBUILD-2
test('a node begins at the snapshot before where the newest is damaged or gone', async (t) => {
  const cluster = new KeeperCluster(t);
  const [owner, copy] = [cluster.node('owner'), cluster.node('copy')];
  await owner.take(1);
  const bank = await createBank(await owner.project(one), idIn(1));
  for (let round = 0; round < 3; round++) {
    await bank.add(1);
    await copy.follow(1);
    assert.ok(await copy.snapshots.make(copy.keeper, 1));
    copy.states.set(1, await cluster.stateOf(1));
  }
  await bank.add(1);
  await owner.give(1);
  const { snapshots } = cluster.log.door('look');
  const { snapshotSequence, firstSequence } = await cluster.stateOf(1);
  assert.ok(firstSequence > 1);
  await snapshots.put(
    1,
    snapshotSequence,
    (async function* () {
      yield Buffer.from('torn');
    })(),
  );
  const late = cluster.node('late');
  await late.follow(1);
  assert.equal(late.digest(1, one), owner.digest(1, one));
  await snapshots.trim(1, snapshotSequence);
  await assert.rejects(cluster.node('later').follow(1), isCode('control.DATA_DAMAGED'));
});

// CLUSTER-REBUILD-2
test('a snapshot that was replaced while a node read it is read again as the one that replaced it', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  const snapshot = async () => {
    await bank.add(1);
    await copy.follow(1);
    assert.ok(await copy.snapshots.make(copy.keeper, 1));
    const state = await cluster.stateOf(1);
    copy.states.set(1, state);
    return state;
  };
  const [gone, damaged, newest] = [await snapshot(), await snapshot(), await snapshot()];
  await owner.give(1);
  const late = cluster.node('late');
  await assert.rejects(late.keeper.restore(gone), LogUnavailable);
  await cluster.log.door('look').snapshots.put(1, damaged.snapshotSequence, eachOf('torn'));
  await assert.rejects(late.keeper.restore(damaged), LogUnavailable);
  await late.keeper.restore(newest);
  await late.follow(1);
  assert.equal(late.digest(1, one), owner.digest(1, one));
});

// SNAPSHOT-STREAM-2
test('a snapshot that a full disk cannot take is not damaged', { skip: existsSync('/dev/full') ? false : 'no /dev/full' }, async (t) => {
  const path = join(temporaryFolder(t), 'file');
  writeFileSync(path, randomBytes(1 << 20));
  const place = { home: 1, sequence: 4 };
  const file = { stream: one, number: 1, nonce: randomBytes(16), path, bytes: 1 << 20 };
  const body = () =>
    writeSnapshot(
      place,
      (async function* () {
        yield file;
      })(),
    );
  await assert.rejects(readSnapshot(body(), { ...place, pathOf: () => '/dev/full' }), isCode('control.STORAGE_FULL'));
  const noFolder = () => join(path, 'under-a-file');
  await assert.rejects(readSnapshot(body(), { ...place, pathOf: noFolder }), isCode('control.INVALID_REQUEST'));
});

// CLUSTER-SNAPSHOTS-3
test('a home is restored while a snapshot of it is put, through one session of PostgreSQL for both', {
  skip: postgresMissing,
  timeout: 60_000,
}, async (t) => {
  const server = await startPostgres();
  const names = ['look', 'owner', 'other', 'copy'];
  const identity = { homes, keyFingerprint: 'key', formats: { oldest: 1, newest: 1 } };
  const opened = await Promise.all(names.map(async (node) => [node, await openPostgresLog(server.url, { node, ...identity })] as const));
  const doors = new Map(opened);
  const doorOf = (node: string) => {
    const door = doors.get(node);
    assert.ok(door !== undefined);
    return door;
  };
  // Before the server: what waits for it is given up with its session.
  t.after(async () => {
    for (const door of doors.values()) await door.close();
    await server.stop();
  });
  const cluster = new KeeperCluster(t, doorOf);
  const [owner, other, copy] = [cluster.node('owner'), cluster.node('other'), cluster.node('copy')];
  await owner.take(1);
  const bank = await createBank(await owner.project(one), idIn(1));
  await copy.follow(1);
  await bank.add(1);
  await other.follow(1);
  assert.ok(await other.snapshots.make(other.keeper, 1));
  await owner.give(1);
  // The next turn with the files is the restore's, and the one behind it that of the snapshot, which has the session by then.
  const restored = copy.keeper.restore(await cluster.stateOf(1));
  const [made] = await Promise.all([copy.snapshots.make(copy.keeper, 1), restored]);
  assert.ok(made);
  await copy.follow(1);
  assert.equal(copy.digest(1, one), owner.digest(1, one));
});
