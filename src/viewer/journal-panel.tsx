// The journal with its filter, searched through the whole of it. A filter gives a list of sequences; the list shows those.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SearchQuery } from '../contract/inspector/journal.js';
import type { Transcript } from '../contract/run/transcript.js';
import type { BriefOptions } from '../reports/entry-brief.js';
import type { EvidenceSource } from './evidence-source.ts';
import { useSettled } from './growth.tsx';
import { JournalBar } from './journal-bar.tsx';
import { type FilterChoices, type JournalFilter, searchOfFilter } from './journal-filter.ts';
import { useJournalKeys } from './journal-keys.tsx';
import { JournalList } from './journal-list.tsx';
import { JournalPages } from './journal-pages.ts';
import { Failure } from './kit/loading.tsx';
import { counted } from './kit/parts.tsx';
import { saidInShort } from './transcript.tsx';
import { tuning } from './tuning.js';

export interface JournalPanelProps {
  source: EvidenceSource;
  count: number;
  startUs: number;
  kinds?: { [kind: string]: number } | undefined;
  filter: JournalFilter;
  onFilter: (filter: JournalFilter) => void;
  choices: FilterChoices;
  brief: BriefOptions;
  /** It grows: the list can follow its end. */
  isLive: boolean;
  selected: number | undefined;
  cited: ReadonlySet<number>;
  transcript: Transcript;
  onSelect: (sequence: number) => void;
}

export function JournalPanel(props: JournalPanelProps) {
  const { source, count, kinds, filter, onFilter, choices } = props;
  const panel = useRef<HTMLElement>(null);
  const [follows, setFollows] = useState(true);
  useEffect(() => {
    // Who looks at an entry is not moved away from it.
    if (props.selected !== undefined) setFollows(false);
  }, [props.selected]);
  const found = useFound(source, searchOfFilter(filter), useSettled(count));
  return (
    <section
      class="journal-panel"
      // As high as all of it at most, whatever it is narrowed to.
      style={{ '--journal-rows': source.held?.length ?? count }}
      aria-labelledby="journal-panel-title"
      ref={panel}
    >
      <JournalBar
        filter={filter}
        onFilter={onFilter}
        choices={choices}
        kinds={kinds}
        summary={found === undefined ? counted(count, 'entry', 'entries') : found.summary}
        onLeave={() => panel.current?.querySelector<HTMLElement>('[role=listbox]')?.focus()}
      >
        {props.isLive && (
          <button type="button" aria-pressed={follows} onClick={() => setFollows(!follows)}>
            Follow
          </button>
        )}
      </JournalBar>
      <Rows
        {...props}
        of={found?.of}
        sequences={found?.sequences ?? source.held}
        failed={found?.failed}
        isFiltered={found?.sequences !== undefined}
        follows={props.isLive && follows}
      />
    </section>
  );
}

interface RowsProps extends JournalPanelProps {
  /** What was searched for. */
  of: string | undefined;
  sequences: readonly number[] | undefined;
  /** Nothing could be searched. */
  failed: Failed | undefined;
  isFiltered: boolean;
  follows: boolean;
}

function Rows({ of, sequences, failed, isFiltered, ...props }: RowsProps) {
  const { source, count } = props;
  const latest = useRef(sequences);
  latest.current = sequences;
  // More that is found later stands behind what was found before, of which the rows stay.
  const pages = useMemo(() => {
    if (sequences === undefined) return source.journal;
    const load = (from: number, limit: number) => source.entriesAt(latest.current?.slice(from - 1, from - 1 + limit) ?? []);
    return new JournalPages(load);
  }, [source, of, sequences === undefined]);
  const steps = {
    count: sequences?.length ?? count,
    sequenceAt: (position: number) => sequences?.[position - 1] ?? position,
    positionOf: (sequence: number) => (sequences === undefined ? sequence : positionIn(sequences, sequence)),
  };
  const { lines } = props.transcript;
  const said = useMemo(() => saidInShort(lines), [lines]);
  useJournalKeys({ ...props, ...steps });
  if (failed !== undefined) return <Failure what="what was searched for" {...failed} />;
  if (sequences?.length === 0)
    return (
      <p class="journal-nothing quiet">
        {source.held === undefined ? 'No entry matches.' : 'No entry of this page matches; evidence.jsonl has all of them.'} Text is looked
        for in the JSON of each entry, upper and lower case alike.
      </p>
    );
  return (
    <JournalList
      {...props}
      {...steps}
      pages={pages}
      said={said}
      words={props.filter.text.trim()}
      label={isFiltered ? 'Matching journal entries' : 'Journal entries'}
    />
  );
}

/** From 1, of the sequence if it is there, else 0. */
function positionIn(sequences: readonly number[], sequence: number): number {
  let [low, high] = [0, sequences.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sequences[middle]! < sequence) low = middle + 1;
    else high = middle;
  }
  return sequences[low] === sequence ? low + 1 : 0;
}

interface Failed {
  error: Error;
  retry: () => void;
}

interface Found {
  /** Of which search the sequences are. */
  of: string | undefined;
  sequences: readonly number[] | undefined;
  summary: string;
  failed?: Failed;
}

function useFound(source: EvidenceSource, query: SearchQuery | undefined, count: number): Found | undefined {
  const [found, setFound] = useState<Found | undefined>();
  const [turn, setTurn] = useState(0);
  const retry = (): void => setTurn(turn + 1);
  const key = JSON.stringify(query);
  const of = `${source.id} ${key}`;
  useEffect(() => {
    if (query === undefined) return setFound(undefined);
    const asked = new AbortController();
    // Looked through again because it has grown, it shows what was found before until then.
    setFound((before) =>
      before?.of === of && before.failed === undefined ? before : { of: before?.of, sequences: before?.sequences, summary: 'Searching…' },
    );
    const timer = setTimeout(() => {
      source.search({ ...query, view: 'sequences' }, asked.signal).then(
        ({ sequences = [], nextSequence }) =>
          setFound({
            of,
            sequences,
            summary: `${sequences.length.toLocaleString('en-US')}${nextSequence === undefined ? '' : '+'} of ${counted(source.held?.length ?? count, 'entry', 'entries')}${source.held === undefined ? '' : ` of this page; ${counted(count - source.held.length, 'more entry', 'more entries')} in evidence.jsonl`}`,
          }),
        (error: Error) => !asked.signal.aborted && setFound({ of, sequences: [], summary: '', failed: { error, retry } }),
      );
    }, tuning.filterRestMs);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [source, key, count, turn]);
  return found;
}
