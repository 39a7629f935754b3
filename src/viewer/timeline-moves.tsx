// How the timeline is moved and marked: wheel and drag, keys, and a range that is dragged over it or grown by keys.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SequenceRange } from './journal-filter.ts';
import type { TimelinePicture } from './timeline-picture.ts';
import { type AxisView, panned, zoomed } from './timeline-scale.js';
import { tuning } from './tuning.js';

interface Movable {
  picture: TimelinePicture;
  view: AxisView;
  setView: (view: AxisView | undefined) => void;
  selected: number | undefined;
  range: SequenceRange | undefined;
  onRange: (range: SequenceRange | undefined) => void;
  /** A stretch of the axis was drawn. */
  onStretch: (stretch: AxisView) => void;
  /** A drag chooses a range, without Shift too. */
  isSelecting: boolean;
}
interface Box {
  current: HTMLElement | null;
}

/**
 * Ctrl or Cmd with the wheel zooms where the pointer is, a sideways wheel and a drag pan, a drag with Shift chooses a range; a plain wheel
 * scrolls the page as everywhere.
 */
export function useTimelineMoves(box: Box, now: Movable) {
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
  useWheel(box, { zoom, pan });
  const drawn = useDrags(box, latest, pan);
  const grow = useRangeGrowth(latest);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { range, onRange, setView } = latest.current;
    const act = {
      ArrowLeft: () => (event.shiftKey ? grow(-1) : pan(-0.15)),
      ArrowRight: () => (event.shiftKey ? grow(1) : pan(0.15)),
      '+': () => zoom(1.6),
      '=': () => zoom(1.6),
      '-': () => zoom(1 / 1.6),
      '0': () => setView(undefined),
      ...(range === undefined ? {} : { Escape: () => onRange(undefined) }),
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return { zoom, onKeyDown, drawn };
}

function useWheel(box: Box, { zoom, pan }: { zoom: (factor: number, share?: number) => void; pan: (share: number) => void }): void {
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
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box]);
}

/** A drag pans, or draws a stretch that becomes a range when it ends. The stretch while it is drawn. */
function useDrags(box: Box, latest: { current: Movable }, pan: (share: number) => void): AxisView | undefined {
  const [drawn, setDrawn] = useState<AxisView | undefined>();
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let drag: { x: number; last: number; isRange: boolean } | undefined;
    const stretch = (from: number, to: number): AxisView => {
      const { left, width } = element.getBoundingClientRect();
      const { view } = latest.current;
      const at = (x: number): number => view.from + Math.min(Math.max((x - left) / width, 0), 1) * (view.to - view.from);
      return { from: at(Math.min(from, to)), to: at(Math.max(from, to)) };
    };
    const onDown = (event: PointerEvent): void => {
      const isRange = event.shiftKey || latest.current.isSelecting;
      if (event.button !== 0 || (event.pointerType !== 'mouse' && !isRange)) return;
      drag = { x: event.clientX, last: event.clientX, isRange };
      // Else the browser marks text.
      if (event.shiftKey) event.preventDefault();
    };
    const onMove = (event: PointerEvent): void => {
      if (drag === undefined || event.buttons === 0) return;
      if (drag.isRange) setDrawn(stretch(drag.x, event.clientX));
      else pan((drag.last - event.clientX) / element.clientWidth);
      drag.last = event.clientX;
    };
    const onUp = (event: PointerEvent): void => {
      const ended = drag;
      drag = undefined;
      setDrawn(undefined);
      if (ended === undefined || !ended.isRange || Math.abs(event.clientX - ended.x) < tuning.dragPxMin) return;
      latest.current.onStretch(stretch(ended.x, event.clientX));
    };
    const onCancel = (): void => {
      drag = undefined;
      setDrawn(undefined);
    };
    element.addEventListener('pointerdown', onDown);
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onUp);
    addEventListener('pointercancel', onCancel);
    return () => {
      element.removeEventListener('pointerdown', onDown);
      removeEventListener('pointermove', onMove);
      removeEventListener('pointerup', onUp);
      removeEventListener('pointercancel', onCancel);
    };
  }, [box]);
  return drawn;
}

/** From the entry that is looked at, or the first in sight: one end stays, the other moves. */
function useRangeGrowth(latest: { current: Movable }): (by: 1 | -1) => void {
  const ends = useRef<{ anchor: number; moved: number } | undefined>(undefined);
  return (by) => {
    const { picture, view, range, selected, onRange } = latest.current;
    const inSight = picture.sequencesIn(view);
    const all = picture.sequencesIn({ from: 0, to: picture.length });
    if (inSight === undefined || all === undefined) return;
    const step = Math.max(Math.floor((inSight.to - inSight.from + 1) / tuning.rangeSteps), 1);
    const known = ends.current;
    const isKnown =
      known !== undefined && range?.from === Math.min(known.anchor, known.moved) && range.to === Math.max(known.anchor, known.moved);
    const { anchor, moved } = isKnown
      ? known
      : range !== undefined
        ? { anchor: range.from, moved: range.to }
        : { anchor: selected ?? inSight.from, moved: selected ?? inSight.from };
    const next = Math.min(Math.max(moved + by * step, all.from), all.to);
    ends.current = { anchor, moved: next };
    onRange({ from: Math.min(anchor, next), to: Math.max(anchor, next) });
  };
}
