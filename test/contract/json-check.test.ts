import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import canonicalize from 'canonicalize';
import { admitJson, admitJsonObject, checkJsonDepth, JsonRefusal } from '../../src/contract/json-check.js';
import fc from '../fast-check.js';

const name = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    '0',
    '10',
    '9',
    '007',
    '4294967295',
    '-1',
    '1.5',
    '\u20ac',
    '\ud83d\ude00',
    '\ufb33',
    '\\ud800',
  ),
);
const { value: jsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -0, 1e21, 5e-324, -1.5),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 6 }).map((members) => {
      const object = {};
      for (const [key, value] of members)
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      return object;
    }),
  ),
}));

function assertFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  assert.ok(Object.isFrozen(value));
  Object.values(value).forEach(assertFrozen);
}

// JSON-CHECK-1, JSON-CHECK-2
test('an admitted value equals the given one, is frozen through, and its text is canonical', () => {
  fc.assert(
    fc.property(jsonValue, (given) => {
      const before = JSON.stringify(given);
      const { value, text } = admitJson(given);
      assert.equal(text, canonicalize(given));
      assert.deepEqual(value, JSON.parse(text));
      assertFrozen(value);
      assert.equal(JSON.stringify(given), before, 'the given value is as it was');
      const again = admitJson(value);
      assert.equal(again.text, text);
    }),
    { numRuns: 500 },
  );
});

test('members come out sorted, however many there are', () => {
  const keys = Array.from({ length: 100 }, (_, index) => `k${(index * 37) % 100}`);
  const { value } = admitJsonObject(Object.fromEntries(keys.map((key) => [key, 1])));
  assert.deepEqual(Object.keys(value), [...keys].sort());
});

test('names like "10" are ordered as text in the canonical form, though objects list them by number', () => {
  assert.equal(admitJson({ b: 1, 9: 1, 10: 1, '!': 1 }).text, '{"!":1,"10":1,"9":1,"b":1}');
  assert.equal(admitJson([{ 9: { 2: 0, 10: 0 } }, { a: 1 }]).text, '[{"9":{"10":0,"2":0}},{"a":1}]');
});

test('__proto__ is data: it neither sets a prototype nor is lost', () => {
  const { value, text } = admitJsonObject(JSON.parse('{"__proto__":{"admin":true},"constructor":1,"prototype":2}'));
  assert.equal(text, '{"__proto__":{"admin":true},"constructor":1,"prototype":2}');
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal((value as { admin?: unknown }).admin, undefined);
});

test('negative zero becomes zero; undefined and symbol-keyed members are left out', () => {
  const { value, text } = admitJsonObject({ a: -0, b: undefined, [Symbol('s')]: 1, c: [-0] });
  assert.equal(text, '{"a":0,"c":[0]}');
  assert.ok(Object.is(value.a, 0));
  assert.deepEqual(Object.keys(value), ['a', 'c']);
});

test('objects of another realm and without a prototype are welcome', () => {
  assert.equal(admitJson(runInNewContext('({ b: [1, { a: 2 }] })')).text, '{"b":[1,{"a":2}]}');
  assert.equal(admitJson(Object.assign(Object.create(null), { a: 1 })).text, '{"a":1}');
});

class Point {
  x = 1;
}
const cyclic: unknown[] = [];
cyclic.push({ again: cyclic });
const nested = (levels: number): unknown => (levels === 0 ? 1 : levels % 2 === 0 ? [nested(levels - 1)] : { a: nested(levels - 1) });
const refused: [string, unknown, string, string][] = [
  ['a function', { f: () => 1 }, '/f', 'function'],
  ['an own toJSON, which is not called', { toJSON: () => 'x' }, '/toJSON', 'function'],
  ['a symbol', [Symbol('s')], '/0', 'symbol'],
  ['a bigint', { a: 1n }, '/a', 'bigint'],
  ['NaN', [1, Number.NaN], '/1', 'not_finite'],
  ['infinity', Number.NEGATIVE_INFINITY, '', 'not_finite'],
  ['undefined itself', undefined, '', 'undefined'],
  ['an undefined item', [1, undefined], '/1', 'undefined'],
  ['a hole', new Array(1e9), '/0', 'undefined'],
  ['a Date', { at: new Date(0) }, '/at', 'not_plain'],
  ['a Map', new Map(), '', 'not_plain'],
  ['an instance of a class', [new Point()], '/0', 'not_plain'],
  ["another realm's Date", runInNewContext('({ at: new Date(0) })'), '/at', 'not_plain'],
  ['a boxed number', Object(1), '', 'not_plain'],
  ['a typed array', new Uint8Array(1), '', 'not_plain'],
  ['a cycle', cyclic, '/0/again', 'cycle'],
  ['65 levels', nested(65), `${'/a/0'.repeat(32)}`, 'too_deep'],
  ['half a surrogate pair', { 'a/b~c': 'x\ud800' }, '/a~1b~0c', 'lone_surrogate'],
  ['a name with half a surrogate pair', { '\udfff': 1 }, '/\ufffd', 'lone_surrogate'],
  ['half a pair under a numeric name', { 1: '\ud800' }, '/1', 'lone_surrogate'],
];
for (const [what, value, path, reason] of refused) {
  test(`${what} is refused with its path`, () => {
    assert.throws(
      () => admitJson(value),
      (error: unknown) => {
        assert.ok(error instanceof JsonRefusal, String(error));
        assert.equal(error.reason, reason);
        assert.equal(error.path, path);
        return true;
      },
    );
  });
}

test('64 levels are admitted', () => {
  assert.equal(admitJson(nested(64)).text, JSON.stringify(nested(64)));
  assert.equal(checkJsonDepth(nested(64)), null);
  assert.equal(checkJsonDepth(nested(65))?.reason, 'too_deep');
});

test('text that only looks like the escape of half a pair is admitted', () => {
  assert.equal(admitJson('\\ud800').text, '"\\\\ud800"');
});

test('a value that unfolds to more than a million values is refused', () => {
  let folded: unknown = [1];
  for (let level = 0; level < 40; level++) folded = [folded, folded];
  assert.throws(() => admitJson(folded), { reason: 'too_large' });
});

test('only an object is admitted as an object', () => {
  for (const wrong of [null, [], 'x', 1, undefined]) assert.throws(() => admitJsonObject(wrong), JsonRefusal);
});

test('a getter may itself admit a value, and what it throws goes through', () => {
  const value = {
    get 10() {
      return admitJson({ b: 1, a: 2 }).text;
    },
    get 9() {
      return 1;
    },
  };
  assert.equal(admitJson(value).text, '{"10":"{\\"a\\":2,\\"b\\":1}","9":1}');
  const thrown = new Error('mine');
  const throwing = {
    get a() {
      throw thrown;
    },
  };
  assert.throws(() => admitJson(throwing), thrown);
  let reads = 0;
  const moody = {
    get a() {
      return reads++ === 0 ? Number.NaN : 1;
    },
  };
  assert.throws(() => admitJson(moody), { name: 'JsonRefusal', message: /changes while it is read/ });
});

// JSON-CHECK-3
test('a bound of bytes is exact: what canonical text has in UTF-8 is admitted, one byte less is not', () => {
  fc.assert(
    fc.property(jsonValue, (given) => {
      const bytes = Buffer.byteLength(admitJson(given).text);
      const bounds = (most: number) => ({ depth: 64, nodes: 1000, bytes: most });
      assert.equal(Buffer.byteLength(admitJson(given, bounds(bytes)).text), bytes);
      assert.throws(
        () => admitJson(given, bounds(bytes - 1)),
        (error) => error instanceof JsonRefusal && error.reason === 'too_long' && error.path === '',
      );
    }),
  );
});

// JSON-CHECK-3
test('what is far too long is refused before a text is made of it', () => {
  // Text of this length could not be made at all.
  const huge = 'x'.repeat(500_000_000);
  const bounds = { depth: 64, nodes: 1000, bytes: 1000 };
  for (const value of [huge, [huge, huge, huge], { a: { b: huge } }, { [huge.slice(0, 2000)]: 1 }]) {
    assert.throws(() => admitJson(value, bounds), { message: 'the value has more than 1000 bytes as JSON' });
  }
});
