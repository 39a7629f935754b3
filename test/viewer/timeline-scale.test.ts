// The arithmetic of the page's timeline, which runs here as it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elasticAxis, linearAxis, panned, wholeAxis, zoomed } from '../../src/viewer/timeline-scale.js';
import fc from '../fast-check.js';

const times = fc
  .array(fc.integer({ min: 0, max: 1e13 }), { minLength: 1, maxLength: 60 })
  .map((list) => list.sort((left, right) => left - right));
const entriesAt = (list: number[]) => list.map((virtualTimeUs, index) => ({ sequence: index + 1, virtualTimeUs }));

test('on the elastic axis every entry has a place of its own, in order, and a longer gap is never shorter', () => {
  fc.assert(
    fc.property(times, (list) => {
      const { positions, length, ticks } = elasticAxis(entriesAt(list));
      for (let index = 1; index < list.length; index++)
        assert.ok((positions[index] as number) - (positions[index - 1] as number) > 1 - 1e-9);
      assert.ok((positions[list.length - 1] as number) <= length);
      assert.equal(ticks.length, new Set(list).size);
    }),
  );
  const [hour, day] = [3600e6, 86_400e6].map((gap) => elasticAxis(entriesAt([0, gap])).length);
  assert.ok((day as number) > (hour as number) && (day as number) < 3 * (hour as number));
});

test('on the linear axis places are proportional to time', () => {
  const { positions } = linearAxis(entriesAt([0, 25, 100]), { fromUs: 0, toUs: 100 });
  assert.deepEqual([...positions], [0, 250, 1000]);
});

test('ticks of the linear axis are few and begin at the start', () => {
  for (const span of [1, 999, 5e3, 1e6, 7e7, 3600e6, 86_400e6 * 3, 86_400e6 * 900]) {
    const { ticks } = linearAxis(entriesAt([1e15]), { fromUs: 1e15, toUs: 1e15 + span });
    assert.equal(ticks[0]?.timeUs, 1e15);
    assert.ok(ticks.length >= 2 && ticks.length <= 18, `${ticks.length} for ${span}`);
  }
});

test('zooming and moving keep the view inside the axis, and zooming keeps what is under the pointer', () => {
  const move = fc.record({
    factor: fc.double({ min: 0.2, max: 5, noNaN: true }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    by: fc.double({ min: -500, max: 500, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 5000 }), fc.array(move, { maxLength: 10 }), (length, moves) => {
      let view = wholeAxis(length);
      for (const { factor, share, by } of moves) {
        view = zoomed(view, length, { factor, at: view.from + share * (view.to - view.from) });
        view = panned(view, length, by);
        assert.ok(view.to > view.from && view.from >= -length * 0.021 && view.to <= length * 1.021 + 1e-6);
      }
    }),
  );
  const view = zoomed({ from: 0, to: 100 }, 1000, { factor: 2, at: 25 });
  assert.deepEqual(view, { from: 12.5, to: 62.5 });
});
