import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { condemn, guarded, standBehind } from '../../src/actors/gate.js';

test('outside of a host everything passes', () => {
  equal(
    guarded(() => 1),
    1,
  );
});

test('nobody is condemned inside the gate, however deep, nor after a throw', () => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  standBehind(gate);
  guarded(() => {
    equal(condemn(gate), false);
    guarded(() => equal(condemn(gate), false));
    equal(condemn(gate), false);
  });
  throws(() =>
    guarded(() => {
      throw new Error('out');
    }),
  );
  equal(condemn(gate), true);
  equal(condemn(gate), true);
  standBehind(new Int32Array(1));
});
