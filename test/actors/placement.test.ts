import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { LocalPlacement, stableHash } from '../../src/actors/placement.js';

test('the default place of an id never changes: stores are found by it', () => {
  deepEqual(['', 'a', 'world_01hzx3v0qk8m5n2p4r6t8w0y1z', 'ü'].map(stableHash), golden);
});

test('ids that differ only in their last digits are spread evenly', () => {
  const placement = new LocalPlacement(4);
  const counts = [0, 0, 0, 0];
  for (let number = 0; number < 4000; number++) counts[placement.hostOf(`world_01hzx3v0qk8m5n2p4r6t8w${number}`)]!++;
  for (const count of counts) ok(count > 850 && count < 1150, String(counts));
});

test('an assigned place holds until it is taken back', () => {
  const placement = new LocalPlacement(2);
  const before = placement.hostOf('a');
  placement.assign('a', 7);
  equal(placement.hostOf('a'), 7);
  placement.unassign('a');
  equal(placement.hostOf('a'), before);
});

const golden = [372_931_385, 2_264_572_058, 3_179_032_652, 3_401_978_198];
