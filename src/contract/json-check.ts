// The check of every value that enters as JSON from code (tool behavior, embedders): plain, finite, bounded. It yields a frozen
// copy with sorted members and its canonical text (RFC 8785), encoded once: the row's stored form, journal form and hash form.
//   JSON-CHECK-1. `text` is canonicalJson(value), and JSON.parse(text) is deeply equal to `value`.
//   JSON-CHECK-2. Nothing of the given value is shared with the copy, so nobody can change it afterwards.
//   JSON-CHECK-3. A bound of bytes is kept while the value is walked, by the least its text can have (lengths are known without looking
//     into a text), so that no text is ever made of more than some twelve times the bound; the text is then counted exactly.
// Decided here: -0 becomes 0 (its canonical text is "0"); undefined members, symbol keys and members that are not enumerable are
// left out, as JSON.stringify does; undefined items and holes are refused, where JSON.stringify would write null; toJSON is not
// called (as an own function it is refused); `__proto__`, `constructor` and `prototype` are ordinary names; objects of another
// realm are welcome, instances of classes are not; half a surrogate pair is refused, as RFC 8785 3.2.2.2 demands.
import { canonicalJson, sortNames } from './canonical-json.js';
import type { JsonObject, JsonValue } from './json.js';
import { findJsonFault, isPlainObject, type JsonBounds, type JsonFault, type JsonFaultReason, valueBounds } from './json-fault.js';
import { limits } from './limits.js';

export interface CheckedJson<T extends JsonValue = JsonValue> {
  /** Deeply frozen; members in canonical order, but for names like "10", which every JavaScript object lists first and by number. */
  readonly value: T;
  readonly text: string;
}

/** A value that is not JSON. The message names the path. */
export class JsonRefusal extends TypeError {
  readonly path: string;
  readonly reason: JsonFaultReason;
  /** The message without the path. */
  readonly fault: string;

  constructor({ path, reason, message }: JsonFault) {
    super(`${path === '' ? 'the value' : path} ${message}`);
    this.name = 'JsonRefusal';
    this.path = path;
    this.reason = reason;
    this.fault = message;
  }
}

/** Throws JsonRefusal for what is not JSON, and for what is too long with the reason `too_long`. */
export function admitJson(value: unknown, bounds: JsonBounds = valueBounds): CheckedJson {
  const outer = { nodesLeft, charsLeft, levelsMax, numericNames };
  const { bytes = Number.POSITIVE_INFINITY } = bounds;
  nodesLeft = bounds.nodes;
  // No comma follows the value itself.
  charsLeft = bytes + 1;
  levelsMax = bounds.depth;
  numericNames = false;
  try {
    const copy = copyValue(value, 0);
    const text = JSON.stringify(copy);
    // JSON.stringify escapes half a surrogate pair as \ud8xx; a backslash in a text may look the same.
    if (text.includes('\\ud')) refuseFaults(copy, bounds);
    // A code unit has at most three bytes.
    if (text.length * 3 > bytes && utf8Bytes(text) > bytes) throw tooLong;
    return { value: copy, text: numericNames ? canonicalJson(copy) : text };
  } catch (thrown) {
    if (thrown === tooLong) throw new JsonRefusal({ path: '', reason: 'too_long', message: `has more than ${bytes} bytes as JSON` });
    if (thrown !== notJson) throw thrown;
    refuseFaults(value, bounds);
    // Only a value whose getters answer differently each time comes here.
    throw new JsonRefusal({ path: '', reason: 'not_plain', message: 'changes while it is read' });
  } finally {
    // A getter of the value may itself have asked for an admission.
    ({ nodesLeft, charsLeft, levelsMax, numericNames } = outer);
  }
}

/** As admitJson, and the value must be an object: no array, no null. */
export function admitJsonObject(value: unknown, bounds: JsonBounds = valueBounds): CheckedJson<JsonObject> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
    throw new JsonRefusal({ path: '', reason: 'not_plain', message: `is ${found}; an object is wanted` });
  }
  return admitJson(value, bounds) as CheckedJson<JsonObject>;
}

/** How many bytes a well-formed text has in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair stands for two of its four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** The first fault of a value that stays as it is, not copied: null for JSON. Fast for JSON. */
export function checkJson(value: unknown, bounds: JsonBounds = valueBounds): JsonFault | null {
  nodesLeft = bounds.nodes;
  return isJson(value, bounds.depth) ? null : findJsonFault(value, bounds);
}

/** For values that JSON.parse made, whose numbers are checked where they are used: the fault, or null. */
export function checkJsonDepth(value: unknown, levels: number = limits.jsonDepthMax): JsonFault | null {
  return depthWithin(value, levels) ? null : findJsonFault(value, { ...valueBounds, depth: levels });
}

function refuseFaults(value: unknown, bounds: JsonBounds): void {
  const fault = findJsonFault(value, bounds);
  if (fault !== null) throw new JsonRefusal(fault);
}

// The state of one walk. Module variables, because a walk is synchronous and its arguments are the hot part.
let nodesLeft = 0;
/** Of the least that the canonical text can have. */
let charsLeft = 0;
let levelsMax = 0;
let numericNames = false;
const notJson: unique symbol = Symbol('not JSON');
const tooLong: unique symbol = Symbol('too long');

function copyValue(value: unknown, depth: number): JsonValue {
  if (--nodesLeft < 0) throw notJson;
  // One character and a comma.
  charsLeft -= 2;
  if (charsLeft < 0) throw tooLong;
  switch (typeof value) {
    case 'string':
      charsLeft -= value.length;
      if (charsLeft < 0) throw tooLong;
      return value;
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw notJson;
      return value + 0;
    case 'object':
      if (value === null) return null;
      if (depth === levelsMax) throw notJson;
      if (Array.isArray(value)) return copyArray(value, depth + 1);
      if (!isPlainObject(value)) throw notJson;
      return copyObject(value as Record<string, unknown>, depth + 1);
    default:
      throw notJson;
  }
}

function copyArray(values: readonly unknown[], depth: number): JsonValue {
  const copy: JsonValue[] = [];
  for (let index = 0; index < values.length; index++) copy.push(copyValue(values[index], depth));
  return Object.freeze(copy) as JsonValue[];
}

function copyObject(value: Record<string, unknown>, depth: number): JsonValue {
  const keys = sortNames(Object.keys(value));
  const copy: JsonObject = {};
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const member = value[key];
    if (member === undefined) continue;
    charsLeft -= key.length + 3;
    const copied = copyValue(member, depth);
    if (isNumericName(key)) numericNames = true;
    if (key === '__proto__') defineMember(copy, copied);
    else copy[key] = copied;
  }
  return Object.freeze(copy);
}

/** Assigning to `__proto__` would set the prototype. */
function defineMember(target: JsonObject, value: JsonValue): void {
  Object.defineProperty(target, '__proto__', { value, enumerable: true, configurable: true, writable: true });
}

const digits = /^[0-9]+$/;
/** Such names an object lists first and by number, whatever the order of insertion. */
function isNumericName(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 48 && first <= 57 && digits.test(name);
}

function depthWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!depthWithin(value[index], levels - 1)) return false;
    return true;
  }
  for (const key in value) if (!depthWithin((value as Record<string, unknown>)[key], levels - 1)) return false;
  return true;
}

function isJson(value: unknown, levels: number): boolean {
  if (--nodesLeft < 0) return false;
  switch (typeof value) {
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'string':
      return value.isWellFormed();
    case 'object':
      return value === null || (levels > 0 && isJsonInside(value, levels - 1));
    default:
      return false;
  }
}

function isJsonInside(value: object, levels: number): boolean {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isJson(value[index], levels)) return false;
    return true;
  }
  if (!isPlainObject(value)) return false;
  // An inherited name would be checked as well, which only makes the check stricter; for...in is twice as fast as Object.keys.
  for (const key in value) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (member !== undefined && (!isJson(member, levels) || !key.isWellFormed())) return false;
  }
  return true;
}
