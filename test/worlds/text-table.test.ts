import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeTexts, EncodedTexts, encodeTexts, StoredTexts } from '../../src/worlds/kv/text-table.js';
import fc from '../fast-check.js';

const texts = fc.array(fc.string({ unit: 'grapheme' }));
const read = (bytes: Buffer) => {
  const table = decodeTexts(bytes);
  return Array.from({ length: table.count }, (_, index) => table.at(index));
};

test('texts come back, wherever the table lies', () => {
  fc.assert(
    fc.property(texts, fc.nat({ max: 9 }), (list, at) => {
      assert.deepEqual(read(encodeTexts(list)), list);
      const encoded = new EncodedTexts(list);
      const bytes = Buffer.alloc(at + encoded.byteLength);
      encoded.write(bytes, at);
      assert.deepEqual(read(bytes.subarray(at)), list);
    }),
  );
});

// TEXT-TABLE-1
test('the bytes of each text are found in the table, and its text is the same', () => {
  fc.assert(
    fc.property(texts, (list) => {
      const table = new StoredTexts(encodeTexts(list));
      const bytes = list.map((_, index) => table.bytes.toString('utf8', table.byteStart(index), table.byteEnd(index)));
      assert.deepEqual(bytes, list);
      assert.deepEqual(
        Array.from({ length: table.count }, (_, index) => table.at(index)),
        list,
      );
    }),
  );
});
