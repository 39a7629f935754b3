import assert from 'node:assert/strict';
import test from 'node:test';
import { LineBytes } from '../../src/worlds/journal/line-bytes.js';
import fc from '../fast-check.js';

const part = fc.oneof(
  fc
    .oneof(fc.maxSafeInteger(), fc.integer(), fc.nat({ max: 12 }))
    .map((value) => ({ text: String(value), put: (to: LineBytes) => to.putInteger(value) })),
  fc.string({ unit: 'grapheme' }).map((text) => ({ text, put: (to: LineBytes) => to.putText(text) })),
  fc.string({ unit: 'grapheme', maxLength: 200 }).map((text) => ({ text, put: (to: LineBytes) => to.put(Buffer.from(text)) })),
  fc
    .string({ maxLength: 300 })
    .map((text) => ({ text, put: (to: LineBytes) => to.putFrom(Buffer.from(`<${text}>`), 1, 1 + Buffer.byteLength(text)) })),
);

test('what is put stands in order, numbers as JavaScript writes them', () => {
  const line = new LineBytes();
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      line.clear();
      for (const { put } of parts) put(line);
      assert.equal(line.view().toString(), parts.map(({ text }) => text).join(''));
      assert.equal(line.length, line.view().length);
    }),
  );
});

test('a line that is larger than the buffer is whole, and so is the next', () => {
  const line = new LineBytes();
  for (const large of ['\u00e9'.repeat(1_000_000), 'x'.repeat(3_000_000), 'short']) {
    line.clear();
    line.putInteger(7);
    line.putText(large);
    line.put(Buffer.from(large));
    assert.ok(line.view().equals(Buffer.from(`7${large}${large}`)));
  }
});
