// A fork as its parent's actor makes it: now, at a snapshot, or at any sequence of the journal. The parent stays as it is.
import { ServiceError } from '../../contract/errors.js';
import type { WorldPosition } from '../../contract/world/world-protocol.js';
import type { JournalPosition } from '../journal/journal.js';
import { segmentOf } from '../journal/journal-reader.js';
import type { WriteSet } from '../kv/write-set.js';
import { wholeTransactionAt } from '../state/history.js';
import type { WorldRepository } from '../state/world-repository.js';
import { receiptRules } from '../turn/receipt-rules.js';
import { type HashedMoment, invalidRequest, type Simulation } from '../turn/simulation.js';
import { beginFork, forkTag, type Lineage, worldInstanceId } from './birth.js';
import { forkWorld } from './fork.js';
import { position } from './position.js';

export interface ForkCommand {
  kind: 'fork';
  worldId: string;
  atSequence?: number;
  snapshotId?: string;
}
export interface ForkReply {
  worldInstanceId: string;
  position: WorldPosition;
}
export interface ForkContext {
  /** The data file of the child, with the program in it. Throws control.STATE_CONFLICT where the id is taken. */
  openTarget(): WorldRepository;
  sliceOver: () => boolean;
}

/** `set` makes the child when it is committed. Its first incarnation begins with the next activation. */
export function* fork(
  parent: Simulation,
  command: ForkCommand,
  { openTarget, sliceOver }: ForkContext,
): Generator<undefined, { reply: ForkReply; store: WorldRepository; set: WriteSet }> {
  const { worldId, atSequence, snapshotId } = command;
  if (atSequence !== undefined && snapshotId !== undefined)
    throw invalidRequest('A fork continues from a sequence or from a snapshot, not both.');
  const { storage, program } = parent;
  const at = forkPosition(parent, command);
  const { journal } = storage;
  const isNow = atSequence === undefined && snapshotId === undefined;
  const moment = { journal: segmentOf(at.segments, at.sequence), sequence: at.sequence };
  const known = knownMoment(parent, moment);
  const parentEvidenceHash =
    known?.evidenceHash ?? (yield* isNow ? journal.evidenceHash(sliceOver) : journal.evidenceHashAt(at, sliceOver));
  const lineage: Lineage = { parentWorldInstanceId: worldInstanceId(storage.tag), fromSequence: at.sequence, parentEvidenceHash };
  const tag = forkTag(lineage);
  const request = { worldId, incarnation: 0, tag, parentMeta: parent.meta(), atSequence, snapshotId, rules: receiptRules };
  // What is refused has been by now, and has left no file behind.
  const store = openTarget();
  const { child, position: from } = yield* forkWorld(storage, store, request, sliceOver);
  const stateHash = known?.stateHash ?? (yield* child.records.stateHash(sliceOver));
  parent.forkedAt = { ...moment, evidenceHash: parentEvidenceHash, stateHash };
  const simulation = beginFork(child, { program, position: from, lineage, stateHash });
  const reply = { worldInstanceId: worldInstanceId(tag), position: yield* position(simulation, sliceOver, stateHash) };
  const set = child.takeWriteSet(simulation.meta());
  if (set === undefined) throw new Error('a new world always has something to write');
  return { reply, store, set };
}

/** A journal's entry stands at the end of one state only, so a moment of which it is the last is hashed once. */
function knownMoment(
  { forkedAt }: Simulation,
  { journal, sequence }: Pick<HashedMoment, 'journal' | 'sequence'>,
): HashedMoment | undefined {
  return forkedAt?.journal === journal && forkedAt.sequence === sequence ? forkedAt : undefined;
}

/** Where the parent stood, on its present journal or on the one that a snapshot keeps. */
function forkPosition({ storage }: Simulation, { atSequence, snapshotId }: ForkCommand): Pick<JournalPosition, 'segments' | 'sequence'> {
  const { journal } = storage;
  const { segments, sequence } = journal;
  if (snapshotId !== undefined) {
    const snapshot = storage.snapshot(snapshotId);
    if (snapshot === undefined)
      throw new ServiceError('control.NOT_FOUND', { message: 'There is no such snapshot.', details: { snapshotId } });
    return snapshot;
  }
  if (atSequence === undefined) return { segments, sequence };
  if (!Number.isInteger(atSequence) || atSequence < 1) throw invalidRequest('atSequence is an integer, 1 or more.');
  if (atSequence > sequence)
    throw new ServiceError('control.NOT_FOUND', { message: `The journal ends at ${sequence}.`, details: { atSequence } });
  // What is before the end of the first transaction is no world yet.
  return { segments, sequence: Math.max(wholeTransactionAt(journal, atSequence).sequence, 1) };
}
