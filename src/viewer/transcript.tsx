// What the agent said while it worked, in time: its messages and its log, and between them the calls that it made.
import { useMemo, useState } from 'preact/hooks';
import type { Transcript, TranscriptLine } from '../contract/run/transcript.js';
import type { OperationEntry } from '../contract/world/evidence.js';
import { entryIsProblem, entryText } from '../reports/entry-text.js';
import { speakerNames } from '../reports/words.js';
import { beginningOf } from '../text/cut-text.js';
import { virtualOffset } from '../text/virtual-time.js';
import { visibleLine, visibleText } from '../text/visible-text.js';
import type { EvidenceSource } from './evidence-source.ts';
import { useLoad } from './kit/loading.tsx';
import { Markdown } from './kit/markdown.tsx';
import { counted } from './kit/parts.tsx';
import { tuning } from './tuning.js';

const silence: Transcript = { lines: [], left: 0 };

/** `version`: how much of it there is, where it grows. */
export function useTranscript(source: EvidenceSource, version: string): Transcript {
  const loaded = useLoad(`transcript ${source.id} ${version}`, () => source.transcript(), { keep: true });
  return loaded.value ?? silence;
}

/** What was said last before an entry, and first after it. */
export function saidAround(lines: readonly TranscriptLine[], sequence: number) {
  const last = lines.findLast(({ afterSequence }) => afterSequence < sequence)?.afterSequence;
  const next = lines.find(({ afterSequence }) => afterSequence >= sequence)?.afterSequence;
  const at = (place: number | undefined) => lines.filter(({ afterSequence }) => afterSequence === place);
  return { before: at(last), after: at(next) };
}

/** In a few words, by the entry after which each was said. */
export function saidInShort(lines: readonly TranscriptLine[]): ReadonlyMap<number, string> {
  const short = new Map<number, string>();
  for (const { afterSequence, text } of lines) {
    if (!short.has(afterSequence)) short.set(afterSequence, text.replace(/[*`#]/g, '').trim().slice(0, tuning.saidShortChars));
  }
  return short;
}

export function SaidLine({ line: { role, text } }: { line: TranscriptLine }) {
  // The text of which all is wanted: another line may come to stand here.
  const [whole, setWhole] = useState<string | undefined>();
  const shown = whole === text ? text : openedPart(text);
  // Kept, so that nothing is parsed again whenever the page is drawn.
  const drawn = useMemo(
    () =>
      role === 'log' ? (
        <pre tabIndex={0} role="group" aria-label="Lines of the log">
          {visibleText(shown)}
        </pre>
      ) : (
        <Markdown text={shown} />
      ),
    [role, shown],
  );
  return (
    <article class={`said-line said-${role}`}>
      <p class="said-by">{speakerNames[role]}</p>
      {drawn}
      {shown.length < text.length && (
        <button type="button" class="link" onClick={() => setWhole(text)}>
          Show all of it ({counted(text.length, 'character')})
        </button>
      )}
    </article>
  );
}

/** An agent says as much as it likes: each line opens with what a page can draw of many. */
function openedPart(text: string): string {
  const lines = text.split('\n', tuning.saidTextLinesOpen).join('\n');
  return lines.length <= tuning.saidTextCharsOpen ? lines : beginningOf(lines, tuning.saidTextCharsOpen);
}

interface TranscriptPanelProps {
  source: EvidenceSource;
  transcript: Transcript;
  startUs: number;
  /** Entries of the journal. */
  count: number;
  selected: number | undefined;
  onSelect: (sequence: number) => void;
}

export function TranscriptPanel({ source, transcript, startUs, count, selected, onSelect }: TranscriptPanelProps) {
  const { lines, left } = transcript;
  const [wanted, setWanted] = useState(tuning.saidLinesShown);
  const calls = useCalls(source, lines, count);
  const near = selected === undefined ? -1 : lines.findIndex(({ afterSequence }) => afterSequence >= selected);
  const shown = Math.max(wanted, near + 1);
  const turns = useMemo(() => turnsOf(lines.slice(0, shown), calls, shown >= lines.length), [lines, calls, shown]);
  return (
    <section class="transcript" aria-labelledby="transcript-title">
      <h2 id="transcript-title">What the agent said</h2>
      <ol>
        {turns.map((turn, index) => (
          <li key={index} class={isNear(turn, selected) ? 'near' : undefined}>
            {'line' in turn ? (
              <>
                <span class="said-at">{virtualOffset(turn.line.virtualTimeUs - startUs)}</span>
                <SaidLine line={turn.line} />
              </>
            ) : (
              <>
                <button type="button" class="link" onClick={() => onSelect(turn.call.sequence)}>
                  #{turn.call.sequence}
                </button>
                <span class={entryIsProblem(turn.call) ? 'bad-text' : undefined}>{visibleLine(entryText(turn.call))}</span>
              </>
            )}
          </li>
        ))}
      </ol>
      {shown < lines.length && (
        <button type="button" onClick={() => setWanted(shown + tuning.saidLinesShown)}>
          Show more of {counted(lines.length, 'line')}
        </button>
      )}
      {left > 0 && <p class="quiet">{counted(left, 'further line')} went beyond what a transcript holds; its log has more.</p>}
    </section>
  );
}

type Turn = { line: TranscriptLine } | { call: OperationEntry };

const isNear = (turn: Turn, selected: number | undefined): boolean => 'call' in turn && turn.call.sequence === selected;

/** Calls of a journal, the first ones from where the agent begins to speak. */
function useCalls(source: EvidenceSource, lines: readonly TranscriptLine[], count: number): readonly OperationEntry[] {
  const found = useLoad(
    `calls ${source.id} ${lines.length} ${count}`,
    async () => {
      const query = { kind: 'operation', view: 'sequences', fromSequence: Math.max(lines[0]?.afterSequence ?? 1, 1) } as const;
      const { sequences = [] } = await source.search(query, new AbortController().signal);
      const entries = await source.entriesAt(sequences.slice(0, tuning.saidCallsShown));
      return entries.filter((entry) => entry.kind === 'operation');
    },
    { keep: true },
  );
  return found.value ?? [];
}

/** `isWhole`: what was called after the last line follows it. */
function turnsOf(lines: readonly TranscriptLine[], calls: readonly OperationEntry[], isWhole: boolean): Turn[] {
  const turns: Turn[] = [];
  let next = 0;
  for (const line of lines) {
    for (; (calls[next]?.sequence ?? Number.POSITIVE_INFINITY) <= line.afterSequence; next++)
      turns.push({ call: calls[next] as OperationEntry });
    turns.push({ line });
  }
  if (isWhole) turns.push(...calls.slice(next).map((call) => ({ call })));
  return turns;
}
