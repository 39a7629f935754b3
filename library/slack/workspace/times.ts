// Times as the API has them: seconds since 1970, `ts` with six decimals that are an id too, and days as search counts them.
import { type Context, secondUs } from './model.js';

const secondsOfDay = 86_400;
/** Of a leap year. */
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function nowSeconds(context: Context): number {
  return Math.floor(context.clock.nowUs() / secondUs);
}

export function tsOf(us: number): string {
  return `${Math.floor(us / secondUs)}.${String(us % secondUs).padStart(6, '0')}`;
}

/** The microseconds of a `ts`, or of seconds with or without decimals; undefined where the text is neither. */
export function usOfTs(ts: string): number | undefined {
  const [, seconds, decimals = ''] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(ts) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * secondUs + Number(decimals.padEnd(6, '0'));
}

/** The first second of `2026-03-02` in UTC. */
export function secondsOfDate(date: string): number | undefined {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(date) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12 || day < 1) return undefined;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (day > (month === 2 && !isLeap ? 28 : (monthDays[month - 1] ?? 0))) return undefined;
  // Years begin in March here, so that the day of a leap year comes last.
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return (era * 146_097 + dayOfEra - 719_468) * secondsOfDay;
}

const unitSeconds = new Map([
  ['second', 1],
  ['minute', 60],
  ['hour', 3600],
  ['day', secondsOfDay],
  ['week', 7 * secondsOfDay],
]);

/** What `reminders.add` takes: seconds since 1970, so many seconds from now (up to a day), or `in 20 minutes`; undefined for anything else. */
export function secondsFrom(time: string, nowS: number): number | undefined {
  if (/^\d{1,10}$/.test(time)) return Number(time) <= secondsOfDay ? nowS + Number(time) : Number(time);
  const [, count, unit = ''] = /^in (\d{1,4}|an?) (\w+?)s?$/i.exec(time.trim()) ?? [];
  const seconds = unitSeconds.get(unit.toLowerCase());
  if (count === undefined || seconds === undefined) return undefined;
  return nowS + (/^an?$/i.test(count) ? 1 : Number(count)) * seconds;
}
