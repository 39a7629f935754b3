// `${case.name}` in the texts of a drill: what stands there, and its value of one case put in its place.
//   CASE-PLACEHOLDERS-1. A text that is one placeholder becomes the value as it is; inside a text only texts, numbers and booleans stand.
//   CASE-PLACEHOLDERS-2. What is put in is not looked through again, and shares nothing with the case.
import type { JsonObject, JsonValue } from '../contract/json.js';
import type { DiagnosticCode } from './diagnostic-table.js';
import { didYouMean } from './did-you-mean.js';

const placeholders = /\$\{\s*case\.([^{}]*)\}/g;
const onePlaceholder = /^\$\{\s*case\.([^{}]*)\}$/;

export interface CaseFault {
  code: DiagnosticCode;
  /** JSON Pointer into the drill. */
  path: string;
  part?: 'key';
  message: string;
  suggestion?: string | undefined;
}
export interface Filling {
  values: ReadonlyMap<string, JsonValue>;
  faults: CaseFault[];
  /** What may be put in still, in characters of JSON; below 0 nothing more is. */
  charsLeft: number;
}

/** Where the first placeholder stands, as a JSON Pointer; undefined where there is none. */
export function findPlaceholder(value: JsonValue, path = ''): string | undefined {
  if (typeof value === 'string') return value.search(placeholders) < 0 ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = findPlaceholder(member as JsonValue, `${path}/${escaped(name)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The names in all placeholders. */
export function placeholderNames(value: JsonValue, names = new Set<string>()): Set<string> {
  if (typeof value === 'string') for (const [, name = ''] of value.matchAll(placeholders)) names.add(name.trim());
  else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) placeholderNames(member, names);
  return names;
}

/** The value with every placeholder in it filled; parts without any are shared. */
export function fillPlaceholders(value: JsonValue, path: string, filling: Filling): JsonValue {
  if (typeof value === 'string') return fillText(value, path, filling);
  if (typeof value !== 'object' || value === null) return value;
  const fill = (member: JsonValue, name: string | number): JsonValue =>
    fillPlaceholders(member, `${path}/${escaped(String(name))}`, filling);
  if (Array.isArray(value)) {
    const items = value.map(fill);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => {
    if (name.search(placeholders) >= 0) refuseName(name, path, filling);
    return [name, fill(member, name)];
  });
  return members.some(([name, member]) => member !== value[name]) ? (Object.fromEntries(members) as JsonObject) : value;
}

function fillText(text: string, path: string, filling: Filling): JsonValue {
  if (!text.includes('${') || filling.charsLeft < 0) return text;
  const whole = onePlaceholder.exec(text)?.[1]?.trim();
  if (whole !== undefined) {
    const value = namedValue(whole, path, filling);
    return value === undefined || !fits(JSON.stringify(value).length, filling) ? text : structuredClone(value);
  }
  return text.replace(placeholders, (placeholder, written: string) => {
    const name = written.trim();
    const value = namedValue(name, path, filling);
    if (value === undefined) return placeholder;
    if (typeof value === 'object') {
      const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object';
      const suggestion = `Where '${placeholder}' is the whole text, it becomes the value as it is.`;
      filling.faults.push({ code: 'DY4008', path, message: `the value '${name}' is ${what}, which does not go into a text`, suggestion });
      return placeholder;
    }
    return fits(String(value).length, filling) ? String(value) : placeholder;
  });
}

function namedValue(name: string, path: string, { values, faults }: Filling): JsonValue | undefined {
  const value = values.get(name);
  if (value === undefined)
    faults.push({ code: 'DY3022', path, message: `there is no value '${name}'`, suggestion: didYouMean(name, [...values.keys()]) });
  return value;
}

function fits(chars: number, filling: Filling): boolean {
  filling.charsLeft -= chars;
  return filling.charsLeft >= 0;
}

function refuseName(name: string, path: string, { faults }: Filling): void {
  faults.push({
    code: 'DY4008',
    path: `${path}/${escaped(name)}`,
    part: 'key',
    message: `the name '${name}' holds a placeholder, and values go into texts alone`,
  });
}

/** A member's name in a JSON Pointer. */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
