// A fork as its parent's actor makes it: now, at a snapshot, or at any sequence of the journal. The parent stays as it is.
import { ServiceError } from '../contract/errors.js';
import { EvidenceHasher } from '../contract/evidence-hash.js';
import type { WorldPosition } from '../contract/world-protocol.js';
import { beginFork, forkTag, type Lineage, worldInstanceId } from './birth.js';
import { forkWorld } from './fork.js';
import { wholeTransactionAt } from './history.js';
import { position } from './position.js';
import { receiptRules } from './receipt-rules.js';
import { invalidRequest, type Simulation } from './simulation.js';
import type { WorldStore } from './world-store.js';
import type { WriteSet } from './write-set.js';

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
  /** The environment of the child, with the program in it. */
  target: WorldStore;
  sliceOver: () => boolean;
}

/** `set` makes the child when it is committed. Its first life begins with the next activation. */
export function* fork(
  parent: Simulation,
  command: ForkCommand,
  { target, sliceOver }: ForkContext,
): Generator<undefined, { reply: ForkReply; set: WriteSet }> {
  const { worldId, atSequence, snapshotId } = command;
  if (atSequence !== undefined && snapshotId !== undefined) throw invalidRequest('A fork goes on from a sequence or from a snapshot, not both.');
  const { storage, program } = parent;
  const fromSequence = forkSequence(parent, command);
  const parentEvidenceHash = yield* hashUntil(parent, fromSequence, sliceOver);
  const lineage: Lineage = { parentWorldInstanceId: worldInstanceId(storage.tag), fromSequence, parentEvidenceHash };
  const tag = forkTag(lineage);
  const request = { worldId, incarnation: 0, tag, parentMeta: parent.meta(), atSequence, snapshotId, rules: receiptRules };
  const { child, position: from } = yield* forkWorld(storage, target, request, sliceOver);
  const stateHash = yield* child.records.stateHash(sliceOver);
  const simulation = beginFork(child, { program, position: from, lineage, stateHash });
  const reply = { worldInstanceId: worldInstanceId(tag), position: yield* position(simulation, sliceOver) };
  const set = child.takeWriteSet(simulation.meta());
  if (set === undefined) throw new Error('a new world always has something to write');
  return { reply, set };
}

function forkSequence({ storage }: Simulation, { atSequence, snapshotId }: ForkCommand): number {
  const { journal } = storage;
  if (snapshotId !== undefined) return storage.snapshot(snapshotId)?.sequence ?? 0;
  if (atSequence === undefined) return journal.sequence;
  if (!Number.isInteger(atSequence) || atSequence < 1) throw invalidRequest('atSequence is an integer, 1 or more.');
  if (atSequence > journal.sequence)
    throw new ServiceError('control.NOT_FOUND', { message: `The journal ends at ${journal.sequence}.`, details: { atSequence } });
  // What is before the end of the first transaction is no world yet.
  return Math.max(wholeTransactionAt(journal, atSequence).sequence, 1);
}

/** The evidence hash that the journal had at `sequence`. */
function* hashUntil({ storage: { journal } }: Simulation, sequence: number, sliceOver: () => boolean): Generator<undefined, string> {
  if (sequence === journal.sequence) return yield* journal.evidenceHash(sliceOver);
  const hasher = new EvidenceHasher();
  for (let from = 1; from <= sequence; ) {
    const { lines, count } = journal.lines(from, Math.min(1024, sequence - from + 1));
    for (const line of lines.split('\n').slice(0, -1)) hasher.appendLine(line);
    from += count;
    if (sliceOver()) yield;
  }
  return hasher.digest();
}
