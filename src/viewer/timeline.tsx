// The virtual-time timeline: lanes of what happened, zoomed and panned by wheel, drag, keys and buttons. What is chosen here is chosen
// everywhere.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TimelineAxis, TimelineReply } from '../contract/inspector/journal.js';
import type { InteractionResult } from '../contract/run/run.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { axisWords } from '../reports/words.js';
import type { EvidenceSource } from './evidence-source.ts';
import { useSettled } from './growth.tsx';
import { Failure, Skeleton, useLoad } from './kit/loading.tsx';
import { TimelineDrawing } from './timeline-drawing.tsx';
import { pictureOfEntries, pictureOfReply, type TimelinePicture } from './timeline-picture.ts';
import { type AxisView, panned, wholeAxis, zoomed } from './timeline-scale.js';
import { tuning } from './tuning.js';

export interface TimelineProps {
  source: EvidenceSource;
  count: number;
  interactions: readonly Pick<InteractionResult, 'interactionId' | 'startedAtVirtualUs' | 'finishedAtVirtualUs'>[];
  selected: number | undefined;
  onSelect: (sequence: number) => void;
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

function ShortTimeline({ source, count, interactions, selected, onSelect }: TimelineProps) {
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
      picture={picture}
      view={view ?? wholeAxis(picture.length)}
      setView={setView}
      selected={entries.value.find((entry) => entry.sequence === selected)}
      onSelect={onSelect}
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

function LongTimeline({ source, count, selected, onSelect }: TimelineProps) {
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
  const picture = useMemo(() => {
    if (whole.value === undefined) return undefined;
    return pictureOfReply(near?.axis === whole.value.axis ? near : whole.value);
  }, [near, whole.value]);
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
  return (
    <Frame
      picture={picture}
      view={view ?? wholeAxis(picture.length)}
      setView={setView}
      selected={selected === undefined ? undefined : source.journal.peek(selected)}
      onSelect={onSelect}
    >
      <AxisSwitch names={longAxes} chosen={axis} onChoose={switchAxis} />
    </Frame>
  );
}

/** Entry by entry where no virtual time is spent. */
async function wholeTimeline(source: EvidenceSource, chosen: TimelineAxis | undefined): Promise<TimelineReply> {
  const ask = (axis: TimelineAxis) => source.timeline({ axis, buckets: tuning.timelineBucketsMax }, new AbortController().signal);
  const reply = await ask(chosen ?? 'time');
  return chosen === undefined && reply.start === reply.end ? ask('sequence') : reply;
}

interface FrameProps {
  picture: TimelinePicture;
  view: AxisView;
  setView: (view: AxisView | undefined) => void;
  selected: EvidenceEntry | undefined;
  onSelect: (sequence: number) => void;
  children?: ComponentChildren;
}

function Frame({ picture, view, setView, selected, onSelect, children }: FrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(box);
  const move = useMoves(box, { picture, view, setView });
  return (
    <section class="timeline" aria-labelledby="timeline-title">
      <header class="timeline-bar">
        <h2 id="timeline-title">Timeline</h2>
        {children}
        <div class="zoom" role="group" aria-label="Zoom">
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
          aria-label="Timeline. Arrows pan, plus and minus zoom, 0 shows all."
          onKeyDown={move.onKeyDown}
        >
          <TimelineDrawing picture={picture} view={view} widthPx={widthPx} selected={selected} onSelect={onSelect} />
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

/** Ctrl or Cmd with the wheel zooms where the pointer is, a sideways wheel and a drag pan; a plain wheel scrolls the page as everywhere. */
function useMoves(
  box: { current: HTMLElement | null },
  now: { picture: TimelinePicture; view: AxisView; setView: (view: AxisView | undefined) => void },
) {
  const latest = useRef(now);
  latest.current = now;
  const zoom = (factor: number, share = 0.5): void => {
    const { picture, view, setView } = latest.current;
    setView(zoomed(view, picture.length, { factor, at: view.from + (view.to - view.from) * share }));
  };
  const pan = (share: number): void => {
    const { picture, view, setView } = latest.current;
    setView(panned(view, picture.length, (view.to - view.from) * share));
  };
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent): void => {
      const { left, width } = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 300), (event.clientX - left) / width);
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / width);
      else return;
      event.preventDefault();
    };
    let from: number | undefined;
    const onDown = (event: PointerEvent): void => {
      if (event.pointerType === 'mouse' && event.button === 0) from = event.clientX;
    };
    const onMove = (event: PointerEvent): void => {
      if (from === undefined || event.buttons === 0) return;
      pan((from - event.clientX) / element.clientWidth);
      from = event.clientX;
    };
    const onUp = (): void => {
      from = undefined;
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    element.addEventListener('pointerdown', onDown);
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onUp);
    return () => {
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('pointerdown', onDown);
      removeEventListener('pointermove', onMove);
      removeEventListener('pointerup', onUp);
    };
  }, [box]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = {
      ArrowLeft: () => pan(-0.15),
      ArrowRight: () => pan(0.15),
      '+': () => zoom(1.6),
      '=': () => zoom(1.6),
      '-': () => zoom(1 / 1.6),
      '0': () => latest.current.setView(undefined),
    }[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return { zoom, onKeyDown };
}
