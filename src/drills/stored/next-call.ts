// Where a run can be continued from: the end of a transaction, and the first call that its agent made after it.
import { ServiceError } from '../../contract/errors.js';
import type { EvidenceEntry, OperationEntry } from '../../contract/world/evidence.js';
import { waitTarget } from '../../worlds/turn/grants.js';

interface Journal {
  toSequence: number;
  entriesFrom(sequence: number): AsyncIterable<EvidenceEntry>;
}

/** `at`: of the last whole transaction at or below `atSequence`. control.INVALID_REQUEST for an entry that the journal does not have. */
export async function nextCall(journal: Journal, atSequence: number): Promise<{ at: number; next: OperationEntry | undefined }> {
  requireEntry(journal, atSequence);
  let at = atSequence;
  for await (const entry of journal.entriesFrom(atSequence)) {
    at = wholePosition(entry);
    break;
  }
  for await (const entry of journal.entriesFrom(at + 1)) if (isAgentCall(entry)) return { at, next: entry };
  return { at, next: undefined };
}

/** control.INVALID_REQUEST */
export function requireEntry({ toSequence }: Pick<Journal, 'toSequence'>, sequence: number): void {
  if (Number.isInteger(sequence) && sequence >= 1 && sequence <= toSequence) return;
  const message = `The journal has the entries 1 to ${toSequence}, and no ${sequence}.`;
  throw new ServiceError('control.INVALID_REQUEST', { message });
}

/** The sequence of the last whole transaction at or before the entry; 0 where there is none. */
export function wholePosition({ sequence, transactionIndex, transactionSize }: EvidenceEntry): number {
  return transactionIndex === transactionSize - 1 ? sequence : sequence - transactionIndex - 1;
}

/** A wait is no call of a tool. */
export function isAgentCall(entry: EvidenceEntry): entry is OperationEntry {
  return entry.kind === 'operation' && entry.invocation.packageId !== waitTarget.packageId;
}
