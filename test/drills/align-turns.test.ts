// The shortest script of edits is one: it keeps as many as any alignment can.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortestEdits } from '../../src/drills/stored/align-turns.js';
import fc from '../fast-check.js';

function longestCommon(left: readonly number[], right: readonly number[]): number {
  const worth = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const paired = left[row] === right[column] ? worth[row + 1]![column + 1]! + 1 : 0;
      worth[row]![column] = Math.max(paired, worth[row + 1]![column]!, worth[row]![column + 1]!);
    }
  }
  return worth[0]![0]!;
}

test('pairs are equal, rise on both sides, and are as many as can be', () => {
  const list = fc.array(fc.nat(4), { maxLength: 30 });
  fc.assert(
    fc.property(list, list, (left, right) => {
      const pairs =
        shortestEdits([left.length, right.length], (row, column) => left[row] === right[column]) ?? assert.fail('too many edits');
      for (const [index, [row, column]] of pairs.entries()) {
        assert.equal(left[row], right[column]);
        const before = pairs[index - 1];
        if (before !== undefined) assert.ok(before[0] < row && before[1] < column);
      }
      assert.equal(pairs.length, longestCommon(left, right));
    }),
  );
});
