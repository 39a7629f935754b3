// Virtual microseconds as a person reads them.
import { tuning } from './tuning.js';

const units = [
  { name: 'd', us: 86_400_000_000 },
  { name: 'h', us: 3_600_000_000 },
  { name: 'min', us: 60_000_000 },
  { name: 's', us: 1_000_000 },
  { name: 'ms', us: 1_000 },
  { name: 'µs', us: 1 },
];

/** A point in virtual time: `2026-03-02 09:00:00`, or `2 d 3 h` since zero. */
export function virtualClock(us: number): string {
  if (Math.abs(us) < tuning.epochLikeUs) return virtualDuration(us);
  const date = new Date(Math.floor(us / 1000));
  if (Number.isNaN(date.getTime())) return virtualDuration(us);
  const text = date.toISOString().replace('T', ' ').replace(/Z$/, '');
  const rest = us - Math.floor(us / 1000) * 1000;
  if (rest !== 0) return text + String(rest).padStart(3, '0');
  return text.replace(/\.000$/, '');
}

/** A length of virtual time in its two largest units that are not zero: `2 d 3 h`, `2 d 5 s`, `350 µs`. */
export function virtualDuration(us: number): string {
  if (us === 0) return '0 s';
  const parts: string[] = [];
  let rest = Math.abs(us);
  for (const unit of units) {
    const count = Math.floor(rest / unit.us);
    rest -= count * unit.us;
    if (count > 0) parts.push(`${count} ${unit.name}`);
  }
  return (us < 0 ? '-' : '') + parts.slice(0, 2).join(' ');
}

/** A length of virtual time in full, for columns: `00:01:30`, `2 d 03:00:00.250`. */
export function virtualOffset(us: number): string {
  const rest = Math.abs(us);
  const days = Math.floor(rest / 86_400_000_000);
  const inDay = Math.floor(rest / 1_000_000) % 86_400;
  const pad = (count: number): string => String(Math.floor(count)).padStart(2, '0');
  const fraction =
    rest % 1_000_000 === 0
      ? ''
      : `.${String(rest % 1_000_000)
          .padStart(6, '0')
          .replace(/000$/, '')}`;
  return `${us < 0 ? '-' : ''}${days > 0 ? `${days} d ` : ''}${pad(inDay / 3600)}:${pad((inDay / 60) % 60)}:${pad(inDay % 60)}${fraction}`;
}
