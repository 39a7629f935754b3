// What is started while an owner is silent, on a clock that the test moves: which owners, which streams, and how often.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterMembers } from '../../src/cluster/members.js';
import { tuning } from '../../src/cluster/tuning.js';
import { ClusterAhead } from '../../src/nodes/cluster-ahead.js';
import { stateOf } from './log-kit.js';
import { MemoryLog } from './memory-log.js';
import { VirtualClock } from './virtual-clock.js';

/** Node `a` of three, of which `b` owns homes 1 and 2, and `c` home 3. `streams`: of each home, and when they changed. */
async function begin(streams: { [home: number]: { [stream: string]: number } }) {
  const [log, clock] = [new MemoryLog({ homes: 3 }), new VirtualClock()];
  let isCut = false;
  const membersOf = (node: string) => {
    const { node: _, unreached: __, ...state } = stateOf(node);
    const fate = () => (isCut ? ('unavailable' as const) : ('fine' as const));
    return new ClusterMembers({
      log: log.door(node, node === 'a' ? { fate } : {}),
      ...{ clock: clock.face(), node, state: () => state, onBeat: () => {}, onRefused: assert.fail },
    });
  };
  const [members, b, c] = [membersOf('a'), membersOf('b'), membersOf('c')];
  for (const one of [members, b, c]) one.start();
  for (const [home, owner] of [
    [1, 'b'],
    [2, 'b'],
    [3, 'c'],
  ] as const)
    await log.door(owner).claim(home, 0, owner);
  const prepared: (readonly string[])[] = [];
  const ahead = new ClusterAhead({
    ...{ node: 'a', clock: clock.face(), members },
    keeper: {
      homeOf: (home) => ({
        lately: (sinceMs) => Object.keys(streams[home] ?? {}).filter((stream) => (streams[home]?.[stream] as number) >= sinceMs),
      }),
    },
    owned: { prepare: async (folders) => void prepared.push(folders) },
  });
  await clock.advance(1000);
  return { clock, members, b, c, ahead, prepared, cut: (is: boolean) => (isCut = is), membersAgain: membersOf };
}

// CLUSTER-AHEAD-1
test('what was at work in the homes of a silent owner is started once, before it counts as gone, and again after its next silence', async () => {
  const lately = tuning.atWorkMs;
  const { clock, members, b, c, ahead, prepared } = await begin({
    1: { p1: lately, p2: lately },
    2: { p2: lately, p3: -1 },
    3: { p4: lately },
  });
  await clock.advance(lately);
  assert.deepEqual(prepared, [], 'nobody is silent');
  await b.stop();
  await clock.advance(tuning.silentMs + 3 * tuning.beatMs);
  assert.deepEqual([prepared, members.isAlive('b')], [[['p1', 'p2']], true]);
  await clock.advance(2 * tuning.aliveMs);
  assert.equal(prepared.length, 1);
  await c.stop();
  await clock.advance(tuning.silentMs + 3 * tuning.beatMs);
  assert.deepEqual(prepared.slice(1), [['p4']]);
  ahead.close();
  await members.stop();
});

// CLUSTER-AHEAD-1
test('the first node that hears of the log again after it was away for all starts nothing', async () => {
  const { clock, members, b, c, ahead, prepared, cut, membersAgain } = await begin({ 1: { p1: 0 }, 3: { p4: 0 } });
  for (const one of [b, c]) await one.stop();
  cut(true);
  await clock.advance(tuning.silentMs + tuning.beatMs);
  cut(false);
  // Its own beat is answered, and those of the others come within the next.
  await clock.advance(tuning.beatMs);
  for (const one of ['b', 'c']) assert.equal(members.isAlive(one), true);
  const again = ['b', 'c'].map((node) => membersAgain(node));
  for (const one of again) one.start();
  await clock.advance(4 * tuning.beatMs);
  assert.deepEqual(prepared, []);
  ahead.close();
  for (const one of [members, ...again]) await one.stop();
});

// CLUSTER-AHEAD-1
test('a node that hears nothing itself starts nothing, and never more than a few', async () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`p${index}`, 0]));
  const { clock, members, b, c, ahead, prepared, cut } = await begin({ 1: many, 3: many });
  cut(true);
  await clock.advance(3 * tuning.aliveMs);
  assert.deepEqual(prepared, []);
  cut(false);
  await clock.advance(1000);
  await b.stop();
  await clock.advance(tuning.aliveMs);
  assert.deepEqual(
    prepared.map(({ length }) => length),
    [tuning.projectsAheadMax],
  );
  ahead.close();
  for (const one of [members, c]) await one.stop();
});
