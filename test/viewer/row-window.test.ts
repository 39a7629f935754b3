import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowWindow } from '../../src/viewer/kit/row-window.js';
import { tuning } from '../../src/viewer/tuning.js';
import fc from '../fast-check.js';

const [rowPx, viewPx] = [30, 600];
function windowOver(rows: number): RowWindow {
  const list = new RowWindow(rowPx);
  list.resize(rows, viewPx);
  return list;
}

test('a short list scrolls as any other', () => {
  const list = windowOver(1000);
  list.scrolledTo(3000);
  assert.deepEqual([list.top, list.shiftPx, list.restingPlace(), list.areaPx], [3000, 0, 3000, 30_000]);
  assert.deepEqual(list.visible(2), { from: 98, to: 123 });
});

test('a list of ten million rows: the wheel moves by pixels, the bar by proportion, and every row can be reached', () => {
  const rows = 10_000_000;
  const list = windowOver(rows);
  assert.equal(list.areaPx, tuning.areaPxMax);
  list.scrolledTo(120);
  list.scrolledTo(240);
  assert.equal(list.top, 240);
  list.scrolledTo(tuning.areaPxMax - viewPx);
  assert.equal(list.visible(0).to, rows);
  list.scrolledTo(tuning.areaPxMax / 2);
  assert.ok(Math.abs(list.visible(0).from / rows - 0.5) < 0.001);
});

test('a row that is revealed is in view, and stays so when the bar is put right', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20_000_000 }),
      fc.nat(),
      fc.constantFrom('center' as const, 'nearest' as const),
      (rows, pick, place) => {
        const list = windowOver(rows);
        const row = pick % rows;
        list.reveal(row, place);
        list.settled(list.restingPlace());
        const { from, to } = list.visible(0);
        assert.ok(from <= row && row < to, `${from}..${to} without ${row}`);
        const y = row * rowPx + list.shiftPx - list.restingPlace();
        assert.ok(y >= -0.5 && y + rowPx <= Math.max(viewPx, rowPx) + 0.5, `drawn at ${y}`);
      },
    ),
  );
});
