// How an entry came about and what came of it, as a list of links. A fault is the cause of what it hit, whatever the order of the entries.
import type { ChainReply } from '../contract/inspector/journal.js';
import type { EvidenceEntry, OperationEntry } from '../contract/world/evidence.js';
import { entryIsProblem, entryText } from '../reports/entry-text.js';
import { visibleText } from '../text/visible-text.js';
import type { EvidenceSource } from './evidence-source.ts';
import { counted } from './kit/parts.tsx';
import { tuning } from './tuning.js';

export interface EntryContext extends Omit<ChainReply, 'schemaVersion'> {
  entry: EvidenceEntry;
  /** Of a call, and of the call that a fault hit: the next one of the same actor. */
  nextCall: number | undefined;
}

export async function contextOf(source: EvidenceSource, sequence: number): Promise<EntryContext> {
  const [entry, chain] = await Promise.all([entryAt(source, sequence), source.chain(sequence)]);
  if (entry === undefined) throw new Error(`The journal ends before entry ${sequence}.`);
  const call = callOf(entry, chain.causes);
  return { entry, ...chain, nextCall: call === undefined ? undefined : await callAfter(source, call) };
}

async function entryAt(source: EvidenceSource, sequence: number): Promise<EvidenceEntry | undefined> {
  return source.held === undefined ? source.journal.entry(sequence) : (await source.entriesAt([sequence]))[0];
}

function callOf(entry: EvidenceEntry, causes: readonly EvidenceEntry[]): OperationEntry | undefined {
  if (entry.kind === 'operation') return entry;
  const cause = entry.kind === 'fault' ? causes.at(-1) : undefined;
  return cause?.kind === 'operation' ? cause : undefined;
}

async function callAfter(source: EvidenceSource, { sequence, actorId }: OperationEntry): Promise<number | undefined> {
  const next = { kind: 'operation', actorId, fromSequence: sequence + 1, limit: 1 };
  const { matches } = await source.search(next, AbortSignal.timeout(tuning.stepWaitMs));
  return matches[0]?.sequence;
}

type Select = (sequence: number) => void;

export function Chain({ entry, causes, effects, effectsTotal, nextCall, onSelect }: EntryContext & { onSelect: Select }) {
  const isFault = entry.kind === 'fault';
  const hits = effects.filter(({ kind }) => kind === 'fault');
  const others = effects.filter(({ kind }) => kind !== 'fault');
  const [before, after] = isFault ? [[], [...causes.slice(-1), ...others]] : [[...causes, ...hits], others];
  if (before.length + after.length === 0 && nextCall === undefined) return null;
  const more = effectsTotal - hits.length - Math.min(others.length, tuning.effectsShown);
  return (
    <>
      <h3>{isFault ? 'What it did' : 'How it came about'}</h3>
      <ol class="chain">
        {before.map((cause) => (
          <Link key={cause.sequence} entry={cause} onSelect={onSelect} />
        ))}
        <Link entry={entry} here onSelect={onSelect} />
        {after.slice(0, tuning.effectsShown).map((effect) => (
          <Link key={effect.sequence} entry={effect} effect onSelect={onSelect} />
        ))}
        {more > 0 && <li class="quiet effect">and {counted(more, 'more effect')}</li>}
        {nextCall !== undefined && (
          <li class="effect">
            <button type="button" class="link" onClick={() => onSelect(nextCall)}>
              #{nextCall}
            </button>{' '}
            <span class="quiet">the next call of the same actor</span>
          </li>
        )}
      </ol>
    </>
  );
}

interface LinkProps {
  entry: EvidenceEntry;
  here?: boolean;
  effect?: boolean;
  onSelect: Select;
}

function Link({ entry, here = false, effect = false, onSelect }: LinkProps) {
  return (
    <li class={here ? 'here' : effect ? 'effect' : undefined}>
      <button type="button" class="link" aria-current={here ? 'true' : undefined} onClick={() => onSelect(entry.sequence)}>
        #{entry.sequence}
      </button>{' '}
      <span class={entryIsProblem(entry) ? 'bad-text' : undefined}>{visibleText(entryText(entry))}</span>
    </li>
  );
}
