// Times and lengths of time as people write them, in whole microseconds: "30s", "1h30m", "PT5M", "2026-01-05T09:00:00Z".
//   VIRTUAL-TIME-TEXT-1. Exact or nothing: a text that is no whole number of microseconds, or too large to be exact, is no time.
//   VIRTUAL-TIME-TEXT-2. A day has 24 hours and a week 7 days; months and years have no length, so none is taken.
//   VIRTUAL-TIME-TEXT-3. No clock and no time zone of the host is asked: a time of day names its own offset.

const number = String.raw`(\d{1,16}(?:\.\d{1,16})?)`;
const short = new RegExp(`^${['w', 'd', 'h', 'm', 's', 'ms', 'us'].map((unit) => `(?:${number}${unit})?`).join('')}$`);
const iso = new RegExp(`^P(?:${number}W)?(?:${number}D)?(?:T(?=\\d)(?:${number}H)?(?:${number}M)?(?:${number}S)?)?$`);
/** Microseconds of the units above, in their order. */
const unitsUs = [604_800_000_000n, 86_400_000_000n, 3_600_000_000n, 60_000_000n, 1_000_000n, 1_000n, 1n];
const time = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** The length of time; undefined when the text is none. */
export function parseDurationUs(text: string): number | undefined {
  const amounts = (short.exec(text) ?? iso.exec(text))?.slice(1);
  if (amounts === undefined || amounts.every((amount) => amount === undefined)) return undefined;
  let total = 0n;
  for (const [index, amount] of amounts.entries()) {
    if (amount === undefined) continue;
    const [whole = '0', fraction = ''] = amount.split('.');
    const scaled = BigInt(whole + fraction) * (unitsUs[index] as bigint);
    const scale = 10n ** BigInt(fraction.length);
    if (scaled % scale !== 0n) return undefined;
    total += scaled / scale;
  }
  return exact(total);
}

/**
 * The virtual time: of a date, midnight UTC; of a length of time, that long after the virtual time 0. Undefined when the text is neither.
 */
export function parseVirtualUs(text: string): number | undefined {
  const parts = time.exec(text);
  if (parts === null) return parseDurationUs(text);
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  const offset = offsetMinutes(parts[8] ?? 'Z');
  if (!isDate || hour > 23 || minute > 59 || second > 59 || offset === undefined) return undefined;
  date.setUTCHours(hour, minute, second);
  return exact((BigInt(date.getTime()) - BigInt(offset) * 60_000n) * 1_000n + BigInt((parts[7] ?? '').padEnd(6, '0')));
}

function offsetMinutes(text: string): number | undefined {
  if (/^z$/i.test(text)) return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(4))];
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function exact(us: bigint): number | undefined {
  const value = Number(us);
  return Number.isSafeInteger(value) ? value : undefined;
}
