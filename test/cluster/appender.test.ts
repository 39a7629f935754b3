import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Appender, type RecordOutcome } from '../../src/cluster/appender.js';
import type { ClusterLog } from '../../src/cluster/log.js';
import { PartJoiner } from '../../src/cluster/record-parts.js';
import { tuning } from '../../src/cluster/tuning.js';
import fc from '../fast-check.js';
import { nonceOf } from './log-kit.js';
import { type LogFaults, MemoryLog } from './memory-log.js';
import { VirtualClock } from './virtual-clock.js';

const recordOf = (home: number, number: number, body = Buffer.from(`${home}/${number}`)) => ({
  home,
  stream: 's',
  number,
  nonce: nonceOf(`${home}/${number}`),
  body,
});
const allOf = (homes: readonly number[]) => homes.map((home) => ({ home, sequence: 1 }));

async function start(faults: LogFaults = {}, homes = [1, 2, 3]) {
  const shared = new MemoryLog({ homes: 3 });
  const log: ClusterLog = shared.door('a', faults);
  const other = shared.door('b');
  const clock = new VirtualClock();
  const lost: number[] = [];
  const appender = new Appender({ log, clock: clock.face(), onLost: (home) => lost.push(home) });
  for (const home of homes) {
    await other.claim(home, 0, 'a');
    appender.own(home, 1, 0);
  }
  return { log, other, clock, lost, appender };
}

// APPENDER-1, APPENDER-2
test('records are in the log in their order and once each, whatever the log answers', async () => {
  const fate = fc.constantFrom('fine' as const, 'unavailable' as const, 'requestLost' as const, 'answerLost' as const);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fate, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 30 }),
      async (fates, homes) => {
        const left = [...fates];
        const { other, clock, lost, appender } = await start({ fate: (verb) => (verb === 'claim' ? 'fine' : (left.shift() ?? 'fine')) });
        const counts = new Map<number, number>();
        const outcomes: RecordOutcome[] = [];
        const waiting = homes.map(async (home, index) => {
          const number = (counts.get(home) ?? 0) + 1;
          counts.set(home, number);
          // Some together, some while an append is under way.
          await new Promise<void>((resolve) => clock.face().after((index % 5) * 30, resolve));
          outcomes.push(await appender.append(recordOf(home, index + 1)));
        });
        await clock.advance(30_000);
        await Promise.all(waiting);
        const read = await other.read(allOf([1, 2, 3]), 1_000_000);
        assert.equal(read.length, homes.length);
        for (const [home, count] of counts) {
          const own = read.filter((entry) => entry.home === home);
          assert.deepEqual(
            own.map(({ sequence }) => sequence),
            Array.from({ length: count }, (_, index) => index + 1),
          );
          for (const group of [0, 1, 2, 3, 4]) {
            const numbers = own.map(({ number }) => number).filter((number) => (number - 1) % 5 === group);
            assert.deepEqual(
              numbers,
              [...numbers].sort((a, b) => a - b),
            );
          }
        }
        assert.ok(outcomes.every(({ outcome }) => outcome === 'appended'));
        assert.deepEqual(lost, []);
        assert.equal(appender.pendingBytes, 0);
      },
    ),
    { numRuns: 60 },
  );
});

// APPENDER-2
test('while the log does not answer, nobody is answered', async () => {
  let isDown = true;
  const { clock, appender } = await start({ fate: (verb) => (isDown && verb !== 'claim' ? 'requestLost' : 'fine') });
  let answered: RecordOutcome | undefined;
  void appender.append(recordOf(1, 1)).then((outcome) => {
    answered = outcome;
  });
  await clock.advance(60_000);
  assert.equal(answered, undefined);
  isDown = false;
  await clock.advance(2000);
  assert.deepEqual(answered, { outcome: 'appended', sequence: 1 });
});

// APPENDER-3
test('a home that is refused is lost once, and the others of the same append are appended', async () => {
  const { other, clock, lost, appender } = await start();
  assert.equal(await other.claim(2, 1, 'b'), 2);
  const order: string[] = [];
  const outcomes = [recordOf(1, 1), recordOf(2, 1), recordOf(2, 2), recordOf(3, 1)].map(async (record) => {
    const { outcome } = await appender.append(record);
    order.push(`${record.home} ${outcome}, lost ${lost.join()}`);
  });
  await clock.advance(10);
  await Promise.all(outcomes);
  assert.deepEqual(order.sort(), ['1 appended, lost 2', '2 lost, lost 2', '2 lost, lost 2', '3 appended, lost 2']);
  assert.deepEqual(await appender.append(recordOf(2, 3)), { outcome: 'lost' });
  assert.equal(appender.endOf(2), undefined);
  appender.own(2, 2, 0);
  assert.deepEqual(await appender.append(recordOf(2, 4)), { outcome: 'appended', sequence: 1 });
});

test('a home that was given away during its append is answered so, and the rest of the append counts', async () => {
  const gates: (() => void)[] = [];
  const delay: LogFaults['delay'] = (verb, phase) =>
    verb === 'append' && phase === 'answer' ? new Promise((resolve) => gates.push(resolve)) : undefined;
  const { other, clock, appender } = await start({ delay });
  const outcomes = Promise.all([appender.append(recordOf(1, 1)), appender.append(recordOf(2, 1))]);
  await clock.advance(1);
  appender.disown(1);
  gates.shift()?.();
  assert.deepEqual(await outcomes, [{ outcome: 'lost' }, { outcome: 'appended', sequence: 1 }]);
  assert.equal((await other.read(allOf([1]), 1000)).length, 1);
});

test('a large record is split, and all of it is one append', async () => {
  const appends: number[] = [];
  const { log, other, clock, appender } = await start();
  const append = log.append.bind(log);
  log.append = (entries) => {
    appends.push(entries.length);
    return append(entries);
  };
  const body = Buffer.alloc(tuning.appendBytesMax + 5, 'large');
  const outcomes = [recordOf(1, 1), { ...recordOf(1, 2), body }, recordOf(1, 3)].map((record) => appender.append(record));
  await clock.advance(10);
  const parts = Math.ceil(body.length / tuning.entryBytesMax);
  assert.deepEqual(
    await Promise.all(outcomes),
    [1, parts + 1, parts + 2].map((sequence) => ({ outcome: 'appended', sequence })),
  );
  assert.deepEqual(appends, [1, parts, 1]);
  const joiner = new PartJoiner();
  const records = (await other.read(allOf([1]), 100_000_000)).map((entry) => joiner.join(entry)).filter((record) => record !== undefined);
  assert.deepEqual(
    records.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.ok(records[1]?.body.equals(body));
});

// APPENDER-4
test('space waits while too much waits to be appended', async () => {
  let isDown = true;
  const { clock, appender } = await start({ fate: (verb) => (isDown && verb !== 'claim' ? 'unavailable' : 'fine') });
  await appender.space();
  void appender.append({ ...recordOf(1, 1), body: Buffer.alloc(tuning.pendingBytesMax) });
  let hasSpace = false;
  void appender.space().then(() => {
    hasSpace = true;
  });
  await clock.advance(5000);
  assert.equal(hasSpace, false);
  isDown = false;
  await clock.advance(5000);
  assert.equal(hasSpace, true);
});
