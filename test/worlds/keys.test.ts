import assert from 'node:assert/strict';
import test from 'node:test';
import {
  chunkKey,
  keyKinds,
  rangeOf,
  receiptKey,
  receiptRange,
  rowIdOfKey,
  rowKey,
  rowSpaceRange,
  sequenceOfKey,
  snapshotIdOfKey,
  snapshotKey,
  snapshotRange,
} from '../../src/worlds/kv/keys.js';
import fc from '../fast-check.js';

const rowId = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });
const u32 = fc.nat({ max: 0xffff_fffe });
const isWithin = (key: Buffer, { start, end }: { start: Buffer; end: Buffer }) =>
  Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0;

test('rows sort by UTF-16 code units, and their ids are read back', () => {
  fc.assert(
    fc.property(rowId, rowId, (a, b) => {
      const [keyA, keyB] = [rowKey(7, 3, a), rowKey(7, 3, b)];
      assert.equal(Math.sign(Buffer.compare(keyA, keyB)), a < b ? -1 : a > b ? 1 : 0);
      assert.equal(rowIdOfKey(keyA), a);
    }),
  );
});

test('a range holds its own keys and no others', () => {
  fc.assert(
    fc.property(u32, u32, fc.nat({ max: 65_535 }), fc.nat({ max: 65_535 }), rowId, (layer, other, space, otherSpace, id) => {
      assert.ok(isWithin(rowKey(layer, space, id), rowSpaceRange(layer, space)));
      assert.equal(isWithin(rowKey(layer, otherSpace, id), rowSpaceRange(layer, space)), space === otherSpace);
      assert.ok(isWithin(rowKey(layer, space, id), rangeOf(keyKinds.row, layer)));
      assert.equal(isWithin(rowKey(other, space, id), rangeOf(keyKinds.row, layer)), other === layer);
    }),
  );
  assert.ok(isWithin(receiptKey(1, 'desk', 'x'), receiptRange(1, 'desk')));
  assert.ok(!isWithin(receiptKey(1, 'desk-2', 'x'), receiptRange(1, 'desk')));
  assert.ok(isWithin(snapshotKey('world_1', ''), snapshotRange('world_1')));
  assert.ok(!isWithin(snapshotKey('world_10', 'snap_1'), snapshotRange('world_1')));
  assert.equal(snapshotIdOfKey(snapshotKey('world_1', 'snap_1')), 'snap_1');
});

test('chunks sort by sequence', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), fc.nat({ max: 2 ** 40 }), (a, b) => {
      assert.equal(Math.sign(Buffer.compare(chunkKey(1, a), chunkKey(1, b))), Math.sign(a - b));
      assert.equal(sequenceOfKey(chunkKey(1, a)), a);
    }),
  );
});

test('the longest row id fits a key of LMDB', () => {
  assert.ok(rowKey(1, 1, '𝒳'.repeat(256)).length <= 1978);
});
