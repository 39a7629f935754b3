// Virtual time as text and back. The realm has no Date: days are counted in the proleptic Gregorian calendar, UTC.
import { dayUs } from './model.js';

const secondUs = 1_000_000;

/** `2026-03-02T09:00:00Z`, cut to whole seconds. */
export function isoOf(us: number): string {
  const days = Math.floor(us / dayUs);
  const seconds = Math.floor((us - days * dayUs) / secondUs);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => padded(part, 2));
  return `${dateOf(days)}T${clock.join(':')}Z`;
}

/** `2026-03-02`, `2026/03/02` or `2026-03-02T09:00:00Z` (seconds may be left out) as microseconds; undefined for anything else. */
export function usOf(text: string): number | undefined {
  const parts = /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:T(\d{2}):(\d{2})(?::(\d{2}))?Z)?$/.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = [1, 3, 4, 5, 6, 7].map((index) => Number(parts[index] ?? 0));
  const days = daysOf(year, month, day);
  const [, realMonth, realDay] = dateOf(days).split('-').map(Number);
  if (month !== realMonth || day !== realDay || hour > 23 || minute > 59 || second > 59) return undefined;
  return days * dayUs + ((hour * 60 + minute) * 60 + second) * secondUs;
}

// Years begin in March here, so that the leap day is the last of its year, and eras of 400 years (146,097 days) are all alike.
function daysOf(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468;
}

function dateOf(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return [padded(year, 4), padded(month, 2), padded(dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1, 2)].join('-');
}

const padded = (number: number, length: number): string => String(number).padStart(length, '0');
