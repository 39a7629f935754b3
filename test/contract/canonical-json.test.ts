import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import canonicalize from 'canonicalize';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import { jsonDigest, sha256Digest } from '../../src/contract/digest.js';
import type { JsonValue } from '../../src/contract/json.js';
import fc from '../fast-check.js';

const jsonValue = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }) as fc.Arbitrary<JsonValue>;

test('any JSON value is written as an independent implementation of RFC 8785 writes it', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      const text = canonicalJson(value);
      assert.equal(text, canonicalize(value));
      assert.equal(canonicalJson(JSON.parse(text) as JsonValue), text);
      assert.equal(jsonDigest(value), `sha256:${createHash('sha256').update(Buffer.from(text, 'utf8')).digest('hex')}`);
    }),
    { numRuns: 1000 },
  );
});

test('any finite double is written as ECMAScript writes it', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) =>
      assert.equal(canonicalJson(number), JSON.stringify(number)),
    ),
    { numRuns: 2000 },
  );
});

// The sample of RFC 8785, appendix B: the bits of a double and its text.
const doubles: [string, string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];
for (const [bits, text] of doubles) {
  test(`the double ${bits} is ${text}`, () => {
    assert.equal(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE()), text);
  });
}

test('members are ordered by UTF-16 code units, as in the example of RFC 8785 3.2.3', () => {
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  assert.equal(canonicalJson(value), '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}');
});

test('what has no canonical text is refused', () => {
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, 'a\ud800', '\udc00\ud800', { '\ud800': 1 }, [{ a: 'x\udfff' }]]) {
    assert.throws(() => canonicalJson(wrong), TypeError);
  }
  assert.equal(canonicalJson('\\ud800'), '"\\\\ud800"');
});

test('undefined members are left out', () => {
  assert.equal(canonicalJson({ a: undefined, b: 1 } as unknown as JsonValue), '{"b":1}');
});

test('a digest of text is that of its UTF-8 bytes', () => {
  assert.equal(sha256Digest('zażółć'), sha256Digest(Buffer.from('zażółć')));
  assert.equal(sha256Digest(''), 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
