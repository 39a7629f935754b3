// Powers: each is the nearest number to the exact one, by whole numbers of 240 bits; and the same on every line of Node.js.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { power } from '../../src/tools/globals/power.js';
import fc from '../fast-check.js';
import { evaluate, resultOf } from './tool-fixture.js';

const bits = 240n;
const one = 1n << bits;
const times = (left: bigint, right: bigint): bigint => (left * right) >> bits;
/** Of a positive number, which must not be too small. */
function fixed(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const stored = view.getBigUint64(0);
  const mantissa = (stored & ((1n << 52n) - 1n)) | (1n << 52n);
  const shift = bits + (stored >> 52n) - 1075n;
  return shift >= 0n ? mantissa << shift : mantissa >> -shift;
}
const isOver = (term: bigint): boolean => term === 0n || term === -1n;
function logOf(value: bigint): bigint {
  const ratio = ((value - one) << bits) / (value + one);
  const square = times(ratio, ratio);
  let sum = 0n;
  for (let term = ratio, odd = 1n; !isOver(term); term = times(term, square), odd += 2n) sum += term / odd;
  return 2n * sum;
}
const ln2 = logOf(2n * one);
function exponentialOf(value: bigint): bigint {
  let sum = 0n;
  for (let term = one, count = 1n; !isOver(term); term = times(term, value) / count, count++) sum += term;
  return sum;
}
/** Of a positive base; the result must be a normal number. */
function exactPower(base: number, exponent: number): number {
  let mantissa = base;
  let scale = 0n;
  for (; mantissa >= 1.5; mantissa /= 2) scale++;
  for (; mantissa < 0.75; mantissa *= 2) scale--;
  const log = times(logOf(fixed(mantissa)) + scale * ln2, exponent < 0 ? -fixed(-exponent) : fixed(exponent));
  const halvings = (log + ln2 / 2n) / ln2;
  const value = exponentialOf(log - halvings * ln2);
  const drop = BigInt(value.toString(2).length - 53);
  const rest = value & ((1n << drop) - 1n);
  const half = 1n << (drop - 1n);
  const rounded = (value >> drop) + (rest > half ? 1n : 0n);
  return Number(rounded) * 2 ** Number(drop - bits) * 2 ** Number(halvings);
}

// POWER-1
test('a power is the number nearest to the exact one', () => {
  const base = fc.oneof(fc.double({ min: 1e-9, max: 1e6, noNaN: true }), fc.double({ min: 0.9, max: 1.2, noNaN: true }));
  const exponent = fc.oneof(
    fc.double({ min: 0.01, max: 30, noNaN: true }),
    fc.integer({ min: 65, max: 400 }),
    fc.integer({ min: 1, max: 64 }),
  );
  fc.assert(
    fc.property(base, exponent, fc.boolean(), (value, steps, isInverse) => {
      const by = isInverse ? -steps : steps;
      const rough = Math.log(value) * by;
      fc.pre(Math.abs(rough) < 650 && Math.abs(rough) > 1e-9);
      assert.equal(power(value, by), exactPower(value, by), `${value} ** ${by}`);
    }),
    { numRuns: 150 },
  );
});

test('powers that are exact are exact, in the middle of two numbers to the even one, and among the smallest', () => {
  for (let exponent = 0; exponent < 23; exponent++) assert.equal(power(10, exponent), Number(`1e${exponent}`));
  for (const exponent of [23, 100, 210, 308]) assert.equal(power(10, exponent), Number(`1e${exponent}`));
  for (let exponent = -1080; exponent < 1030; exponent++) {
    const wanted = exponent < 0 ? 1 / Number(2n ** BigInt(-exponent)) : Number(2n ** BigInt(exponent));
    if (exponent > -1024) assert.equal(power(2, exponent), wanted);
    assert.equal(power(-2, exponent), (exponent % 2 === 0 ? 1 : -1) * power(2, exponent));
  }
  assert.deepEqual([power(2, -1074), power(2, -1075), power(3, -678), power(10, -323)], [5e-324, 0, 5e-324, 1e-323]);
  assert.equal(power(134217729, 2), Number(134217729n ** 2n));
  assert.equal(power(207937, 3), Number(207937n ** 3n));
});

test('what has no power, or no end, is as the language says', () => {
  const values = [0, -0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1e300, -1e300, 5e-324, Infinity, -Infinity, Number.NaN, 2 ** 53, -(2 ** 53 - 1)];
  for (const base of values)
    for (const exponent of values) {
      const wanted = base ** exponent;
      // Only what the standard names: the others are rounded.
      if (Number.isFinite(wanted) && Math.abs(wanted) !== 0 && Math.abs(wanted) !== 1) continue;
      assert.ok(Object.is(power(base, exponent), wanted), `${base} ** ${exponent}: ${power(base, exponent)} and not ${wanted}`);
    }
});

test('powers are the same bytes on every machine', () => {
  let seed = 99;
  const next = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  const hash = createHash('sha256');
  const bytes = new DataView(new ArrayBuffer(8));
  for (let count = 0; count < 2_000; count++) {
    const pairs = [
      [next() * 100, next() * 20 - 10],
      [2, next() * 2_200 - 1_100],
      [1 + next() * 0.1, Math.floor(next() * 400)],
      [next() * 1e-200, next() * 3 - 1.5],
    ] as const;
    for (const [base, exponent] of pairs) {
      bytes.setFloat64(0, power(base, exponent));
      hash.update(new Uint8Array(bytes.buffer.slice(0)));
    }
  }
  assert.equal(hash.digest('hex'), 'e1daad327681f9c938f5080d4eba0ea55e55535ea95251334e79d4f07aad0e30');
});

test('tool code has them as Math.pow, of two BigInts too', () => {
  assert.equal(resultOf(evaluate('Math.pow(2, -0.5)')), Math.SQRT1_2);
  assert.deepEqual(resultOf(evaluate('[String(Math.pow(3n, 50n)), Math.pow("2", [3]), Math.pow.name, Math.pow.length]')), [
    String(3n ** 50n),
    8,
    'pow',
    2,
  ]);
  assert.equal(evaluate('Math.pow(2n, 2)').kind, 'thrown');
});
