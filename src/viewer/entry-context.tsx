// The entry that is looked at, with what led to it and what it led to: the pane says it, the timeline draws it.
import type { ChainReply } from '../contract/inspector/journal.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import type { EvidenceSource } from './evidence-source.ts';
import { type LoadState, useLoad } from './kit/loading.tsx';

export interface EntryContext extends Omit<ChainReply, 'schemaVersion'> {
  entry: EvidenceEntry;
}

/** Without a value for as long as no entry is looked at. */
export function useEntryContext(source: EvidenceSource, sequence: number | undefined): LoadState<EntryContext> {
  return useLoad(`entry ${source.id} ${sequence}`, () =>
    sequence === undefined ? new Promise<never>(() => undefined) : contextOf(source, sequence),
  );
}

async function contextOf(source: EvidenceSource, sequence: number): Promise<EntryContext> {
  const [entry, chain] = await Promise.all([entryAt(source, sequence), source.chain(sequence)]);
  if (entry === undefined) throw new Error(`The journal ends before entry ${sequence}.`);
  return { entry, ...chain };
}

async function entryAt(source: EvidenceSource, sequence: number): Promise<EvidenceEntry | undefined> {
  return source.held === undefined ? source.journal.entry(sequence) : (await source.entriesAt([sequence]))[0];
}
