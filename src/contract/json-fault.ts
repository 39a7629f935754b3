// What is not JSON, where and why. The slow half of json-check.ts: it walks a value that was already refused, so it may be thorough.
import { limits } from './limits.js';

export type JsonFaultReason =
  /** undefined as an item, a hole of an array, or the value itself. An undefined member is left out instead, as JSON.stringify does. */
  | 'undefined'
  | 'function'
  | 'symbol'
  | 'bigint'
  | 'not_finite'
  | 'lone_surrogate'
  | 'not_plain'
  | 'cycle'
  | 'too_deep'
  | 'too_large'
  | 'too_long';

export interface JsonFault {
  /** JSON Pointer; '' is the value itself. */
  path: string;
  reason: JsonFaultReason;
  message: string;
}

/** One reference token of a JSON Pointer (RFC 6901), with its slash. */
export function pointerToken(key: string | number): string {
  const text = String(key);
  return /[~/]/.test(text) ? `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}` : `/${text}`;
}

/** Array, or an object whose prototype is null or some realm's Object.prototype: one that has no prototype of its own. */
export function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** The first fault in document order; null for JSON. Never throws, but for what a getter of the value throws. */
export function findJsonFault(value: unknown, bounds: JsonBounds = valueBounds): JsonFault | null {
  return findFault(value, { path: [], ancestors: [], nodes: 0, bounds });
}

/** How deep a value may be, how many values it may hold, and how many UTF-8 bytes its canonical text may have (default: any). */
export interface JsonBounds {
  depth: number;
  nodes: number;
  bytes?: number;
}
/** Of a value of the simulation. */
export const valueBounds: JsonBounds = { depth: limits.jsonDepthMax, nodes: limits.jsonNodesMax };
/** Of a record that holds such values: an entry, a result, a report. */
export const recordBounds: JsonBounds = { depth: limits.recordDepthMax, nodes: limits.recordNodesMax };

interface Walk {
  bounds: JsonBounds;
  path: (string | number)[];
  ancestors: object[];
  nodes: number;
}

function findFault(value: unknown, walk: Walk): JsonFault | null {
  if (++walk.nodes > walk.bounds.nodes) return fault(walk, 'too_large', `has more than ${walk.bounds.nodes} values`);
  switch (typeof value) {
    case 'boolean':
      return null;
    case 'string':
      return value.isWellFormed() ? null : fault(walk, 'lone_surrogate', 'is text with half of a surrogate pair, which UTF-8 cannot carry');
    case 'number':
      return Number.isFinite(value) ? null : fault(walk, 'not_finite', `is ${value}; JSON numbers are finite`);
    case 'object':
      return value === null ? null : findFaultInside(value, walk);
    case 'undefined':
      return fault(walk, 'undefined', 'is undefined or missing; JSON has null for "nothing"');
    default:
      return fault(walk, typeof value as 'function' | 'symbol' | 'bigint', `is a ${typeof value}, which JSON cannot hold`);
  }
}

function findFaultInside(value: object, walk: Walk): JsonFault | null {
  if (walk.ancestors.includes(value)) return fault(walk, 'cycle', 'contains itself');
  if (walk.ancestors.length === walk.bounds.depth) return fault(walk, 'too_deep', `is nested deeper than ${walk.bounds.depth} levels`);
  walk.ancestors.push(value);
  const found = Array.isArray(value) ? findFaultInArray(value, walk) : findFaultInObject(value, walk);
  walk.ancestors.pop();
  return found;
}

function findFaultInArray(values: unknown[], walk: Walk): JsonFault | null {
  for (let index = 0; index < values.length; index++) {
    walk.path.push(index);
    const found = findFault(values[index], walk);
    if (found !== null) return found;
    walk.path.pop();
  }
  return null;
}

function findFaultInObject(value: object, walk: Walk): JsonFault | null {
  if (!isPlainObject(value)) return fault(walk, 'not_plain', 'is an instance of a class; JSON holds plain objects and arrays only');
  for (const key of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    walk.path.push(key);
    const found = key.isWellFormed()
      ? findFault(member, walk)
      : fault(walk, 'lone_surrogate', 'has a name with half of a surrogate pair, which UTF-8 cannot carry');
    if (found !== null) return found;
    walk.path.pop();
  }
  return null;
}

function fault(walk: Walk, reason: JsonFaultReason, message: string): JsonFault {
  // A name on the way may be the fault itself.
  return { path: walk.path.map(pointerToken).join('').toWellFormed(), reason, message };
}
