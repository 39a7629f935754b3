// Keys that work wherever the focus is, as long as a journal is on the page: from entry to entry, problem to problem, call to call.
import { useEffect, useRef } from 'preact/hooks';
import type { SearchQuery } from '../contract/inspector/journal.js';
import type { EvidenceSource } from './evidence-source.ts';
import { isTakenKey } from './kit/taken-key.tsx';
import { tuning } from './tuning.js';

export interface JournalSteps {
  source: EvidenceSource;
  /** Of the list as it is shown. */
  count: number;
  sequenceAt: (position: number) => number;
  positionOf: (sequence: number) => number;
  selected: number | undefined;
  onSelect: (sequence: number) => void;
}

export function useJournalKeys(steps: JournalSteps): void {
  const latest = useRef(steps);
  latest.current = steps;
  useEffect(() => {
    let isOver = false;
    const onKey = (event: KeyboardEvent): void => {
      if (isTakenKey(event) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const { selected } = latest.current;
      const to = moves[event.key]?.(latest.current);
      if (to === undefined) return;
      event.preventDefault();
      to.then(
        (sequence) => {
          // Found late, it leaves what was chosen since.
          if (sequence !== undefined && !isOver && latest.current.selected === selected) latest.current.onSelect(sequence);
        },
        () => undefined,
      );
    };
    addEventListener('keydown', onKey);
    return () => {
      isOver = true;
      removeEventListener('keydown', onKey);
    };
  }, []);
}

type Move = (steps: JournalSteps) => Promise<number | undefined>;

const moves: { [key: string]: Move } = {
  j: (steps) => byPosition(steps, 1),
  k: (steps) => byPosition(steps, -1),
  n: (steps) => nextThat(steps, { problems: 'only' }),
  ']': (steps) => nextThat(steps, { kind: 'operation' }),
  '[': previousCall,
};

async function byPosition({ count, sequenceAt, positionOf, selected }: JournalSteps, by: 1 | -1): Promise<number | undefined> {
  if (count === 0) return undefined;
  const position = selected === undefined ? (by === 1 ? 0 : count + 1) : positionOf(selected);
  return sequenceAt(Math.min(Math.max(position + by, 1), count));
}

/** Through the whole journal, whatever the list is narrowed to; after the last one comes the first. */
async function nextThat({ source, selected = 0 }: JournalSteps, what: SearchQuery): Promise<number | undefined> {
  const first = async (fromSequence: number): Promise<number | undefined> => {
    const { matches } = await source.search({ ...what, fromSequence, limit: 1 }, AbortSignal.timeout(tuning.stepWaitMs));
    return matches[0]?.sequence;
  };
  return (await first(selected + 1)) ?? (selected === 0 ? undefined : first(1));
}

async function previousCall({ source, selected }: JournalSteps): Promise<number | undefined> {
  if (source.held !== undefined) {
    const before = source.held.filter((sequence) => sequence < (selected ?? 0));
    return (await source.entriesAt(before)).findLast(({ kind }) => kind === 'operation')?.sequence;
  }
  for (let to = (selected ?? 0) - 1; to >= 1; to -= tuning.journalPageEntries) {
    const entries = await source.journal.range(Math.max(to - tuning.journalPageEntries + 1, 1), to);
    const call = entries.findLast(({ kind }) => kind === 'operation');
    if (call !== undefined) return call.sequence;
  }
  return undefined;
}
