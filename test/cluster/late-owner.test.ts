// The model of docs/decisions/020: all orders of what two owners of a home, an append that arrives late and a trim can do, on the log in
// memory, of which each verb takes effect in one step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Appended, ClusterLog, LogEntry } from '../../src/cluster/log.js';
import { entryOf } from './log-kit.js';
import { MemoryLog } from './memory-log.js';

/** What becomes of one append of the earlier owner: `late` arrives at any time after its sender has given up waiting for an answer. */
const fates = ['answered', 'requestLost', 'answerLost', 'late'] as const;
type Fate = (typeof fates)[number];
/** Who takes the next step: the earlier owner, the taker, or what is under way in the network. */
type Turn = 'a' | 'b' | 'network';

interface Run {
  a: (() => Promise<void>)[];
  b: (() => Promise<void>)[];
  network: (() => Promise<void>)[];
  check(): void;
}

const home = 1;

/** The steps of both owners; `network` gets the late append once it is under way. */
function runOf(fatesOfAppends: readonly Fate[], isFenceUnknown: boolean): Run {
  const shared = new MemoryLog({ homes: 1 });
  const log: ClusterLog = shared.door('a');
  const taker: ClusterLog = shared.door('b');
  const acknowledged: LogEntry[] = [];
  let isRefused = false;
  let read: LogEntry[] = [];
  let fenced: Appended | undefined;
  const network: (() => Promise<void>)[] = [];
  const acknowledge = (entry: LogEntry, { outcome }: Appended): void => {
    if (outcome === 'appended') acknowledged.push(entry);
    else isRefused = true;
  };
  const a = fatesOfAppends.flatMap((fate, index) => {
    const entry = entryOf(home, index + 1, 1, { nonce: `a${index}` });
    const send = async (): Promise<void> => {
      if (isRefused) return;
      if (fate === 'answered') acknowledge(entry, await log.append([entry]));
      else if (fate === 'answerLost') await log.append([entry]);
      else if (fate === 'late') network.push(async () => void (await log.append([entry])));
    };
    const resolve = async (): Promise<void> => {
      if (!isRefused) acknowledge(entry, await log.resolve([entry]));
    };
    return fate === 'answered' ? [send] : [send, resolve];
  });
  const fence = (): Promise<Appended> => taker.append([entryOf(home, (read.at(-1)?.sequence ?? 0) + 1, 2, { nonce: 'fence' })]);
  const b = [
    async () => assert.equal(await taker.claim(home, 1, 'b'), 2),
    async () => {
      read = await taker.read([{ home, sequence: 1 }], Number.MAX_SAFE_INTEGER);
    },
    async () => {
      fenced = await fence();
      if (isFenceUnknown) fenced = await taker.resolve([entryOf(home, (read.at(-1)?.sequence ?? 0) + 1, 2, { nonce: 'fence' })]);
    },
    // As after a snapshot of all that was read, the fence included.
    async () => taker.trim(home, read.length + 2),
  ];
  return {
    a: [async () => assert.equal(await log.claim(home, 0, 'a'), 1), ...a],
    b,
    network,
    check() {
      assert.deepEqual(fenced, { outcome: 'appended' }, 'nothing races with a fence');
      for (const entry of acknowledged)
        assert.ok(
          read.some(({ nonce }) => nonce.equals(entry.nonce)),
          `acknowledged at ${entry.sequence} and not read by the taker`,
        );
      assert.equal(new Set(read.map(({ nonce }) => nonce.toString('hex'))).size, read.length);
    },
  };
}

/** All orders of so many steps of each; what is late arrives once, after so many steps of its sender. */
function ordersOf(a: number, b: number, sentAfter: number | undefined): Turn[][] {
  const orders: Turn[][] = [];
  const extend = (order: Turn[], left: { [turn in Turn]: number }): void => {
    if (left.a + left.b + left.network === 0) orders.push(order);
    for (const turn of ['a', 'b', 'network'] as const)
      if (left[turn] > 0 && (turn !== 'network' || a - left.a >= (sentAfter ?? 0)))
        extend([...order, turn], { ...left, [turn]: left[turn] - 1 });
  };
  extend([], { a, b, network: sentAfter === undefined ? 0 : 1 });
  return orders;
}

test('no order of two owners, three appends, a claim and a trim loses what was acknowledged, or acknowledges a late owner', async () => {
  let runs = 0;
  let lateArrivals = 0;
  const combinations = fates
    .flatMap((first) => fates.flatMap((second) => fates.map((third) => [first, second, third])))
    // A node resolves an append before it sends the next, so one at most is under way; one that arrives last is as good as lost.
    .filter((combination) => {
      const count = (fate: Fate): number => combination.filter((each) => each === fate).length;
      return count('late') === 0 || (count('late') === 1 && count('requestLost') === 0);
    });
  for (const combination of combinations) {
    const sends = combination.length + combination.filter((fate) => fate !== 'answered').length;
    const at = combination.indexOf('late');
    const sentAfter = at < 0 ? undefined : combination.slice(0, at).reduce((steps, fate) => steps + (fate === 'answered' ? 1 : 2), 1);
    for (const order of ordersOf(sends, 4, sentAfter)) {
      const run = runOf(combination, runs % 2 === 1);
      // The earlier owner has the home before anything else.
      await run.a.shift()?.();
      for (const turn of order) {
        // One that was refused sends nothing more, and then nothing arrives.
        const step = run[turn].shift();
        if (turn === 'network' && step !== undefined) lateArrivals++;
        await step?.();
      }
      run.check();
      runs++;
    }
  }
  assert.equal(combinations.length, 39);
  assert.ok(runs > 8000 && lateArrivals > 4000, `${runs} runs, ${lateArrivals} late arrivals`);
});
