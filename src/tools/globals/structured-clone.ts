// `structuredClone` as tool code has it: a deep copy of data, with the errors that the standard names. Evaluated inside the realm
// (realm-script.ts).
import { namedError } from './base64.js';
import { URLSearchParams } from './search-params.js';
import { URL } from './url.js';

type Getter = (this: unknown) => unknown;
const getterOf = (prototype: object, name: PropertyKey): Getter => Object.getOwnPropertyDescriptor(prototype, name)?.get as Getter;
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const typeOfArray = getterOf(typedArray, Symbol.toStringTag);
const errorNames = ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'];

/** Known by an inner part that only its own method finds. */
function isOf(value: object, method: (...args: never[]) => unknown, ...args: unknown[]): boolean {
  try {
    Reflect.apply(method, value, args);
    return true;
  } catch {
    return false;
  }
}
const mapSize = getterOf(Map.prototype, 'size');
const setSize = getterOf(Set.prototype, 'size');
const bufferLength = getterOf(ArrayBuffer.prototype, 'byteLength');
const viewLength = getterOf(DataView.prototype, 'byteLength');
const { has: weakMapHas } = WeakMap.prototype;
const { has: weakSetHas } = WeakSet.prototype;

function refused(what: string): Error {
  return namedError('DataCloneError', `${what} could not be cloned.`);
}

type Clones = Map<object, object>;

function clone(value: unknown, clones: Clones): unknown {
  if (typeof value === 'symbol' || typeof value === 'function') throw refused(typeof value === 'symbol' ? 'A symbol' : 'A function');
  if (typeof value !== 'object' || value === null) return value;
  const known = clones.get(value);
  if (known !== undefined) return known;
  const { copy, fill } = emptyCopy(value, clones);
  clones.set(value, copy);
  fill?.();
  return copy;
}

interface Copying {
  copy: object;
  /** Run when the copy is known, for a value may hold itself. */
  fill?: () => void;
}

function emptyCopy(value: object, clones: Clones): Copying {
  const whole = copyOfWrapper(value) ?? copyOfBytes(value, clones);
  if (whole !== undefined) return { copy: whole };
  if (isOf(value, mapSize)) {
    const copy = new Map();
    const entries = [...Map.prototype.entries.call(value)];
    const fill = () => {
      for (const [key, member] of entries) copy.set(clone(key, clones), clone(member, clones));
    };
    return { copy, fill };
  }
  if (isOf(value, setSize)) {
    const copy = new Set();
    const members = [...Set.prototype.values.call(value)];
    const fill = () => {
      for (const member of members) copy.add(clone(member, clones));
    };
    return { copy, fill };
  }
  if (value instanceof Error) return copyOfError(value, clones);
  const isUnknown = value instanceof URL || value instanceof URLSearchParams;
  if (isUnknown || isOf(value, weakMapHas, value) || isOf(value, weakSetHas, value)) throw refused('The object');
  const copy = Array.isArray(value) ? new Array<unknown>(value.length) : {};
  return {
    copy,
    fill: () => {
      for (const key of Object.keys(value)) define(copy, key, clone((value as { [key: string]: unknown })[key], clones));
    },
  };
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function copyOfWrapper(value: object): object | undefined {
  if (isOf(value, Boolean.prototype.valueOf)) return Object(Boolean.prototype.valueOf.call(value)) as object;
  if (isOf(value, Number.prototype.valueOf)) return Object(Number.prototype.valueOf.call(value)) as object;
  if (isOf(value, String.prototype.valueOf)) return Object(String.prototype.valueOf.call(value)) as object;
  if (isOf(value, BigInt.prototype.valueOf)) return Object(BigInt.prototype.valueOf.call(value)) as object;
  if (isOf(value, Symbol.prototype.valueOf)) throw refused('A symbol');
  if (isOf(value, Date.prototype.getTime)) return new Date(Date.prototype.getTime.call(value));
  const source = getterOf(RegExp.prototype, 'source');
  if (value !== RegExp.prototype && isOf(value, source))
    return new RegExp(Reflect.apply(source, value, []) as string, (value as RegExp).flags);
  return undefined;
}

function copyOfBytes(value: object, clones: Clones): object | undefined {
  if (isOf(value, bufferLength)) return (value as ArrayBuffer).slice(0);
  const kind = Reflect.apply(typeOfArray, value, []) as string | undefined;
  if (kind === undefined && !isOf(value, viewLength)) return undefined;
  const { buffer, byteOffset } = value as DataView;
  const copy = clone(buffer, clones) as ArrayBuffer;
  if (kind === undefined) return new DataView(copy, byteOffset, (value as DataView).byteLength);
  const Kind = arrayKinds[kind] as Uint8ArrayConstructor;
  return new Kind(copy, byteOffset, (value as Uint8Array).length);
}
const arrayKinds: { readonly [name: string]: unknown } = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
};
const errorKinds: { readonly [name: string]: ErrorConstructor } = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

function copyOfError(value: Error, clones: Clones): Copying {
  const Kind = errorNames.includes(value.name) ? (errorKinds[value.name] as ErrorConstructor) : Error;
  const copy = new Kind();
  const hide = (name: string, member: unknown) =>
    Object.defineProperty(copy, name, { value: member, writable: true, configurable: true, enumerable: false });
  return {
    copy,
    fill: () => {
      if (Object.hasOwn(value, 'message')) hide('message', String(value.message));
      if (Object.hasOwn(value, 'cause')) hide('cause', clone(value.cause, clones));
    },
  };
}

export function structuredClone(value: unknown, options?: { transfer?: readonly unknown[] }): unknown {
  if ((options?.transfer?.length ?? 0) > 0) throw refused('In tool behavior nothing is transferred: what the option lists');
  return clone(value, new Map());
}
