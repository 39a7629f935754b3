// What speaks for a finding: a chip for each entry, and what stands around it. A chip that the pointer rests on, or that has the focus,
// shows the entries around its own; those around all of them are one press away, by touch too.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { placesAround } from '../reports/around.js';
import { entryBrief } from '../reports/entry-brief.js';
import { entryIsProblem, entryText } from '../reports/entry-text.js';
import { kindNames } from '../reports/words.js';
import { visibleLine } from '../text/visible-text.js';
import type { EvidenceSource } from './evidence-source.ts';
import { Await, useLoad } from './kit/loading.tsx';
import { counted } from './kit/parts.tsx';
import { tuning } from './tuning.js';

interface EvidenceLinksProps {
  source: EvidenceSource;
  sequences: readonly number[];
  onEvidence: (sequence: number) => void;
}

export function EvidenceLinks({ source, sequences, onEvidence }: EvidenceLinksProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = shownOf(sequences);
  const entries = useLoad(`evidence ${source.id} ${shown.join()}`, async () =>
    shown.length === 0 ? [] : source.entriesAt([...shown].sort((left, right) => left - right)),
  );
  const glimpse = useGlimpse();
  if (sequences.length === 0) return <p class="quiet">No entry of the journal speaks of it.</p>;
  const known = new Map((entries.value ?? []).map((entry) => [entry.sequence, entry]));
  return (
    <div class="evidence">
      <div class="evidence-links">
        <span class="quiet">Evidence</span>
        {shown.map((sequence, index) => {
          const isAfterGap = index === tuning.findingLinksMax - 1 && sequences.length > tuning.findingLinksMax;
          return (
            <>
              {isAfterGap && <span class="quiet">{sequences.length - tuning.findingLinksMax} more</span>}
              <Chip
                key={sequence}
                sequence={sequence}
                entry={known.get(sequence)}
                describedBy={glimpse.of === sequence ? glimpse.id : undefined}
                glimpse={glimpse}
                onClick={() => {
                  glimpse.end();
                  onEvidence(sequence);
                }}
              />
            </>
          );
        })}
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide what stands around' : 'What stands around'}
        </button>
      </div>
      {glimpse.of !== undefined && !isOpen && (
        <div class="glimpse" role="tooltip" id={glimpse.id} onPointerEnter={glimpse.stay} onPointerLeave={glimpse.leave}>
          <Excerpt source={source} cited={[glimpse.of]} />
        </div>
      )}
      {isOpen && <Excerpt source={source} cited={shown} onEvidence={onEvidence} />}
    </div>
  );
}

/** The first ones and the last, which is mostly the one that decided. */
function shownOf(sequences: readonly number[]): readonly number[] {
  if (sequences.length <= tuning.findingLinksMax) return sequences;
  return [...sequences.slice(0, tuning.findingLinksMax - 1), sequences.at(-1) as number];
}

interface ChipProps {
  sequence: number;
  /** As soon as it is known. */
  entry: EvidenceEntry | undefined;
  describedBy: string | undefined;
  glimpse: Glimpse;
  onClick: () => void;
}

function Chip({ sequence, entry, describedBy, glimpse, onClick }: ChipProps) {
  return (
    <button
      type="button"
      class="chip"
      aria-describedby={describedBy}
      onClick={onClick}
      // A finger does not rest on a chip: it presses it.
      onPointerEnter={({ pointerType }) => pointerType !== 'touch' && glimpse.rest(sequence)}
      onPointerLeave={glimpse.leave}
      onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && glimpse.show(sequence)}
      onBlur={glimpse.end}
    >
      #{sequence}
      {entry !== undefined && <span class="chip-text"> {visibleLine(entryText(entry))}</span>}
    </button>
  );
}

interface Glimpse {
  id: string;
  /** The entry that is shown with what stands around it. */
  of: number | undefined;
  show: (sequence: number) => void;
  /** As soon as the pointer has rested. */
  rest: (sequence: number) => void;
  /** The pointer is on what is shown. */
  stay: () => void;
  /** Ends it, unless the pointer comes back. */
  leave: () => void;
  end: () => void;
}

/** Escape ends it, and nothing else that Escape would. */
function useGlimpse(): Glimpse {
  const id = useId();
  const [of, setOf] = useState<number | undefined>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const soon = (sequence: number | undefined): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOf(sequence), tuning.glimpseRestMs);
  };
  const now = (sequence: number | undefined): void => {
    clearTimeout(timer.current);
    setOf(sequence);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (of === undefined) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      now(undefined);
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, [of]);
  return {
    id,
    of,
    show: now,
    rest: soon,
    stay: () => clearTimeout(timer.current),
    leave: () => soon(undefined),
    end: () => now(undefined),
  };
}

interface ExcerptProps {
  source: EvidenceSource;
  cited: readonly number[];
  /** Without it the lines are only read. */
  onEvidence?: (sequence: number) => void;
}

/** The cited entries with those before and after; where stretches are left out, a line says so. */
function Excerpt({ source, cited, onEvidence }: ExcerptProps) {
  const entries = useLoad(`around ${source.id} ${cited.join()}`, () => aroundIn(source, cited));
  const isCited = new Set(cited);
  return (
    <Await of={entries} what="what stands around" lines={tuning.glimpseLines}>
      {(list) => (
        <ol class="excerpt-lines">
          {list.map((entry, at) => {
            const gap = at === 0 ? 0 : entry.sequence - list[at - 1]!.sequence - 1;
            const line = <ExcerptLine entry={entry} />;
            return (
              <>
                {gap > 0 && <li class="gap">{counted(gap, 'entry', 'entries')} between</li>}
                <li key={entry.sequence} class={isCited.has(entry.sequence) ? 'cited' : undefined}>
                  {onEvidence === undefined ? (
                    <span class="excerpt-line">{line}</span>
                  ) : (
                    <button type="button" class="excerpt-line" onClick={() => onEvidence(entry.sequence)}>
                      {line}
                    </button>
                  )}
                </li>
              </>
            );
          })}
        </ol>
      )}
    </Await>
  );
}

function ExcerptLine({ entry }: { entry: EvidenceEntry }) {
  const { text, more } = entryBrief(entry, { oneTool: false, oneActor: false });
  return (
    <>
      <span class="number">#{entry.sequence}</span>
      <span class={`kind kind-${entry.kind}`}>{kindNames[entry.kind]}</span>
      <span class={entryIsProblem(entry) ? 'text bad-text' : 'text'}>
        {visibleLine(text)}
        {more !== '' && <span class="more-text"> {visibleLine(more)}</span>}
      </span>
    </>
  );
}

/** A journal's entry n stands at place n - 1; one that ends earlier has fewer. */
function aroundIn(source: EvidenceSource, cited: readonly number[]): Promise<EvidenceEntry[]> {
  const places = cited.map((sequence) => sequence - 1);
  return source.entriesAt(placesAround(places, Number.MAX_SAFE_INTEGER).map((place) => place + 1));
}
