// What a node does with its homes: copies that follow, takeovers on other folders, owners that end, homes that are lost, damaged records.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WrongAsk } from '../../src/actors/ask-answers.js';
import { steadyClock } from '../../src/cluster/clock.js';
import { LogUnavailable } from '../../src/cluster/log.js';
import { ServiceError } from '../../src/contract/errors.js';
import { folderOfStream } from '../../src/control/stream-files.js';
import { OpenCopies } from '../../src/nodes/cluster-copies.js';
import { ClusterKeeper } from '../../src/nodes/cluster-keeper.js';
import { canBox } from '../../src/processes/bubblewrap.js';
import { encodeChanges, encodeRecordNow } from '../../src/worlds/kv/group-record.js';
import type { StreamPosition } from '../../src/worlds/kv/stream-log.js';
import { streamStart } from '../../src/worlds/kv/stream-position.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import { until } from '../until.js';
import { Bank, createBank } from '../worlds/bank-kit.js';
import { temporaryFolder } from '../worlds/storage-kit.js';
import { idIn, KeeperCluster, type KeeperNode, ownedBank, streams } from './keeper-kit.js';

const [one, two] = streams;
const isCode = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;
const again = async (node: KeeperNode, bank: Bank, stream: string = one): Promise<Bank> =>
  new Bank(await (await node.project(stream)).open(bank.world.worldId));

async function checkEqual(owner: KeeperNode, copy: KeeperNode, { home, stream }: { home: number; stream: string }): Promise<void> {
  await copy.follow(home);
  assert.equal(copy.digest(home, stream), owner.digest(home, stream));
}

const { works, reason } = canBox();
for (const isolation of ['thread', 'process', 'box'] as const) {
  const skip = isolation === 'box' && !works ? reason : false;
  // CLUSTER-KEEPER-1, CLUSTER-HOME-1
  test(`a copy equals its owner, and takes its homes over; the owner before follows (${isolation})`, { skip }, async (t) => {
    const cluster = new KeeperCluster(t);
    const [first, second] = [cluster.node('first'), cluster.node('second')];
    first.isolation = isolation;
    for (const home of [1, 2]) await first.take(home);
    const bank = await createBank(await first.project(one), idIn(1));
    const other = await createBank(await first.project(two), idIn(1));
    const beside = await createBank(await first.project(one), idIn(2));
    await Promise.all([bank.add(1), other.add(2), beside.add(3)]);
    await second.follow(1);
    const { world } = await bank.world.fork({ worldId: idIn(1) });
    await world.destroy();
    await bank.add(10);
    await first.give(1);
    await checkEqual(first, second, { home: 1, stream: one });
    await checkEqual(first, second, { home: 1, stream: two });
    assert.deepEqual(second.keeper.homeOf(1).lately(0).sort(), [one, two].sort());
    assert.deepEqual(second.keeper.homeOf(1).lately(steadyClock.now() + 1), []);
    await second.take(1);
    await assert.rejects(bank.balance(), isCode('control.UNAVAILABLE'));
    assert.equal(await beside.balance(), 103);
    const taken = await again(second, bank);
    assert.equal(await taken.balance(), 111);
    await taken.add(1);
    await second.give(1);
    await checkEqual(second, first, { home: 1, stream: one });
    await first.take(1);
    assert.equal(await bank.balance(), 112);
  });
}

/** The next transaction of home 1 sweeps, so it is written to the file at once. */
async function sweepNext(node: KeeperNode): Promise<void> {
  await (await createBank(await node.project(one), idIn(1))).world.destroy();
}

/** A node that ends within an append that never arrives, of what is in its file. */
async function endWithTail(t: TestContext, cluster: KeeperCluster): Promise<{ data: string; bank: Bank }> {
  const node = cluster.node('first');
  await node.take(1);
  const bank = await createBank(await node.project(one), idIn(1));
  await bank.add(1);
  await sweepNext(node);
  node.faults.fate = (verb) => (verb === 'append' ? 'unavailable' : 'fine');
  const refused = assert.rejects(bank.add(1), isCode('world.ACTOR_RESTARTED'));
  await until(() => node.appender.pendingBytes > 0);
  node.appender.disown(2);
  await node.crash();
  await refused;
  t.diagnostic(`at ${await cluster.endOf(1)}`);
  return { data: node.data, bank };
}

// CLUSTER-HOME-3
test('a node that ended before an append takes its home again, and appends what only it has', async (t) => {
  const cluster = new KeeperCluster(t);
  const { data, bank } = await endWithTail(t, cluster);
  const node = cluster.node('first', data);
  await node.take(1);
  const taken = await again(node, bank);
  assert.equal(await taken.balance(), 102);
  await taken.add(1);
  const copy = cluster.node('second');
  await node.give(1);
  await checkEqual(node, copy, { home: 1, stream: one });
});

// CLUSTER-HOME-2
test('what only a node had that ended is gone once another has written', async (t) => {
  const cluster = new KeeperCluster(t);
  const { data, bank } = await endWithTail(t, cluster);
  const second = cluster.node('second');
  await second.take(1);
  await (await again(second, bank)).add(5);
  const node = cluster.node('first', data);
  await second.give(1);
  await checkEqual(second, node, { home: 1, stream: one });
  await node.take(1);
  assert.equal(await (await again(node, bank)).balance(), 106);
});

// CLUSTER-HOME-3
for (const isWritten of [true, false]) {
  const what = isWritten ? 'its file that held more goes' : 'its file that holds no more stays';
  test(`a lost home is closed while an append is open, and ${what}`, async (t) => {
    const { owner: first, copy: second, bank } = await ownedBank(t);
    await bank.add(1);
    if (isWritten) await sweepNext(first);
    first.faults.fate = (verb) => (verb === 'append' ? 'unavailable' : 'fine');
    const refused = assert.rejects(bank.add(1), isCode('world.ACTOR_RESTARTED'));
    await until(() => first.appender.pendingBytes > 0);
    await second.take(1);
    assert.equal(await (await again(second, bank)).balance(), 101);
    await first.lose(1);
    await refused;
    assert.equal(existsSync(folderOfStream(first.data, { home: 1, stream: one })), !isWritten);
    await (await again(second, bank)).add(7);
    await second.give(1);
    await checkEqual(second, first, { home: 1, stream: one });
  });
}

// CLUSTER-KEEPER-1
test('a record whose append is under way when its host ends and its home is given away is in the log once', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  await bank.add(1);
  await sweepNext(owner);
  owner.faults.fate = (verb) => (verb === 'append' ? 'unavailable' : 'fine');
  const refused = assert.rejects(bank.add(1), isCode('world.ACTOR_RESTARTED'));
  await until(() => owner.appender.pendingBytes > 0);
  const bytes = owner.appender.pendingBytes;
  const worlds = await owner.project(one);
  await worlds.closeHome(1, { lost: true });
  await worlds.close();
  owner.worlds.delete(one);
  await refused;
  const given = owner.give(1);
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
  assert.equal(owner.appender.pendingBytes, bytes);
  owner.faults.fate = () => 'fine';
  await given;
  const entries = await cluster.door('look').read([{ home: 1, sequence: 1 }], Number.MAX_SAFE_INTEGER);
  const numbers = entries.filter(({ stream }) => stream === one).map(({ number }) => number);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  );
  await checkEqual(owner, copy, { home: 1, stream: one });
  await copy.take(1);
  assert.equal(await (await again(copy, bank)).balance(), 102);
});

// CLUSTER-HOME-1
test('a home that falls back while its node takes it again is not opened, and is read again', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  await bank.add(1);
  assert.ok(owner.keeper.unwritten(1, one).length > 0, 'nothing was late');
  const end = await cluster.endOf(1);
  assert.equal(owner.keeper.position(1), end);
  await owner.lose(1);
  assert.ok(owner.keeper.position(1) < end);
  const before = owner.keeper.position(1);
  await assert.rejects(owner.keeper.apply(1, [], { after: end, upTo: end + 1 }), LogUnavailable);
  assert.equal(owner.keeper.position(1), before);
  await owner.take(1);
  assert.equal(await bank.balance(), 101);
  await bank.add(1);
  await owner.give(1);
  await checkEqual(owner, copy, { home: 1, stream: one });
});

// HOME-MARK-2
test('a log that has lost what a node appended and did not write has gone back: to it, and to the next process of its data', async (t) => {
  const { cluster, owner, bank } = await ownedBank(t);
  await bank.add(1);
  assert.ok(owner.keeper.unwritten(1, one).length > 0, 'nothing was late');
  const end = await cluster.endOf(1);
  await owner.lose(1);
  assert.ok(owner.keeper.position(1) < end - 1);
  cluster.log.goBack(1, end);
  const wentBack = { code: 'cluster.LOG_WENT_BACK' };
  await assert.rejects(owner.follow(1), wentBack);
  await owner.stop();
  await assert.rejects(cluster.node('again', owner.data).follow(1), wentBack);
});

// HOME-MARK-2
test('a log with other records in the place of those that a node appended and did not write has gone back', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  await copy.follow(1);
  const known = await cluster.endOf(1);
  await bank.add(1);
  assert.ok(owner.keeper.unwritten(1, one).length > 0, 'nothing was late');
  await owner.lose(1);
  cluster.log.goBack(1, known + 1);
  await copy.take(1);
  for (let calls = 0; calls < 3; calls++) await (await again(copy, bank)).add(1);
  assert.ok((await cluster.endOf(1)) > owner.keeper.seen(1));
  await assert.rejects(owner.follow(1), { code: 'cluster.LOG_WENT_BACK' });
});

// CLUSTER-HOME-3, UNWRITTEN-RECORDS-1, UNWRITTEN-RECORDS-2
test('what an owner answered and did not write is read again: by itself as it starts again, and once it has lost the home', async (t) => {
  const cluster = new KeeperCluster(t);
  let node = cluster.node('first');
  await node.take(1);
  const bank = await createBank(await node.project(one), idIn(1));
  const other = await createBank(await node.project(two), idIn(1));
  for (let round = 1; round <= 3; round++) {
    await Promise.all([(await again(node, bank)).add(1), (await again(node, other, two)).add(1)]);
    for (const stream of streams) assert.ok(node.keeper.unwritten(1, stream).length > 0, 'nothing was late');
    // As it is saved now and then.
    node.keeper.homeOf(1).mark.save();
    await node.crash();
    node = cluster.node('first', node.data);
    assert.ok(node.keeper.position(1) < (await cluster.endOf(1)));
    await node.take(1);
    assert.equal(await (await again(node, bank)).balance(), 100 + round);
    assert.equal(await (await again(node, other, two)).balance(), 100 + round);
  }
  await (await again(node, bank)).add(1);
  const second = cluster.node('second');
  await second.take(1);
  await node.lose(1);
  await (await again(second, bank)).add(1);
  await second.give(1);
  for (const stream of streams) await checkEqual(second, node, { home: 1, stream });
  await node.take(1);
  assert.equal(await (await again(node, bank)).balance(), 105);
});

test('a host that appends and never says that it wrote is wrong', async (t) => {
  const { owner } = await ownedBank(t);
  const end = await owner.keeper.endOf(1, one);
  assert.ok(end !== 'lost');
  const change = { key: Buffer.from([4, 1]), value: randomBytes(1024 * 1024) };
  let { number, nonce } = end;
  const append = async (): Promise<void> => {
    const record = { number: number + 1, nonce: randomBytes(16), body: encodeRecordNow(nonce, [encodeChanges([change])]) };
    assert.equal(await owner.keeper.append(1, one, record), 'appended');
    ({ number, nonce } = record);
  };
  for (let count = 0; count < 10; count++) {
    await append();
    owner.keeper.written(1, one, number);
  }
  await assert.rejects(async () => {
    for (let count = 0; count < 10; count++) await append();
  }, WrongAsk);
});

// HOME-MARK-1
test('a restart reads what came since, not everything; a mark that cannot be read costs only time', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  for (let count = 0; count < 5; count++) await bank.add(1);
  await copy.follow(1);
  const position = copy.keeper.position(1);
  await copy.stop();
  const restarted = cluster.node('copy', copy.data);
  assert.equal(restarted.keeper.position(1), position);
  await bank.add(1);
  await restarted.follow(1);
  await restarted.stop();
  writeFileSync(join(copy.data, 'cluster', 'home-1.json'), '{"version":1,"sequence":"x"}');
  const blind = cluster.node('copy', copy.data);
  assert.equal(blind.keeper.position(1), 0);
  await owner.give(1);
  await checkEqual(owner, blind, { home: 1, stream: one });
});

// HOME-MARK-1
test('a stop that cannot save its marks, as on a full disk, ends; a restart reads on from the marks before', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  await bank.add(1);
  await copy.follow(1);
  const marks = join(copy.data, 'cluster');
  await copy.stop();
  const again = cluster.node('copy', copy.data);
  const position = again.keeper.position(1);
  await bank.add(1);
  await again.follow(1);
  assert.ok(again.keeper.position(1) > position);
  renameSync(marks, `${marks}.away`);
  await again.stop();
  renameSync(`${marks}.away`, marks);
  const restarted = cluster.node('copy', copy.data);
  assert.equal(restarted.keeper.position(1), position);
  await restarted.follow(1);
  await owner.give(1);
  await checkEqual(owner, restarted, { home: 1, stream: one });
});

// CLUSTER-KEEPER-2
test('after another boot all copies are made again', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  await bank.add(1);
  await copy.follow(1);
  await copy.stop();
  writeFileSync(join(copy.data, 'cluster', 'boot'), 'another');
  const rebooted = cluster.node('copy', copy.data);
  assert.equal(rebooted.keeper.position(1), 0);
  assert.ok(!existsSync(folderOfStream(copy.data, { home: 1, stream: one })));
  await owner.give(1);
  await checkEqual(owner, rebooted, { home: 1, stream: one });
});

test('the file of a stream that ends is removed on all nodes, and a file that is gone comes again', async (t) => {
  const { cluster, owner, copy, bank } = await ownedBank(t);
  const kept = await createBank(await owner.project(two), idIn(1));
  await copy.follow(1);
  await (await owner.project(one)).close();
  owner.worlds.delete(one);
  await owner.keeper.removeStream(one);
  await owner.keeper.removeStream(one);
  await copy.follow(1);
  for (const { data } of [owner, copy]) assert.ok(!existsSync(folderOfStream(data, { home: 1, stream: one })));
  await kept.add(1);
  await owner.give(1);
  await copy.follow(1);
  await copy.stop();
  rmSync(join(copy.data, 'worlds'), { recursive: true });
  const without = cluster.node('copy', copy.data);
  // The next beat tries again, as a node does.
  await assert.rejects(without.take(1), LogUnavailable);
  await without.take(1);
  assert.equal(await (await again(without, kept, two)).balance(), 101);
  await assert.rejects(again(without, bank), isCode('control.NOT_FOUND'));
});

test('the catalog is a stream like others', async (t) => {
  const cluster = new KeeperCluster(t);
  const [first, second] = [cluster.node('first'), cluster.node('second')];
  await first.take(0);
  const directory = folderOfStream(first.data, { home: 0, stream: '' });
  const catalog = KvWriter.open({ directory, durability: 'committed', log: first.keeper.catalogLog });
  catalog.put([{ key: Buffer.from([4, 1]), value: Buffer.from('x') }]);
  await catalog.flushed();
  await second.follow(0);
  await catalog.close();
  await first.give(0);
  await checkEqual(first, second, { home: 0, stream: '' });
  await second.take(0);
  const end = await second.keeper.endOf(0, '');
  assert.ok(end !== 'lost' && end.number === 1);
  await assert.rejects(second.keeper.catalogLog.append({ number: 3, nonce: randomBytes(16), body: Buffer.alloc(30) }), WrongAsk);
  assert.equal(await first.keeper.catalogLog.append({ number: 2, nonce: randomBytes(16), body: Buffer.alloc(30) }), 'lost');
});

// CLUSTER-COPIES-1
test('more copies than may be open take turns, and each has all of its records', async (t) => {
  const folder = temporaryFolder(t);
  const copies = new OpenCopies(() => assert.fail('there is no catalog here'), { openMax: 2 });
  t.after(() => copies.closeAll());
  const nonces = [Buffer.alloc(16), ...Array.from({ length: 6 }, () => randomBytes(16))];
  const directories = ['a', 'b', 'c'].map((name) => join(folder, name));
  for (let number = 1; number <= 6; number++) {
    const record = { number, nonce: nonces[number] as Buffer, body: encodeRecordNow(nonces[number - 1] as Buffer, [change(`${number}`)]) };
    await Promise.all(directories.map(async (directory) => (await copies.of(1, directory)).follow([record])));
  }
  for (const directory of directories) assert.equal((await copies.of(1, directory)).position.number, 6);
});

const change = (value: string) => encodeChanges([{ key: Buffer.from([4, 1]), value: Buffer.from(value) }]);
for (const [what, code, forge] of [
  ['bytes that are no record', 'control.DATA_DAMAGED', (nonce: Buffer) => ({ stream: one, number: 2, nonce, body: randomBytes(50) })],
  [
    'a record that follows another',
    'control.DATA_DAMAGED',
    (nonce: Buffer) => ({ stream: one, number: 2, nonce, body: encodeRecordNow(randomBytes(16), [change('x')]) }),
  ],
  [
    'a record that does not follow',
    'control.DATA_DAMAGED',
    (nonce: Buffer) => ({ stream: one, number: 4, nonce, body: encodeRecordNow(nonce, [change('x')]) }),
  ],
  [
    'another record in the place of one',
    'cluster.LOG_WENT_BACK',
    (nonce: Buffer) => ({ stream: one, number: 1, nonce, body: encodeRecordNow(Buffer.alloc(16), [change('x')]) }),
  ],
  [
    'a stream that is no name',
    'control.DATA_DAMAGED',
    (nonce: Buffer) => ({ stream: '../x', number: 1, nonce, body: encodeRecordNow(Buffer.alloc(16), [change('x')]) }),
  ],
] as const) {
  // CLUSTER-HOME-1, CLUSTER-HOME-2
  test(`${what} stops a home, and changes nothing of it`, async (t) => {
    const cluster = new KeeperCluster(t);
    const [owner, copy] = [cluster.node('owner'), cluster.node('copy')];
    await owner.take(1);
    const nonce = randomBytes(16);
    const first = { number: 1, nonce, body: encodeRecordNow(Buffer.alloc(16), [change('first')]) };
    assert.equal(await owner.keeper.append(1, one, first), 'appended');
    await copy.follow(1);
    const before = copy.digest(1, one);
    await assert.rejects(owner.keeper.append(1, one, { number: 2, nonce, body: randomBytes(50) }), WrongAsk);
    await owner.appender.append({ home: 1, ...forge(randomBytes(16)) });
    await assert.rejects(copy.follow(1), isCode(code));
    if (existsSync(folderOfStream(copy.data, { home: 1, stream: one }))) assert.equal(copy.digest(1, one), before);
    // Another home is as it was.
    await copy.take(2);
    assert.ok(copy.keeper.owns(2) && !copy.keeper.owns(1));
  });
}

// CLUSTER-KEEPER-4
test("a home whose opening failed is the service's no more: it is followed, and can be taken again", async (t) => {
  const { owner, copy: failing, bank } = await ownedBank(t);
  await bank.add(1);
  await failing.follow(1);
  await failing.project(one);
  await owner.give(1);
  failing.openingFails = new LogUnavailable('the catalog was not read to its end');
  await assert.rejects(failing.take(1), LogUnavailable);
  assert.equal(failing.keeper.owns(1), false);
  failing.appender.disown(1);
  await assert.rejects((await failing.project(one)).open(bank.world.worldId), isCode('control.UNAVAILABLE'));
  await owner.take(1);
  await bank.add(10);
  // A project that is being deleted elsewhere: there is nothing of it here to end.
  await failing.keeper.removeStream(one);
  await owner.give(1);
  await checkEqual(owner, failing, { home: 1, stream: one });
  failing.openingFails = undefined;
  await failing.take(1);
  assert.equal(await (await again(failing, bank)).balance(), 111);
});

// CLUSTER-KEEPER-3
test('a data directory that followed another cluster is refused, and stays as it is', async (t) => {
  const [cluster, other] = [new KeeperCluster(t), new KeeperCluster(t)];
  const owner = cluster.node('owner');
  await owner.take(1);
  await createBank(await owner.project(one), idIn(1));
  await owner.stop();
  const before = owner.digest(1, one);
  assert.throws(() => other.node('foreign', owner.data), isCode('cluster.FOREIGN_CLUSTER'));
  assert.equal(owner.digest(1, one), before);
  assert.equal(cluster.node('again', owner.data).keeper.position(1), owner.keeper.position(1));
});

// CLUSTER-KEEPER-1
test('the catalog of a lost home is read as a copy only when the service has left its file', async (t) => {
  const data = temporaryFolder(t);
  const folder = join(data, 'catalog');
  mkdirSync(folder);
  writeFileSync(join(folder, 'data.mdb'), '');
  let position: StreamPosition = streamStart;
  const seen: string[] = [];
  let leave = (): void => {};
  const keeper = new ClusterKeeper({
    data,
    clusterId: 'one',
    openCatalog: () => {
      seen.push('copy opened');
      return {
        get position() {
          return position;
        },
        follow: async (records) => {
          position = records.at(-1) ?? position;
        },
        copyTo: async () => {},
        close: async () => void seen.push('copy closed'),
      };
    },
    appender: () => assert.fail('nothing is appended'),
    opened: async () => {},
    closing: () => new Promise((left) => (leave = left)),
    restore: async () => {},
  });
  const record = { home: 0, stream: '', number: 1, sequence: 1, epoch: 1, nonce: Buffer.alloc(16, 1), body: Buffer.from('x') };
  await keeper.apply(0, [record], { after: 0, upTo: 1 });
  await keeper.open(0);
  assert.equal(seen.at(-1), 'copy closed');
  seen.length = 0;
  const closed = keeper.close(0, 'lost');
  await keeper.openCatalog();
  assert.deepEqual(seen, []);
  leave();
  await closed;
  assert.equal(seen.at(-1), 'copy opened');
  await keeper.stop();
});
