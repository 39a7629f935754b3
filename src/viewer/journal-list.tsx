// The journal as a list that draws only the rows in view, however long it is. One tab stop; arrows, Page Up and Down, Home and End move.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { type BriefOptions, entryBrief } from '../reports/entry-brief.js';
import { entryIsProblem, entryText } from '../reports/entry-text.js';
import { kindNames } from '../reports/words.js';
import { virtualDuration, virtualOffset } from '../text/virtual-time.js';
import { visibleLine } from '../text/visible-text.js';
import type { JournalPages } from './journal-pages.ts';
import { Marked } from './kit/marked.tsx';
import { placeOf, snippetOf } from './kit/marked-text.ts';
import { counted } from './kit/parts.tsx';
import { RowWindow } from './kit/row-window.ts';
import { usePrinted } from './kit/use-printed.tsx';
import { tuning } from './tuning.js';

export interface JournalListProps {
  pages: JournalPages;
  /** How many there are. */
  count: number;
  /** The sequence at a position (from 1), and the other way round (the nearest at or before). */
  sequenceAt: (position: number) => number;
  positionOf: (sequence: number) => number;
  selected: number | undefined;
  onSelect: (sequence: number) => void;
  startUs: number;
  brief: BriefOptions;
  /** Stays at the end as it grows. */
  follows: boolean;
  cited: ReadonlySet<number>;
  /** What was searched for. */
  words: string;
  label: string;
  /** What the agent said right after an entry, in short. */
  said: ReadonlyMap<number, string>;
}

export function JournalList(props: JournalListProps) {
  const { pages, count, selected } = props;
  const box = useRef<HTMLDivElement>(null);
  const drawn = useSignal(0);
  const rows = useMemo(() => new RowWindow(tuning.journalRowPx), []);
  const redraw = (): void => {
    drawn.value++;
  };
  useScrolling(box, rows, count, redraw);
  const position = selected === undefined ? 0 : props.positionOf(selected);
  const shown = { count, pages, redraw };
  useRevealed(box, rows, { ...shown, position, place: 'center' });
  useRevealed(box, rows, { ...shown, position: props.follows ? count : 0, place: 'nearest' });
  void drawn.value;
  const isPrinted = usePrinted();
  const { from, to } = isPrinted ? printedRows(rows, pages) : rows.visible(tuning.journalMarginRows);
  useEffect(() => pages.onArrival(redraw), [pages]);
  useWanted(pages, { from, to, count, isPrinted });
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = movePosition(
      event.key,
      Math.max(position, 1),
      count,
      Math.floor((box.current?.clientHeight ?? 300) / tuning.journalRowPx),
    );
    if (next === undefined || count === 0) return;
    event.preventDefault();
    if (box.current !== null) {
      rows.reveal(next - 1, 'nearest');
      settle(box.current, rows);
    }
    props.onSelect(props.sequenceAt(next));
  };
  const list = (
    <div
      class="journal"
      style={columnsOf(props, pages)}
      role="listbox"
      tabIndex={0}
      ref={box}
      data-place="journal"
      aria-label={props.label}
      aria-activedescendant={position >= from + 1 && position <= to ? `entry-${selected}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div class="journal-area" role="presentation" style={{ height: `${rows.areaPx}px` }}>
        {Array.from({ length: Math.max(to - from, 0) }, (_, at) => from + at + 1).map((row) => (
          <Row
            key={row}
            row={row}
            list={props}
            topPx={rows.shiftPx + (row - 1) * tuning.journalRowPx}
            entry={pages.peek(row)}
            before={row === from + 1 ? undefined : pages.peek(row - 1)}
          />
        ))}
      </div>
    </div>
  );
  return (
    <>
      {isPrinted && <LeftOut {...props} from={from} to={to} />}
      {list}
    </>
  );
}

function LeftOut({ from, to, count, sequenceAt }: JournalListProps & { from: number; to: number }) {
  if (from === 0 && to === count) return null;
  return (
    <p class="journal-nothing quiet">
      Printed are #{sequenceAt(from + 1)} to #{sequenceAt(to)}, what was loaded around the place in sight:{' '}
      {counted(to - from, 'entry', 'entries')} of {count.toLocaleString('en-US')}. The others are left out.
    </p>
  );
}

interface Wanted {
  from: number;
  to: number;
  count: number;
  /** Paper does not wait. */
  isPrinted: boolean;
}

function useWanted(pages: JournalPages, { from, to, count, isPrinted }: Wanted): void {
  useEffect(() => {
    if (to <= from || isPrinted) return;
    // A drag over many pages asks for none of them until it slows down.
    const timer = setTimeout(
      () => pages.want(from + 1, to),
      pages.peek(from + 1) === undefined || pages.peek(to) === undefined ? tuning.listRestMs : 0,
    );
    return () => clearTimeout(timer);
  }, [from, to, pages, count, isPrinted]);
}

/** What is here already, around what is in sight: paper does not wait for more. */
function printedRows(rows: RowWindow, pages: JournalPages): { from: number; to: number } {
  let { from, to } = rows.visible(0);
  while (to > from && pages.peek(to) === undefined) to--;
  while (to - from < tuning.printedRowsMax && from > 0 && pages.peek(from) !== undefined) from--;
  while (to - from < tuning.printedRowsMax && pages.peek(to + 1) !== undefined) to++;
  return { from, to };
}

interface Revealed {
  /** From 1; 0: none. */
  position: number;
  place: 'center' | 'nearest';
  count: number;
  pages: JournalPages;
  redraw: () => void;
}

/** Brings a row into sight whenever it is another, or the list has grown. */
function useRevealed(box: { current: HTMLElement | null }, rows: RowWindow, { position, place, count, pages, redraw }: Revealed): void {
  useLayoutEffect(() => {
    if (position < 1 || position > count || box.current === null) return;
    rows.resize(count, box.current.clientHeight);
    (box.current.firstElementChild as HTMLElement).style.height = `${rows.areaPx}px`;
    rows.reveal(position - 1, place);
    settle(box.current, rows);
    redraw();
  }, [position, count, pages]);
}

/** As wide as the longest number and time need. */
function columnsOf({ count, startUs, sequenceAt }: JournalListProps, pages: JournalPages) {
  const lastUs = pages.peek(count)?.virtualTimeUs;
  const lastTime = lastUs === undefined ? '' : virtualOffset(lastUs - startUs);
  const digits = String(sequenceAt(Math.max(count, 1))).length;
  return {
    '--number-px': `${Math.ceil(Math.max(digits, 2) * tuning.digitPx)}px`,
    '--time-px': `${lastTime === '' ? tuning.dayTimePx : Math.ceil(Math.max(tuning.timePx, lastTime.length * tuning.digitPx))}px`,
  };
}

interface RowProps {
  row: number;
  list: JournalListProps;
  topPx: number;
  entry: EvidenceEntry | undefined;
  /** The one above it, where that is drawn. */
  before: EvidenceEntry | undefined;
}

function Row({ row, list, topPx, entry, before }: RowProps) {
  const sequence = entry?.sequence ?? list.sequenceAt(row);
  const marks = [
    'entry-row',
    ...(sequence === list.selected ? ['chosen'] : []),
    ...(list.cited.has(sequence) ? ['cited'] : []),
    ...(entry !== undefined && entryIsProblem(entry) ? ['problem'] : []),
    ...(entry !== undefined && entry.transactionIndex > 0 ? ['effect'] : []),
  ];
  return (
    <div
      id={`entry-${sequence}`}
      role="option"
      tabIndex={-1}
      class={marks.join(' ')}
      aria-selected={sequence === list.selected}
      aria-setsize={list.count}
      aria-posinset={row}
      style={{ transform: `translateY(${topPx}px)` }}
      onClick={() => list.onSelect(sequence)}
    >
      <span class="number">{sequence}</span>
      {entry === undefined ? (
        <span class="bone" />
      ) : (
        <>
          <Time entry={entry} before={before} startUs={list.startUs} />
          <span class={`kind kind-${entry.kind}`}>{kindNames[entry.kind]}</span>
          <Text entry={entry} brief={list.brief} words={list.words} said={list.said.get(sequence)} />
        </>
      )}
    </div>
  );
}

/** Printed where it moves; a jump of the clock says how far. */
function Time({ entry, before, startUs }: { entry: EvidenceEntry; before: EvidenceEntry | undefined; startUs: number }) {
  const time = virtualOffset(entry.virtualTimeUs - startUs);
  if (before?.virtualTimeUs === entry.virtualTimeUs) return <span class="time" />;
  const jumpUs = before === undefined ? 0 : entry.virtualTimeUs - before.virtualTimeUs;
  return (
    <span class="time">
      {time}
      {jumpUs >= tuning.jumpUsMin && <span class="jump">+{virtualDuration(jumpUs)}</span>}
    </span>
  );
}

function Text({ entry, brief, words, said }: { entry: EvidenceEntry; brief: BriefOptions; words: string; said: string | undefined }) {
  const { text, more } = entryBrief(entry, brief);
  return (
    <span class="text">
      {words !== '' ? <Found entry={entry} words={words} /> : visibleLine(text)}
      {said !== undefined && <span class="said">{visibleLine(said)}</span>}
      {words === '' && more !== '' && <span class="more-text"> {visibleLine(more)}</span>}
    </span>
  );
}

/** The entry in a line, what was searched for marked; where the line does not have it, with the piece of the entry that does. */
function Found({ entry, words }: { entry: EvidenceEntry; words: string }) {
  const text = visibleLine(entryText(entry));
  if (placeOf(text, words) >= 0) return <Marked text={text} words={words} />;
  return (
    <>
      {text}{' '}
      <span class="snippet">
        <Marked text={visibleLine(snippetOf(JSON.stringify(entry), words))} words={words} />
      </span>
    </>
  );
}

function movePosition(key: string, position: number, count: number, page: number): number | undefined {
  const to = {
    ArrowDown: position + 1,
    ArrowUp: position - 1,
    PageDown: position + page,
    PageUp: position - page,
    Home: 1,
    End: count,
  }[key];
  return to === undefined ? undefined : Math.min(Math.max(to, 1), count);
}

function settle(box: HTMLElement, rows: RowWindow): void {
  const place = rows.restingPlace();
  if (Math.abs(box.scrollTop - place) > 0.5) box.scrollTop = place;
  rows.settled(box.scrollTop);
}

/** Follows the scroll bar: draws at most once a frame, and puts a scaled bar right once it rests. */
function useScrolling(box: { current: HTMLElement | null }, rows: RowWindow, count: number, redraw: () => void): void {
  const latest = useRef(redraw);
  latest.current = redraw;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    let frame = 0;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      frame = 0;
      latest.current();
    };
    const onScroll = (): void => {
      rows.scrolledTo(element.scrollTop);
      if (frame === 0) frame = requestAnimationFrame(draw);
      clearTimeout(rest);
      rest = setTimeout(() => {
        settle(element, rows);
        latest.current();
      }, tuning.listSettleMs);
    };
    const onResize = new ResizeObserver(() => {
      rows.resize(count, element.clientHeight);
      latest.current();
    });
    rows.resize(count, element.clientHeight);
    latest.current();
    element.addEventListener('scroll', onScroll, { passive: true });
    onResize.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll);
      onResize.disconnect();
      cancelAnimationFrame(frame);
      clearTimeout(rest);
    };
  }, [rows, count, box]);
}
