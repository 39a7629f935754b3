// The difference of two JSON values, member by member.
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { limits } from './limits.js';

export interface JsonChange {
  path: (string | number)[];
  before?: JsonValue;
  after?: JsonValue;
}

/** The first of the changes, at most 200, and how many there are in all. */
export interface JsonDiff {
  changes: JsonChange[];
  total: number;
}

/**
 * The changes that lead from `before` to `after`, in the order of the members. Arrays are compared position by position.
 * An `undefined` side means that there is no value.
 */
export function diffJson(before: JsonValue | undefined, after: JsonValue | undefined): JsonDiff {
  const diff: JsonDiff = { changes: [], total: 0 };
  collect(before, after, [], diff);
  return diff;
}

/** `path` is of the two values, and as it was when this returns. */
function collect(before: JsonValue | undefined, after: JsonValue | undefined, path: (string | number)[], diff: JsonDiff): void {
  if (Object.is(before, after)) return;
  const member = (step: string | number, one: JsonValue | undefined, other: JsonValue | undefined): void => {
    path.push(step);
    collect(one, other, path, diff);
    path.pop();
  };
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) member(index, before[index], after[index]);
  } else if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of Object.keys(before)) member(key, before[key], own(after, key));
    for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) member(key, undefined, after[key]);
  } else {
    diff.total += 1;
    if (diff.changes.length >= limits.jsonDiffChangesMax) return;
    const change: JsonChange = { path: [...path] };
    if (before !== undefined) change.before = before;
    if (after !== undefined) change.after = after;
    diff.changes.push(change);
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

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
