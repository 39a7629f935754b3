// The rules of the port, asked of a log by those who use it: each takes homes of its own, so that they can share one.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ClusterLog } from '../../src/cluster/log.js';
import { eachOf, entryOf, joined, stateOf } from './log-kit.js';

/** A log as the node of this name has it. */
export type OpenLog = (node: string) => Promise<ClusterLog>;

const refused = (...homes: number[]) => ({ outcome: 'refused', homes });
const appended = { outcome: 'appended' };
const placesOf = (entries: readonly { home: number; sequence: number }[]) => entries.map(({ home, sequence }) => [home, sequence]);
const from = (home: number, sequence = 1) => [{ home, sequence }];
const bytesMax = 1_000_000;

export const rules: { [rule: string]: (open: OpenLog) => Promise<void> } = {
  'what was appended is read, with all that it says': async (open) => {
    const log = await open('a');
    const epoch = (await log.claim(1, 0, 'a')) as number;
    const stream = 'p "{\\,}\' \u00e9/home';
    const parts = [
      { ...entryOf(1, 1, epoch, { body: 'first ' }), stream, isLast: false },
      { ...entryOf(1, 2, epoch), stream, number: 1, body: Buffer.from([0, 255, 92, 39]) },
      { ...entryOf(1, 3, epoch, { body: '' }), stream: '', number: 0 },
    ];
    assert.deepEqual(await log.append(parts), appended);
    assert.deepEqual(await log.read(from(1), bytesMax), parts);
    assert.deepEqual(await log.read(from(1, 3), bytesMax), parts.slice(2));
    assert.deepEqual(
      await log.ends([1, 2]),
      new Map([
        [1, 3],
        [2, 0],
      ]),
    );
  },
  'an entry is appended only under the present epoch of its home': async (open) => {
    const [a, b] = [await open('a'), await open('b')];
    assert.deepEqual(await a.append([entryOf(3, 1, 1)]), refused(3));
    assert.equal(await a.claim(3, 0, 'a'), 1);
    assert.deepEqual(await a.append([entryOf(3, 1, 1)]), appended);
    assert.equal(await b.claim(3, 1, 'b'), 2);
    assert.deepEqual(await a.append([entryOf(3, 2, 1)]), refused(3));
    assert.deepEqual(await b.append([entryOf(3, 2, 2)]), appended);
    assert.deepEqual(placesOf(await b.read(from(3), bytesMax)), [
      [3, 1],
      [3, 2],
    ]);
  },
  'of an append to several homes all is there, or nothing': async (open) => {
    const [a, b] = [await open('a'), await open('b')];
    for (const home of [4, 5, 6]) await a.claim(home, 0, 'a');
    await b.claim(5, 1, 'b');
    assert.deepEqual(await a.append([entryOf(4, 1, 1), entryOf(5, 1, 1), entryOf(6, 1, 1)]), refused(5));
    assert.deepEqual(await a.read([...from(4), ...from(5), ...from(6)], bytesMax), []);
    assert.deepEqual(await a.append([entryOf(4, 1, 1), entryOf(6, 1, 1), entryOf(6, 2, 1)]), appended);
    assert.deepEqual(placesOf(await b.read([...from(6), ...from(4)], bytesMax)), [
      [6, 1],
      [6, 2],
      [4, 1],
    ]);
  },
  'there is one entry of a home and a sequence, and none behind a gap': async (open) => {
    const log = await open('a');
    await log.claim(7, 0, 'a');
    assert.deepEqual(await log.append([entryOf(7, 2, 1)]), refused(7));
    assert.deepEqual(await log.append([entryOf(7, 1, 1)]), appended);
    assert.deepEqual(await log.append([entryOf(7, 1, 1, { nonce: 'other' })]), refused(7));
    assert.deepEqual(await log.append([entryOf(7, 3, 1)]), refused(7));
    assert.deepEqual(placesOf(await log.read(from(7), bytesMax)), [[7, 1]]);
  },
  'what was appended is found by its nonce, and what was not is appended': async (open) => {
    const [a, b] = [await open('a'), await open('b')];
    for (const home of [8, 9]) await a.claim(home, 0, 'a');
    const batch = [entryOf(8, 1, 1), entryOf(9, 1, 1)];
    assert.deepEqual(await a.resolve(batch), appended);
    assert.deepEqual(await a.resolve(batch), appended);
    await b.claim(8, 1, 'b');
    assert.deepEqual(await a.resolve(batch), appended, 'it was there before the claim');
    assert.deepEqual(await a.resolve([entryOf(8, 2, 1), entryOf(9, 2, 1)]), refused(8));
    assert.deepEqual(await b.append([entryOf(8, 2, 2)]), appended);
    assert.deepEqual(await a.resolve([entryOf(8, 2, 1)]), refused(8));
    assert.deepEqual(placesOf(await a.read([...from(8), ...from(9)], bytesMax)), [
      [8, 1],
      [8, 2],
      [9, 1],
    ]);
  },
  'a late owner is refused also after a trim': async (open) => {
    const [a, b] = [await open('a'), await open('b')];
    await a.claim(10, 0, 'a');
    assert.deepEqual(await a.append([entryOf(10, 1, 1), entryOf(10, 2, 1)]), appended);
    await b.claim(10, 1, 'b');
    assert.deepEqual(await b.append([entryOf(10, 3, 2), entryOf(10, 4, 2)]), appended);
    await b.trim(10, 5);
    assert.deepEqual(await b.read(from(10), bytesMax), []);
    assert.deepEqual(await b.ends([10]), new Map([[10, 4]]));
    assert.deepEqual(await a.append([entryOf(10, 3, 1)]), refused(10));
    assert.deepEqual(await a.resolve([entryOf(10, 3, 1)]), refused(10));
    assert.deepEqual(await b.append([entryOf(10, 3, 2, { nonce: 'again' })]), refused(10), 'its place was trimmed');
    assert.deepEqual(await b.append([entryOf(10, 5, 2)]), appended);
    await b.trim(10, 2);
    assert.deepEqual(placesOf(await b.read(from(10), bytesMax)), [[10, 5]]);
    const { homes } = await b.beat(stateOf('b'));
    assert.deepEqual(homes[10], { home: 10, owner: 'b', epoch: 2, firstSequence: 5, snapshotSequence: 0, wanted: undefined });
  },
  'a read stops at its bytes, and begins with one entry at least': async (open) => {
    const log = await open('a');
    for (const home of [11, 12]) await log.claim(home, 0, 'a');
    const large = 'x'.repeat(1000);
    const all = [11, 12].flatMap((home) => [1, 2, 3].map((sequence) => entryOf(home, sequence, 1, { body: large })));
    assert.deepEqual(await log.append(all), appended);
    assert.deepEqual(placesOf(await log.read([...from(11), ...from(12, 2)], 3500)), [
      [11, 1],
      [11, 2],
      [11, 3],
      [12, 2],
    ]);
    assert.deepEqual(placesOf(await log.read(from(12, 2), 1)), [[12, 2]]);
    await log.trim(11, 3);
    assert.deepEqual(placesOf(await log.read(from(11), bytesMax)), [[11, 3]]);
  },
  'one of several takers gets the home': async (open) => {
    const logs = await Promise.all(['a', 'b', 'c', 'd'].map(open));
    const epochs = await Promise.all(logs.map((log, index) => log.claim(13, 0, `${index}`)));
    assert.deepEqual(
      epochs.filter((epoch) => epoch !== undefined),
      [1],
    );
  },
  'an owner gives a home away once': async (open) => {
    const log = await open('a');
    await log.claim(14, 0, 'a');
    assert.equal(await log.give(14, 1, 'b'), true);
    assert.equal(await log.give(14, 1, 'c'), false);
    const { homes } = await log.beat(stateOf('a'));
    assert.equal(homes[14]?.owner, 'b');
    assert.equal(homes[14]?.epoch, 2);
  },
  'a beat is counted and shows everybody; a node that left is not there': async (open) => {
    const [a, b] = [await open('beat-a'), await open('beat-b')];
    await a.beat(stateOf('beat-a', { state: 'joining', followed: { 1: 7 } }));
    await a.beat(stateOf('beat-a', { state: 'joining', followed: { 1: 7 } }));
    const own = (nodes: readonly { node: string }[]) => nodes.filter(({ node }) => node.startsWith('beat-'));
    assert.deepEqual(own((await b.beat(stateOf('beat-b'))).nodes), [
      { ...stateOf('beat-a'), state: 'joining', followed: { 1: 7 }, isDrained: false, beat: 2 },
      { ...stateOf('beat-b'), isDrained: false, beat: 1 },
    ]);
    await a.leave('another');
    assert.equal(own((await b.beat(stateOf('beat-b'))).nodes).length, 2);
    await a.leave('beat-a now');
    const unreached = ['beat-a'];
    assert.deepEqual(own((await b.beat(stateOf('beat-b', { unreached }))).nodes), [
      { ...stateOf('beat-b', { unreached }), isDrained: false, beat: 3 },
    ]);
    await b.leave('beat-b now');
  },
  'what an operator wants of homes and of nodes is shown to all; a drained node that comes back is not': async (open) => {
    const [a, b] = [await open('wish-a'), await open('wish-b')];
    const held = { 2: { phase: 'owned' as const, end: 9, logBytes: 99 } };
    await a.beat(stateOf('wish-a', { held }));
    await b.want([2, 3], 'wish-a');
    assert.equal(await b.drain('wish-a', true), true);
    assert.equal(await b.drain('wish-nobody', true), false);
    const seen = async () => {
      const { nodes, homes } = await b.beat(stateOf('wish-b'));
      const found = nodes.find(({ node }) => node === 'wish-a');
      return [homes[2]?.wanted, homes[3]?.wanted, homes[4]?.wanted, found?.isDrained, found?.held];
    };
    assert.deepEqual(await seen(), ['wish-a', 'wish-a', undefined, true, held]);
    await a.beat(stateOf('wish-a', { held }));
    assert.deepEqual((await seen())[3], true);
    await b.drain('wish-a', false);
    assert.deepEqual((await seen())[3], false);
    await b.drain('wish-a', true);
    const [before, another] = [{ incarnation: 'wish-a now', beat: 2 }, stateOf('wish-a', { incarnation: 'another' })];
    await assert.rejects(a.beat(another), { name: 'NameHeld', holder: before });
    await assert.rejects(a.beat(another, { ...before, beat: 1 }), { name: 'NameHeld', holder: before });
    assert.equal((await a.beat(another, before)).nodes.find(({ node }) => node === 'wish-a')?.beat, 3);
    await assert.rejects(a.beat(stateOf('wish-a')), { name: 'NameHeld', holder: { incarnation: 'another', beat: 3 } });
    await b.want([2], undefined);
    assert.deepEqual(await seen(), [undefined, 'wish-a', undefined, false, {}]);
    assert.ok((await b.health()).bytes >= 0);
    await a.leave('another');
    await b.leave('wish-b now');
  },
  'a snapshot is named by its home when it is there, and the same bytes come back': async (open) => {
    const log = await open('a');
    const large = Buffer.alloc(2_500_000, 'large');
    await log.snapshots.put(15, 3, eachOf(large.subarray(0, 10), large.subarray(10)));
    await log.snapshots.put(15, 7, eachOf());
    assert.ok((await joined(log.snapshots.get(15, 3))).equals(large));
    assert.equal((await joined(log.snapshots.get(15, 7))).length, 0);
    assert.equal((await log.beat(stateOf('a'))).homes[15]?.snapshotSequence, 7);
    assert.deepEqual(await log.snapshots.sequences(15), [7, 3]);
    await log.snapshots.trim(15, 7);
    await assert.rejects(joined(log.snapshots.get(15, 3)), /no snapshot at 3/);
    assert.equal((await joined(log.snapshots.get(15, 7))).length, 0);
  },
  'a blob is there as a whole, also where two nodes put it at once': async (open) => {
    const [a, b] = [await open('a'), await open('b')];
    const body = Buffer.alloc(1024 * 1024, 'blob');
    const digest = createHash('sha256').update(body).digest('hex');
    assert.equal(await a.blobs.get(digest), undefined);
    await Promise.all([a.blobs.put(digest, eachOf(body)), b.blobs.put(digest, eachOf(body.subarray(0, 9), body.subarray(9)))]);
    assert.equal(await b.blobs.has(digest), true);
    assert.ok((await joined((await b.blobs.get(digest)) as AsyncIterable<Buffer>)).equals(body));
    assert.equal(await b.blobs.removeOld(digest, -60_000), true);
    assert.equal(await a.blobs.has(digest), false);
  },
  'a blob goes by its age at its last put, and all of them are listed': async (open) => {
    const [a, b] = [await open('a'), await open('b')];
    const names = ['sha256:1', 'sha256:2', 'sha256:3'];
    for (const name of names) await a.blobs.put(name, eachOf(name));
    const listed: string[] = [];
    for await (const digest of b.blobs.digests()) listed.push(digest);
    assert.deepEqual(listed.filter((name) => names.includes(name)).sort(), names);
    assert.equal(await b.blobs.removeOld('sha256:1', 3_600_000), false);
    assert.equal(await b.blobs.removeOld('sha256:none', 0), false);
    // A millisecond passes by the clock of the log.
    while (!(await b.blobs.removeOld('sha256:1', 0)));
    assert.equal(await a.blobs.has('sha256:1'), false);
    await a.blobs.put('sha256:2', eachOf('sha256:2'));
    assert.equal(await b.blobs.removeOld('sha256:2', 3_600_000), false);
    assert.equal((await joined((await b.blobs.get('sha256:2')) as AsyncIterable<Buffer>)).toString(), 'sha256:2');
    await a.blobs.put('sha256:1', eachOf('sha256:1'));
    assert.equal(await b.blobs.has('sha256:1'), true);
  },
  'the format rises with the last node of the older one, and those who cannot read it are refused': async (open) => {
    const [a, b] = [await open('format-a'), await open('format-b')];
    for (const { node, incarnation } of (await a.beat(stateOf('format-a'))).nodes) await (await open(node)).leave(incarnation);
    assert.equal((await a.beat(stateOf('format-a', { format: 1 }))).format, 1);
    assert.equal((await b.beat(stateOf('format-b', { format: 2 }))).format, 1);
    assert.equal((await a.beat(stateOf('format-a', { format: 2 }))).format, 2);
    await assert.rejects(b.beat(stateOf('format-b', { format: 1 })), { code: 'cluster.FORMAT_UNSUPPORTED' });
  },
};
/** Those of snapshots and blobs, which lie in a store of their own where one is named. */
export const storeRules = Object.entries(rules).filter(([rule]) => /^a (?:snapshot|blob) /.test(rule));
export const conformanceHomes = 15;
