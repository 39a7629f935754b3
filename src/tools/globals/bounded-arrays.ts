// The methods of arrays as tool code has them: V8 runs their loops without looking whether its thread is to end, and of some lengths
// (`sort` of 2^53 - 1) it ends the process. So none of them takes what is longer than a tool has reason to make. Runs inside a new vm
// context before it is locked (realm-script.ts), so it names nothing but itself and ECMAScript.
//   BOUNDED-ARRAYS-1. No method of arrays that is listed here loops over a receiver that is longer than the bound, whatever that is, and
//     whatever it answers when it is asked for its length again. What it holds may be longer: `flat` is not held.
//   BOUNDED-ARRAYS-2. `concat` takes no more items, of all that it puts together.

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Members = { [name: PropertyKey]: unknown };

/**
 * Those that loop by the length of their receiver and run nothing of tool code on the way. The others (`map`, `forEach`) run their function
 * for each item, and a function of ours around them would keep V8 from making one piece of both: measured, they are five times as dear.
 */
const looping = [
  ...['copyWithin', 'fill', 'flat', 'includes', 'indexOf', 'join', 'lastIndexOf', 'reverse', 'shift', 'slice', 'sort', 'splice'],
  ...['toReversed', 'toSorted', 'toSpliced', 'unshift', 'with'],
];

const { apply, defineProperty, get, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { isArray, prototype: arrayPrototype } = Array;
const { hasOwn } = Object;
const { isConcatSpreadable } = Symbol;

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
  /** What of `concat` adds its items is held to the length that it has now; what is added itself stands in an array of its own. */
  const joined = (value: unknown, add: (length: number) => void): unknown => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    if (isArray(value) && !proxies.has(value) && getPrototypeOf(value) === arrayPrototype && !hasOwn(value, isConcatSpreadable)) {
      add(value.length);
      return value;
    }
    const spreads = (value as Members)[isConcatSpreadable] ?? isArray(value);
    if (!spreads) return [value];
    const length = lengthOf((value as Members).length);
    add(length);
    return standIn(value, length);
  };
  const { concat } = Array.prototype;
  const { concat: guardedConcat } = {
    concat(this: unknown, ...given: unknown[]): unknown {
      if (this === undefined || this === null) return apply(concat, this, given);
      let items = 0;
      const add = (length: number): void => {
        items += length;
        if (items > itemsMax) refuse();
      };
      const receiver = joined(this, add);
      for (let index = 0; index < given.length; index++) given[index] = joined(given[index], add);
      return apply(concat, receiver, given);
    },
  };
  defineProperty(guardedConcat, 'length', { value: concat.length });
  define(Array.prototype, 'concat', guardedConcat);
  for (const name of looping) define(Array.prototype, name, guard((Array.prototype as unknown as Members)[name] as Method, name));
}

/** As methods read a length (ToLength). */
function lengthOf(value: unknown): number {
  const length = Math.trunc(Number(value));
  return length > 0 ? length : 0;
}

/** Reading through it runs a function at each step, between which a thread can be ended. `concat` adds the items of any. */
function standIn(value: object, length: number): object {
  const fixed: Members = { __proto__: null, length, [isConcatSpreadable]: true };
  return new NativeProxy(value, { get: (target, name) => (name in fixed ? fixed[name] : get(target, name)) });
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
