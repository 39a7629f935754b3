import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Follower } from '../../src/cluster/follower.js';
import type { HomeKeeper } from '../../src/cluster/home-keeper.js';
import type { LogEntry } from '../../src/cluster/log.js';
import { tuning } from '../../src/cluster/tuning.js';
import { eachOf, entryOf, stateOf } from './log-kit.js';
import { MemoryLog } from './memory-log.js';
import { VirtualClock } from './virtual-clock.js';

async function start() {
  const shared = new MemoryLog({ homes: 3 });
  const log = shared.door('a');
  const clock = new VirtualClock();
  const positions = new Map<number, number>();
  const applied: [number, number][] = [];
  const problems: unknown[] = [];
  const applying = new Set<number>();
  for (const home of [1, 2, 3]) await log.claim(home, 0, 'x');
  const keeper: Pick<HomeKeeper, 'position' | 'seen' | 'apply' | 'restore'> = {
    position: (home) => positions.get(home) ?? 0,
    seen: (home) => positions.get(home) ?? 0,
    apply: async (home, records, { upTo }) => {
      assert.equal(applying.has(home), false, 'one at a time');
      applying.add(home);
      await new Promise<void>((resolve) => clock.face().after(5, resolve));
      for (const { number } of records) applied.push([home, number]);
      positions.set(home, upTo);
      applying.delete(home);
    },
    restore: async ({ home, snapshotSequence }) => void positions.set(home, snapshotSequence),
  };
  const states = async () => (await log.beat(stateOf('a'))).homes;
  let seen = await states();
  const follower = new Follower({
    log,
    clock: clock.face(),
    keeper: keeper as HomeKeeper,
    stateOf: (home) => seen[home],
    onFailed: (_, error) => void problems.push(error),
  });
  const look = async (): Promise<void> => {
    seen = await states();
  };
  return { log, clock, follower, applied, positions, problems, look };
}

const part = (sequence: number, number: number, isLast: boolean): LogEntry => ({
  ...entryOf(1, sequence, 1),
  number,
  isLast,
  body: Buffer.alloc(tuning.entryBytesMax),
});

// FOLLOWER-1, FOLLOWER-2
test('each record is applied once and in order, also one that is larger than a look, and while somebody waits for the end', async () => {
  const { log, clock, follower, applied, positions, problems } = await start();
  const parts = Math.ceil((tuning.readBytesMax / tuning.entryBytesMax) * 1.5);
  await log.append(Array.from({ length: parts }, (_, index) => part(index + 1, 1, index === parts - 1)));
  await log.append([entryOf(2, 1, 1), entryOf(2, 2, 1), entryOf(3, 1, 1)]);
  follower.follow([1, 2, 3]);
  follower.start();
  const reached = Promise.all([follower.reach(2, 2), follower.reach(3, 1)]);
  await clock.advance(20);
  assert.equal(follower.isWarm(1), false);
  await clock.advance(1000);
  await reached;
  assert.equal(follower.isWarm(1), true);
  assert.deepEqual(applied.sort(), [
    [1, 1],
    [2, 1],
    [2, 2],
    [3, 1],
  ]);
  assert.deepEqual(follower.positions, { 1: parts, 2: 2, 3: 1 });
  await log.append([part(parts + 1, 2, true)]);
  const again = follower.reach(1, parts + 1);
  await clock.advance(1000);
  await again;
  assert.equal(positions.get(1), parts + 1);
  assert.deepEqual(problems, []);
  await follower.stop();
});

// FOLLOWER-1
test('where the log no longer reaches back, a snapshot is taken first; where there is none, the copy waits', async () => {
  const { log, clock, follower, applied, positions, look, problems } = await start();
  await log.append([1, 2, 3, 4].map((sequence) => entryOf(1, sequence, 1)));
  await log.trim(1, 3);
  follower.follow([1]);
  follower.start();
  await look();
  await clock.advance(500);
  assert.deepEqual(applied, []);
  assert.deepEqual(problems, []);
  await log.snapshots.put(1, 2, eachOf('all up to 2'));
  await look();
  await clock.advance(1000);
  assert.deepEqual(applied, [
    [1, 3],
    [1, 4],
  ]);
  await log.trim(1, 5);
  await look();
  positions.set(1, 1);
  await log.snapshots.put(1, 4, eachOf('all up to 4'));
  await look();
  await clock.advance(500);
  assert.equal(positions.get(1), 4, 'also where nothing of the log is left');
  await follower.stop();
});

// FOLLOWER-3
test('a copy that begins at a snapshot counts as whole only when it has what was appended behind that', async () => {
  const { log, clock, follower, applied, positions, look, problems } = await start();
  const end = 10;
  await log.append(Array.from({ length: end }, (_, index) => entryOf(1, index + 1, 1)));
  await log.snapshots.put(1, 4, eachOf('all up to 4'));
  await log.trim(1, 5);
  await look();
  follower.follow([1]);
  follower.start();
  const seen: number[] = [];
  for (let ms = 0; ms < 1000 && positions.get(1) !== end; ms++) {
    await clock.advance(1);
    const position = positions.get(1) ?? 0;
    if (position !== seen.at(-1)) seen.push(position);
    if (position < end) assert.deepEqual([follower.isWarm(1), follower.isWithin(1)], [false, false], `at ${position}`);
  }
  assert.deepEqual(seen, [4, end]);
  await clock.advance(tuning.followMs);
  assert.deepEqual([follower.isWarm(1), follower.isWithin(1)], [true, true]);
  assert.equal(applied.length, 6);
  positions.set(1, 4);
  assert.equal(follower.isWithin(1), false, 'what it had is gone');
  assert.deepEqual(problems, []);
  await follower.stop();
});
