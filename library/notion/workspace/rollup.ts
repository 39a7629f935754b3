// Rollups: what the related pages' values come to, by the function of the property.
import { isMembers } from './failures.js';
import type { Json, Members } from './model.js';
import { plain } from './rich-text.js';
import { timeOf } from './time.js';

const counts = ['count', 'count_values', 'empty', 'not_empty', 'unique', 'percent_empty', 'percent_not_empty'];
const checks = ['checked', 'unchecked', 'percent_checked', 'percent_unchecked'];
const figures = ['sum', 'average', 'median', 'min', 'max', 'range'];
export const rollupFunctions: readonly string[] = [
  ...counts,
  ...checks,
  ...figures,
  'earliest_date',
  'latest_date',
  'show_unique',
  'show_original',
];

export function rolledUp(name: string, items: readonly Members[]): Members {
  if (name === 'show_original') return { type: 'array', array: items };
  if (name === 'show_unique') {
    const seen = new Map(items.map((item) => [JSON.stringify(item), item]));
    return { type: 'array', array: [...seen.values()] };
  }
  if (name === 'earliest_date' || name === 'latest_date') return { type: 'date', date: outermost(items, name === 'earliest_date') };
  const number = counts.includes(name) ? counted(name, items) : checks.includes(name) ? checked(name, items) : figured(name, items);
  return { type: 'number', number };
}

const bodyOf = (item: Members): Json => item[String(item.type)] ?? null;

/** What Notion counts as empty: nothing, no text, nothing chosen. An unchecked box is not. */
export function isEmptyValue(type: string, body: Json): boolean {
  if (body === null || body === '') return true;
  if (type === 'title' || type === 'rich_text') return plain(body as readonly Json[]) === '';
  if (Array.isArray(body)) return body.length === 0;
  if ((type === 'formula' || type === 'rollup') && isMembers(body)) {
    const inner = body[String(body.type)] ?? null;
    return inner === null || inner === '' || (Array.isArray(inner) && inner.length === 0);
  }
  return false;
}

function counted(name: string, items: readonly Members[]): number | null {
  const isEmpty = (item: Members): boolean => isEmptyValue(String(item.type), bodyOf(item));
  const empty = items.filter(isEmpty).length;
  const values = items.filter((item) => !isEmpty(item)).flatMap((item) => (Array.isArray(bodyOf(item)) ? singles(item) : [bodyOf(item)]));
  switch (name) {
    case 'count':
      return items.length;
    case 'count_values':
      return values.length;
    case 'empty':
      return empty;
    case 'not_empty':
      return items.length - empty;
    case 'unique':
      return new Set(values.map((value) => JSON.stringify(value))).size;
    default:
      return share(name === 'percent_empty' ? empty : items.length - empty, items.length);
  }
}

/** Texts are one value; options, people and pages are one each. */
function singles(item: Members): readonly Json[] {
  const body = bodyOf(item) as readonly Json[];
  return item.type === 'title' || item.type === 'rich_text' ? [plain(body)] : body;
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

function checked(name: string, items: readonly Members[]): number | null {
  const on = items.filter((item) => bodyOf(item) === true).length;
  if (name === 'checked') return on;
  if (name === 'unchecked') return items.length - on;
  return share(name === 'percent_checked' ? on : items.length - on, items.length);
}

function figured(name: string, items: readonly Members[]): number | null {
  const numbers = items.map(numberIn).filter((number): number is number => number !== null);
  const sum = numbers.reduce((total, number) => total + number, 0);
  if (name === 'sum') return sum;
  if (numbers.length === 0) return null;
  const sorted = [...numbers].sort((a, b) => a - b);
  const [low, high] = [sorted[0] as number, sorted.at(-1) as number];
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
  const results: { readonly [name: string]: number } = { average: sum / numbers.length, median, min: low, max: high, range: high - low };
  return results[name] ?? null;
}

function numberIn(item: Members): number | null {
  const body = bodyOf(item);
  const inner = item.type === 'formula' && isMembers(body) ? body.number : body;
  return typeof inner === 'number' ? inner : null;
}

function outermost(items: readonly Members[], earliest: boolean): Json {
  let best: { us: number; date: Json } | undefined;
  for (const item of items) {
    const date = dateIn(item);
    if (date === undefined) continue;
    const us = timeOf(String(earliest ? date.start : (date.end ?? date.start))) ?? 0;
    if (best === undefined || (earliest ? us < best.us : us > best.us)) best = { us, date };
  }
  return best?.date ?? null;
}

function dateIn(item: Members): Members | undefined {
  const body = bodyOf(item);
  if (typeof body === 'string') return { start: body, end: null, time_zone: null };
  const inner = item.type === 'formula' && isMembers(body) ? body.date : body;
  return isMembers(inner) && typeof inner.start === 'string' ? inner : undefined;
}
