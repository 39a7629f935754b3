// The values and the functions of formulas.
import { dayUs, minuteUs } from './model.js';
import { addMonths, civilOf, dateText, isoText, weekdayOf } from './time.js';

/** A moment; `day` where it has no time of day. */
export interface Moment {
  readonly us: number;
  readonly day: boolean;
}
export type Value = null | boolean | number | string | Moment | readonly Value[];

const isMoment = (value: Value): value is Moment => typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** By name: the fewest and the most arguments. */
export const formulaFunctions: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['if', [3, 3]],
  ['and', [1, 20]],
  ['or', [1, 20]],
  ['not', [1, 1]],
  ['empty', [1, 1]],
  ['length', [1, 1]],
  ['concat', [1, 20]],
  ['join', [2, 2]],
  ['contains', [2, 2]],
  ['substring', [2, 3]],
  ['upper', [1, 1]],
  ['lower', [1, 1]],
  ['trim', [1, 1]],
  ['format', [1, 1]],
  ['toNumber', [1, 1]],
  ['round', [1, 2]],
  ['floor', [1, 1]],
  ['ceil', [1, 1]],
  ['abs', [1, 1]],
  ['min', [1, 20]],
  ['max', [1, 20]],
  ['sum', [1, 20]],
  ['now', [0, 0]],
  ['today', [0, 0]],
  ['dateAdd', [3, 3]],
  ['dateSubtract', [3, 3]],
  ['dateBetween', [3, 3]],
  ['year', [1, 1]],
  ['month', [1, 1]],
  ['date', [1, 1]],
  ['day', [1, 1]],
]);

export function truth(value: Value): boolean {
  return !isEmpty(value);
}

function isEmpty(value: Value): boolean {
  return value === null || value === '' || value === 0 || value === false || (isList(value) && value.length === 0);
}

export function asText(value: Value): string {
  if (value === null) return '';
  if (isList(value)) return value.map(asText).join(',');
  if (isMoment(value)) return value.day ? dateText(value.us) : isoText(value.us);
  return String(value);
}

function asNumber(value: Value | undefined): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string' || !/^\s*-?\d+(?:\.\d+)?\s*$/.test(value)) return null;
  return Number(value);
}

export function equal(a: Value, b: Value): boolean {
  if (isMoment(a) && isMoment(b)) return a.us === b.us;
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, index) => equal(item, b[index] as Value));
  return a === b;
}

/** Undefined where the two cannot be compared by size. */
export function compare(a: Value, b: Value): number | undefined {
  const [left, right] = [isMoment(a) ? a.us : a, isMoment(b) ? b.us : b];
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  return undefined;
}

export function callFunction(name: string, args: readonly (() => Value)[], nowUs: number): Value {
  const get = (index: number): Value => args[index]?.() ?? null;
  if (name === 'if') return truth(get(0)) ? get(1) : get(2);
  if (name === 'and') return args.every((arg) => truth(arg()));
  if (name === 'or') return args.some((arg) => truth(arg()));
  if (name === 'now') return { us: nowUs, day: false };
  if (name === 'today') return { us: Math.floor(nowUs / dayUs) * dayUs, day: true };
  const values = args.map((arg) => arg());
  const first = values[0] ?? null;
  for (const family of [textFunction, dateFunction]) {
    const value = family(name, first, values);
    if (value !== undefined) return value;
  }
  return numberFunction(name, first, values);
}

function textFunction(name: string, first: Value, values: readonly Value[]): Value | undefined {
  const word = asText(first);
  switch (name) {
    case 'not':
      return !truth(first);
    case 'empty':
      return isEmpty(first);
    case 'length':
      return isList(first) ? first.length : word.length;
    case 'concat':
      return values.map(asText).join('');
    case 'join':
      return (isList(first) ? first : [first]).map(asText).join(asText(values[1] ?? null));
    case 'contains':
      return isList(first) ? first.some((item) => equal(item, values[1] ?? null)) : word.includes(asText(values[1] ?? null));
    case 'substring':
      return whole(word.slice(Math.max(0, asNumber(values[1]) ?? 0), asNumber(values[2] ?? word.length) ?? word.length));
    case 'upper':
      return word.toUpperCase();
    case 'lower':
      return word.toLowerCase();
    case 'trim':
      return word.trim();
    case 'format':
      return word;
    default:
      return undefined;
  }
}

/** Without the halves of characters that a cut has left. */
const whole = (text: string): string => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');

function dateFunction(name: string, first: Value, values: readonly Value[]): Value | undefined {
  const parts: { readonly [name: string]: (us: number) => number } = {
    year: (us) => civilOf(us).year,
    month: (us) => civilOf(us).month,
    date: (us) => civilOf(us).day,
    day: (us) => weekdayOf(us) + 1,
  };
  const part = parts[name];
  if (part !== undefined) return isMoment(first) ? part(first.us) : null;
  if (name !== 'dateAdd' && name !== 'dateSubtract' && name !== 'dateBetween') return undefined;
  const unit = asText(values[2] ?? null).replace(/s$/, '');
  if (!isMoment(first)) return null;
  if (name === 'dateBetween') {
    const other = values[1] ?? null;
    return isMoment(other) ? between(first.us, other.us, unit) : null;
  }
  const amount = asNumber(values[1]);
  if (amount === null || !Number.isInteger(amount)) return null;
  return shifted(first, name === 'dateAdd' ? amount : -amount, unit);
}

const unitUs: { readonly [unit: string]: number } = { minute: minuteUs, hour: 60 * minuteUs, day: dayUs, week: 7 * dayUs };
const unitMonths: { readonly [unit: string]: number } = { month: 1, quarter: 3, year: 12 };

function shifted(moment: Moment, amount: number, unit: string): Value {
  const [us, months] = [unitUs[unit], unitMonths[unit]];
  if (us !== undefined) return { us: moment.us + amount * us, day: moment.day && us >= dayUs };
  return months === undefined ? null : { us: addMonths(moment.us, amount * months), day: moment.day };
}

function between(a: number, b: number, unit: string): Value {
  const [us, months] = [unitUs[unit], unitMonths[unit]];
  if (us !== undefined) return Math.trunc((a - b) / us);
  if (months === undefined) return null;
  const [early, late] = a < b ? [a, b] : [b, a];
  const [from, to] = [civilOf(early), civilOf(late)];
  let count = (to.year - from.year) * 12 + to.month - from.month;
  if (addMonths(early, count) > late) count -= 1;
  return Math.trunc(count / months) * (a < b ? -1 : 1);
}

function numberFunction(name: string, first: Value, values: readonly Value[]): Value {
  const number = asNumber(first);
  const numbers = values.flatMap((value) => (isList(value) ? value : [value])).map(asNumber);
  const known = numbers.filter((one): one is number => one !== null);
  switch (name) {
    case 'sum':
      return known.reduce((total, one) => total + one, 0);
    case 'min':
      return known.length === 0 ? null : Math.min(...known);
    case 'max':
      return known.length === 0 ? null : Math.max(...known);
    default:
      return number === null ? null : rounded(name, number, asNumber(values[1] ?? 0) ?? 0);
  }
}

function rounded(name: string, number: number, digits: number): Value {
  if (name === 'floor') return Math.floor(number);
  if (name === 'ceil') return Math.ceil(number);
  if (name === 'abs') return Math.abs(number);
  if (name !== 'round') return number;
  const factor = 10 ** Math.min(12, Math.max(0, Math.trunc(digits)));
  return Math.round(number * factor) / factor;
}
