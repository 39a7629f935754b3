import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { closeSection, runCritical, useSection } from '../../src/async/critical-section.js';

test('outside of a host everything passes', () => {
  equal(
    runCritical(() => 1),
    1,
  );
});

// CRITICAL-SECTION-1
test('nobody is condemned inside the gate, however deep, nor after a throw', () => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  useSection(gate);
  runCritical(() => {
    equal(closeSection(gate), false);
    runCritical(() => equal(closeSection(gate), false));
    equal(closeSection(gate), false);
  });
  throws(() =>
    runCritical(() => {
      throw new Error('out');
    }),
  );
  equal(closeSection(gate), true);
  equal(closeSection(gate), true);
  useSection(new Int32Array(1));
});
