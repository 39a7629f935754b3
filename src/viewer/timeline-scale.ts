// Where an entry lies on the timeline: positions along an axis, for two axes, and what part of it is in view.
//   elastic: entries keep their order and a step each; a gap in virtual time adds a length that grows with its logarithm. What
//            happens within a moment can be told apart, and what takes days fits beside it.
//   linear:  virtual time as it is.

export interface AxisEntry {
  sequence: number;
  virtualTimeUs: number;
}
export interface AxisScale {
  positions: Float64Array;
  length: number;
  ticks: { position: number; timeUs: number; gapUs: number }[];
}
/** The part of an axis in sight, by its positions. */
export interface AxisView {
  from: number;
  to: number;
}

/** `entries` in the order of the journal. */
export function elasticAxis(entries: readonly AxisEntry[]): AxisScale {
  const positions = new Float64Array(entries.length);
  const ticks: AxisScale['ticks'] = [];
  let position = 0;
  entries.forEach((entry, index) => {
    const gapUs = index === 0 ? 0 : Math.abs(entry.virtualTimeUs - (entries[index - 1] as AxisEntry).virtualTimeUs);
    if (index > 0) position += 1 + gapLength(gapUs);
    positions[index] = position;
    if (index === 0 || gapUs > 0) ticks.push({ position, timeUs: entry.virtualTimeUs, gapUs });
  });
  return { positions, length: Math.max(position, 1), ticks };
}

/** In steps: about 1 for a millisecond, 3 for a minute, 5 for a day. */
function gapLength(gapUs: number): number {
  return gapUs === 0 ? 0 : 0.5 + Math.log10(1 + gapUs / 1000) / 2;
}

export function linearAxis(entries: readonly AxisEntry[], { fromUs, toUs }: { fromUs: number; toUs: number }): AxisScale {
  const span = Math.max(toUs - fromUs, 1);
  const positions = Float64Array.from(entries, (entry) => Math.min(Math.max((entry.virtualTimeUs - fromUs) / span, 0), 1) * 1000);
  const stepUs = niceStep(span / 8);
  const ticks: AxisScale['ticks'] = [];
  for (let timeUs = fromUs; timeUs <= toUs; timeUs += stepUs)
    ticks.push({ position: ((timeUs - fromUs) / span) * 1000, timeUs, gapUs: stepUs });
  return { positions, length: 1000, ticks };
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];

/** The next length that people count time in. */
function niceStep(us: number): number {
  const seconds = us / 1e6;
  if (seconds >= 1) return (steps.find((step) => step >= seconds) ?? Math.ceil(seconds / 604_800) * 604_800) * 1e6;
  const power = 10 ** Math.floor(Math.log10(Math.max(us, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= us) ?? power * 10;
}

/** The part of an axis in view, zoomed about the position `at` and kept within the axis. */
export function zoomed(view: AxisView, length: number, { factor, at }: { factor: number; at: number }): AxisView {
  const span = Math.min(Math.max((view.to - view.from) / factor, Math.min(length, 2)), length * 1.04);
  const share = (at - view.from) / (view.to - view.from);
  return within({ from: at - share * span, to: at + (1 - share) * span }, length);
}

export function panned(view: AxisView, length: number, by: number): AxisView {
  return within({ from: view.from + by, to: view.to + by }, length);
}

/** Everything, with a margin. */
export function wholeAxis(length: number): AxisView {
  return { from: -length * 0.02, to: length * 1.02 };
}

function within({ from, to }: AxisView, length: number): AxisView {
  const margin = length * 0.02;
  const shift = from < -margin ? -margin - from : to > length + margin ? length + margin - to : 0;
  return { from: from + shift, to: to + shift };
}

/** Whether only a part of the axis is in sight. */
export function isPart({ from, to }: AxisView, length: number, share: number): boolean {
  const whole = wholeAxis(length);
  return to - from < (whole.to - whole.from) * share;
}
