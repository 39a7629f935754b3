// The methods of arrays as tool code has them: V8 runs their loops without looking whether its thread is to end, and of some lengths
// (`sort` of 2^53 - 1) it ends the process. So none of them takes what is longer than a tool has reason to make. Runs inside a new vm
// context before it is locked (realm-script.ts), so it names nothing but itself and ECMAScript.
//   BOUNDED-ARRAYS-1. No method of Array.prototype loops over a receiver that is longer than the bound, whatever that is, and whatever it
//     answers when it is asked for its length again. What it holds may be longer: `flat` is not held.
//   BOUNDED-ARRAYS-2. No typed array is made of, or filled from, an array-like that is longer.

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Members = { [name: PropertyKey]: unknown };

/** Those that loop by the length of their receiver. */
const looping = [
  ...['copyWithin', 'every', 'fill', 'filter', 'find', 'findIndex', 'findLast', 'findLastIndex', 'flat', 'flatMap', 'forEach'],
  ...['includes', 'indexOf', 'join', 'lastIndexOf', 'map', 'reduce', 'reduceRight', 'reverse', 'shift', 'slice', 'some', 'sort', 'splice'],
  ...['toReversed', 'toSorted', 'toSpliced', 'unshift', 'with'],
];
const typedNames = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array'].concat([
  'BigInt64Array',
  'BigUint64Array',
  'Float32Array',
  'Float64Array',
]);

const { apply, construct, defineProperty, get, getOwnPropertyDescriptor } = Reflect;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const bufferBytes = getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')?.get as () => number;

/** On the global object of a new context. */
export function boundArrays(global: Members, itemsMax: number): void {
  const proxies = trackProxies(global);
  const refuse = (): never => {
    throw new RangeError(`an array method takes at most ${itemsMax} items`);
  };
  /** The value, or a stand-in for it whose length stays what it was when it was looked at. A length beyond the bound is refused. */
  const bounded = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length > itemsMax ? refuse() : value;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const own = proxies.has(value) ? undefined : getOwnPropertyDescriptor(value, 'length')?.value;
    const length = lengthOf(typeof own === 'number' ? own : (value as Members).length);
    if (length > itemsMax) refuse();
    return typeof own === 'number' ? value : standIn(value, length);
  };
  const define = (owner: object, name: PropertyKey, value: unknown): void => {
    defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
  };
  const guard = (native: Method, name: string): Method => {
    const { [name]: guarded } = {
      [name](this: unknown, ...given: unknown[]): unknown {
        if (isArray(this) && !proxies.any && this.length <= itemsMax) return apply(native, this, given);
        const receiver = bounded(this);
        const result = apply(native, receiver, given);
        return result === receiver ? this : result;
      },
    };
    defineProperty(guarded as Method, 'length', { value: native.length });
    return guarded as Method;
  };
  for (const name of looping) define(Array.prototype, name, guard((Array.prototype as unknown as Members)[name] as Method, name));

  /** What a typed array is made of. An iterable is not asked for its length; to step through it is. */
  const source = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || isView(value) || isBuffer(value)) return value;
    const iterator = (value as Members)[Symbol.iterator];
    return isArray(value) || iterator === undefined || iterator === null ? bounded(value) : value;
  };
  const Typed = Object.getPrototypeOf(Uint8Array) as { from: Method; prototype: Members };
  const { from } = Typed;
  const { set } = Typed.prototype as { set: Method };
  const methods = {
    from(this: unknown, ...given: unknown[]): unknown {
      return apply(from, this, [source(given[0]), ...given.slice(1)]);
    },
    set(this: unknown, ...given: unknown[]): unknown {
      return apply(set, this, [source(given[0]), ...given.slice(1)]);
    },
  };
  for (const method of Object.values(methods)) defineProperty(method, 'length', { value: 1 });
  define(Typed, 'from', methods.from);
  define(Typed.prototype, 'set', methods.set);
  for (const name of typedNames) {
    const Native = global[name] as { prototype: object };
    const tamed = new Proxy(Native as never, {
      construct: (native: never, given: unknown[], target: never) =>
        construct(native, [source(given[0]), ...given.slice(1)], target) as object,
    });
    define(Native.prototype, 'constructor', tamed);
    define(global, name, tamed);
  }
}

/** As methods read a length (ToLength). */
function lengthOf(value: unknown): number {
  const length = Math.trunc(Number(value));
  return length > 0 ? length : 0;
}

function isBuffer(value: object): boolean {
  try {
    apply(bufferBytes, value, []);
    return true;
  } catch {
    return false;
  }
}

/** Reading through it runs a function at each step, between which a thread can be ended. */
function standIn(value: object, length: number): object {
  return new NativeProxy(value, { get: (target, name) => (name === 'length' ? length : get(target, name)) });
}

const NativeProxy = Proxy;
/** Nothing of ECMAScript tells a proxy from what it stands for, so the realm keeps in mind which it has made. */
function trackProxies(global: Members): { any: boolean; has(value: object): boolean } {
  const made = new WeakSet<object>();
  const { add, has } = WeakSet.prototype;
  const known = { any: false, has: (value: object): boolean => known.any && apply(has, made, [value]) };
  const noted = <T extends object>(proxy: T): T => {
    known.any = true;
    apply(add, made, [proxy]);
    return proxy;
  };
  const tamed = function (target: object, handler: ProxyHandler<object>): object {
    if (new.target === undefined) throw new TypeError("Constructor Proxy requires 'new'");
    return noted(new NativeProxy(target, handler));
  };
  const { revocable } = NativeProxy;
  const methods = {
    revocable(target: object, handler: ProxyHandler<object>): { proxy: object; revoke: () => void } {
      const pair = apply(revocable, NativeProxy, [target, handler]) as { proxy: object; revoke: () => void };
      noted(pair.proxy);
      return pair;
    },
  };
  defineProperty(tamed, 'name', { value: 'Proxy' });
  defineProperty(tamed, 'prototype', { value: undefined, writable: false });
  defineProperty(tamed, 'revocable', { value: methods.revocable, writable: true, configurable: true, enumerable: false });
  defineProperty(global, 'Proxy', { value: tamed, writable: true, configurable: true, enumerable: false });
  return known;
}
