// The watchdog over an incarnation that is only a board.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { BoardReader, BoardWriter, createSharedPage, firstCallSlot, monotonicMs } from '../../src/actors/board.js';
import type { HostIncarnation } from '../../src/actors/host-port.js';
import { Watchdog } from '../../src/actors/watchdog.js';

const handlerTimeoutMs = 1_000;
const slotsUsed = firstCallSlot + 1;

// WATCHDOG-1
test('a step is overdue when the same step was seen too old twice', () => {
  const page = createSharedPage();
  const writer = new BoardWriter(page);
  let terminations = 0;
  const terminate = (): void => void terminations++;
  const incarnation = { board: new BoardReader(page), terminate, ended: Promise.resolve('ended') } as unknown as HostIncarnation;
  const watchdog = new Watchdog(incarnation, handlerTimeoutMs, () => {});
  const oldMs = monotonicMs() - 2 * handlerTimeoutMs;
  writer.begin(firstCallSlot, 1, oldMs);
  watchdog.look(slotsUsed);
  writer.begin(firstCallSlot, 2, oldMs);
  watchdog.look(slotsUsed);
  equal(watchdog.reason, undefined);
  watchdog.look(slotsUsed);
  equal(watchdog.reason, 'timeout');
  equal(terminations, 1);
});
