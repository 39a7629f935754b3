// The difference of two JSON values, member by member.
import type { JsonObject, JsonValue } from './json.js';
import { limits } from './limits.js';

export interface JsonChange {
  path: (string | number)[];
  before?: JsonValue;
  after?: JsonValue;
}

/**
 * The changes that lead from `before` to `after`, in the order of the members. Arrays are compared position by position.
 * An `undefined` side means that there is no value.
 */
export function diffJson(before: JsonValue | undefined, after: JsonValue | undefined): JsonChange[] {
  const changes: JsonChange[] = [];
  collect(before, after, [], changes);
  return changes;
}

function collect(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: readonly (string | number)[],
  changes: JsonChange[],
): void {
  if (Object.is(before, after) || changes.length >= limits.jsonDiffChangesMax) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++)
      collect(before[index], after[index], [...path, index], changes);
  } else if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(before)) collect(before[key], own(after, key), [...path, key], changes);
    for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) collect(undefined, after[key], [...path, key], changes);
  } else {
    const change: JsonChange = { path: [...path] };
    if (before !== undefined) change.before = before;
    if (after !== undefined) change.after = after;
    changes.push(change);
  }
}

/** `lines[2].amount`, `["odd key"]`; the value itself is `(value)`. */
export function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text === '' ? '(value)' : text;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
