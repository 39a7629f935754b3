// Snapshots and blobs in a folder and in an S3 server of somebody else, with one PostgreSQL for the index: the rules that the log in
// PostgreSQL keeps too.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ClusterLog } from '../../src/cluster/log.js';
import { LogUnavailable } from '../../src/cluster/log.js';
import { openObjects, storeIdentity } from '../../src/cluster/objects/open-objects.js';
import { PostgresSession } from '../../src/cluster/postgres/connection.js';
import { atOneMoment } from '../../src/cluster/postgres/log-moment.js';
import { beginLog } from '../../src/cluster/postgres/new-log.js';
import { openPostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { holdStore, mayRemove } from '../../src/cluster/postgres/store-hold.js';
import { removeStrays } from '../../src/cluster/postgres/stray-objects.js';
import { untilSettled } from '../until.js';
import { temporaryFolder } from '../worlds/storage-kit.js';
import { conformanceHomes, storeRules } from './log-conformance.js';
import { eachOf, entryOf, joined, stateOf } from './log-kit.js';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres-server.js';
import { type S3Server, startS3 } from './s3-server.js';

const skip = postgresMissing;
let server: PostgresServer;
let s3: S3Server;
const opened: ClusterLog[] = [];

before(async () => {
  if (skip !== false) return;
  server = await startPostgres();
  s3 = await startS3();
});
after(async () => {
  for (const log of opened) await log.close();
  await s3?.stop();
  await server?.stop();
});

let databases = 0;
/** A cluster of its own. */
async function cluster(store: string | undefined): Promise<{ url: string; open(node: string, other?: string): Promise<ClusterLog> }> {
  const name = `store_${++databases}`;
  await server.ask(`create database ${name}`);
  const url = server.url.replace(/[^/]+$/, name);
  const open = async (node: string, named = store): Promise<ClusterLog> => {
    const identity = { homes: conformanceHomes, keyFingerprint: 'key', formats: { oldest: 1, newest: 1 } };
    const log = await openPostgresLog(url, { node, ...identity, ...(named !== undefined && { store: named }) });
    opened.push(log);
    return log;
  };
  return { url, open };
}
const filesBelow = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((name) => statSync(join(folder, name)).isFile());
/** Besides the name of the store. */
const objectsIn = (folder: string): string[] => filesBelow(folder).filter((name) => name !== 'store.json');

const kinds = {
  folder: async (t: Parameters<typeof temporaryFolder>[0]) => `file://${temporaryFolder(t)}`,
  S3: async () => s3.store(`rules-${++databases}`),
};
for (const [kind, storeOf] of Object.entries(kinds)) {
  // POSTGRES-LOG-1, INDEXED-SNAPSHOTS-2, INDEXED-BLOBS-1
  test(`the rules of snapshots and blobs hold in a store: ${kind}`, { skip }, async (t) => {
    const { open } = await cluster(await storeOf(t));
    const byNode = new Map<string, Promise<ClusterLog>>();
    for (const [rule, ask] of storeRules)
      await t.test(rule, () =>
        ask((node) => {
          const log = byNode.get(node) ?? open(node);
          byNode.set(node, log);
          return log;
        }),
      );
  });

  test(`a body of several objects comes back; what was removed or replaced is gone, strays when they are old: ${kind}`, {
    skip,
  }, async (t) => {
    const store = await storeOf(t);
    const { url, open } = await cluster(store);
    const log = await open('a');
    const large = randomBytes(9 * 1024 * 1024);
    const objects = await openObjects(store);
    const keys = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const folder of ['homes', 'blobs', 'drafts']) for await (const { key } of objects.list(folder)) found.push(key);
      return found;
    };
    for (const sequence of [1, 2, 3]) await log.snapshots.put(1, sequence, eachOf(large));
    await log.blobs.put('sha256:aa', eachOf(large));
    assert.ok((await joined(log.snapshots.get(1, 2))).equals(large));
    // Two objects each: two snapshots that are kept, and the blob.
    assert.equal((await keys()).length, 6);
    await log.snapshots.trim(1, 3);
    assert.equal(await log.blobs.removeOld('sha256:aa', -60_000), true);
    const named = await keys();
    assert.equal(named.length, 2);
    await objects.put('blobs/sha256-bb/cut/0', large.subarray(0, 10));
    await objects.put('homes/1/9/cut/0', large.subarray(0, 10));
    assert.equal(await log.sweepStore(), 0, 'they may be of a put under way');
    const session = new PostgresSession({ url, name: 'sweep' });
    const foreign = [
      'drafts-of-a-book/chapter-1',
      'blobs-backup/a',
      'homes.csv',
      'homes-of-others/1/2',
      'homes/of-nobody/1',
      'homes/1e400/1',
    ];
    for (const key of foreign) await objects.put(key, large.subarray(0, 10));
    // STRAY-OBJECTS-1
    assert.equal(await removeStrays((statement) => session.run(statement), objects, -60_000), 2);
    await session.close();
    for (const key of foreign) assert.equal((await objects.get(key))?.length, 10, key);
    for (const key of foreign) await objects.remove(key);
    assert.deepEqual(await keys(), named);
    assert.ok((await joined(log.snapshots.get(1, 3))).equals(large));
    objects.close();
  });
}

// SCHEMA-1
test("a node with another store, with none, or with one that is another cluster's is refused", { skip }, async (t) => {
  const refusal = (message: RegExp) => ({ code: 'cluster.FOREIGN_CLUSTER', message });
  const [own, other] = [temporaryFolder(t), temporaryFolder(t)];
  const { open } = await cluster(`file://${own}`);
  await open('a');
  await open('b');
  await assert.rejects(open('c', `file://${other}`), refusal(/in another store.*mounted/));
  await assert.rejects(open('c', s3.store('nobody')), refusal(/in another store/));
  await assert.rejects(
    (await cluster(`file://${own}`)).open('a'),
    refusal(/another cluster's, or a restore that was cut short has left it\. .* remove its store\.json/),
  );
  const rows = await cluster(undefined);
  await rows.open('a');
  await assert.rejects(rows.open('b', `file://${other}`), refusal(/in another store/));
  const named = await cluster(s3.store('named'));
  await named.open('a');
  await assert.rejects(
    openPostgresLog(named.url, { node: 'b', homes: conformanceHomes, keyFingerprint: 'key', formats: { oldest: 1, newest: 1 } }),
    refusal(/Name it with/),
  );
  // A folder that is not mounted is no empty store.
  renameSync(own, `${own}.away`);
  await assert.rejects(open('d'), { code: 'control.UNAVAILABLE', message: /the folder .* is not there\.$/ });
  assert.equal(existsSync(own), false);
  renameSync(`${own}.away`, own);
});

// INDEXED-SNAPSHOTS-1, STORED-BODY-1
test('an object that is missing, cut short or another is found by its digest, and replaces nothing', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const log = await (await cluster(`file://${folder}`)).open('a');
  const body = randomBytes(1000);
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
  await log.snapshots.put(1, 5, eachOf(body));
  await log.blobs.put(digest, eachOf(body));
  for (const name of objectsIn(folder)) {
    const file = join(folder, name);
    for (const damaged of [body.subarray(0, 500), randomBytes(1000), undefined]) {
      if (damaged === undefined) rmSync(file);
      else writeFileSync(file, damaged);
      const read = name.startsWith('homes') ? log.snapshots.get(1, 5) : ((await log.blobs.get(digest)) as AsyncIterable<Buffer>);
      await assert.rejects(joined(read), { code: 'control.DATA_DAMAGED', message: /missing|not those that were put/ }, name);
    }
  }
});

// FOLDER-OBJECTS-1, FOLDER-OBJECTS-2
test('a folder has whole objects under their names, no empty folders, and drafts only while they are written', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const objects = await openObjects(`file://${folder}`);
  await storeIdentity(objects).begin();
  const puts = Array.from({ length: 40 }, async (_, index) => {
    const key = `homes/${index % 4}/${index}/x/0`;
    await objects.put(key, Buffer.from(`${index}`));
    if (index % 2 === 0) await objects.remove(key);
  });
  await Promise.all(puts);
  assert.equal(objectsIn(folder).length, 20);
  for (let index = 1; index < 40; index += 2) await objects.remove(`homes/${index % 4}/${index}/x/0`);
  assert.deepEqual(readdirSync(folder).sort(), ['drafts', 'store.json']);
  await objects.remove('homes/nothing/0');
  const left = join(folder, 'drafts', 'of-a-crash');
  mkdirSync(join(folder, 'drafts'), { recursive: true });
  writeFileSync(left, 'half');
  utimesSync(left, 0, 0);
  const { url, open } = await cluster(undefined);
  await open('a');
  const session = new PostgresSession({ url, name: 'sweep' });
  assert.equal(await removeStrays((statement) => session.run(statement), objects), 1);
  await session.close();
  assert.deepEqual(objectsIn(folder), []);
});

// FOLDER-OBJECTS-3
test('a folder that is not mounted any more takes nothing and lacks nothing, and is the store again when it is back', {
  skip,
}, async (t) => {
  const [folder, other] = [temporaryFolder(t), temporaryFolder(t)];
  const store = `file://${folder}`;
  const log = await (await cluster(store)).open('a');
  await (await cluster(`file://${other}`)).open('a');
  await log.snapshots.put(1, 2, eachOf('second'));
  await log.blobs.put('sha256:aa', eachOf('body'));
  const objects = await openObjects(store);
  assert.notEqual(await objects.get('store.json'), undefined);
  const away = { name: 'LogUnavailable', message: /not mounted|another store is mounted/ };
  const refuses = async (): Promise<void> => {
    await assert.rejects(log.snapshots.put(1, 4, eachOf('fourth')), away);
    await assert.rejects(log.blobs.put('sha256:bb', eachOf('other')), away);
    await assert.rejects(joined(log.snapshots.get(1, 2)), away);
    await assert.rejects(joined((await log.blobs.get('sha256:aa')) as AsyncIterable<Buffer>), away);
    for (const work of [() => objects.put('a/b/0', Buffer.from('a')), () => objects.get('a/b/0'), () => objects.remove('a/b/0')])
      await assert.rejects(work(), away);
    await assert.rejects(log.sweepStore(), away);
  };
  const kept = `${folder}.kept`;
  renameSync(folder, kept);
  mkdirSync(folder);
  await refuses();
  assert.deepEqual(readdirSync(folder), []);
  // Another cluster's volume in its place.
  rmSync(folder, { recursive: true });
  renameSync(other, folder);
  await refuses();
  assert.deepEqual(filesBelow(folder), ['store.json']);
  renameSync(folder, other);
  renameSync(kept, folder);
  assert.deepEqual(await log.snapshots.sequences(1), [2]);
  assert.equal((await joined(log.snapshots.get(1, 2))).toString(), 'second');
  assert.equal((await joined((await log.blobs.get('sha256:aa')) as AsyncIterable<Buffer>)).toString(), 'body');
  objects.close();
});

// STORE-HOLD-1
test('while somebody holds the store nothing is removed from it', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const { url, open } = await cluster(`file://${folder}`);
  const log = await open('a');
  for (const sequence of [1, 2]) await log.snapshots.put(1, sequence, eachOf('body'));
  await log.blobs.put('sha256:aa', eachOf('body'));
  const [holder, second] = ['holder', 'second'].map((name) => new PostgresSession({ url, name })) as [PostgresSession, PostgresSession];
  assert.equal(await holdStore((statement) => holder.run(statement)), true);
  assert.equal(await holdStore((statement) => second.run(statement)), false);
  await log.snapshots.put(1, 3, eachOf('body'));
  await log.snapshots.trim(1, 3);
  assert.equal(await log.blobs.removeOld('sha256:aa', -1000), false);
  assert.equal((await joined(log.snapshots.get(1, 1))).toString(), 'body');
  assert.equal(objectsIn(folder).length, 4);
  await holder.close();
  // A removal that has begun is waited for, and one that comes later is not made.
  const [removing, removed] = [new PostgresSession({ url, name: 'removing' }), new PostgresSession({ url, name: 'removed' })];
  await removing.run({ text: 'begin' });
  assert.equal(await mayRemove((statement) => removing.run(statement)), true);
  const held = holdStore((statement) => second.run(statement));
  await untilSettled(async () => {
    const [row] = await removed.run({
      text: `select count(*) as waiting from pg_stat_activity where application_name = 'second' and wait_event_type = 'Lock'`,
    });
    return row?.waiting === '1';
  });
  assert.equal(await removed.transaction(mayRemove), false);
  await removing.run({ text: 'commit' });
  assert.equal(await held, true);
  await Promise.all([second.close(), removing.close(), removed.close()]);
  await log.snapshots.put(1, 4, eachOf('body'));
  assert.deepEqual(await log.snapshots.sequences(1), [4, 3]);
  assert.equal(await log.blobs.removeOld('sha256:aa', -1000), true);
  assert.equal(objectsIn(folder).length, 2);
});

// INDEXED-BLOBS-2, STORED-BODY-2
test('a blob that is put while it is removed is there as a whole or not at all, and nothing else of it stays', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const { open } = await cluster(`file://${folder}`);
  const [a, b] = [await open('a'), await open('b')];
  for (let round = 0; round < 40; round++) {
    await a.blobs.put('sha256:aa', eachOf('body'));
    await Promise.all([
      a.blobs.removeOld('sha256:aa', -60_000),
      b.blobs.put('sha256:aa', eachOf('body')),
      a.blobs.put('sha256:aa', eachOf('body')),
    ]);
    const body = await b.blobs.get('sha256:aa');
    if (body !== undefined) assert.equal((await joined(body)).toString(), 'body');
    assert.equal(objectsIn(folder).length, body === undefined ? 0 : 1);
  }
});

test('a store that is away, or has no such bucket, is unavailable, and no secret is in what is said', { skip }, async () => {
  const address = s3.store('away');
  for (const store of [address.replace('homes', 'others'), address.replace(/:\d+$/, ':1')]) {
    const objects = await openObjects(store);
    for (const work of [() => objects.put('a', Buffer.from('body')), () => objects.get('a'), () => objects.remove('a')])
      await assert.rejects(work(), (error: Error) => {
        assert.ok(error instanceof LogUnavailable);
        assert.doesNotMatch(error.message, /S3RVER/);
        return true;
      });
    objects.close();
  }
});

// LOG-MOMENT-1, LOG-MOMENT-2
test('what is read of one moment stays as it was while nodes append, trim and remove, and only one reads so', { skip }, async (t) => {
  for (const store of [undefined, `file://${temporaryFolder(t)}`]) {
    const { url, open } = await cluster(store);
    const log = await open('a');
    await log.claim(1, 0, 'a');
    await log.append([1, 2, 3].map((sequence) => entryOf(1, sequence, 1)));
    await log.snapshots.put(1, 2, eachOf('second'));
    await log.blobs.put('sha256:aa', eachOf('body'));
    const address = { url, ...(store !== undefined && { store }) };
    await atOneMoment(address, async ({ ends, log: read, snapshots, blobs, clusterId }) => {
      await assert.rejects(
        atOneMoment(address, async () => {}),
        { code: 'control.STATE_CONFLICT', message: /Another backup/ },
      );
      await log.append([entryOf(1, 4, 1)]);
      await log.snapshots.put(1, 4, eachOf('fourth'));
      await log.trim(1, 4);
      await log.snapshots.trim(1, 4);
      await log.blobs.put('sha256:bb', eachOf('later'));
      await log.blobs.removeOld('sha256:aa', -60_000);
      assert.deepEqual([clusterId, [...ends]], [log.clusterId, [[1, 3]]]);
      const entries = await read.read([{ home: 1, sequence: 1 }], 1_000_000);
      assert.deepEqual(
        entries.map(({ sequence }) => sequence),
        [1, 2, 3],
      );
      assert.deepEqual(await snapshots.sequences(1), [2]);
      assert.equal((await joined(snapshots.get(1, 2))).toString(), 'second');
      assert.equal((await joined((await blobs.get('sha256:aa')) as AsyncIterable<Buffer>)).toString(), 'body');
      assert.equal(await blobs.has('sha256:bb'), false);
    });
    await atOneMoment(address, async ({ ends }) => assert.deepEqual([...ends], [[1, 4]]));
  }
});

// NEW-LOG-1
test('a log that is begun with what another had is whole or not there, and its store is free again', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const store = `file://${folder}`;
  const { url, open } = await cluster(store);
  const identity = { homes: conformanceHomes, keyFingerprint: 'key', format: 1 };
  const begin = (fails: boolean) =>
    beginLog({ url, store }, identity, async (log) => {
      await log.put(1, 7, eachOf('seventh'));
      await log.blobs.put('sha256:aa', eachOf('body'));
      if (fails) throw new Error('the disk of the backup is gone');
      return log.clusterId;
    });
  await assert.rejects(begin(true), /the disk of the backup is gone/);
  assert.equal(existsSync(join(folder, 'store.json')), false);
  const clusterId = await begin(false);
  await assert.rejects(begin(false), { code: 'control.STATE_CONFLICT' });
  const log = await open('a');
  assert.equal(log.clusterId, clusterId);
  const { homes } = await log.beat(stateOf('a'));
  assert.deepEqual(homes[1], { home: 1, owner: undefined, epoch: 0, firstSequence: 8, snapshotSequence: 7, wanted: undefined });
  assert.equal((await joined(log.snapshots.get(1, 7))).toString(), 'seventh');
  assert.equal(await log.claim(1, 0, 'a'), 1);
  assert.deepEqual(await log.append([entryOf(1, 7, 1)]), { outcome: 'refused', homes: [1] });
  assert.deepEqual(await log.append([entryOf(1, 8, 1)]), { outcome: 'appended' });
});
