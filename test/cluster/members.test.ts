import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnState } from '../../src/cluster/log.js';
import { ClusterMembers, type OutageChange } from '../../src/cluster/members.js';
import { tuning } from '../../src/cluster/tuning.js';
import { stateOf } from './log-kit.js';
import { type LogFaults, MemoryLog } from './memory-log.js';
import { VirtualClock } from './virtual-clock.js';

const log = () => new MemoryLog({ homes: 1 });

function join(
  shared: MemoryLog,
  clock: VirtualClock,
  node: string,
  {
    faults = {},
    own = {},
    cutAmong,
  }: { faults?: LogFaults; own?: Partial<OwnState>; cutAmong?: (all: readonly string[]) => string[] } = {},
) {
  const seen: number[] = [];
  const refused: unknown[] = [];
  const outages: OutageChange[] = [];
  const { node: _, unreached: __, incarnation: ___, ...state } = stateOf(node, own);
  const members = new ClusterMembers({
    log: shared.door(node, faults),
    clock: clock.face(),
    ...{ node, cutAmong },
    state: () => state,
    onBeat: () => void seen.push(clock.nowMs),
    onRefused: (error) => void refused.push(error),
    onOutage: (change) => void outages.push(change),
  });
  members.start();
  return { members, seen, refused, outages };
}

// MEMBERS-1
test('a node is alive while its beat changes, and one that is seen first until it was not for long enough', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  await shared.door('dead').beat(stateOf('dead'));
  const [a, b] = [join(shared, clock, 'a'), join(shared, clock, 'b')];
  await clock.advance(0);
  assert.equal(a.members.isAlive('dead'), true);
  assert.equal(a.members.isSettled, false);
  await clock.advance(tuning.aliveMs - 1);
  assert.equal(a.members.isAlive('dead'), true);
  assert.equal(a.members.isAlive('b'), true);
  await clock.advance(1);
  assert.equal(a.members.isAlive('dead'), false);
  assert.equal(a.members.isSettled, true);
  await b.members.stop();
  await clock.advance(tuning.aliveMs + tuning.beatMs);
  assert.deepEqual(
    a.members.alive.map(({ node }) => node),
    ['a'],
  );
  await a.members.stop();
});

// MEMBERS-3
test('a node that is silent is found to be so at the moment at which it has been for long enough', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  const [a, b] = [join(shared, clock, 'a'), join(shared, clock, 'b')];
  await clock.advance(1000);
  await b.members.stop();
  await clock.advance(2 * tuning.aliveMs);
  assert.notEqual(tuning.aliveMs % tuning.beatMs, 0, 'else it is found by chance');
  assert.ok(a.seen.includes(a.members.seenMsOf('b')! + tuning.aliveMs), a.seen.join(' '));
  await a.members.stop();
});

// MEMBERS-2, MEMBERS-3
test('reads end when no beat is answered, counted from the sending, and one beat is under way at a time', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  let delayMs = 0;
  let underWay = 0;
  let sent = 0;
  const delay: LogFaults['delay'] = async (_, phase) => {
    if (phase === 'answer') return void underWay--;
    sent++;
    assert.equal(++underWay, 1);
    if (delayMs > 0) await new Promise<void>((resolve) => clock.face().after(delayMs, resolve));
  };
  const { members } = join(shared, clock, 'a', { faults: { delay } });
  await clock.advance(1000);
  assert.equal(members.mayRead, true);
  delayMs = 1400;
  await clock.advance(2 * tuning.beatMs);
  const before = sent;
  await clock.advance(1400);
  assert.ok(sent <= before + 1);
  delayMs = 60_000;
  await clock.advance(1400);
  // Sent at most so long before its answer, which is all that is left of the lease.
  await clock.advance(tuning.readLeaseMs);
  assert.equal(members.mayRead, false);
  const stopped = members.stop();
  await clock.advance(60_000);
  await stopped;
});

test('a node that was away is returning for a while, and one whose name was never there is not', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  let isCut = false;
  const first = join(shared, clock, 'a', { faults: { fate: () => (isCut ? 'unavailable' : 'fine') } });
  await clock.advance(1000);
  assert.equal(first.members.isReturning, false);
  isCut = true;
  await clock.advance(tuning.aliveMs);
  isCut = false;
  await clock.advance(1000);
  assert.equal(first.members.isReturning, true);
  await clock.advance(tuning.returnedMs);
  assert.equal(first.members.isReturning, false);
  await first.members.stop();
  const second = join(shared, clock, 'a');
  await clock.advance(tuning.aliveMs + tuning.beatMs);
  assert.equal(second.members.isReturning, true);
  await second.members.stop();
});

// MEMBERS-4
test('an outage of the log is reported once with its reason and once when it is over, and a beat that was lost is none', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  let isCut = false;
  const { members, outages } = join(shared, clock, 'a', { faults: { fate: () => (isCut ? 'unavailable' : 'fine') } });
  await clock.advance(1000);
  isCut = true;
  await clock.advance(tuning.beatMs);
  assert.equal(members.failure, 'beat');
  isCut = false;
  await clock.advance(tuning.beatMs);
  assert.deepEqual([members.failure, outages], [undefined, []]);
  for (const _ of [1, 2]) {
    outages.length = 0;
    isCut = true;
    await clock.advance(20_000);
    assert.deepEqual(outages, [{ isOver: false, reason: 'beat' }]);
    const { unavailableMs } = members;
    isCut = false;
    await clock.advance(1000);
    const [, { awayMs = 0 } = {}, ...more] = outages as { awayMs?: number }[];
    assert.ok(awayMs > 0 && awayMs <= members.unavailableMs && members.unavailableMs >= unavailableMs);
    assert.deepEqual(more, []);
  }
  await members.stop();
});

test('a node that is too old for the cluster is refused once, and beats no more', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  await shared.door('new').beat(stateOf('new', { format: 2 }));
  const { seen, refused } = join(shared, clock, 'old');
  await clock.advance(5000);
  assert.deepEqual(seen, []);
  assert.deepEqual(
    refused.map((error) => (error as { code: string }).code),
    ['cluster.FORMAT_UNSUPPORTED'],
  );
});

// MEMBERS-1
test('a node that was away takes nobody for dead before it has seen them silent', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  const cut = new Set<string>();
  const fate = (name: string) => ({ fate: () => (cut.has(name) ? ('unavailable' as const) : ('fine' as const)) });
  const a = join(shared, clock, 'a', { faults: fate('a') });
  const b = join(shared, clock, 'b', { faults: fate('b') });
  await clock.advance(1000);
  for (const name of ['a', 'b']) cut.add(name);
  await clock.advance(20_000);
  assert.equal(a.members.isAlive('b'), false);
  cut.delete('a');
  await clock.advance(tuning.beatMs);
  assert.deepEqual([a.members.isAlive('b'), a.members.isSettled], [true, false]);
  cut.delete('b');
  await clock.advance(1000);
  assert.deepEqual([a.members.isAlive('b'), a.members.isSettled], [true, true]);
  await Promise.all([a.members.stop(), b.members.stop()]);
});

const codesOf = (refused: readonly unknown[]) => refused.map((error) => (error as { code: string }).code);

// MEMBERS-6, NAME-WAIT-1
test('of two processes with one name the one that came later is refused, and removes nothing of the other', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  const other = join(shared, clock, 'b');
  const first = join(shared, clock, 'a');
  await clock.advance(5000);
  const second = join(shared, clock, 'a', { own: { address: 'http://later' } });
  await clock.advance(tuning.aliveMs);
  assert.deepEqual([codesOf(second.refused), second.seen], [['cluster.NODE_NAME_IN_USE'], []]);
  await shared.door('a').leave(second.members.incarnation);
  await clock.advance(tuning.beatMs);
  const { nodes } = other.members.last!;
  assert.deepEqual(
    nodes.map(({ node, address }) => [node, address]),
    [
      ['b', 'http://b'],
      ['a', 'http://a'],
    ],
  );
  assert.deepEqual([first.refused, first.members.mayRead], [[], true]);
  for (const { members } of [first, second, other]) await members.stop();
});

// MEMBERS-6, NAME-WAIT-1
test('the name of a process that was silent for long enough is taken over, also where its last beat comes late', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  let fate: 'fine' | 'unavailable' = 'fine';
  const first = join(shared, clock, 'a', { faults: { fate: () => fate } });
  await clock.advance(1000);
  fate = 'unavailable';
  const second = join(shared, clock, 'a');
  await clock.advance(tuning.beatMs);
  fate = 'fine';
  first.members.beatSoon();
  await clock.advance(0);
  fate = 'unavailable';
  await clock.advance(tuning.aliveMs - 1);
  assert.deepEqual(second.seen, []);
  await clock.advance(2 * tuning.beatMs);
  assert.ok(second.seen.length > 0);
  // It stood still, and wakes up.
  fate = 'fine';
  await clock.advance(5000);
  assert.deepEqual([codesOf(first.refused), second.refused], [['cluster.NODE_NAME_IN_USE'], []]);
  assert.equal(second.members.mayRead, true);
  for (const { members } of [first, second]) await members.stop();
});

// MEMBERS-6
test('a node that comes with the address of another that is alive is refused, and one with that of a node that has gone is not', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  const a = join(shared, clock, 'a');
  await shared.door('gone').beat(stateOf('gone', { address: 'http://10.0.0.3' }));
  const [b, c] = [
    join(shared, clock, 'b', { own: { address: 'http://a' } }),
    join(shared, clock, 'c', { own: { address: 'http://10.0.0.3' } }),
  ];
  await clock.advance(2 * tuning.aliveMs);
  assert.deepEqual(
    [a, b, c].map(({ refused }) => codesOf(refused)),
    [[], ['cluster.NODE_ADDRESS_IN_USE'], []],
  );
  for (const { members } of [a, b, c]) await members.stop();
});

// MEMBERS-4
test('the time without an answer is counted from the first beat that was in vain, also while there is none', async () => {
  const [shared, clock] = [log(), new VirtualClock()];
  let isCut = false;
  const { members } = join(shared, clock, 'a', { faults: { fate: () => (isCut ? 'unavailable' : 'fine') } });
  await clock.advance(1000);
  assert.equal(members.unavailableMs, 0);
  isCut = true;
  await clock.advance(10_000);
  const during = members.unavailableMs;
  assert.ok(during > 10_000 - tuning.beatMs && during <= 10_000, `${during}`);
  assert.ok((members.beatAgeMs as number) >= during);
  isCut = false;
  await clock.advance(1000);
  const after = members.unavailableMs;
  assert.ok(after >= during && after <= during + tuning.beatMs, `${after}`);
  assert.ok((members.beatAgeMs as number) <= tuning.beatMs);
  await clock.advance(1000);
  assert.equal(members.unavailableMs, after);
  await members.stop();
});

// MEMBERS-5
test('a node is cut off where two others and most of them cannot reach it, and until it was reached for a while', async () => {
  for (const [others, voices, isCutOff] of [
    [1, 1, false],
    [2, 1, false],
    [2, 2, true],
    [3, 2, true],
    [4, 2, false],
    [4, 3, true],
  ] as const) {
    const [shared, clock] = [log(), new VirtualClock()];
    const a = join(shared, clock, 'a');
    let isCut = true;
    const cutAmong = (all: readonly string[]): string[] => all.filter((address) => isCut && address === 'http://a');
    const rest = Array.from({ length: others }, (_, index) => join(shared, clock, `n${index}`, index < voices ? { cutAmong } : {}));
    await clock.advance(3 * tuning.beatMs);
    assert.deepEqual([a.members.isCutOff, a.members.isOutdone], [isCutOff, isCutOff], `${voices} of ${others}`);
    assert.ok(rest.every(({ members }) => !members.isCutOff));
    isCut = false;
    await clock.advance(3 * tuning.beatMs);
    assert.equal(a.members.isCutOff, isCutOff);
    await clock.advance(tuning.returnedMs);
    assert.equal(a.members.isCutOff, false);
    for (const { members } of [a, ...rest]) await members.stop();
  }
});
