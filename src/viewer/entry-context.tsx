// The entry that is looked at, with what led to it and what it led to: the pane says it, the timeline draws it.
import type { ChainReply } from '../contract/inspector/journal.js';
import type { EvidenceEntry, OperationEntry } from '../contract/world/evidence.js';
import type { EvidenceSource } from './evidence-source.ts';
import { type LoadState, useLoad } from './kit/loading.tsx';
import { tuning } from './tuning.js';

export interface EntryContext extends Omit<ChainReply, 'schemaVersion'> {
  entry: EvidenceEntry;
  /** Of a call, and of the call that a fault hit: the next one of the same actor. */
  nextCall: number | undefined;
}

/** Without a value for as long as no entry is looked at. */
export function useEntryContext(source: EvidenceSource, sequence: number | undefined): LoadState<EntryContext> {
  return useLoad(`entry ${source.id} ${sequence}`, () =>
    sequence === undefined ? new Promise<never>(() => undefined) : contextOf(source, sequence),
  );
}

/** What led to it, the first cause first, and what came of it. A fault is the cause of what it hit, whatever the order of the entries. */
export function flowOf({ entry, causes, effects }: Pick<EntryContext, 'entry' | 'causes' | 'effects'>): {
  before: EvidenceEntry[];
  after: EvidenceEntry[];
} {
  const hits = effects.filter(({ kind }) => kind === 'fault');
  const others = effects.filter(({ kind }) => kind !== 'fault');
  if (entry.kind === 'fault') return { before: [], after: [...causes.slice(-1), ...others] };
  return { before: [...causes, ...hits], after: others };
}

async function contextOf(source: EvidenceSource, sequence: number): Promise<EntryContext> {
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
