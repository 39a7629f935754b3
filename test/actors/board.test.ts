import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import {
  BoardReader,
  BoardWriter,
  commitSlot,
  createFilePage,
  createSharedPage,
  firstCallSlot,
  monotonicMs,
} from '../../src/actors/board.js';

for (const kind of ['shared', 'file'] as const) {
  // BOARD-2
  test(`the board tells the present step and what was begun (${kind})`, () => {
    const page = kind === 'shared' ? createSharedPage() : createFilePage();
    const [writer, reader] = [new BoardWriter(page), new BoardReader(page)];
    const slotsUsed = firstCallSlot + 2;
    const running = () => {
      reader.refresh(slotsUsed);
      return reader.running(slotsUsed);
    };
    equal(running(), undefined);
    const first = { slot: firstCallSlot, stamp: 2 ** 51 + 1, sinceMs: monotonicMs() };
    writer.begin(first.slot, first.stamp, first.sinceMs);
    deepEqual(running(), first);
    const second = { slot: firstCallSlot + 1, stamp: 2 ** 51 + 2, sinceMs: 12.5 };
    writer.begin(second.slot, second.stamp, second.sinceMs);
    deepEqual(running(), second);
    writer.begin(first.slot, first.stamp, 13);
    deepEqual(running(), { ...first, sinceMs: 13 });
    writer.begin(commitSlot, 0, 14);
    equal(running()?.slot, commitSlot);
    writer.rest();
    equal(running(), undefined);
    ok(reader.begun(first.slot, first.stamp) && reader.begun(second.slot, second.stamp));
    ok(!reader.begun(first.slot, second.stamp) && !reader.begun(firstCallSlot + 5, 1));
    reader.close();
  });
}
