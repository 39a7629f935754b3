// One entry in full: what it says, what caused it and what it caused, what changed; and beside it the state at that moment.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Transcript } from '../contract/run/transcript.js';
import type { EvidenceEntry, FaultEntry } from '../contract/world/evidence.js';
import { entryIsProblem, entryText } from '../reports/entry-text.js';
import { firstSentence } from '../reports/story.js';
import { committedWords, kindNames } from '../reports/words.js';
import { virtualClock, virtualOffset } from '../text/virtual-time.js';
import { visibleLine, visibleText } from '../text/visible-text.js';
import { Chain } from './chain.tsx';
import type { EntryContext } from './entry-context.tsx';
import type { EvidenceSource } from './evidence-source.ts';
import { Await, type LoadState } from './kit/loading.tsx';
import { ChangeTable, Copy, Fact, Json } from './kit/parts.tsx';
import { isTakenKey } from './kit/taken-key.tsx';
import { StateAt } from './state-at.tsx';
import { SaidLine, saidAround } from './transcript.tsx';
import { tuning } from './tuning.js';

export interface EntryPaneProps {
  source: EvidenceSource;
  sequence: number;
  context: LoadState<EntryContext>;
  last: number;
  startUs: number;
  citedBy: readonly string[];
  transcript: Transcript;
  onSelect: (sequence: number) => void;
  onClose: () => void;
  /** A fault in the words of its tool. */
  meaningOf?: ((fault: FaultEntry) => string | undefined) | undefined;
  /** More to do with this moment, such as a fork. */
  actions?: ((entry: EvidenceEntry) => ComponentChildren) | undefined;
}

export function EntryPane(props: EntryPaneProps) {
  const { source, sequence, last, onSelect } = props;
  const [side, setSide] = useState<'entry' | 'state'>('entry');
  const [before, after] = neighborsOf(sequence, last, source.held);
  useEscape(props.onClose);
  const pane = useFocusReturned();
  useStateKey(() => setSide((shown) => (shown === 'entry' ? 'state' : 'entry')));
  return (
    <aside class="pane" ref={pane} tabIndex={-1} aria-label={`Entry ${sequence}`}>
      <header class="pane-bar">
        <div class="switch" role="group" aria-label="What to show of it">
          <button type="button" aria-pressed={side === 'entry'} onClick={() => setSide('entry')}>
            Entry #{sequence}
          </button>
          {source.hasState && (
            <button type="button" aria-pressed={side === 'state'} onClick={() => setSide('state')}>
              State then
            </button>
          )}
        </div>
        <button
          type="button"
          class="icon"
          aria-label="Previous entry"
          disabled={before === undefined}
          onClick={() => before !== undefined && onSelect(before)}
        >
          ←
        </button>
        <button
          type="button"
          class="icon"
          aria-label="Next entry"
          disabled={after === undefined}
          onClick={() => after !== undefined && onSelect(after)}
        >
          →
        </button>
        <button type="button" class="icon" aria-label="Close" onClick={props.onClose}>
          ✕
        </button>
      </header>
      {side === 'entry' ? (
        <EntryDetail key={sequence} {...props} />
      ) : (
        <StateAt source={source} sequence={sequence} last={last} onSelect={onSelect} />
      )}
    </aside>
  );
}

/** The entries before and after it that the source has. */
function neighborsOf(sequence: number, last: number, held: readonly number[] | undefined): [number | undefined, number | undefined] {
  if (held === undefined) return [sequence > 1 ? sequence - 1 : undefined, sequence < last ? sequence + 1 : undefined];
  const at = held.indexOf(sequence);
  return [held[at - 1], held[at + 1]];
}

/** Wherever the focus is, for as long as the pane is open; the first one leaves a field that is being written in. */
function useEscape(close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !isTakenKey(event)) latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Closed from within, it leaves the focus with what opened it, else with the journal. */
function useFocusReturned(): { current: HTMLElement | null } {
  const pane = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    return () => {
      if (pane.current?.contains(document.activeElement) !== true) return;
      const isThere = opener?.isConnected === true && opener !== document.body;
      (isThere ? opener : document.querySelector<HTMLElement>('.journal'))?.focus({ preventScroll: true });
    };
  }, []);
  return pane;
}

/** `s` turns the pane over. */
function useStateKey(turn: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 's' && !isTakenKey(event) && !event.ctrlKey && !event.metaKey && !event.altKey) turn();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function EntryDetail(props: EntryPaneProps) {
  const { sequence, context } = props;
  return (
    <div class="pane-body" data-place="entry">
      <Await of={context} what={`entry ${sequence}`}>
        {({ entry, ...others }) => (
          <>
            <p class="row">
              <span class={`kind kind-${entry.kind}`}>{kindNames[entry.kind]}</span>
              {props.citedBy.length > 0 && <span class="cited-by">Evidence of {props.citedBy.join(', ')}</span>}
            </p>
            <Title entry={entry} meaning={entry.kind === 'fault' ? props.meaningOf?.(entry) : undefined} />
            <dl class="facts">
              <Fact name="Virtual time">{virtualClock(entry.virtualTimeUs)}</Fact>
              <Fact name="Since start">{virtualOffset(entry.virtualTimeUs - props.startUs)}</Fact>
              <Fact name="Transaction">
                {entry.transactionIndex + 1} of {entry.transactionSize}
              </Fact>
              {entry.kind === 'operation' && entry.idempotency !== 'not_requested' && (
                <Fact name="Idempotency">
                  {entry.idempotency.replaceAll('_', ' ')} <code>{visibleLine(entry.invocation.idempotencyKey ?? '')}</code>
                </Fact>
              )}
            </dl>
            {props.actions?.(entry)}
            {entry.kind === 'operation' && <Around lines={props.transcript.lines} sequence={sequence} />}
            <Details entry={entry} />
            <Chain entry={entry} {...others} onSelect={props.onSelect} />
            <details class="fold">
              <summary>The whole entry, as JSON</summary>
              <div class="fold-body">
                <Json value={entry as never} label="The whole entry" />
                <Copy text={JSON.stringify(entry, null, 2)} label="entry" />
              </div>
            </details>
          </>
        )}
      </Await>
    </div>
  );
}

/** Of a fault that its tool describes: what it means, before where it hit. */
function Title({ entry, meaning }: { entry: EvidenceEntry; meaning: string | undefined }) {
  const text = visibleText(entryText(entry));
  return (
    <>
      <h2 class={entryIsProblem(entry) ? 'entry-title bad-text' : 'entry-title'}>
        {meaning === undefined ? text : visibleText(firstSentence(meaning))}
      </h2>
      {meaning !== undefined && firstSentence(meaning) !== meaning && <p>{visibleText(meaning)}</p>}
      {meaning !== undefined && <p class="quiet">{text}</p>}
    </>
  );
}

/** What the agent said before and after a call. */
function Around({ lines, sequence }: { lines: Transcript['lines']; sequence: number }) {
  const { before, after } = saidAround(lines, sequence);
  return (
    <>
      {before.length > 0 && <h3>What the agent said before it</h3>}
      {before.slice(-tuning.saidAroundShown).map((line, at) => (
        <SaidLine key={at} line={line} />
      ))}
      {after.length > 0 && <h3>What the agent said next</h3>}
      {after.slice(0, tuning.saidAroundShown).map((line, at) => (
        <SaidLine key={at} line={line} />
      ))}
    </>
  );
}

/** What matters most of each kind, before the whole entry. */
function Details({ entry }: { entry: EvidenceEntry }) {
  switch (entry.kind) {
    case 'operation':
      return (
        <>
          <Block title="Arguments" value={entry.invocation.arguments} />
          {entry.outcome.kind === 'ok' ? (
            <Block title="Answer" value={entry.outcome.value} />
          ) : (
            <Block title="Error" value={entry.outcome.error as never} />
          )}
          {entry.committedOutcome !== undefined && <Block title={committedWords} value={entry.committedOutcome as never} />}
        </>
      );
    case 'state_change':
      return (
        <>
          <h3>{{ insert: 'A new row', update: 'What changed', delete: 'The row that went' }[entry.change]}</h3>
          <ChangeTable before={entry.before} after={entry.after} />
        </>
      );
    case 'event':
      return (
        <>
          <Block title="Payload" value={entry.payload} />
          {entry.error !== undefined && <Block title="Error" value={entry.error as never} />}
        </>
      );
    case 'verification':
      return <Block title="Result" value={entry.result.assertions} />;
    case 'lifecycle':
      return <Block title="Details" value={entry.details} />;
    case 'callback':
      return entry.error === undefined ? null : <Block title="Error" value={entry.error as never} />;
    default:
      return null;
  }
}

function Block({ title, value }: { title: string; value: Parameters<typeof Json>[0]['value'] }) {
  return (
    <>
      <h3>{title}</h3>
      <Json value={value} label={title} />
    </>
  );
}
