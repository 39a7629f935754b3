import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import type { JsonValue } from '../../src/contract/json.js';
import { JsonRefusal } from '../../src/contract/json-check.js';
import { deniedMethods, deniedNames } from '../../src/tools/ambient.js';
import { threadRealm } from '../../src/tools/realm.js';
import fc from '../fast-check.js';
import { evaluate, probe, resultOf } from './tool-fixture.js';

function thrown(expression: string): string {
  const result = evaluate(expression);
  assert.equal(result.kind, 'thrown', `${expression} gave ${JSON.stringify(result)}`);
  return result.kind === 'thrown' ? result.detail : '';
}

// REALM-LOCKDOWN-2
test('every denied name throws an error that names it, bare and on globalThis', () => {
  for (const name of Object.keys(deniedNames)) {
    assert.match(thrown(name), new RegExp(`^Error: ${name} is not available to tool behavior`));
    assert.match(thrown(`globalThis.${name}`), new RegExp(`^Error: ${name} is not available to tool behavior`));
  }
});

// REALM-LOCKDOWN-2
test('every denied method throws an error that names it', () => {
  const calls: { [path: string]: string } = {
    'Math.random': 'Math.random()',
    'String.prototype.localeCompare': '"a".localeCompare("b")',
    'String.prototype.toLocaleLowerCase': '"a".toLocaleLowerCase()',
    'String.prototype.toLocaleUpperCase': '"a".toLocaleUpperCase()',
    'Object.prototype.toLocaleString': '({}).toLocaleString()',
    'Array.prototype.toLocaleString': '[1].toLocaleString()',
    'Number.prototype.toLocaleString': '(1).toLocaleString()',
    'BigInt.prototype.toLocaleString': '1n.toLocaleString()',
    'Array.fromAsync': 'Array.fromAsync([])',
    'Date.now': 'Date.now()',
    'Date.prototype.toLocaleString': 'new Date(0).toLocaleString()',
    'Date.prototype.toLocaleDateString': 'new Date(0).toLocaleDateString()',
    'Date.prototype.toLocaleTimeString': 'new Date(0).toLocaleTimeString()',
  };
  for (const path of Object.keys(deniedMethods)) {
    // Not every version of Node has it, so none has it here (KNOWN-NAMES-1).
    if (path === 'Array.fromAsync') continue;
    assert.ok(thrown(calls[path] as string).startsWith(`Error: ${path} is not available`), path);
  }
});

test('names that nobody defined are reference errors', () => {
  assert.equal(thrown('somethingElse'), 'ReferenceError: somethingElse is not defined');
});

// REALM-1
test('no path from a value, a function or an error leads to a Function that makes code', () => {
  const roots = [
    'context',
    'context.state.get',
    'context.actor',
    'context.source',
    'context.fail',
    'input',
    '[]',
    '({})',
    '/x/',
    '(() => {})',
    'function* () {}',
    'Symbol()',
    '1',
    '""',
    'globalThis.Object',
    'new Map()',
    'new Proxy({}, {})',
  ];
  for (const root of roots) {
    const message = thrown(`(${root === 'function* () {}' ? `(${root})` : root}).constructor.constructor('return process')()`);
    assert.match(message, /is not available to tool behavior|not a function|Cannot read|not a constructor/, `${root}: ${message}`);
  }
  const errors = [
    'context.state.get("elsewhere", "x")',
    'context.state.get("rows", Symbol())',
    'context.state.put("rows", "x", () => {})',
    'null.x',
    'undefinedName',
  ];
  for (const error of errors) {
    const message = thrown(`(() => { try { ${error} } catch (error) { return error.constructor.constructor('return process')() } })()`);
    assert.match(message, /Function is not available to tool behavior/, `${error}: ${message}`);
  }
});

// REALM-1, LOADED-TOOL-3
test('an error of the host never reaches tool code: it is the realm that speaks, and the bug comes out of the call', () => {
  const { instance } = probe(
    '(input, context) => { try { context.state.get("rows", "bug") } catch (error) { return [error instanceof Error, error.name, Object.keys(error)] } }',
  );
  assert.throws(() => instance.call('x', null), { name: 'RangeError', message: 'a bug of the host' });
});

test('with the stack full, the errors that tool code catches are still of its own realm', () => {
  // At some depth each call of the context overflows in a function of the host, and at some depth in translating that.
  const uses = [
    'context.state.get("rows", "r")',
    'context.state.put("rows", "r", { a: [1] })',
    'context.state.scan("rows")',
    'context.clock.nowUs()',
    'context.source',
    'context.actor',
    'context.state.get("elsewhere", "r")',
    'context.random.nextInteger(0, 5)',
    'context.events.emit("e", {})',
  ];
  for (const use of uses) {
    const { instance, world } = probe(`(input, context) => {
      let caught = 0, foreign = 0;
      const dig = (pad) => {
        try { ${use} } catch (error) { caught++; if (!(error instanceof Error)) foreign++ }
        try { dig(pad + 1) } catch (error) { caught++; if (!(error instanceof Error)) foreign++ }
      };
      dig(0);
      if (foreign > 0) context.state.put('rows', 'foreign', { foreign });
      return { caught, foreign };
    }`);
    try {
      const result = instance.call('x', null);
      assert.ok(result.kind === 'thrown' || (resultOf(result) as { foreign: number }).foreign === 0, JSON.stringify(result));
    } catch (error) {
      assert.equal((error as Error).name, 'RangeError', 'what overflowed in the host comes out as it is');
    }
    assert.equal(world.rows.has('foreign'), false, use);
  }
});

// LOADED-TOOL-3
test('a refusal of the world is an error that the handler may catch', () => {
  const { run } = probe(
    '(input, context) => { try { context.state.get("elsewhere", "x") } catch (error) { return [error instanceof Error, error.name, error.message] } }',
  );
  assert.deepEqual(resultOf(run()), [true, 'ContextError', "there is no namespace 'elsewhere'"]);
});

test('prototypes of intrinsics cannot be polluted', () => {
  const targets = [
    'Object.prototype',
    'Array.prototype',
    'Function.prototype',
    'Error.prototype',
    'Map.prototype',
    'String.prototype',
    'RegExp.prototype',
    'Math',
    'JSON',
    'globalThis',
    'context',
    'context.state',
    'Object.getPrototypeOf(function* () {})',
    'Object.getPrototypeOf([][Symbol.iterator]())',
    'Object.getPrototypeOf(context.fail)',
  ];
  for (const target of targets) assert.match(thrown(`((${target}).polluted = 1)`), /^TypeError/, target);
  for (const name of ['toString', 'constructor', 'hasOwnProperty', '__proto__'])
    assert.match(thrown(`(Object.prototype.${name} = {})`), /^TypeError/, name);
  assert.match(thrown('(Array.prototype.push = () => 0)'), /^TypeError/);
  assert.match(thrown('(context.state.get = () => 0)'), /^TypeError/);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

test('ordinary code works: overriding inherited names, classes, errors, iteration', () => {
  const program = `(() => {
    class Money { constructor(cents) { this.cents = cents } toString() { return 'EUR ' + this.cents } }
    class Missing extends Error { constructor(what) { super(what + ' is missing'); this.name = 'Missing'; this.what = what } }
    function Old(value) { this.value = value }
    Old.prototype = Object.create(Error.prototype); Old.prototype.constructor = Old; Old.prototype.toString = function () { return 'old ' + this.value };
    const plain = {}; plain.toString = () => 'plain'; plain.constructor = 1; plain.valueOf = () => 7; plain.hasOwnProperty = 2; plain['__proto__x'] = 3;
    const list = [3, 1, 2]; list.toString = () => 'list';
    const error = new TypeError('bad'); error.message = 'worse'; error.name = 'Custom';
    const missing = new Missing('x');
    function* count() { yield 1; yield 2 }
    return [String(new Money(5)), missing.message, missing.name, missing instanceof Error, String(new Old(1)), String(plain), plain + 1, plain.constructor, String(list), String(error),
      [...count()], [...new Set([1, 1])], Object.keys(plain).length, JSON.stringify({ toString: 1 }), /a(b)/.exec('ab')[1], typeof structured, (() => {}) instanceof Function, list.sort()[0]];
  })()`;
  assert.deepEqual(resultOf(evaluate(program)), [
    ...['EUR 5', 'x is missing', 'Missing', true, 'old 1', 'plain', 8, 1, 'list', 'Custom: worse'],
    ...[[1, 2], [1], 5, '{"toString":1}', 'b', 'undefined', true, 1],
  ]);
});

// REALM-LOCKDOWN-1
test('everything that tool code can reach without making it is frozen', () => {
  // Walks from all names, from literals and from the context, through prototypes, members and getters, inside the realm.
  const walk = `(() => {
    const made = new Set(); const waiting = []; const loose = [];
    const own = [[], {}, /x/, () => {}, function* () {}, new Error('x'), new Map().entries(), [].values(), ''.matchAll(/x/g), (function () { return arguments })(), Symbol.iterator, 1n, new Proxy({}, {})];
    for (const value of own) { made.add(value); waiting.push([value, 'literal']) }
    const named = { Object, Array, Map, Set, WeakMap, WeakSet, JSON, Math, Reflect, Symbol, RegExp, Error, Function, Proxy, BigInt, Number, String, Boolean, Uint8Array, ArrayBuffer, DataView, parseInt, escape, globalThis, context, sdk: $sdk, ambient: $ambient };
    for (const name of Object.keys(named)) waiting.push([named[name], name]);
    const seen = new Set();
    while (waiting.length > 0) {
      const [value, path] = waiting.pop();
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
      seen.add(value);
      if (!made.has(value) && !Object.isFrozen(value)) loose.push(path);
      // Objects made by the walk itself (descriptors, a generator's own prototype) are the walker's.
      waiting.push([Object.getPrototypeOf(value), path + '.__proto__']);
      for (const key of Reflect.ownKeys(value)) {
        const { value: member, get, set } = Object.getOwnPropertyDescriptor(value, key);
        if (made.has(value) && key === 'prototype') { made.add(member) }
        waiting.push([member, path + '.' + String(key)], [get, path + '.get ' + String(key)], [set, path + '.set ' + String(key)]);
      }
    }
    return { loose, count: seen.size };
  })()`;
  const { loose, count } = resultOf(evaluate(walk)) as { loose: string[]; count: number };
  assert.deepEqual(loose, []);
  assert.ok(count > 500, `only ${count} objects seen`);
});

test('the last match of a regular expression is not remembered by the realm', () => {
  assert.deepEqual(
    resultOf(evaluate('[/a(b)/.test("ab"), RegExp.$1 === undefined, RegExp.lastMatch === undefined, RegExp.input === undefined]')),
    [true, true, true, true],
  );
});

// LOADED-TOOL-1
test('getters and proxies handed in are read in the realm only, and are data afterwards', () => {
  const { world, run } = probe(`(input, context) => {
    let reads = 0;
    const value = new Proxy({ a: 1 }, { get(target, key) { reads++; return target[key] } });
    context.state.put('rows', 'x', value);
    context.state.put('rows', 'y', { get b() { return 2 } });
    return reads > 0;
  }`);
  assert.equal(resultOf(run()), true);
  assert.deepEqual(Object.getOwnPropertyDescriptor(world.rows.get('y'), 'b'), {
    value: 2,
    writable: false,
    enumerable: true,
    configurable: false,
  });
  assert.deepEqual(JSON.stringify(world.rows.get('x')), '{"a":1}');
});

// LOADED-TOOL-1
test('values given out are frozen, down to the leaves', () => {
  for (const write of [
    'row.tags.push(1)',
    'row.deep.a = 2',
    'row.name = 1',
    'delete row.name',
    'input.a = 1',
    'context.actor.attributes.team = 1',
    'context.state.scan("rows").push(1)',
    'context.state.scan("rows")[0].rowId = 1',
  ]) {
    const { world, run } = probe(`(input, context) => { const row = context.state.get('rows', 'r'); ${write}; }`);
    world.rows.set('r', threadRealm().admit({ tags: [], deep: { a: 1 }, name: 'n' }).value as never);
    const result = run({ a: 0 });
    assert.equal(result.kind === 'thrown' ? result.message : result.kind, 'TypeError', write);
  }
});

test('admit inside the realm is admit outside of it: same text, realm objects, everything frozen', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (given) => {
      const value = given as JsonValue;
      const { value: copy, text } = threadRealm().admit(value);
      assert.equal(text, canonicalJson(value));
      assert.equal(canonicalJson(copy), text);
      assert.equal(canonicalJson(threadRealm().revive(text)), text);
      if (typeof copy === 'object' && copy !== null) {
        assert.ok(Object.isFrozen(copy));
        assert.ok(!(copy instanceof Object), 'an object of the host got in');
      }
    }),
    { numRuns: 200 },
  );
});

test('what is no JSON is refused with the class that the host knows', () => {
  for (const value of [undefined, () => 1, Symbol('x'), 1n, Number.NaN, new Map(), { deep: [Number.POSITIVE_INFINITY] }]) {
    assert.throws(() => threadRealm().admit(value), JsonRefusal);
  }
  assert.throws(() => threadRealm().admit({ deep: [Number.NaN] }), { message: '/deep/0 is NaN; JSON numbers are finite' });
});

test('a name like __proto__ is data', () => {
  const { value, text } = threadRealm().admit(JSON.parse('{"__proto__":{"polluted":1},"constructor":2}'));
  assert.equal(text, '{"__proto__":{"polluted":1},"constructor":2}');
  assert.equal((value as { polluted?: number }).polluted, undefined);
  assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor']);
});

test('a realm opens under flags of V8 that add fixed globals, which are denied all the same', () => {
  const realm = new URL('../../src/tools/realm.js', import.meta.url).href;
  const fixture = new URL('./tool-fixture.js', import.meta.url).href;
  const code = `await import(${JSON.stringify(realm)}); const { evaluate } = await import(${JSON.stringify(fixture)});
    console.log(JSON.stringify([evaluate('gc()'), evaluate('globalThis.gc'), evaluate('Object.isFrozen(gc)'), evaluate('isOneByteString("")')]));`;
  const flags = ['--expose-gc', '--expose-externalize-string', '--input-type=module', '--eval', code];
  const [call, member, frozen, other] = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' })) as { detail?: string }[];
  for (const refused of [call, member]) assert.match(refused?.detail ?? '', /^Error: gc is not available to tool behavior/);
  assert.match(other?.detail ?? '', /^Error: isOneByteString is not available to tool behavior/);
  assert.deepEqual((frozen as { value?: unknown }).value, true);
});

// KNOWN-NAMES-1
test('what a later version of V8 adds to its intrinsics is not there', () => {
  const fixture = new URL('./tool-fixture.js', import.meta.url).href;
  const walk = `(() => {
    const places = [Object, Array, String, Symbol, Number, Math, JSON, Reflect, Map, Set, WeakMap, RegExp, Error, ArrayBuffer, DataView, Uint8Array, Object.getPrototypeOf(Uint8Array), Date, BigInt];
    const prototypes = places.map((place) => place.prototype).filter((place) => place !== undefined);
    const iterators = [[].values(), new Map().keys(), new Set().keys(), (function* () {})()].flatMap((value) => [Object.getPrototypeOf(value), Object.getPrototypeOf(Object.getPrototypeOf(value))]);
    return [...places, ...prototypes, ...iterators].map((place) => Reflect.ownKeys(place).map(String).sort());
  })()`;
  const code = `const { evaluate } = await import(${JSON.stringify(fixture)}); console.log(JSON.stringify(evaluate(${JSON.stringify(walk)}).value));`;
  const run = (flags: readonly string[]): string =>
    execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', code], { encoding: 'utf8' });
  // Flags of the versions that do not have them yet; later ones have them without.
  const later = ['--harmony-array-grouping', '--harmony-iterator-helpers', '--harmony-rab-gsab-transfer', '--harmony-array-from-async'];
  const flags = process.versions.v8.startsWith('11.') ? later : [];
  assert.equal(run(flags), run([]));
  const names = resultOf(evaluate(walk)) as string[][];
  assert.deepEqual(JSON.parse(run(flags)), names);
  const newer = ['groupBy', 'fromAsync', 'union', 'transfer', 'isError', 'escape', 'rawJSON', 'f16round', 'take', 'flatMap'];
  assert.deepEqual(
    newer.filter((name) => names.flat().includes(name)),
    ['flatMap'],
  );
});
