// The watchdog over an incarnation that is only a board.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { BoardReader, BoardWriter, createSharedPage, firstCallSlot, monotonicMs } from '../../src/actors/board.js';
import type { HostIncarnation } from '../../src/actors/host-port.js';
import { ProcessorExcuse } from '../../src/actors/processor-excuse.js';
import { Watchdog } from '../../src/actors/watchdog.js';
import { limits } from '../../src/contract/limits.js';

const handlerTimeoutMs = 60_000;
const slotsUsed = firstCallSlot + 1;
const [stamp, another] = [1, 2];

function watched() {
  const page = createSharedPage();
  const seen = { terminations: 0, waitedMs: 0, ranMs: 0 };
  const terminate = (): void => void seen.terminations++;
  const incarnation = {
    board: new BoardReader(page),
    terminate,
    ended: Promise.resolve('ended'),
    processorTime: () => ({ waitedMs: seen.waitedMs, ranMs: seen.ranMs }),
  } as unknown as HostIncarnation;
  return { writer: new BoardWriter(page), watchdog: new Watchdog(incarnation, handlerTimeoutMs, () => {}), seen };
}

// WATCHDOG-1
test('a step is overdue when the same step was seen too old twice', () => {
  const { writer, watchdog, seen } = watched();
  const oldMs = monotonicMs() - 2 * handlerTimeoutMs;
  writer.begin(firstCallSlot, stamp, oldMs);
  watchdog.look(slotsUsed, 0);
  writer.begin(firstCallSlot, another, oldMs);
  watchdog.look(slotsUsed, 0);
  equal(watchdog.reason, undefined);
  watchdog.look(slotsUsed, 0);
  equal(watchdog.reason, 'timeout');
  equal(seen.terminations, 1);
});

// WATCHDOG-3
test('a look that comes late counts none of the time it is late, of that step alone', () => {
  const { writer, watchdog } = watched();
  const oldMs = monotonicMs() - 2 * handlerTimeoutMs;
  writer.begin(firstCallSlot, stamp, oldMs);
  watchdog.look(slotsUsed, handlerTimeoutMs / 2);
  watchdog.look(slotsUsed, handlerTimeoutMs);
  watchdog.look(slotsUsed, 0);
  watchdog.look(slotsUsed, 0);
  equal(watchdog.reason, undefined);
  // What is excused is the first step's; the next one had its own time.
  writer.begin(firstCallSlot, another, oldMs);
  watchdog.look(slotsUsed, 0);
  watchdog.look(slotsUsed, 0);
  equal(watchdog.reason, 'timeout');
});

// WATCHDOG-3
test('a step that is past its time also without what is excused is ended by late looks, too', () => {
  const { writer, watchdog } = watched();
  writer.begin(firstCallSlot, stamp, monotonicMs() - 2 * handlerTimeoutMs);
  watchdog.look(slotsUsed, handlerTimeoutMs / 4);
  watchdog.look(slotsUsed, handlerTimeoutMs / 4);
  equal(watchdog.reason, 'timeout');
});

// WATCHDOG-5
test('a step that waited for a processor beyond what is excused, and has not run for its time, was starved', () => {
  const isStarvedAfter = (more: { waitedMs: number; ranMs: number }): boolean => {
    const { writer, watchdog, seen } = watched();
    // What it took until the first look counts: nobody knows whether it ran.
    writer.begin(firstCallSlot, stamp, monotonicMs() - (limits.processorWaitFactorMax + 1.5) * handlerTimeoutMs);
    watchdog.look(slotsUsed, 0);
    seen.waitedMs += more.waitedMs;
    seen.ranMs += more.ranMs;
    for (let looks = 0; looks < 2; looks++) watchdog.look(slotsUsed, 0);
    equal(watchdog.reason, 'timeout');
    return watchdog.isStarved;
  };
  equal(isStarvedAfter({ waitedMs: 20 * handlerTimeoutMs, ranMs: 0.1 * handlerTimeoutMs }), true);
  equal(isStarvedAfter({ waitedMs: 20 * handlerTimeoutMs, ranMs: handlerTimeoutMs }), false);
});

// WATCHDOG-4
test('what the host waits for a processor is not counted, of the step that is watched alone', () => {
  const { writer, watchdog, seen } = watched();
  // What it waited for earlier steps.
  seen.waitedMs = 100 * handlerTimeoutMs;
  writer.begin(firstCallSlot, stamp, monotonicMs() - 0.9 * handlerTimeoutMs);
  watchdog.look(slotsUsed, 0);
  writer.begin(firstCallSlot, another, monotonicMs() - 2 * handlerTimeoutMs);
  watchdog.look(slotsUsed, 0);
  seen.waitedMs += 1.5 * handlerTimeoutMs;
  watchdog.look(slotsUsed, 0);
  watchdog.look(slotsUsed, 0);
  equal(watchdog.reason, undefined);
});

// PROCESSOR-EXCUSE-1
test('of a look that is late and a host that waits meanwhile the longer counts', () => {
  const { writer, watchdog, seen } = watched();
  writer.begin(firstCallSlot, stamp, monotonicMs() - 2 * handlerTimeoutMs);
  watchdog.look(slotsUsed, 0);
  seen.waitedMs += 0.6 * handlerTimeoutMs;
  watchdog.look(slotsUsed, 0.6 * handlerTimeoutMs);
  equal(watchdog.reason, 'timeout');
});

// PROCESSOR-EXCUSE-2
test('a step that waits for ever for a processor is ended', () => {
  const { writer, watchdog, seen } = watched();
  const { processorWaitFactorMax } = limits;
  const begin = (factor: number): void => writer.begin(firstCallSlot, stamp + factor, monotonicMs() - factor * handlerTimeoutMs);
  begin(processorWaitFactorMax + 0.5);
  watchdog.look(slotsUsed, 0);
  seen.waitedMs += 100 * handlerTimeoutMs;
  watchdog.look(slotsUsed, 0);
  watchdog.look(slotsUsed, 0);
  equal(watchdog.reason, undefined);
  begin(processorWaitFactorMax + 1.5);
  watchdog.look(slotsUsed, 0);
  seen.waitedMs += 100 * handlerTimeoutMs;
  watchdog.look(slotsUsed, 0);
  watchdog.look(slotsUsed, 0);
  equal(watchdog.reason, 'timeout');
});

// WATCHDOG-4, PROCESSOR-EXCUSE-2
test('what tool code is blocked is excused up to its bound; what runs is not, nor what blocks work of the host', () => {
  const allowedMs = 1_000;
  const excusedOf = ({ isToolCode, ranPart }: { isToolCode: boolean; ranPart: number }): number[] => {
    let nowMs = 0;
    const excuse = new ProcessorExcuse(
      () => ({ ranMs: nowMs * ranPart, waitedMs: nowMs * 0.1 }),
      () => nowMs,
    );
    return [0, 500, 500, 10_000].map((passedMs) => {
      nowMs += passedMs;
      return Math.round(excuse.at({ lateMs: 0, work: 'one', allowedMs, isToolCode }));
    });
  };
  deepEqual(excusedOf({ isToolCode: true, ranPart: 0 }), [0, 500, 500, 1_000 + limits.blockedFactorMax * allowedMs - 900]);
  deepEqual(excusedOf({ isToolCode: true, ranPart: 0.9 }), [0, 50, 50, 1_000]);
  deepEqual(excusedOf({ isToolCode: true, ranPart: 2 }), [0, 50, 50, 1_000], 'several threads');
  deepEqual(excusedOf({ isToolCode: false, ranPart: 0 }), [0, 50, 50, 1_000]);
});

// PROCESSOR-EXCUSE-3
test('a wait that is booked when it is over was excused while it lasted, and is not excused again', () => {
  let [nowMs, waitedMs, ranMs] = [0, 0, 0];
  const excuse = new ProcessorExcuse(
    () => ({ ranMs, waitedMs }),
    () => nowMs,
  );
  const look = (passedMs: number): number => {
    nowMs += passedMs;
    return excuse.at({ lateMs: 0, work: 'one', allowedMs: 1_000, isToolCode: true });
  };
  look(0);
  deepEqual([look(400), look(400)], [400, 400]);
  // It has a processor again, and what it waited is known.
  waitedMs = 800;
  ranMs = 100;
  equal(look(100), 0);
  // All that it may be blocked is left.
  deepEqual([look(600), look(600)], [600, 400]);
});

// PROCESSOR-EXCUSE-2
test('each silence has an allowance of its own, and what was waited before it is none of it', () => {
  const { watchdog, seen } = watched();
  const allowedMs = 1_000;
  const look = (heardMs: number): number => watchdog.excuseSilence({ heardMs, lateMs: 0, allowedMs });
  equal(look(1), 0);
  seen.waitedMs += 100 * allowedMs;
  equal(look(1), limits.processorWaitFactorMax * allowedMs);
  seen.waitedMs += allowedMs;
  equal(look(1), 0);
  seen.waitedMs += allowedMs;
  equal(look(2), 0);
  seen.waitedMs += allowedMs;
  equal(look(2), allowedMs);
});
