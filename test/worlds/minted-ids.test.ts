import assert from 'node:assert/strict';
import test from 'node:test';
import { inheritedId, mintedId, ordinalOfId, ordinalText, worldTag, writeOrdinal } from '../../src/worlds/kv/minted-ids.js';
import fc from '../fast-check.js';

const ordinal = fc.nat({ max: 2 ** 50 - 1 });
const tag = worldTag({ seed: '1' });

test('an ordinal is read back from its id, and ids sort as ordinals do', () => {
  fc.assert(
    fc.property(ordinal, ordinal, (a, b) => {
      assert.equal(ordinalOfId(mintedId('call_', tag, a), 'call_', tag), a);
      assert.equal(ordinalText(a) < ordinalText(b), a < b);
      assert.match(mintedId('txn_', tag, a), /^txn_[0-9a-z]{26}$/);
    }),
  );
});

test('an ordinal is written into bytes as it is into a text', () => {
  fc.assert(
    fc.property(fc.oneof(ordinal, fc.nat()), (one) => {
      const bytes = Buffer.alloc(12, '-');
      writeOrdinal(bytes, 1, one);
      assert.equal(bytes.toString(), `-${ordinalText(one)}-`);
    }),
  );
});

test('what a fork inherited has ids of their own', () => {
  const ids = [0, 1, 2 ** 48].flatMap((ordinal) => [mintedId('call_', tag, ordinal), inheritedId('call_', tag, ordinal)]);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^call_[0-9a-z]{26}$/);
});

test('foreign ids have no ordinal', () => {
  const other = worldTag({ seed: '2' });
  assert.notEqual(other, tag);
  assert.equal(ordinalOfId(mintedId('call_', other, 1), 'call_', tag), undefined);
  assert.equal(ordinalOfId(mintedId('call_', other, 1), 'call_'), 1, 'of any world, where none is named');
  assert.equal(ordinalOfId('call_', 'call_'), undefined);
  assert.equal(ordinalOfId(mintedId('txn_', tag, 1), 'call_', tag), undefined);
  assert.equal(ordinalOfId(`call_${tag}000000000u`, 'call_', tag), undefined, 'u is no base32 digit');
  assert.equal(ordinalOfId('', 'call_', tag), undefined);
});

test('a tag is the head of a digest in Crockford base32', () => {
  assert.match(tag, /^[0-9a-hjkmnp-tv-z]{16}$/);
  assert.equal(tag, worldTag({ seed: '1' }));
});
