import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveSeed } from '../../src/contract/seed.js';
import { isSeed } from '../../src/contract/seed-text.js';
import fc from '../fast-check.js';

test('seeds are the unsigned 64-bit integers as decimal text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -5n, max: 2n ** 65n }), (number) =>
      assert.equal(isSeed(number.toString()), number >= 0n && number < 2n ** 64n),
    ),
  );
  for (const text of ['0', '18446744073709551615']) assert.ok(isSeed(text));
  for (const text of [
    '',
    '00',
    '01',
    '-0',
    '+1',
    '1.0',
    '1e3',
    ' 1',
    '1\n',
    '18446744073709551616',
    '99999999999999999999',
    '100000000000000000000',
  ])
    assert.ok(!isSeed(text));
});

test('a derived seed is a seed, the same for the same labels and another for others', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.nat()), { maxLength: 4 }), (labels) => {
      const derived = deriveSeed('7', ...labels);
      assert.ok(isSeed(derived));
      assert.equal(deriveSeed('7', ...labels), derived);
      assert.notEqual(deriveSeed('8', ...labels), derived);
      assert.notEqual(deriveSeed('7', ...labels, 0), derived);
    }),
  );
  assert.notEqual(deriveSeed('1', 'a', 'b'), deriveSeed('1', 'ab'));
  assert.notEqual(deriveSeed('1', 1), deriveSeed('1', '1'));
});

test('derivation is part of the contract: it must not change', () => {
  assert.equal(deriveSeed('1', 'trial', 1), '13290827537725231477');
});
