import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextFloat, nextInteger, nextU64, nextWord, type StreamState, splitStream } from '../../src/worlds/turn/random-stream.js';
import fc from '../fast-check.js';

test('words are those of xoshiro128**', () => {
  // The reference, with wide integers.
  const reference = (state: bigint[]): bigint => {
    const mask = 0xffffffffn;
    const rotl = (word: bigint, by: bigint): bigint => ((word << by) | (word >> (32n - by))) & mask;
    const [a, b, c, d] = state as [bigint, bigint, bigint, bigint];
    const result = (rotl((b * 5n) & mask, 7n) * 9n) & mask;
    const c1 = c ^ a;
    const d1 = d ^ b;
    state.splice(0, 4, a ^ d1, b ^ c1, (c1 ^ (b << 9n)) & mask, rotl(d1, 11n));
    return result;
  };
  fc.assert(
    fc.property(fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff), fc.nat(0xffffffff), fc.nat(0xffffffff)), (seed) => {
      const state = [...seed] as StreamState;
      const wide = seed.map(BigInt);
      for (let draw = 0; draw < 20; draw++) assert.equal(BigInt(nextWord(state)), reference(wide));
    }),
  );
});

test('labels split: the same labels the same stream, any other labels another one', () => {
  assert.deepEqual(splitStream('7', ['bank', 'bank', 'behavior']), splitStream('7', ['bank', 'bank', 'behavior']));
  const others = [
    splitStream('8', ['bank', 'bank', 'behavior']),
    splitStream('7', ['bank', 'bank-two', 'behavior']),
    splitStream('7', ['bank', 'bankbehavior']),
  ];
  for (const other of others) assert.notDeepEqual(other, splitStream('7', ['bank', 'bank', 'behavior']));
});

test('integers lie in their range, whatever it is, and reach its ends', () => {
  const state = splitStream('1', ['test']);
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (one, other) => {
      fc.pre(one !== other);
      const [min, max] = [Math.min(one, other), Math.max(one, other)];
      const drawn = nextInteger(state, min, max);
      assert.ok(Number.isSafeInteger(drawn) && drawn >= min && drawn < max);
    }),
  );
  const seen = new Set(Array.from({ length: 200 }, () => nextInteger(state, -2, 3)));
  assert.deepEqual(
    [...seen].sort((a, b) => a - b),
    [-2, -1, 0, 1, 2],
  );
});

test('no value is favored: three bins of a range that does not divide 2^32', () => {
  const state = splitStream('1', ['bias']);
  const range = 3 * 2 ** 30;
  const bins = [0, 0, 0];
  for (let draw = 0; draw < 30_000; draw++) bins[Math.floor(nextInteger(state, 0, range) / 2 ** 30)]!++;
  // With a plain remainder the first bin would hold half of all.
  for (const bin of bins) assert.ok(Math.abs(bin - 10_000) < 500, String(bins));
});

test('floats are below one and of 53 bits; wide integers of 64', () => {
  const state = splitStream('1', ['floats']);
  const floats = Array.from({ length: 10_000 }, () => nextFloat(state));
  assert.ok(floats.every((value) => value >= 0 && value < 1 && Number.isInteger(value * 2 ** 53)));
  assert.ok(floats.some((value) => (value * 2 ** 53) % 2 === 1));
  const mean = floats.reduce((sum, value) => sum + value, 0) / floats.length;
  assert.ok(Math.abs(mean - 0.5) < 0.02, String(mean));
  const wide = Array.from({ length: 100 }, () => nextU64(state));
  assert.ok(wide.every((value) => value >= 0n && value < 1n << 64n) && wide.some((value) => value >= 1n << 63n));
});
