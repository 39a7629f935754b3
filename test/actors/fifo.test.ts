import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Fifo } from '../../src/actors/fifo.js';
import fc from '../fast-check.js';

test('a queue gives what an array would, whatever is done to it', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('push' as const), item: fc.nat(20) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('shift' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('take' as const), item: fc.nat(20) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const fifo = new Fifo<{ item: number }>();
      const model: { item: number }[] = [];
      for (const at of steps) {
        if (at.kind === 'push') {
          const item = { item: at.item };
          fifo.push(item);
          model.push(item);
        } else if (at.kind === 'shift') {
          equal(fifo.shift(), model.shift());
        } else {
          const index = model.findIndex(({ item }) => item === at.item);
          equal(
            fifo.take(({ item }) => item === at.item),
            index < 0 ? undefined : model.splice(index, 1)[0],
          );
        }
        equal(fifo.size, model.length);
        equal(fifo.first(), model[0]);
      }
      deepEqual(
        Array.from({ length: model.length }, () => fifo.shift()),
        model,
      );
    }),
  );
});

test('a queue that is long lived does not grow', () => {
  const fifo = new Fifo<number>();
  for (let item = 0; item < 10_000; item++) {
    fifo.push(item);
    fifo.push(item);
    equal(fifo.shift() !== undefined, true);
  }
  equal(fifo.size, 10_000);
  for (let left = 10_000; left > 0; left--) fifo.shift();
  equal(fifo.shift(), undefined);
});
