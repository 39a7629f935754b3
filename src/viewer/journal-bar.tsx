// The filter of a journal, as fields: text, what went wrong, who, which operation, how it ended, kinds.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { kindNames } from '../reports/words.js';
import { type FilterChoices, type JournalFilter, kindOrder, outcomes, type SequenceRange } from './journal-filter.ts';
import { tuning } from './tuning.js';

export interface JournalBarProps {
  filter: JournalFilter;
  onFilter: (filter: JournalFilter) => void;
  choices: FilterChoices;
  kinds: { [kind: string]: number } | undefined;
  /** How many are shown, of how many. */
  summary: string;
  /** To the list, from the field. */
  onLeave: () => void;
  /** At the end of the bar. */
  children?: ComponentChildren;
}

export function JournalBar({ filter, onFilter, choices, kinds, summary, onLeave, children }: JournalBarProps) {
  const change = (part: Partial<JournalFilter>): void => onFilter({ ...filter, ...part });
  const isCalls = filter.operation !== '' || filter.outcome !== '';
  return (
    <>
      <header class="journal-bar">
        <h2 id="journal-panel-title">Journal</h2>
        <SearchField text={filter.text} onText={(text) => change({ text })} onLeave={onLeave} />
        <span class="quiet" role="status">
          {summary}
        </span>
        {children}
      </header>
      <div class="journal-filters">
        <button type="button" class="chip problems" aria-pressed={filter.problems} onClick={() => change({ problems: !filter.problems })}>
          Problems
        </button>
        {filter.range !== undefined && (
          <button
            type="button"
            class="chip"
            aria-pressed="true"
            aria-label={`${rangeWords(filter.range)}, clear the range`}
            onClick={() => change({ range: undefined })}
          >
            {rangeWords(filter.range)} <span aria-hidden="true">✕</span>
          </button>
        )}
        {choices.actors.length > 1 && (
          <Choice name="Actor" every="Every actor" chosen={filter.actor} names={choices.actors} onChoose={(actor) => change({ actor })} />
        )}
        <Choice
          name="Operation"
          every="Every operation"
          chosen={filter.operation}
          names={choices.operations}
          onChoose={(operation) => change({ operation })}
        />
        <Choice
          name="Outcome"
          every="Any outcome"
          chosen={filter.outcome}
          names={outcomes}
          onChoose={(outcome) => change({ outcome: outcomes.find((one) => one === outcome) ?? '' })}
        />
        <div class="chips" role="group" aria-label="Kinds">
          {kindOrder
            .filter((kind) => (kinds?.[kind] ?? 0) > 0 && (!isCalls || kind === 'operation'))
            .map((kind) => (
              <button
                key={kind}
                type="button"
                class="chip"
                aria-pressed={filter.kinds.includes(kind)}
                onClick={() =>
                  change({ kinds: filter.kinds.includes(kind) ? filter.kinds.filter((one) => one !== kind) : [...filter.kinds, kind] })
                }
              >
                {kindNames[kind]} <span class="count">{(kinds?.[kind] ?? 0).toLocaleString('en-US')}</span>
              </button>
            ))}
        </div>
      </div>
    </>
  );
}

const rangeWords = ({ from, to }: SequenceRange): string => `#${from.toLocaleString('en-US')} to #${to.toLocaleString('en-US')}`;

interface ChoiceProps {
  name: string;
  every: string;
  chosen: string;
  names: readonly string[];
  onChoose: (name: string) => void;
}

function Choice({ name, every, chosen, names, onChoose }: ChoiceProps) {
  return (
    <select
      aria-label={name}
      class={chosen === '' ? undefined : 'set'}
      value={chosen}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">{every}</option>
      {chosen !== '' && !names.includes(chosen) && <option value={chosen}>{chosen}</option>}
      {names.map((one) => (
        <option key={one} value={one}>
          {one.replaceAll('_', ' ')}
        </option>
      ))}
    </select>
  );
}

/** The address follows when typing rests. */
function SearchField({ text, onText, onLeave }: { text: string; onText: (text: string) => void; onLeave: () => void }) {
  const [typed, setTyped] = useState(text);
  // A filter that changes while one types is kept.
  const latest = useRef(onText);
  latest.current = onText;
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => latest.current(typed), tuning.typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    onLeave();
  };
  return (
    <input
      type="search"
      data-search
      placeholder="Search every entry…  /"
      aria-label="Search every entry"
      aria-keyshortcuts="/"
      spellcheck={false}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
