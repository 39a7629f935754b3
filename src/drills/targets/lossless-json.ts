// The JSON text of a value that is still the agent's. What JSON.stringify would write as null is no JSON, and neither is what it would
// write as `{}`: an agent that says Infinity, or puts out a Map, has not said nothing.
import { types } from 'node:util';
import { pointerToken } from '../../contract/json-fault.js';

export interface LosslessJson {
  /** Absent for a value that has none, such as a function. */
  text?: string;
  /** The first value that the text has lost. */
  fault?: { path: string; words: string };
}

/** Throws what JSON.stringify throws. */
export function losslessJson(value: unknown): LosslessJson {
  let fault: LosslessJson['fault'];
  const places = new WeakMap<object, string>();
  // A function of its own, as its `this` is what has the member.
  function admitted(this: object, name: string, member: unknown): unknown {
    const owner = places.get(this);
    const path = owner === undefined ? '' : `${owner}${pointerToken(name)}`;
    const words = lostWords(member, Array.isArray(this));
    if (words !== undefined) fault ??= { path, words };
    if (typeof member === 'object' && member !== null) places.set(member, path);
    return member;
  }
  const text = JSON.stringify(value, admitted) as string | undefined;
  return { ...(text === undefined ? {} : { text }), ...(fault === undefined ? {} : { fault }) };
}

/** What is said of a value for which JSON has null, or nothing of what it holds. */
function lostWords(value: unknown, isItem: boolean): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `is ${value}; JSON numbers are finite`;
  if (typeof value === 'object' && value !== null) return emptiedWords(value);
  if (!isItem) return undefined;
  if (value === undefined) return 'is undefined, which has no JSON';
  return typeof value === 'function' || typeof value === 'symbol' ? `is a ${typeof value}, which has no JSON` : undefined;
}

/** What is said of an object whose contents JSON does not see. */
function emptiedWords(value: object): string | undefined {
  if (types.isMap(value)) return 'is a Map, of which JSON has nothing';
  if (types.isSet(value)) return 'is a Set, of which JSON has nothing';
  if (types.isPromise(value)) return 'is a Promise, which JSON does not wait for';
  const isMute = types.isNativeError(value) && !Object.prototype.propertyIsEnumerable.call(value, 'message');
  return isMute ? 'is an Error, of which JSON has no message' : undefined;
}
