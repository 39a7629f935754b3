// RFC 8785 canonical JSON: members ordered by UTF-16 code units, numbers as ECMAScript writes them, no white space.
import type { JsonValue } from './json.js';
import { tuning } from './tuning.js';

/**
 * The canonical text of a JSON value. Members that are undefined are left out, as JSON.stringify does. A TypeError for a number that
 * is not finite, and for half a surrogate pair (RFC 8785 3.2.2.2).
 */
export function canonicalJson(value: JsonValue): string {
  // What is in order already, as values read from canonical JSON are, the engine writes at once and faster.
  if (isInOrder(value)) {
    const text = JSON.stringify(value);
    if (!text.includes('\\ud')) return text;
  }
  return canonicalText(value);
}

/** Whether JSON.stringify writes the members of every object inside in canonical order, and everything else as it should be. */
function isInOrder(value: JsonValue): boolean {
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  if (value === null) return true;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isInOrder(value[index] as JsonValue)) return false;
    return true;
  }
  let last: string | undefined;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    if ((last !== undefined && key < last) || !isInOrder(member)) return false;
    last = key;
  }
  return true;
}

function canonicalText(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('canonical JSON has no number that is not finite');
      return Object.is(value, -0) ? '0' : String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
  }
}

function canonicalArray(values: readonly JsonValue[]): string {
  let text = '[';
  for (let index = 0; index < values.length; index++) text += (index === 0 ? '' : ',') + canonicalText(values[index] as JsonValue);
  return `${text}]`;
}

function canonicalObject(value: { [key: string]: JsonValue }): string {
  let text = '{';
  for (const key of sortNames(Object.keys(value))) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text.length === 1 ? '' : ','}${canonicalString(key)}:${canonicalText(member)}`;
  }
  return `${text}}`;
}

// Printable ASCII without quote and backslash: most names and ids, which need no escaping and are written twice as fast.
const plainText = /^[ !#-[\]-~]*$/;

function canonicalString(text: string): string {
  if (plainText.test(text)) return `"${text}"`;
  const quoted = JSON.stringify(text);
  // The escape is how JSON.stringify writes half a pair; a backslash in the text may look the same.
  if (quoted.includes('\\ud') && !text.isWellFormed()) throw new TypeError('canonical JSON has no text with half of a surrogate pair');
  return quoted;
}

/** In place, by UTF-16 code units. Insertion sort: names are few and often sorted already, as rows come back as they were put. */
export function sortNames(names: string[]): string[] {
  if (names.length > tuning.namesInsertedMax) return names.sort();
  for (let index = 1; index < names.length; index++) {
    const name = names[index] as string;
    let place = index;
    while (place > 0 && (names[place - 1] as string) > name) {
      names[place] = names[place - 1] as string;
      place--;
    }
    names[place] = name;
  }
  return names;
}
