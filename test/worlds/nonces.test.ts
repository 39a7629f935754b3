import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Nonces } from '../../src/worlds/kv/nonces.js';
import { tuning } from '../../src/worlds/tuning.js';

// NONCES-1
test('nonces differ, also from those of the draw before, and one that was given does not change', () => {
  const nonces = new Nonces();
  const given = Array.from({ length: 3 * tuning.noncesDrawnAtOnce + 1 }, () => nonces.mint());
  const texts = given.map((nonce) => nonce.toString('hex'));
  assert.equal(new Set(texts).size, given.length);
  assert.ok(given.every(({ length }) => length === 16));
  for (let count = 0; count < tuning.noncesDrawnAtOnce; count++) nonces.mint();
  assert.deepEqual(
    given.map((nonce) => nonce.toString('hex')),
    texts,
  );
});
