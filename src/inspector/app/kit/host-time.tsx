// Host time as people read it: how long ago, with the exact time at hand.
import { dayMs, hourMs, minuteMs } from '../../../contract/units.js';
import { hostTime } from '../../../viewer/kit/parts.tsx';

export function Ago({ ms }: { ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={new Date(ms).toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'medium' })}>
      {agoText(ms, Date.now())}
    </time>
  );
}

/** Within a day how long ago; beyond, when. */
export function agoText(ms: number, nowMs: number): string {
  const age = nowMs - ms;
  if (age < minuteMs) return 'just now';
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min ago`;
  return age < dayMs ? `${Math.floor(age / hourMs)} h ago` : hostTime(ms);
}
