// Time zones for tools: the same table on every machine and every Node, for virtual times of some decades. Beyond its years a zone has the
// offset that it has at their end, and before them that of their beginning. No zone knows leap seconds.
//   TIME-ZONES-1. What comes out depends on the arguments and the table alone.
import { dayS, secondUs } from '../contract/units.js';
import { timeZoneTable, timeZoneTails, timeZoneUnitS, timeZoneVersion, timeZoneYears } from './time-zone-table.js';

/** A time as a clock on a wall shows it. */
export interface LocalTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  second?: number;
}
/** With what a calendar says of it. */
export interface ZonedTime extends Required<LocalTime> {
  /** Of the second. */
  microsecond: number;
  /** 1: Monday, 7: Sunday. */
  weekday: number;
  /** Ahead of UTC. */
  offsetSeconds: number;
}

/** Ascending; the offset of each holds from its time on. */
interface Schedule {
  fromS: readonly number[];
  offsets: readonly number[];
}

/** By name, as the table has them; read when the first is asked for. */
let written: Map<string, string> | undefined;
const schedules = new Map<string, Schedule>();

function texts(): Map<string, string> {
  if (written !== undefined) return written;
  written = new Map();
  for (const entry of timeZoneTable.split(';')) {
    const [names = '', schedule = ''] = entry.split('=');
    for (const name of names.split(' ')) written.set(name, schedule);
  }
  return written;
}

function scheduleOf(timeZone: string): Schedule {
  const known = schedules.get(timeZone);
  if (known !== undefined) return known;
  const text = texts().get(timeZone);
  if (text === undefined) throw new RangeError(`there is no time zone '${timeZone}' (${timeZoneVersion})`);
  const [, own = '', tail] = /^([^@]*?)(?:,@(\d+))?$/.exec(text) ?? [];
  const rest = tail === undefined ? '' : `,${timeZoneTails.split(';')[Number(tail)]}`;
  const numbers = (own + rest).split(',').map((part) => Number.parseInt(part, 36) * timeZoneUnitS);
  let at = Date.UTC(timeZoneYears.first, 0, 1) / 1000;
  let offset = numbers[0] as number;
  const fromS = [Number.NEGATIVE_INFINITY];
  const offsets = [offset];
  for (let index = 1; index < numbers.length; index += 2) {
    at += numbers[index] as number;
    offset += numbers[index + 1] as number;
    fromS.push(at);
    offsets.push(offset);
  }
  const schedule = { fromS, offsets };
  schedules.set(timeZone, schedule);
  return schedule;
}

function offsetAt({ fromS, offsets }: Schedule, seconds: number): number {
  let low = 0;
  let high = fromS.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((fromS[middle] as number) <= seconds) low = middle;
    else high = middle;
  }
  return offsets[low] as number;
}

export function isTimeZone(name: string): boolean {
  return texts().has(name);
}

/** Every name that is known, the older ones too, in order. */
export function timeZoneNames(): string[] {
  return [...texts().keys()].sort();
}

/** What a clock and a calendar show there at an instant of virtual time. */
export function zonedTime(us: number, timeZone: string): ZonedTime {
  if (!Number.isSafeInteger(us)) throw new RangeError('an instant is an integer of microseconds');
  const seconds = Math.floor(us / secondUs);
  const offsetSeconds = offsetAt(scheduleOf(timeZone), seconds);
  const shown = new Date((seconds + offsetSeconds) * 1000);
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
    microsecond: us - seconds * secondUs,
    weekday: ((shown.getUTCDay() + 6) % 7) + 1,
    offsetSeconds,
  };
}

/**
 * The instant, in microseconds, at which clocks there show this. Of two, where clocks were put back, `which` chooses; where they were put
 * forward over it, `earlier` and `later` are as far before and after as the gap is wide. Default: the earlier of two, and after a gap.
 */
export function instantOf(time: LocalTime, timeZone: string, which: 'earlier' | 'later' | 'usual' = 'usual'): number {
  const { year, month, day, hour = 0, minute = 0, second = 0 } = time;
  const wanted = secondsOf({ year, month, day, hour, minute, second });
  const schedule = scheduleOf(timeZone);
  const before = offsetAt(schedule, wanted - dayS);
  const after = offsetAt(schedule, wanted + dayS);
  const fitting = [wanted - before, wanted - after].filter((seconds) => offsetAt(schedule, seconds) === wanted - seconds);
  const isGap = fitting.length === 0;
  const choices = isGap ? [wanted - before, wanted - after] : fitting;
  const takesLater = which === 'later' || (which === 'usual' && isGap);
  return (takesLater ? Math.max(...choices) : Math.min(...choices)) * secondUs;
}

/** As if it were UTC. */
function secondsOf({ year, month, day, hour, minute, second }: Required<LocalTime>): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const isOne =
    [year, month, day, hour, minute, second].every(Number.isInteger) &&
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second;
  if (!isOne) throw new RangeError(`there is no time ${year}-${month}-${day} ${hour}:${minute}:${second}`);
  return date.getTime() / 1000;
}

/** Later by parts of a calendar, so that clocks show the same time of day; a day that a month does not have is its last. */
export function addCalendarTime(
  us: number,
  { years = 0, months = 0, weeks = 0, days = 0 }: { years?: number; months?: number; weeks?: number; days?: number },
  timeZone: string,
): number {
  if (![years, months, weeks, days].every(Number.isInteger)) throw new RangeError('parts of a calendar are integers');
  const { year, month, day, hour, minute, second, microsecond } = zonedTime(us, timeZone);
  const first = new Date(0);
  first.setUTCFullYear(year + years, month - 1 + months, 1);
  const last = new Date(0);
  last.setUTCFullYear(first.getUTCFullYear(), first.getUTCMonth() + 1, 0);
  first.setUTCDate(Math.min(day, last.getUTCDate()) + days + 7 * weeks);
  const time = { year: first.getUTCFullYear(), month: first.getUTCMonth() + 1, day: first.getUTCDate(), hour, minute, second };
  return instantOf(time, timeZone) + microsecond;
}

/** `2026-03-02T10:00:00+01:00`, in whole seconds; in UTC, which is the default, with `Z`. */
export function isoTime(us: number, timeZone = 'UTC'): string {
  const { year, month, day, hour, minute, second, offsetSeconds } = zonedTime(us, timeZone);
  const sign = year < 0 ? '-' : '+';
  const shownYear = year < 0 || year > 9999 ? sign + padded(Math.abs(year), 6) : padded(year, 4);
  const text = `${shownYear}-${padded(month, 2)}-${padded(day, 2)}T${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}`;
  if (timeZone === 'UTC') return `${text}Z`;
  const ahead = Math.abs(offsetSeconds);
  const parts = [Math.floor(ahead / 3600), Math.floor(ahead / 60) % 60, ahead % 60];
  const offset = (parts[2] === 0 ? parts.slice(0, 2) : parts).map((part) => padded(part, 2)).join(':');
  return `${text}${offsetSeconds < 0 ? '-' : '+'}${offset}`;
}

function padded(number: number, length: number): string {
  return String(number).padStart(length, '0');
}
