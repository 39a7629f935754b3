// What later versions of Node answer in another way answers as on the oldest that is supported. Runs inside a new vm context before it is
// locked (realm-script.ts), so it names nothing but itself and ECMAScript.
//   KNOWN-RESULTS-1. A reviver of JSON.parse gets two arguments, names are shut out of `with` in one order, and no regular expression is
//     made of a text that only later versions take.
import { laterSyntax } from './later-patterns.js';

type Members = { [name: PropertyKey]: unknown };
type Reviver = (this: unknown, key: string, value: unknown) => unknown;
type Method = (this: unknown, ...given: unknown[]) => unknown;

const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;
const unscopables = [
  'at',
  'copyWithin',
  'entries',
  'fill',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'flat',
  'flatMap',
  'includes',
];
const laterUnscopables = ['keys', 'values', 'toReversed', 'toSorted', 'toSpliced'];

/** On the global object of a new context. */
export function keepKnownResults(global: Members): void {
  const names = Object.assign(
    Object.create(null),
    Object.fromEntries([...unscopables, ...laterUnscopables].map((name) => [name, true])),
  ) as object;
  defineProperty(Array.prototype, Symbol.unscopables, { value: names, writable: false, configurable: true });
  reviveWithTwo();
  const tamed = tameRegExp();
  defineProperty(global, 'RegExp', { value: tamed, writable: true, configurable: true, enumerable: false });
  compileAs(tamed);
  searchAs(tamed);
}

function define(owner: object, name: string, value: unknown): void {
  defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
}

function reviveWithTwo(): void {
  const { parse: native } = JSON;
  const { parse } = {
    parse(text: string, reviver?: Reviver): unknown {
      if (typeof reviver !== 'function') return native(text);
      return native(text, function (this: unknown, key, value) {
        return apply(reviver, this, [key, value]);
      });
    },
  };
  defineProperty(parse, 'length', { value: native.length });
  define(JSON, 'parse', parse);
}

function tameRegExp(): RegExpConstructor {
  const Native = RegExp;
  const { prototype } = Native;
  const sourceOf = getOwnPropertyDescriptor(prototype, 'source')?.get as () => string;
  const tamed = function (pattern: unknown, flags?: string): unknown {
    const isCalled = new.target === undefined;
    const isOne = typeof pattern === 'object' && pattern !== null && Boolean((pattern as Members)[Symbol.match]);
    if (isCalled && isOne && flags === undefined && (pattern as object).constructor === tamed) return pattern;
    const made = construct(Native, [pattern, flags], isCalled ? tamed : new.target) as RegExp;
    const later = laterSyntax(apply(sourceOf, made, []) as string);
    if (later !== undefined) throw new SyntaxError(`Invalid regular expression: /${apply(sourceOf, made, [])}/: ${later}`);
    return made;
  };
  defineProperty(tamed, 'name', { value: 'RegExp' });
  defineProperty(tamed, 'prototype', { value: prototype, writable: false });
  defineProperty(tamed, Symbol.species, { ...getOwnPropertyDescriptor(Native, Symbol.species), configurable: true });
  define(prototype, 'constructor', tamed);
  return tamed as unknown as RegExpConstructor;
}

function compileAs(tamed: RegExpConstructor): void {
  const native = RegExp.prototype.compile as unknown as Method;
  const { compile } = {
    compile(this: unknown, pattern: string, flags?: string): unknown {
      return apply(native, this, [new tamed(pattern, flags)]);
    },
  };
  define(RegExp.prototype, 'compile', compile);
}

/** They make an expression of a text by themselves. */
function searchAs(tamed: RegExpConstructor): void {
  for (const [name, symbol] of [
    ['match', Symbol.match],
    ['matchAll', Symbol.matchAll],
    ['search', Symbol.search],
  ] as const) {
    const native = String.prototype[name] as unknown as Method;
    const { [name]: guarded } = {
      [name](this: unknown, pattern: unknown): unknown {
        if (pattern === undefined || pattern === null || (pattern as Members)[symbol] != null) return apply(native, this, [pattern]);
        return apply(native, this, [new tamed(pattern as string, name === 'matchAll' ? 'g' : undefined)]);
      },
    };
    define(String.prototype, name, guarded);
  }
}
