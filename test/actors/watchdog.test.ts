// The watchdog over an incarnation that is only a board.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { BoardReader, BoardWriter, createSharedPage, firstCallSlot, monotonicMs } from '../../src/actors/board.js';
import type { HostIncarnation } from '../../src/actors/host-port.js';
import { Watchdog } from '../../src/actors/watchdog.js';

const handlerTimeoutMs = 60_000;
const slotsUsed = firstCallSlot + 1;
const [stamp, another] = [1, 2];

function watched() {
  const page = createSharedPage();
  const seen = { terminations: 0 };
  const terminate = (): void => void seen.terminations++;
  const incarnation = { board: new BoardReader(page), terminate, ended: Promise.resolve('ended') } as unknown as HostIncarnation;
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
