import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { childCodec, parentCodec, structureFits } from '../../src/processes/json-messages.js';
import fc from '../fast-check.js';

const { childMessageDepthMax: levels, childStructureCharsMax: chars } = limits;
const nested = (depth: number, inner = ''): Buffer => Buffer.from('['.repeat(depth) + inner + ']'.repeat(depth));

// JSON-MESSAGES-1
test('a parent reads a message that is as deep as it may be, and none that is deeper', () => {
  const padding = JSON.stringify('x'.repeat(2 * levels));
  assert.equal(JSON.stringify(parentCodec.decode(nested(levels, padding))), nested(levels, padding).toString());
  assert.throws(() => parentCodec.decode(nested(levels + 1, padding)), /too deep/);
  assert.throws(() => parentCodec.decode(nested(levels + 1)), /too deep/);
  assert.throws(() => parentCodec.decode(nested(200_000)), /too deep/);
});

// JSON-MESSAGES-2
test('a long text is read; as long a list of small parts is neither read nor sent', () => {
  const text = '"\\n€x'.repeat(chars / 4);
  assert.equal(parentCodec.decode(childCodec.encode(text)), text);
  const parts = new Array<object>(chars / 2).fill({});
  assert.throws(() => childCodec.encode(parts), RangeError);
  const asText = JSON.stringify(parts);
  assert.throws(() => parentCodec.decode(Buffer.from(asText)), /outside of its texts/);
  assert.throws(() => parentCodec.decode(Buffer.from(JSON.stringify('"'.repeat(chars + 1)))), /outside of its texts/);
  // What a parent sends is believed.
  assert.equal(JSON.stringify(childCodec.decode(parentCodec.encode(parts))), asText);
});

test('what is outside of texts is counted by the characters, and each quote inside as one', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      const outside = json.replace(/"(?:[^"\\]|\\.)*"/g, (text) => '"'.repeat(text.split('"').length - 1)).length;
      for (const most of [0, outside - 1, outside, outside + 1])
        assert.equal(structureFits(json, most), most >= outside || most >= json.length, `${json} ${most}`);
    }),
  );
});
