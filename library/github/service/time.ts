// Virtual time as GitHub writes it: ISO 8601 in UTC, to the second. The realm has no Date.

export const secondUs = 1_000_000;
/** How long GitHub takes to find out whether a pull request can be merged. */
export const mergeabilityUs = 5 * secondUs;
/** How long a run waits for a machine. */
export const queuedUs = 5 * secondUs;
const daySeconds = 86_400;

export function isoOf(us: number): string {
  const seconds = Math.floor(us / secondUs);
  const days = Math.floor(seconds / daySeconds);
  const { year, month, day } = civilOf(days);
  const rest = seconds - days * daySeconds;
  const two = (part: number): string => String(part).padStart(2, '0');
  const clock = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60].map(two).join(':');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${clock}Z`;
}

/** Of a date or a time; undefined where the text is neither. */
export function usOf(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|([+-])(\d\d):?(\d\d)))?$/.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', sign = '+', offsetHours = '0', offsetMinutes = '0'] = match;
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return undefined;
  const days = daysOf(Number(year), Number(month), Number(day));
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -60 : 60);
  return (days * daySeconds + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset) * secondUs;
}

// Both after Howard Hinnant's calendar: years begin in March, eras have 400 of them.
function civilOf(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function daysOf(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
