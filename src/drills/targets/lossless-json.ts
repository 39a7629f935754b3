// The JSON text of a value that is still the agent's. What JSON.stringify would write as null is no JSON: an agent that says Infinity has
// not said nothing.
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

/** What is said of a value for which JSON has null. */
function lostWords(value: unknown, isItem: boolean): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `is ${value}; JSON numbers are finite`;
  if (!isItem) return undefined;
  if (value === undefined) return 'is undefined, which has no JSON';
  return typeof value === 'function' || typeof value === 'symbol' ? `is a ${typeof value}, which has no JSON` : undefined;
}
