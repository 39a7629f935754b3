// Times between microseconds and ISO 8601, in UTC: a behavior has no Date. Names of time zones are kept and not computed with.
import { dayUs, minuteUs, secondUs } from './model.js';

/** Days since 1970-01-01 of the proleptic Gregorian calendar, counted in eras of 400 years that begin in March. */
function daysOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468;
}

export interface Civil {
  year: number;
  month: number;
  day: number;
}
export function civilOf(timeUs: number): Civil {
  const z = Math.floor(timeUs / dayUs) + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

const padded = (value: number, digits = 2): string => String(value).padStart(digits, '0');

export function dateText(timeUs: number): string {
  const { year, month, day } = civilOf(timeUs);
  return `${padded(year, 4)}-${padded(month)}-${padded(day)}`;
}

export function isoText(timeUs: number): string {
  const ofDay = timeUs - Math.floor(timeUs / dayUs) * dayUs;
  const minutes = Math.floor(ofDay / minuteUs);
  const milliseconds = Math.floor((ofDay % minuteUs) / 1000);
  const seconds = `${padded(Math.floor(milliseconds / 1000))}.${padded(milliseconds % 1000, 3)}`;
  return `${dateText(timeUs)}T${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}:${seconds}Z`;
}

/** Notion tells when something was made or edited to the minute. */
export const minuteText = (timeUs: number): string => isoText(Math.floor(timeUs / minuteUs) * minuteUs);

const shape = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** The moment that a text means; undefined where it means none. A day begins at midnight UTC. */
export function timeOf(text: string): number | undefined {
  const found = shape.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((digits) => Number(digits ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const dayStartUs = daysOf(year, month, day) * dayUs;
  if (day < 1 || civilOf(dayStartUs).day !== day) return undefined;
  const fractionUs = Number((found[7] ?? '').padEnd(6, '0').slice(0, 6));
  return dayStartUs + (hour * 60 + minute) * minuteUs + second * secondUs + fractionUs - offsetUs(found[8]);
}

function offsetUs(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone.startsWith('-') ? -minutes : minutes) * minuteUs;
}

export const hasTime = (text: string): boolean => text.length > 10;

/** The same day so many months on; the last of its month where there is none. */
export function addMonths(timeUs: number, months: number): number {
  const { year, month, day } = civilOf(timeUs);
  const index = year * 12 + month - 1 + months;
  const [toYear, toMonth] = [Math.floor(index / 12), (((index % 12) + 12) % 12) + 1];
  const monthDays = daysOf(toMonth === 12 ? toYear + 1 : toYear, (toMonth % 12) + 1, 1) - daysOf(toYear, toMonth, 1);
  const ofDay = timeUs - Math.floor(timeUs / dayUs) * dayUs;
  return daysOf(toYear, toMonth, Math.min(day, monthDays)) * dayUs + ofDay;
}

/** Monday is 0. */
export const weekdayOf = (timeUs: number): number => (((Math.floor(timeUs / dayUs) + 3) % 7) + 7) % 7;
