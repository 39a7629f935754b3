// `Date` as tool code has it: the same in every process. There is no present time in it, its time zone is UTC, and the text that it
// reads and writes does not depend on the host. Runs inside a new vm context before it is locked (realm-script.ts), so it names nothing
// but itself and ECMAScript.
//   REALM-DATE-1. A time comes from an argument: without one there is an error that names what was tried.
//   REALM-DATE-2. What is local elsewhere is UTC here, so no result depends on the time zone of the host.

type Methods = { [name: PropertyKey]: unknown };

const localParts = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'];
/** What stays of the prototype of V8 as it is; a later version may add more. */
const keptMethods = [
  // The lockdown replaces those of the locale by a refusal.
  ...[
    'toLocaleString',
    'toLocaleDateString',
    'toLocaleTimeString',
    'constructor',
    'getTime',
    'setTime',
    'valueOf',
    'toISOString',
    'toJSON',
    'toUTCString',
    'toGMTString',
    'getUTCDay',
  ],
  ...localParts.flatMap((part) => [`getUTC${part}`, `setUTC${part}`]),
];
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const advice =
  'not available to tool behavior without arguments: virtual time is context.clock.nowUs(), in microseconds, so the present is ' +
  'new Date(context.clock.nowUs() / 1000)';

/** The constructor that takes the place of `Native`; the prototype stays, so that no other way leads to `Native`. */
export function tameDate(Native: DateConstructor): DateConstructor {
  const { prototype } = Native;
  const getTime = prototype.getTime;
  const { UTC } = Native;
  const parse = (text: unknown): number => timeOfText(String(text), UTC);
  // biome-ignore lint/suspicious/noShadowRestrictedNames: its name is what tool code sees
  const tamed = function Date(this: unknown, ...parts: unknown[]): object {
    if (new.target === undefined) throw new Error(`Date() is ${advice}`);
    if (parts.length === 0) throw new Error(`new Date() is ${advice}`);
    const time = parts.length === 1 ? timeOfValue(parts[0], { getTime, parse }) : Reflect.apply(UTC, Native, parts);
    return Reflect.construct(Native, [time], new.target) as object;
  };
  Object.defineProperties(tamed, {
    length: { value: 7, configurable: true },
    prototype: { value: prototype, writable: false },
    UTC: { value: UTC, writable: true, configurable: true },
    parse: { value: { parse }.parse, writable: true, configurable: true },
    now: { value: Native.now, writable: true, configurable: true },
  });
  tamePrototype(prototype as unknown as Methods, tamed);
  return tamed as unknown as DateConstructor;
}

function tamePrototype(prototype: Methods, tamed: unknown): void {
  for (const name of Reflect.ownKeys(prototype))
    if (typeof name === 'string' && !keptMethods.includes(name)) Reflect.deleteProperty(prototype, name);
  const define = (name: string, value: unknown) =>
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true, enumerable: false });
  define('constructor', tamed);
  for (const part of localParts) {
    define(`get${part}`, prototype[`getUTC${part}`]);
    define(`set${part}`, prototype[`setUTC${part}`]);
  }
  define('getDay', prototype.getUTCDay);
  const { getTime } = prototype as { getTime: () => number };
  const texts = {
    getTimezoneOffset(this: Date): number {
      return Reflect.apply(getTime, this, []) * 0;
    },
    toString(this: Date): string {
      return isValid(this) ? `${dateText(this)} ${timeText(this)}` : 'Invalid Date';
    },
    toDateString(this: Date): string {
      return isValid(this) ? dateText(this) : 'Invalid Date';
    },
    toTimeString(this: Date): string {
      return isValid(this) ? timeText(this) : 'Invalid Date';
    },
  };
  for (const [name, value] of Object.entries(texts)) define(name, value);
  function isValid(date: Date): boolean {
    return !Number.isNaN(Reflect.apply(getTime, date, []));
  }
}

const two = (number: number): string => String(number).padStart(2, '0');

/** As V8 writes them where the time zone is UTC. */
function dateText(date: Date): string {
  const year = date.getUTCFullYear();
  const years = `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}`;
  return `${weekdays[date.getUTCDay()]} ${months[date.getUTCMonth()]} ${two(date.getUTCDate())} ${years}`;
}
function timeText(date: Date): string {
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':');
  return `${clock} GMT+0000 (Coordinated Universal Time)`;
}

interface Readers {
  getTime: () => number;
  parse: (text: unknown) => number;
}

function timeOfValue(value: unknown, { getTime, parse }: Readers): number {
  let plain = value;
  if ((typeof value === 'object' && value !== null) || typeof value === 'function') {
    try {
      return Reflect.apply(getTime, value, []);
    } catch {
      // It is no date.
    }
    plain = primitiveOf(value as object);
  }
  return typeof plain === 'string' ? parse(plain) : Number(plain as number);
}

function primitiveOf(value: object): unknown {
  const own = (value as Methods)[Symbol.toPrimitive];
  const ways = own === undefined || own === null ? ['valueOf', 'toString'].map((name) => (value as Methods)[name]) : [own];
  for (const way of ways) {
    if (typeof way !== 'function') continue;
    const result: unknown = Reflect.apply(way, value, own === way ? ['default'] : []);
    if ((typeof result !== 'object' && typeof result !== 'function') || result === null) return result;
  }
  throw new TypeError('an object is no time');
}

const isoForm = /^(\d{4}|[+-]\d{6})(?:-(\d\d)(?:-(\d\d))?)?(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:Z|([+-])(\d\d):(\d\d))?)?$/;
/** What `toUTCString` and `toString` of a date give; the standard wants both to be read again. */
const httpForm = /^(?:[A-Z][a-z]{2}), (\d\d) ([A-Z][a-z]{2}) (-?\d{4,6}) (\d\d):(\d\d):(\d\d) GMT$/;
const ownForm = /^(?:[A-Z][a-z]{2}) ([A-Z][a-z]{2}) (\d\d) (-?\d{4,6}) (\d\d):(\d\d):(\d\d) GMT\+0000(?: \(Coordinated Universal Time\))?$/;

/** Milliseconds; NaN for a text of any other form, which each engine reads in its own way. */
function timeOfText(text: string, UTC: DateConstructor['UTC']): number {
  const iso = isoForm.exec(text);
  if (iso !== null) return timeOfIso(iso, UTC);
  const http = httpForm.exec(text);
  const own = ownForm.exec(text);
  const [, day, month, ...rest] = http ?? (own === null ? [] : [own[0], own[2], own[1], ...own.slice(3)]);
  const monthIndex = months.indexOf(month ?? '');
  if (day === undefined || monthIndex < 0) return Number.NaN;
  const [year = 0, hour = 0, minute = 0, second = 0] = rest.map(Number);
  return timeOf({ year, month: monthIndex + 1, day: Number(day), hour, minute, second, millisecond: 0 }, UTC);
}

function timeOfIso(iso: RegExpExecArray, UTC: DateConstructor['UTC']): number {
  const [, years = '', month = '01', day = '01', hour = '0', minute = '0', second = '0', fraction = '', sign, hours, minutes] = iso;
  if (years === '-000000') return Number.NaN;
  const time = timeOf(
    {
      year: Number(years),
      month: Number(month),
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
      millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
    },
    UTC,
  );
  if (sign === undefined) return time;
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  const moved = time - (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return Math.abs(moved) > 8.64e15 ? Number.NaN : moved;
}

interface DateFields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}

/** As V8 does, the 30th of February is the 1st or 2nd of March. */
function timeOf({ year, month, day, hour, minute, second, millisecond }: DateFields, UTC: DateConstructor['UTC']): number {
  const isMidnight = hour === 24 && minute === 0 && second === 0 && millisecond === 0;
  if (month < 1 || month > 12 || day < 1 || day > 31 || (hour > 23 && !isMidnight) || minute > 59 || second > 59) return Number.NaN;
  // UTC takes the years 0 to 99 for those of the century of 1900; 400 years later the calendar is the same.
  const isEarly = year >= 0 && year < 100;
  const time = UTC(isEarly ? year + 400 : year, month - 1, day, hour, minute, second, millisecond);
  return isEarly ? time - 146_097 * 86_400_000 : time;
}
