// The journal with its filter: kinds, and text searched through the whole of it. A filter gives a list of sequences; the list shows those.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { EvidenceKind } from '../contract/world/evidence.js';
import type { BriefOptions } from '../reports/entry-brief.js';
import { kindNames } from '../reports/words.js';
import type { EvidenceSource } from './evidence-source.ts';
import { JournalList } from './journal-list.tsx';
import { JournalPages } from './journal-pages.ts';
import { counted } from './kit/parts.tsx';
import { isTyping } from './kit/typing.tsx';
import { tuning } from './tuning.js';

const kindOrder = Object.keys(kindNames) as EvidenceKind[];

export interface JournalPanelProps {
  source: EvidenceSource;
  count: number;
  startUs: number;
  kinds?: { [kind: string]: number } | undefined;
  brief: BriefOptions;
  /** It grows: the list can follow its end. */
  isLive: boolean;
  selected: number | undefined;
  cited: ReadonlySet<number>;
  onSelect: (sequence: number) => void;
}

export function JournalPanel(props: JournalPanelProps) {
  const { source, count, kinds } = props;
  const [text, setText] = useState('');
  const [follows, setFollows] = useState(true);
  useEffect(() => {
    // Who looks at an entry is not moved away from it.
    if (props.selected !== undefined) setFollows(false);
  }, [props.selected]);
  const [chosen, setChosen] = useState<readonly EvidenceKind[]>([]);
  const box = useRef<HTMLInputElement>(null);
  useSearchKey(box);
  const filter = useFilter(source, { text: text.trim(), kinds: chosen, count });
  const toggle = (kind: EvidenceKind): void =>
    setChosen((list) => (list.includes(kind) ? list.filter((one) => one !== kind) : [...list, kind]));
  return (
    <section class="journal-panel" aria-labelledby="journal-panel-title">
      <header class="journal-bar">
        <h2 id="journal-panel-title">Journal</h2>
        <input
          ref={box}
          type="search"
          placeholder="Search every entry…  /"
          aria-label="Search every entry"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <span class="quiet" role="status">
          {filter === undefined ? counted(count, 'entry', 'entries') : filter.summary}
        </span>
        {props.isLive && (
          <button type="button" aria-pressed={follows} onClick={() => setFollows(!follows)}>
            Follow
          </button>
        )}
      </header>
      <div class="chips" role="group" aria-label="Kinds">
        {kindOrder
          .filter((kind) => (kinds?.[kind] ?? 0) > 0)
          .map((kind) => (
            <button key={kind} type="button" class="chip" aria-pressed={chosen.includes(kind)} onClick={() => toggle(kind)}>
              {kindNames[kind]} <span class="count">{(kinds?.[kind] ?? 0).toLocaleString('en-US')}</span>
            </button>
          ))}
      </div>
      <Rows
        {...props}
        sequences={filter?.sequences ?? source.held}
        isFiltered={filter?.sequences !== undefined}
        follows={props.isLive && follows}
      />
    </section>
  );
}

interface RowsProps extends JournalPanelProps {
  sequences: readonly number[] | undefined;
  isFiltered: boolean;
  follows: boolean;
}

function Rows({ sequences, isFiltered, ...props }: RowsProps) {
  const { source, count } = props;
  const pages = useMemo(() => {
    if (sequences === undefined) return source.journal;
    const load = (from: number, limit: number) => source.entriesAt(sequences.slice(from - 1, from - 1 + limit));
    return new JournalPages(load);
  }, [source, sequences]);
  if (sequences?.length === 0)
    return (
      <p class="journal journal-nothing quiet">
        No entry matches.{source.held === undefined ? ' Upper and lower case differ, and text is matched as it stands in the JSON.' : ''}
      </p>
    );
  return (
    <JournalList
      {...props}
      pages={pages}
      count={sequences?.length ?? count}
      sequenceAt={(position) => sequences?.[position - 1] ?? position}
      positionOf={(sequence) => (sequences === undefined ? sequence : positionIn(sequences, sequence))}
      label={!isFiltered ? 'Journal entries' : 'Matching journal entries'}
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

interface Filter {
  sequences: readonly number[] | undefined;
  summary: string;
}

function useFilter(
  source: EvidenceSource,
  { text, kinds, count }: { text: string; kinds: readonly EvidenceKind[]; count: number },
): Filter | undefined {
  const [filter, setFilter] = useState<Filter | undefined>();
  const key = `${text} ${kinds.join()}`;
  useEffect(() => {
    if (text === '' && kinds.length === 0) return setFilter(undefined);
    const asked = new AbortController();
    setFilter((before) => ({ sequences: before?.sequences, summary: 'Searching…' }));
    const timer = setTimeout(() => {
      const query = {
        view: 'sequences' as const,
        ...(text === '' ? {} : { q: text }),
        ...(kinds.length === 0 ? {} : { kind: kinds.join(',') }),
      };
      source.search(query, asked.signal).then(
        ({ sequences = [], nextSequence }) =>
          setFilter({
            sequences,
            summary: `${sequences.length.toLocaleString('en-US')}${nextSequence === undefined ? '' : '+'} of ${counted(source.held?.length ?? count, 'entry', 'entries')}${source.held === undefined ? '' : ` of this page; ${counted(count - source.held.length, 'more entry', 'more entries')} in evidence.jsonl`}`,
          }),
        (error: Error) => !asked.signal.aborted && setFilter({ sequences: [], summary: error.message }),
      );
    }, tuning.typingMs);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [source, key, count]);
  return filter;
}

function useSearchKey(box: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event) || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [box]);
}
