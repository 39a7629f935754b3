// What the timeline draws, from either of two sources: every entry of a short run, on an axis that stretches moments and shrinks waits; or
// the server's buckets of a long one, on virtual time as it is or entry by entry. Pure: positions in, marks out.
import type { TimelineReply } from '../contract/inspector/journal.js';
import type { EvidenceEntry, EvidenceKind } from '../contract/world/evidence.js';
import { actorName, entryIsProblem, entryText } from '../reports/entry-text.js';
import { virtualOffset } from '../text/virtual-time.js';
import type { SequenceRange } from './journal-filter.js';
import { type AxisScale, type AxisView, elasticAxis, linearAxis } from './timeline-scale.js';
import { tuning } from './tuning.js';

export type Tone = 'planned' | 'plain' | 'good' | 'fault' | 'bad';
const tones: readonly Tone[] = ['planned', 'plain', 'good', 'fault', 'bad'];

export interface MarkGroup {
  x: number;
  lane: number;
  tone: Tone;
  count: number;
  /** The first one it stands for. */
  sequence: number;
  label: string;
}
/** How much happened in a stretch: 0..1. */
export interface Bar {
  x: number;
  widthPx: number;
  lane: number;
  share: number;
  count: number;
  sequence: number;
}
export interface Tick {
  x: number;
  text: string;
}
/** Interactions; those that would lie over each other are one. */
export interface Band {
  x: number;
  widthPx: number;
  text: string;
}
interface BandPlace {
  from: number;
  to: number;
  text: string;
}
export interface TimelinePicture {
  lanes: string[];
  length: number;
  bands(view: AxisView, widthPx: number): Band[];
  marks(view: AxisView, widthPx: number): MarkGroup[];
  bars(view: AxisView, widthPx: number): Bar[];
  ticks(view: AxisView, widthPx: number): Tick[];
  /** Where an entry lies; undefined when it is not known here. */
  positionOf(entry: EntryPlace): number | undefined;
  laneAt(entry: EvidenceEntry): number;
  /** The first and the last entry of a stretch, as near as the picture knows; undefined where there is none. */
  sequencesIn(view: AxisView): SequenceRange | undefined;
  /** The stretch that these entries take. */
  stretchOf(range: SequenceRange): AxisView;
}
interface EntryPlace {
  sequence: number;
  virtualTimeUs: number;
}

const laneOf: { readonly [Kind in EvidenceKind]: string } = {
  operation: 'Calls',
  refused_request: 'Calls',
  event: 'Events',
  callback: 'Callbacks',
  fault: 'Faults',
  fault_control: 'Faults',
  state_change: 'State',
  random: 'Random',
  clock: 'Clock',
  verification: 'Checks',
  lifecycle: 'World',
};
const laneOrder = ['Calls', 'Events', 'Callbacks', 'Faults', 'State', 'Random', 'Clock', 'Checks', 'World'];

interface Span {
  interactionId: string;
  startUs: number;
  endUs: number;
}

/** Of a run whose entries are all here. */
export function pictureOfEntries(
  entries: readonly EvidenceEntry[],
  interactions: readonly Span[],
  axisName: 'elastic' | 'linear',
): TimelinePicture {
  const [first, last] = [entries[0], entries.at(-1)];
  const startUs = first?.virtualTimeUs ?? 0;
  const span = { fromUs: startUs, toUs: Math.max(last?.virtualTimeUs ?? 0, startUs + 1) };
  const axis = axisName === 'elastic' ? elasticAxis(entries) : linearAxis(entries, span);
  const indexOf = new Map(entries.map((entry, index) => [entry.sequence, index]));
  const named = entries.map((entry) => (entry.kind === 'operation' ? actorName(entry) : laneOf[entry.kind]));
  const present = new Set(named);
  const actors = [...present].filter((name) => !laneOrder.includes(name));
  const lanes = [...actors, ...laneOrder.filter((name) => present.has(name))];
  const laneAt = named.map((name) => lanes.indexOf(name));
  const bandOf = ({ interactionId, startUs: from, endUs: to }: Span): BandPlace | undefined => {
    const begins = entries.findIndex((entry) => entry.virtualTimeUs >= from);
    const ends = entries.findLastIndex((entry) => entry.virtualTimeUs <= to);
    return begins < 0 || ends < begins ? undefined : { from: axis.positions[begins]!, to: axis.positions[ends]!, text: interactionId };
  };
  const bands = interactions.map(bandOf).filter((band) => band !== undefined);
  const inView = ({ from, to }: AxisView): EvidenceEntry[] =>
    entries.filter((_, index) => axis.positions[index]! >= from && axis.positions[index]! <= to);
  return {
    lanes,
    length: axis.length,
    bands: (view, widthPx) => joinedBands(bands, view, widthPx),
    bars: () => [],
    ticks: (view, widthPx) => {
      const seen = inView(view);
      if (seen.length > 0 && seen[0]!.virtualTimeUs === seen.at(-1)!.virtualTimeUs) {
        // Within one moment nothing but its entries tells one place from another.
        const numbers = seen.map(({ sequence }) => {
          return { x: place(axis.positions[indexOf.get(sequence)!]!, view, widthPx), text: `#${sequence.toLocaleString('en-US')}` };
        });
        return thinned(numbers, widthPx, tuning.numberTickPx);
      }
      const times = axis.ticks.map(({ position, timeUs }) => ({
        x: place(position, view, widthPx),
        text: virtualOffset(timeUs - startUs),
      }));
      return thinned(times, widthPx);
    },
    marks: (view, widthPx) => entryMarks(entries, { axis, laneAt }, view, widthPx),
    positionOf: ({ sequence }) => axis.positions[indexOf.get(sequence) ?? -1],
    laneAt: ({ sequence }) => laneAt[indexOf.get(sequence) ?? -1] ?? 0,
    sequencesIn: (view) => {
      const seen = inView(view);
      return seen.length === 0 ? undefined : { from: seen[0]!.sequence, to: seen.at(-1)!.sequence };
    },
    stretchOf: ({ from, to }) => {
      const ends = [entries.findIndex(({ sequence }) => sequence >= from), entries.findLastIndex(({ sequence }) => sequence <= to)];
      const [begin, end] = ends.map((index) => axis.positions[Math.max(index, 0)] ?? 0) as [number, number];
      return { from: begin, to: Math.max(end, begin) };
    },
  };
}

/** Those that would lie on each other are one mark, with the worst of their tones. */
function entryMarks(
  entries: readonly EvidenceEntry[],
  { axis, laneAt }: { axis: AxisScale; laneAt: readonly number[] },
  view: AxisView,
  widthPx: number,
): MarkGroup[] {
  const last: (MarkGroup | undefined)[] = [];
  const marks: MarkGroup[] = [];
  entries.forEach((entry, index) => {
    const x = place(axis.positions[index]!, view, widthPx);
    if (x < -10 || x > widthPx + 10) return;
    const lane = laneAt[index]!;
    const tone = toneOf(entry);
    const before = last[lane];
    if (before !== undefined && x - before.x < (before.count > 1 ? tuning.joinPx * 1.4 : tuning.joinPx)) {
      before.count++;
      if (tones.indexOf(tone) > tones.indexOf(before.tone))
        Object.assign(before, { tone, sequence: entry.sequence, label: entryText(entry) });
    } else {
      const mark = { x, lane, tone, count: 1, sequence: entry.sequence, label: entryText(entry) };
      last[lane] = mark;
      marks.push(mark);
    }
  });
  return marks;
}

/** Of a window of a long run, as the server counted it. Positions are those of its axis, less the start. `last`: the last entry. */
export function pictureOfReply(reply: TimelineReply, last: number): TimelinePicture {
  const { axis, start, end, from, bucketSize } = reply;
  const length = Math.max(end - start, 1);
  const kinds = Object.keys(reply.density) as EvidenceKind[];
  const lanes = laneOrder.filter((name) => kinds.some((kind) => laneOf[kind] === name));
  const counts = lanes.map((name) => summed(kinds.filter((kind) => laneOf[kind] === name).map((kind) => reply.density[kind] ?? [])));
  const most = counts.map((lane) => Math.max(...lane, 1));
  const bands = reply.interactions.map((one) => ({ from: one.start - start, to: one.end - start, text: one.interactionId }));
  return {
    lanes,
    length,
    bands: (view, widthPx) => joinedBands(bands, view, widthPx),
    bars: (view, widthPx) =>
      counts.flatMap((lane, laneIndex) =>
        lane.flatMap((count, bucket) => {
          if (count === 0) return [];
          const x = place(from - start + bucket * bucketSize, view, widthPx);
          const bar = { x, widthPx: Math.max((bucketSize / (view.to - view.from)) * widthPx - 1, 1.5) };
          const share = Math.log1p(count) / Math.log1p(most[laneIndex]!);
          return x + bar.widthPx < 0 || x > widthPx
            ? []
            : [{ ...bar, lane: laneIndex, share, count, sequence: reply.firstSequences[bucket] ?? 1 }];
        }),
      ),
    marks: (view, widthPx) => {
      const marks: MarkGroup[] = [];
      for (const mark of reply.marks) {
        const tone: Tone = mark.kind === 'fault' || mark.kind === 'fault_control' ? 'fault' : 'bad';
        const x = place(mark.at - start, view, widthPx);
        if ((!mark.failed && tone !== 'fault') || x < -10 || x > widthPx + 10) continue;
        const lane = lanes.indexOf(laneOf[mark.kind]);
        const near = marks.find((other) => other.lane === lane && other.tone === tone && Math.abs(other.x - x) < tuning.joinPx);
        if (near === undefined) marks.push({ x, lane, tone, count: 1, sequence: mark.sequence, label: mark.label });
        else near.count++;
      }
      return marks;
    },
    ticks: (view, widthPx) => {
      const inView = { from: Math.max(Math.round(view.from), 0), to: Math.min(Math.round(view.to), length) };
      const ticks = axis === 'time' ? timeTicks(inView) : sequenceTicks(inView, start);
      return thinned(
        ticks.map(({ at, text }) => ({ x: place(at, view, widthPx), text })),
        widthPx,
      );
    },
    positionOf: ({ virtualTimeUs, sequence }) => (axis === 'time' ? virtualTimeUs : sequence) - start,
    laneAt: ({ kind }) => Math.max(lanes.indexOf(laneOf[kind]), 0),
    ...stretchesOf(reply, last),
  };
}

/** On the axis of time as exactly as the buckets are, until the source has said more. */
function stretchesOf(
  { axis, start, end, from, bucketSize, firstSequences }: TimelineReply,
  last: number,
): Pick<TimelinePicture, 'sequencesIn' | 'stretchOf'> {
  const nonEmpty = (range: SequenceRange): SequenceRange | undefined => (range.to < range.from ? undefined : range);
  if (axis === 'sequence')
    return {
      sequencesIn: (view) =>
        nonEmpty({ from: Math.max(Math.ceil(view.from) + start, start), to: Math.min(Math.floor(view.to) + start, end) }),
      stretchOf: (range) => ({ from: range.from - start, to: range.to - start }),
    };
  const bucketOf = (position: number): number => Math.floor((position + start - from) / bucketSize);
  const firstOf = (bucket: number): number => (bucket < 0 ? 1 : (firstSequences[bucket] ?? last + 1));
  /** The bucket that an entry lies in: the last that begins with it or before. */
  const holding = (sequence: number): number =>
    Math.max(
      firstSequences.findLastIndex((first) => first <= sequence),
      0,
    );
  return {
    sequencesIn: (view) => nonEmpty({ from: firstOf(bucketOf(view.from)), to: firstOf(bucketOf(view.to) + 1) - 1 }),
    stretchOf: (range) => {
      const begin = from - start + holding(range.from) * bucketSize;
      return { from: begin, to: Math.max(from - start + (holding(range.to) + 1) * bucketSize, begin) };
    },
  };
}

function timeTicks({ from, to }: AxisView): { at: number; text: string }[] {
  return linearAxis([], { fromUs: from, toUs: to }).ticks.map(({ timeUs }) => ({ at: timeUs, text: virtualOffset(timeUs) }));
}
/** At round sequences. */
function sequenceTicks({ from, to }: AxisView, start: number): { at: number; text: string }[] {
  const power = 10 ** Math.floor(Math.log10(Math.max((to - from) / 8, 1)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= (to - from) / 8) ?? power;
  const ticks: { at: number; text: string }[] = [];
  for (let sequence = Math.ceil((from + start) / step) * step; sequence <= to + start; sequence += step)
    ticks.push({ at: sequence - start, text: `#${sequence.toLocaleString('en-US')}` });
  return ticks;
}

const place = (position: number, view: AxisView, widthPx: number): number => ((position - view.from) / (view.to - view.from)) * widthPx;

function joinedBands(bands: readonly BandPlace[], view: AxisView, widthPx: number): Band[] {
  const joined: (Band & { count: number; first: string })[] = [];
  for (const band of bands) {
    const x = Math.max(place(band.from, view, widthPx), 0);
    const end = Math.min(place(band.to, view, widthPx), widthPx);
    if (end < 0 || x > widthPx) continue;
    const before = joined.at(-1);
    if (before === undefined || x > before.x + before.widthPx + 2) {
      joined.push({ x, widthPx: Math.max(end - x, 3), text: band.text, first: band.text, count: 1 });
    } else {
      before.widthPx = Math.max(end - before.x, before.widthPx);
      before.count++;
      before.text = `${before.first} and ${before.count - 1} more`;
    }
  }
  return joined;
}

/** Ticks whose texts do not run into each other. */
function thinned(ticks: Tick[], widthPx: number, apartPx: number = tuning.tickPx): Tick[] {
  const kept: Tick[] = [];
  for (const tick of ticks) {
    if (tick.x < 0 || tick.x > widthPx - 20) continue;
    if (kept.length === 0 || tick.x - kept.at(-1)!.x >= apartPx) kept.push(tick);
  }
  return kept;
}

function summed(lists: readonly (readonly number[])[]): number[] {
  const length = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length }, (_, index) => lists.reduce((sum, list) => sum + (list[index] ?? 0), 0));
}

function toneOf(entry: EvidenceEntry): Tone {
  if (entry.kind === 'fault' || entry.kind === 'fault_control') return 'fault';
  if (entryIsProblem(entry)) return 'bad';
  if (entry.kind === 'operation' || entry.kind === 'verification') return 'good';
  return entry.kind === 'event' && entry.phase === 'scheduled' ? 'planned' : 'plain';
}
