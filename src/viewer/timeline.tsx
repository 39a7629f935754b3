// The virtual-time timeline: lanes of what happened, zoomed and panned by wheel, drag, keys and buttons. What is chosen here is chosen
// everywhere.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TimelineAxis, TimelineReply } from '../contract/inspector/journal.js';
import type { InteractionResult } from '../contract/run/run.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { axisWords } from '../reports/words.js';
import type { EntryContext } from './entry-context.tsx';
import type { EvidenceSource } from './evidence-source.ts';
import { useSettled } from './growth.tsx';
import type { SequenceRange } from './journal-filter.ts';
import { Failure, Skeleton, useLoad } from './kit/loading.tsx';
import { TimelineDrawing } from './timeline-drawing.tsx';
import { Minimap } from './timeline-minimap.tsx';
import { useTimelineMoves } from './timeline-moves.tsx';
import { pictureOfEntries, pictureOfReply, type TimelinePicture } from './timeline-picture.ts';
import { entriesBetween, stretchBetween } from './timeline-range.ts';
import { type AxisView, isPart, wholeAxis } from './timeline-scale.js';
import { tuning } from './tuning.js';

export interface TimelineProps {
  source: EvidenceSource;
  count: number;
  interactions: readonly Pick<InteractionResult, 'interactionId' | 'startedAtVirtualUs' | 'finishedAtVirtualUs'>[];
  selected: number | undefined;
  onSelect: (sequence: number) => void;
  /** Of the selected one, as soon as it is known. */
  context: EntryContext | undefined;
  /** What the journal is narrowed to. */
  range: SequenceRange | undefined;
  onRange: (range: SequenceRange | undefined) => void;
}

export function Timeline(props: TimelineProps) {
  const count = useSettled(props.source.held?.length ?? props.count);
  return count <= tuning.timelineWholeEntriesMax ? <ShortTimeline {...props} count={count} /> : <LongTimeline {...props} count={count} />;
}

async function allEntries(source: EvidenceSource, count: number): Promise<EvidenceEntry[]> {
  const entries: EvidenceEntry[] = [];
  while (entries.length < Math.min(count, tuning.timelineWholeEntriesMax)) {
    const from = (entries.at(-1)?.sequence ?? 0) + 1;
    const page = await source.entries(from, tuning.timelineEntriesAtOnce);
    if (page.length === 0) break;
    entries.push(...page);
  }
  return entries;
}

function ShortTimeline({ source, count, interactions, selected, ...shared }: TimelineProps) {
  const [axis, setAxis] = useState<'elastic' | 'linear'>('elastic');
  const entries = useLoad(`timeline ${source.id} ${count}`, () => allEntries(source, count), { keep: true });
  const picture = useMemo(
    () =>
      pictureOfEntries(
        entries.value ?? [],
        interactions.map((one) => ({ interactionId: one.interactionId, startUs: one.startedAtVirtualUs, endUs: one.finishedAtVirtualUs })),
        axis,
      ),
    [entries.value, interactions, axis],
  );
  const [view, setView] = useState<AxisView | undefined>();
  if (entries.value === undefined)
    return entries.error === undefined ? (
      <Skeleton what="the timeline" />
    ) : (
      <Failure error={entries.error} what="the timeline" retry={entries.reload} />
    );
  const switchAxis = (next: 'elastic' | 'linear'): void => {
    setAxis(next);
    setView(undefined);
  };
  return (
    <Frame
      {...shared}
      picture={picture}
      whole={picture}
      view={view ?? wholeAxis(picture.length)}
      setView={setView}
      onStretch={(stretch) => shared.onRange(picture.sequencesIn(stretch))}
      stretch={shared.range && picture.stretchOf(shared.range)}
      selected={entries.value.find((entry) => entry.sequence === selected)}
    >
      <AxisSwitch names={shortAxes} chosen={axis} onChoose={switchAxis} />
    </Frame>
  );
}

const shortAxes = { elastic: axisWords.elastic, linear: axisWords.linear } as const;
const longAxes = { sequence: axisWords.sequence, time: axisWords.linear } as const;

function AxisSwitch<Name extends string>({
  names,
  chosen,
  onChoose,
}: {
  names: { readonly [N in Name]: string };
  chosen: Name;
  onChoose: (name: Name) => void;
}) {
  return (
    <div class="switch" role="group" aria-label="Axis">
      {(Object.keys(names) as Name[]).map((name) => (
        <button key={name} type="button" aria-pressed={chosen === name} onClick={() => onChoose(name)}>
          {names[name]}
        </button>
      ))}
    </div>
  );
}

function LongTimeline({ source, count, interactions: _, selected, ...shared }: TimelineProps) {
  const { range, onRange } = shared;
  const [chosen, setChosen] = useState<TimelineAxis | undefined>();
  const whole = useLoad(`timeline ${source.id} ${count} ${chosen}`, () => wholeTimeline(source, chosen), { keep: true });
  const [view, setView] = useState<AxisView | undefined>();
  const [near, setNear] = useState<TimelineReply | undefined>();
  const { axis, start, end } = whole.value ?? { axis: chosen ?? 'time', start: 0, end: 0 };
  useEffect(() => {
    if (view === undefined) return setNear(undefined);
    const asked = new AbortController();
    const window = { axis, from: Math.max(Math.floor(start + view.from), start), to: Math.min(Math.ceil(start + view.to), end) };
    const timer = setTimeout(() => {
      source.timeline({ ...window, buckets: tuning.timelineBucketsMax }, asked.signal).then(setNear, () => undefined);
    }, tuning.timelineAskMs);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [view, source, axis, start, end]);
  const last = source.held?.at(-1) ?? count;
  const overview = useMemo(() => whole.value && pictureOfReply(whole.value, last), [whole.value, last]);
  const picture = useMemo(
    () => (near === undefined || near.axis !== whole.value?.axis ? overview : pictureOfReply(near, last)),
    [near, whole.value, overview, last],
  );
  const chooseTime = useLatestOf((stretch: AxisView, signal) =>
    entriesBetween(source, { fromUs: Math.max(start + stretch.from, 0), toUs: Math.max(start + stretch.to, 0) }, signal).then(
      (found) => !signal.aborted && onRange(found),
      () => undefined,
    ),
  );
  const times = useLoad(`stretch ${source.id} ${range?.from} ${range?.to}`, async () =>
    range === undefined ? null : stretchBetween(source, range),
  );
  const switchAxis = (next: TimelineAxis): void => {
    setChosen(next);
    setView(undefined);
  };
  if (picture === undefined)
    return whole.error === undefined ? (
      <Skeleton what="the timeline" />
    ) : (
      <Failure error={whole.error} what="the timeline" retry={whole.reload} />
    );
  const isPictured = axis === 'sequence' || times.value === null;
  const exact = times.value ?? undefined;
  const stretch = isPictured
    ? range && (overview ?? picture).stretchOf(range)
    : exact && { from: exact.from - start, to: exact.to - start };
  return (
    <Frame
      {...shared}
      picture={picture}
      whole={overview ?? picture}
      view={view ?? wholeAxis(picture.length)}
      setView={setView}
      onStretch={axis === 'time' ? chooseTime : (stretch) => shared.onRange(picture.sequencesIn(stretch))}
      stretch={stretch}
      selected={selected === undefined ? undefined : source.held === undefined ? source.journal.peek(selected) : shared.context?.entry}
    >
      <AxisSwitch names={longAxes} chosen={axis} onChoose={switchAxis} />
    </Frame>
  );
}

/** What it does, given up as soon as it is done again. */
function useLatestOf<T>(act: (given: T, signal: AbortSignal) => void): (given: T) => void {
  const asked = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => asked.current?.abort(), []);
  return (given) => {
    asked.current?.abort();
    asked.current = new AbortController();
    act(given, asked.current.signal);
  };
}

/** Entry by entry where virtual time is spent at a few moments alone, or not at all: over time the picture would be empty. */
async function wholeTimeline(source: EvidenceSource, chosen: TimelineAxis | undefined): Promise<TimelineReply> {
  const ask = (axis: TimelineAxis) => source.timeline({ axis, buckets: tuning.timelineBucketsMax }, new AbortController().signal);
  const reply = await ask(chosen ?? 'time');
  return chosen === undefined && isSparse(reply) ? ask('sequence') : reply;
}

function isSparse({ start, end, density }: TimelineReply): boolean {
  const counts = Object.values(density);
  const buckets = counts[0]?.length ?? 0;
  const filled = Array.from({ length: buckets }, (_, bucket) => counts.some((column) => (column[bucket] ?? 0) > 0));
  return start === end || filled.filter(Boolean).length < buckets * tuning.timelineFilledPartMin;
}

interface FrameProps extends Pick<TimelineProps, 'context' | 'range' | 'onRange' | 'onSelect'> {
  picture: TimelinePicture;
  /** Of the whole axis, where `picture` is of a part of it. */
  whole: TimelinePicture;
  view: AxisView;
  setView: (view: AxisView | undefined) => void;
  onStretch: (stretch: AxisView) => void;
  /** What the journal is narrowed to, as far as it is known. */
  stretch: AxisView | undefined;
  selected: EvidenceEntry | undefined;
  children?: ComponentChildren;
}

function Frame({ picture, whole, view, setView, onStretch, stretch, selected, context, range, onRange, onSelect, children }: FrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(box);
  const [isSelecting, setIsSelecting] = useState(false);
  const move = useTimelineMoves(box, { picture, view, setView, selected: selected?.sequence, range, onRange, onStretch, isSelecting });
  return (
    <section class={isSelecting ? 'timeline selecting' : 'timeline'} aria-labelledby="timeline-title">
      <header class="timeline-bar">
        <h2 id="timeline-title">Timeline</h2>
        {children}
        <div class="zoom" role="group" aria-label="Range and zoom">
          {range !== undefined && (
            <button type="button" onClick={() => onRange(undefined)}>
              Clear the range
            </button>
          )}
          <button
            type="button"
            aria-pressed={isSelecting}
            title="Drag over the timeline; without this, hold Shift"
            onClick={() => setIsSelecting(!isSelecting)}
          >
            Range
          </button>
          <button type="button" class="icon" aria-label="Zoom out" onClick={() => move.zoom(1 / 1.6)}>
            −
          </button>
          <button type="button" class="icon" aria-label="Zoom in" onClick={() => move.zoom(1.6)}>
            +
          </button>
          <button type="button" onClick={() => setView(undefined)}>
            {axisWords.fit}
          </button>
        </div>
      </header>
      <div class="timeline-grid">
        <div class="minimap-place">
          {isPart(view, whole.length, tuning.wholeShare) && <Minimap picture={whole} view={view} widthPx={widthPx} onView={setView} />}
        </div>
        <ul class="lanes" aria-label="Lanes">
          {picture.lanes.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
        <div
          class="timeline-canvas"
          ref={box}
          tabIndex={0}
          role="group"
          aria-label="Timeline. Arrows pan, plus and minus zoom, 0 shows all, Shift and arrows choose a range, Escape clears it."
          onKeyDown={move.onKeyDown}
        >
          <TimelineDrawing
            picture={picture}
            view={view}
            widthPx={widthPx}
            selected={selected}
            context={context}
            stretch={move.drawn ?? stretch}
            onSelect={onSelect}
          />
        </div>
      </div>
    </section>
  );
}

function useWidth(box: { current: HTMLElement | null }): number {
  const [widthPx, setWidthPx] = useState(800);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = new ResizeObserver(() => setWidthPx(element.clientWidth));
    setWidthPx(element.clientWidth);
    measure.observe(element);
    return () => measure.disconnect();
  }, [box]);
  return Math.max(widthPx, 100);
}
