import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventHeap } from '../../src/scheduler/event-heap.js';
import fc from '../fast-check.js';

interface Scheduled {
  atUs: number;
  sequence: number;
}
const inOrder = (a: Scheduled, b: Scheduled) => a.atUs - b.atUs || a.sequence - b.sequence;

/** The specification: a sorted array. */
class SortedArray {
  events: Scheduled[] = [];
  push(event: Scheduled) {
    this.events.push(event);
    this.events.sort(inOrder);
  }
  cancel(sequence: number): boolean {
    const found = this.events.findIndex((event) => event.sequence === sequence);
    if (found >= 0) this.events.splice(found, 1);
    return found >= 0;
  }
}

type Step =
  | { do: 'push'; atUs: number }
  | { do: 'pop' }
  | { do: 'cancel'; pick: number }
  | { do: 'load'; times: number[]; sorted: boolean };
// Few distinct times, so that ties are the rule; and the ends of the range.
const time = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  fc.maxSafeInteger(),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('push' as const), atUs: time }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pop' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('load' as const), times: fc.array(time, { maxLength: 60 }), sorted: fc.boolean() }) },
);

// EVENT-HEAP-1, EVENT-HEAP-2, EVENT-HEAP-3
test('any order of pushes, pops, cancels and bulk loads gives what a sorted array gives', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = new EventHeap();
      const model = new SortedArray();
      const owner = new Map<number, number>();
      let sequence = 0;
      for (const step of steps) {
        if (step.do === 'push') {
          model.push({ atUs: step.atUs, sequence });
          const slot = heap.push(step.atUs, sequence);
          assert.ok(!owner.has(slot), 'a slot has one owner');
          owner.set(slot, sequence++);
        } else if (step.do === 'pop') {
          const expected = model.events.shift();
          assert.equal(heap.headAtUs, expected?.atUs ?? Number.POSITIVE_INFINITY);
          assert.equal(heap.headSequence, expected?.sequence ?? -1);
          const slot = heap.pop();
          assert.equal(owner.get(slot), expected?.sequence);
          owner.delete(slot);
        } else if (step.do === 'cancel') {
          // Among all there ever were: some of them are gone.
          const picked = sequence === 0 ? 0 : step.pick % sequence;
          const slot = heap.cancel(picked);
          assert.equal(slot !== -1, model.cancel(picked));
          if (slot !== -1) assert.equal(owner.get(slot), picked);
          owner.delete(slot);
        } else if (heap.size === 0) {
          const events = step.times.map((atUs) => ({ atUs, sequence: sequence++ }));
          if (step.sorted) events.sort(inOrder);
          heap.load(
            Float64Array.from(events, (event) => event.atUs),
            Float64Array.from(events, (event) => event.sequence),
          );
          model.events = [...events].sort(inOrder);
          owner.clear();
          for (const [slot, event] of events.entries()) owner.set(slot, event.sequence);
        }
        assert.equal(heap.size, model.events.length);
        for (const [slot, owned] of owner) {
          assert.equal(heap.sequenceOf(slot), owned);
          assert.equal(heap.atUsOf(slot), model.events.find((event) => event.sequence === owned)?.atUs);
        }
        const limit = step.do === 'push' ? 5 : heap.size;
        assert.deepEqual(
          heap.earliest(limit).map((slot) => owner.get(slot)),
          model.events.slice(0, limit).map((event) => event.sequence),
        );
      }
    }),
    { numRuns: 300 },
  );
});

// EVENT-HEAP-1
test('ten thousand events at one time fire in the order in which they were scheduled', () => {
  const heap = new EventHeap();
  for (let sequence = 0; sequence < 10_000; sequence++) heap.push(5, sequence);
  for (let sequence = 0; sequence < 10_000; sequence++) {
    assert.equal(heap.headSequence, sequence);
    heap.pop();
  }
});

test('an empty heap answers, and can be filled again after it gave its memory back', () => {
  const heap = new EventHeap();
  assert.equal(heap.pop(), -1);
  assert.equal(heap.cancel(0), -1);
  assert.deepEqual(heap.earliest(3), []);
  for (let round = 0; round < 3; round++) {
    for (let sequence = 0; sequence < 3000; sequence++) heap.push((sequence * 7919) % 3000, sequence);
    let last = -1;
    for (let taken = 0; taken < 3000; taken++) {
      assert.ok(heap.headAtUs > last);
      last = heap.headAtUs;
      heap.pop();
    }
    assert.equal(heap.size, 0);
    assert.equal(heap.slotOf(1), -1);
  }
});

test('a bulk load into a heap that holds events is a broken promise', () => {
  const heap = new EventHeap();
  heap.push(1, 1);
  assert.throws(() => heap.load(Float64Array.of(1), Float64Array.of(2)), /invariant broken/);
});
