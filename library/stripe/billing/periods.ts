// Billing periods: boundaries lie whole intervals from an anchor, in UTC. A month keeps the day of the anchor, or takes its own last day
// where it is shorter, so that the 31st of January is followed by the 28th of February and the 31st of March. A behavior has no Date.
const daySeconds = 86_400;
const monthsOfYear = 12;

export type IntervalUnit = 'day' | 'week' | 'month' | 'year';
export interface BillingInterval {
  readonly interval: IntervalUnit;
  readonly interval_count: number;
}
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** The boundary that lies so many intervals from the anchor, in seconds. */
export function boundaryAt(anchor: number, every: BillingInterval, index: number): number {
  const { interval, interval_count } = every;
  if (interval === 'day' || interval === 'week') return anchor + index * interval_count * (interval === 'week' ? 7 : 1) * daySeconds;
  const months = index * interval_count * (interval === 'year' ? monthsOfYear : 1);
  const day = Math.floor(anchor / daySeconds);
  const civil = civilOf(day);
  const month = civil.month - 1 + months;
  const year = civil.year + Math.floor(month / monthsOfYear);
  const monthOfYear = month - Math.floor(month / monthsOfYear) * monthsOfYear + 1;
  const dayOfMonth = Math.min(civil.day, daysInMonth(year, monthOfYear));
  return daysOf(year, monthOfYear, dayOfMonth) * daySeconds + (anchor - day * daySeconds);
}

/** The period that a moment lies in. A boundary belongs to the period that it begins. */
export function periodAt(anchor: number, every: BillingInterval, moment: number): Period {
  let index = Math.floor((moment - anchor) / longestSeconds(every));
  // The estimate is never too high, for no interval is longer than it is taken for; a century of months is at most a few hundred steps.
  while (boundaryAt(anchor, every, index + 1) <= moment) index += 1;
  while (boundaryAt(anchor, every, index) > moment) index -= 1;
  return { start: boundaryAt(anchor, every, index), end: boundaryAt(anchor, every, index + 1) };
}

function longestSeconds({ interval, interval_count }: BillingInterval): number {
  const days = { day: 1, week: 7, month: 31, year: 366 }[interval];
  return days * interval_count * daySeconds;
}

function daysInMonth(year: number, month: number): number {
  const next = month === monthsOfYear ? daysOf(year + 1, 1, 1) : daysOf(year, month + 1, 1);
  return next - daysOf(year, month, 1);
}

/** Days since 1970-01-01 of the proleptic Gregorian calendar, counted in eras of 400 years that begin in March. */
function daysOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468;
}

function civilOf(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1 };
}
