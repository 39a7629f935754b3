// Methods of arrays that are called on what says it is longer than any array that a tool makes: V8 cannot be interrupted in them, so each
// of these tests would never end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { evaluate, probe, resultOf } from './tool-fixture.js';

const refused = {
  kind: 'thrown',
  message: 'RangeError',
  detail: `RangeError: an array method takes at most ${limits.toolArrayItemsMax} items`,
};
const timeout = 60_000;
/** The methods, and what each is called with. */
const calls: { readonly [name: string]: string } = {
  copyWithin: '1, 0',
  fill: '0',
  flat: '',
  includes: '1',
  indexOf: '1',
  join: "''",
  lastIndexOf: '1',
  reverse: '',
  shift: '',
  slice: '',
  sort: '',
  splice: '0, 1',
  toReversed: '',
  toSorted: '',
  toSpliced: '0, 1',
  unshift: '0',
  with: '0, 0',
};
/** Receivers that are too long. */
const receivers = [
  '{ length: 2 ** 53 - 1 }',
  '{ length: 2 ** 32 - 1 }',
  '{ length: { valueOf: () => 2 ** 53 - 1 } }',
  'Object.create({ length: 2 ** 53 - 1 })',
  '{ get length() { return 2 ** 53 - 1 } }',
  'new Proxy([], { get: () => 2 ** 53 - 1 })',
  'Object.assign([], { length: 2 ** 32 - 1 })',
];

// BOUNDED-ARRAYS-1
for (const receiver of receivers) {
  test(`no method of arrays loops over ${receiver}`, { timeout }, () => {
    for (const [name, given] of Object.entries(calls)) {
      const call = `Array.prototype.${name}.call(${receiver}${given === '' ? '' : `, ${given}`})`;
      assert.deepEqual({ ...evaluate(call) }, refused, call);
    }
  });
}

// BOUNDED-ARRAYS-2
test('concat puts no more together than another method takes', { timeout }, () => {
  const spreads = '[Symbol.isConcatSpreadable]: true';
  const half = `{ length: ${limits.toolArrayItemsMax / 2 + 1}, ${spreads} }`;
  const calls = [
    ...receivers.map((receiver) => `[].concat(Object.assign(${receiver}, { ${spreads} }))`),
    `Array.prototype.concat.call({ length: 2 ** 53 - 1, ${spreads} })`,
    `[1].concat([2], { get length() { return 2 ** 40 }, ${spreads} })`,
    `[].concat(${half}, ${half})`,
    '[].concat(new Array(2 ** 32 - 1))',
    '[].concat(new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 40 : t[k]) }))',
  ];
  for (const call of calls) assert.deepEqual({ ...evaluate(call) }, refused, call);
  const changing = `(() => { let asked = 0; return { get length() { return asked++ ? 2 ** 40 : 1 }, 0: 'a', ${spreads} } })()`;
  assert.deepEqual(resultOf(evaluate(`[].concat(${changing})`)), ['a']);
  const late = `(() => { let asked = 0; return { length: 2 ** 40, get [Symbol.isConcatSpreadable]() { return asked++ > 0 } } })()`;
  assert.deepEqual(resultOf(evaluate(`[].concat(${late}).length`)), 1);
});

// BOUNDED-ARRAYS-1
test('a length that changes while it is looked at is the one that was seen first', { timeout }, () => {
  const changing = [
    '(() => { let asked = 0; return { get length() { return asked++ ? 2 ** 53 - 1 : 1 } } })()',
    '(() => { let asked = 0; return new Proxy([], { get: (t, k) => (k === "length" ? (asked++ ? 2 ** 53 - 1 : 1) : t[k]) }) })()',
    '(() => { let asked = 0; const p = Proxy.revocable([], { get: (t, k) => (k === "length" ? (asked++ ? 2 ** 53 - 1 : 1) : t[k]) }); return p.proxy })()',
    '(() => { let asked = 0; return { length: { valueOf: () => (asked++ ? 2 ** 53 - 1 : 1) } } })()',
    '(() => { const o = { length: { valueOf: () => { o.length = 2 ** 53 - 1; return 1 } } }; return o })()',
  ];
  for (const receiver of changing) {
    assert.equal(resultOf(evaluate(`Array.prototype.indexOf.call(${receiver}, 7)`)), -1, receiver);
    assert.deepEqual(resultOf(evaluate(`Array.prototype.toSorted.call(${receiver}).length`)), 1, receiver);
  }
});

test('what is shorter is what it always was', () => {
  const same = [
    'Array.prototype.map.call("abc", (c) => c + c)',
    'Array.prototype.map.call(new Uint8Array([1, 2]), (n) => n * 2)',
    'Array.prototype.slice.call((function () { return arguments })(1, 2), 1)',
    'Array.prototype.join.call({ length: 2, 0: "a", 1: "b" }, "-")',
    'Array.prototype.includes.call({ get length() { return 1 }, 0: 5 }, 5)',
    '(() => { const o = { get length() { return 2 }, 0: 2, 1: 1 }; return [Array.prototype.sort.call(o) === o, o[0], o[1]] })()',
    '(() => { const p = new Proxy([3, 1, 2], {}); return [p.sort() === p, ...p, p.concat(4).length, Array.isArray(p)] })()',
    '[1, [2, [3]]].flat(2)',
    '[[1].concat(2, [3, [4]], "ab", null, { length: 1, 0: 5 }), [].concat.length, [].concat.name]',
    '[].concat({ length: 2, 0: "a", 1: "b", [Symbol.isConcatSpreadable]: true }, Object.assign([1], { [Symbol.isConcatSpreadable]: false }))',
    '(() => { class Rows extends Array {} return [new Rows(1, 2).concat([3]) instanceof Rows, new Rows(1, 2).concat([3]).length] })()',
    '(() => { const o = {}; return [[].concat(o)[0] === o, [].concat((x) => x).length, Array.prototype.concat.call(5, 6).map(Number)] })()',
    '[3, 1, 2].lastIndexOf(3)',
    '[1, 2, 3].splice(1)',
    '[[1, 2, 3].splice(1, undefined).length, [1, 2, 3].indexOf.length, [].splice.length, [].sort.name]',
    '(() => { class Rows extends Array { get total() { return this.length } } return Rows.from([1, 2, 3]).map((n) => n).total })()',
    '(() => { class Bytes extends Uint8Array { get first() { return this[0] } } return [new Bytes([7]).first, new Bytes([7]).slice() instanceof Bytes] })()',
    '[new Uint8Array(new Set([1, 2])), new Uint8Array([1, 2]), Uint8Array.from("12"), Uint8Array.of(3), new Uint8Array(new ArrayBuffer(4), 2)].map(String)',
    '[Uint8Array.name, Uint8Array.length, Uint8Array.BYTES_PER_ELEMENT, new Uint8Array(1).constructor === Uint8Array, Uint8Array.from.length]',
    'Uint8Array.from([1, 2], (n) => n * 2).join()',
    '[typeof Proxy, Proxy.length, Proxy.name, Proxy.prototype === undefined]',
  ];
  // What V8 says of it, where nothing is in between.
  for (const expression of same)
    assert.deepEqual(resultOf(evaluate(expression)), JSON.parse(JSON.stringify(new Function(`return ${expression}`)())), expression);
  for (const wrong of ['Array.prototype.map.call(null, () => 0)', 'Uint8Array(1)', 'Proxy({}, {})', 'class X extends Proxy {}', '[].map()'])
    assert.equal(
      (evaluate(`(() => { ${wrong.startsWith('class') ? wrong : `return ${wrong}`} })()`) as { message?: string }).message,
      'TypeError',
      wrong,
    );
});

test('a handler that was refused may catch it', () => {
  const { run } = probe(`() => { try { [].sort.call({ length: 2 ** 53 - 1 }) } catch (error) { return [error.name, [2, 1].sort()] } }`);
  assert.deepEqual(resultOf(run()), ['RangeError', [1, 2]]);
});
