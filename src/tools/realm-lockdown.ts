// Runs inside a new vm context, before any other code: takes away what is ambient, freezes what is left.
// Evaluated as text there (realm-script.ts), so it names nothing but itself, what it imports and ECMAScript.
//   REALM-LOCKDOWN-1. Every object that tool code can reach without making it is frozen, so two worlds of a thread share no mutable thing.
//   REALM-LOCKDOWN-2. Using what is denied throws an Error that names it.
//   REALM-LOCKDOWN-3. The global object itself is out of reach: `globalThis` in tool code is a frozen stand-in.
//   REALM-LOCKDOWN-4. No error of the realm has a stack trace: V8 would format it with a function of the host, called on the stack of tool
//     code.
//   REALM-LOCKDOWN-5. Nothing in the realm can wait for a promise: one of `import()` would bring an error of the host.
import { boundArrays } from './globals/bounded-arrays.js';
import { keepKnownNames } from './globals/known-names.js';
import { keepKnownResults } from './globals/known-results.js';
import { pow } from './globals/power.js';
import { tameDate } from './globals/realm-date.js';

interface Lists {
  ambientNames: readonly string[];
  addedNames: readonly string[];
  deniedNames: { readonly [name: string]: string };
  deniedMethods: { readonly [path: string]: string };
  /** What a method of arrays takes at most. */
  arrayItemsMax: number;
}
interface Locked {
  /** The ambient values by name, frozen. */
  ambient: object;
  /** Makes what ECMAScript has not come true, under the names that were promised for it. */
  provide(values: { readonly [name: string]: unknown }): void;
}
type Members = { [name: PropertyKey]: unknown };

/** Getters that throw: a walk over objects need not call them. */
const throwing = new Set<unknown>();

export function lockDown(realGlobal: object, { ambientNames, addedNames, deniedNames, deniedMethods, arrayItemsMax }: Lists): Locked {
  const global = realGlobal as Members;
  keepKnownNames(global);
  keepKnownResults(global);
  boundArrays(global, arrayItemsMax);
  Object.defineProperty(global.Math, 'pow', { value: pow });
  const ambient = Object.create(null) as Members;
  const standIn = Object.create(null) as Members;
  for (const name of ambientNames) {
    ambient[name] = global[name];
    standIn[name] = global[name];
  }
  ambient.Date = standIn.Date = tameDate(global.Date as DateConstructor);
  Object.defineProperty(global, 'Date', { value: ambient.Date, writable: false, enumerable: false, configurable: false });
  denyConstructors();
  ambient.Function = standIn.Function = Function.prototype.constructor;
  for (const path of Object.keys(deniedMethods)) denyMethod(ambient, path, deniedMethods[path] as string);
  denyStackTraces();
  denyWaiting();
  const provide = promise([global, standIn], addedNames);
  const gone = new Set([
    ...Object.keys(deniedNames),
    ...inheritedNames,
    ...Reflect.ownKeys(global).filter((name) => typeof name === 'string'),
  ]);
  const kept = new Set([...ambientNames, ...addedNames, 'Date', 'globalThis', 'undefined']);
  for (const name of gone) {
    if (kept.has(name)) continue;
    const refuse = refusal(name, Object.hasOwn(deniedNames, name) ? deniedNames[name] : undefined);
    throwing.add(refuse);
    // What a flag of V8 adds (--expose-gc) can be neither removed nor made an accessor: then using it is calling it.
    const fixed = Object.getOwnPropertyDescriptor(global, name)?.configurable === false;
    Object.defineProperty(global, name, fixed ? { value: refuse, writable: false } : { get: refuse, configurable: false });
    Object.defineProperty(standIn, name, { get: refuse });
  }
  for (const prototype of [Object.prototype, Error.prototype, ...nativeErrors().map((error) => error.prototype)])
    allowOverrides(prototype, () => true);
  for (const prototype of [Function.prototype, Array.prototype, RegExp.prototype]) allowOverrides(prototype, (name) => name === 'toString');
  ambient.globalThis = standIn;
  freezeAll([ambient, Object.getPrototypeOf(global), ...hiddenIntrinsics()]);
  return { ambient, provide };
}

/** Names whose values come later, for making them costs more than the rest of a realm. */
function promise(owners: readonly Members[], names: readonly string[]): Locked['provide'] {
  let provided: { readonly [name: string]: unknown } | undefined;
  for (const name of names) {
    const get = () => {
      if (provided === undefined) throw new Error(`${name} has not been made`);
      return provided[name];
    };
    throwing.add(get);
    for (const owner of owners) Object.defineProperty(owner, name, { get, enumerable: false, configurable: false });
  }
  return (values) => {
    freezeAll(Object.values(values));
    provided = values;
  };
}

/**
 * What the global object inherits, and what as bare names would lead to its own prototype: an object that all worlds of the thread share,
 * and that an assignment to the bare name `__proto__` would replace.
 */
const inheritedNames = ['__proto__', 'constructor'];

function refusal(name: string, advice: string | undefined): () => never {
  return () => {
    throw new Error(`${name} is not available to tool behavior${advice === undefined ? '' : `: ${advice}`}`);
  };
}

function denyMethod(ambient: Members, path: string, advice: string): void {
  const names = path.split('.');
  const method = names.pop() as string;
  const owner = names.reduce((value, name) => value[name] as Members, ambient);
  if (!Object.hasOwn(owner, method)) return;
  Object.defineProperty(owner, method, { value: refusal(path, advice), writable: true, configurable: true, enumerable: false });
}

/** Code generation is off in the context anyway; this names what was tried. `x instanceof Function` still works. */
function denyConstructors(): void {
  const kinds = [() => {}, function* () {}, async () => {}, async function* () {}];
  for (const sample of kinds) {
    const prototype = Object.getPrototypeOf(sample) as object;
    // biome-ignore lint/suspicious/noShadowRestrictedNames: its name is what tool code sees
    const tamed = function Function(): never {
      throw new Error('Function is not available to tool behavior: code is not made from text');
    };
    Object.defineProperty(tamed, 'prototype', { value: prototype, writable: false });
    Object.defineProperty(prototype, 'constructor', { value: tamed, writable: false, configurable: false, enumerable: false });
  }
}

/**
 * A limit that is no number makes V8 capture nothing, so that reading `stack` never calls back into the host. A limit of 0 is not enough:
 * the trace is empty then, but Node still formats its head, and what that throws (a symbol as a name, a full stack) is an object of the
 * host.
 */
function denyStackTraces(): void {
  Reflect.deleteProperty(Error, 'captureStackTrace');
  Object.defineProperty(Error, 'stackTraceLimit', { value: undefined, writable: false, enumerable: false, configurable: false });
}

/** `await` calls `then`, too, where the constructor is not the one that V8 knows. */
function denyWaiting(): void {
  const { prototype } = Promise;
  for (const name of ['then', 'catch', 'finally'])
    Object.defineProperty(prototype, name, { value: refusal(`Promise.prototype.${name}`, 'handlers are synchronous') });
  Object.defineProperty(prototype, 'constructor', { value: undefined });
}

function nativeErrors(): { prototype: object }[] {
  return [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError];
}

/**
 * A frozen prototype makes `object.toString = ...` an error on everything that inherits from it. So the usual names become accessors whose
 * setter defines the property on the object that was assigned to, which is what an assignment always meant.
 */
function allowOverrides(prototype: object, wanted: (name: PropertyKey) => boolean): void {
  for (const name of Reflect.ownKeys(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    if (!('value' in descriptor) || !descriptor.configurable || !wanted(name)) continue;
    const { value } = descriptor;
    Object.defineProperty(prototype, name, {
      get: () => value,
      set(this: unknown, replacement: unknown) {
        if (this === prototype) throw new TypeError(`Cannot assign to '${String(name)}' of a shared prototype`);
        if ((typeof this !== 'object' && typeof this !== 'function') || this === null) return;
        Object.defineProperty(this, name, { value: replacement, writable: true, configurable: true, enumerable: true });
      },
      enumerable: false,
      configurable: false,
    });
  }
}

/** What no name leads to, but syntax or a call does. */
function hiddenIntrinsics(): unknown[] {
  function* generator() {}
  const iterators: Iterator<unknown>[] = [
    [][Symbol.iterator](),
    new Map().entries(),
    new Set().values(),
    ''[Symbol.iterator](),
    ''.matchAll(/x/g),
  ];
  const strictArguments = (function (this: unknown) {
    // biome-ignore lint/complexity/noArguments: the getter of its `callee` is what is wanted
    return arguments;
  })();
  return [
    ...[...iterators, generator(), (async () => {})(), (async function* () {})()].map((value) => Object.getPrototypeOf(value)),
    ...[generator, async () => {}, async function* () {}].map((value) => Object.getPrototypeOf(value)),
    ...Object.values(Object.getOwnPropertyDescriptors(strictArguments)).flatMap(({ get, set }) => [get, set]),
    ...Object.values(Object.getOwnPropertyDescriptors(new Error())).flatMap(({ get, set }) => [get, set]),
  ];
}

export function freezeAll(roots: readonly unknown[]): void {
  const seen = new Set<object>();
  const waiting: object[] = [];
  const find = (value: unknown): void => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
    seen.add(value);
    waiting.push(value);
  };
  for (const root of roots) find(root);
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    Object.freeze(value);
    find(Object.getPrototypeOf(value));
    for (const name of Reflect.ownKeys(value)) {
      const { value: member, get, set } = Object.getOwnPropertyDescriptor(value, name) as PropertyDescriptor;
      if (get === undefined) find(member);
      else {
        find(get);
        if (!throwing.has(get)) find(valueOfGetter(get, value));
      }
      if (set !== undefined) find(set);
    }
  }
}

/** Some intrinsics are reached through a getter only. */
function valueOfGetter(get: () => unknown, owner: object): unknown {
  try {
    return Reflect.apply(get, owner, []);
  } catch {
    return undefined;
  }
}
