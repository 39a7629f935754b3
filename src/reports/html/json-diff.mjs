// The difference of two JSON values, member by member. Runs in the page and on the server.

/** How many changes one difference lists at most. */
export const diffChangesMax = 200;

/**
 * The changes that lead from `before` to `after`, in the order of the members. Arrays are compared position by position.
 * An `undefined` side means that there is no value.
 * @returns {{ path: (string | number)[], before?: unknown, after?: unknown }[]}
 */
export function diffJson(before, after) {
  const changes = [];
  collect(before, after, [], changes);
  return changes;
}

function collect(before, after, path, changes) {
  if (Object.is(before, after) || changes.length >= diffChangesMax) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++)
      collect(before[index], after[index], [...path, index], changes);
  } else if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(before)) collect(before[key], own(after, key), [...path, key], changes);
    for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) collect(undefined, after[key], [...path, key], changes);
  } else {
    const change = { path };
    if (before !== undefined) change.before = before;
    if (after !== undefined) change.after = after;
    changes.push(change);
  }
}

/** `lines[2].amount`, `["odd key"]`; the value itself is `(value)`. @param {(string | number)[]} path */
export function pathText(path) {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text === '' ? '(value)' : text;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object, key) {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
