// Earlier positions of a world restored: to read (state at a sequence) or as a new world (fork). Rows come from the nearest
// snapshot's layers, which a fork in the same data file shares, plus what the fold over the journal finds changed after it.
import { canonicalJson } from '../../contract/canonical-json.js';
import { ServiceError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import type { EventEntry } from '../../contract/world/evidence.js';
import type { WorldHead } from '../kv/world-head.js';
import { EventQueue } from '../state/event-queue.js';
import { type Fold, foldJournal, wholeTransactionAt } from '../state/history.js';
import { Layers } from '../state/layers.js';
import { CallbackOutbox, foldOutbox } from '../state/outbox.js';
import type { StoredReceipt } from '../state/receipts.js';
import type { Records } from '../state/records.js';
import type { WorldRepository } from '../state/world-repository.js';
import type { FoldRules, TurnStamp, WorldState } from '../state/world-state.js';

/** Where a world stood. */
export interface Position {
  /** Of the last whole transaction at or below what was asked for. */
  sequence: number;
  transactions: number;
  /** The owner's, as saved at the nearest snapshot at or below (now: the present one). */
  meta: object;
  /** Every side key set after that, and the stamp of the last turn, if there was one. */
  side: ReadonlyMap<string, JsonValue>;
  stamp: TurnStamp | undefined;
}
export interface ForkPoint {
  worldId: string;
  incarnation: number;
  /** Of the child's ids. */
  tag: string;
  /** The parent's meta now. */
  parentMeta: object;
  /** Default: now. */
  atSequence?: number | undefined;
  snapshotId?: string | undefined;
  rules: FoldRules;
}

/** The rows right after the entry `sequence`, to read; exact inside a transaction too. control.NOT_FOUND beyond the journal. */
export function* stateAt(world: WorldState, sequence: number, sliceOver: () => boolean): Generator<undefined, Records> {
  requireSequence(world, sequence);
  const start = world.snapshotBefore(sequence);
  const folded = yield* foldJournal(world.journal, { after: start.sequence, to: sequence, rowsOnly: true }, sliceOver);
  const records = world.recordsOf(start);
  bringRows(records, folded);
  return records;
}

/**
 * A new world with the rows, queue and receipts of the parent. Its journal is empty and its own; it exists with its first write set, which
 * goes into the same commit as the parent's next one, or a later one.
 * `target` is the data file that will hold it: the parent's own (layers are shared) or another (what differs from the base is copied;
 * the program must be there).
 */
export function* forkWorld(
  parent: WorldState,
  target: WorldRepository,
  request: ForkPoint,
  sliceOver: () => boolean,
): Generator<undefined, { child: WorldState; position: Position }> {
  const { head, position, folded } = yield* startOf(parent, request, sliceOver);
  const watermark = folded?.watermark ?? head.watermark;
  const nextOrdinal = Math.max(head.nextOrdinal, folded?.nextOrdinal ?? 0);
  const blobs = folded === undefined ? head.blobs : parent.blobsAt(position.sequence);
  const isShared = target.store === parent.context.store;
  const child = isShared
    ? target.createFrom(request, { ...head, watermark, nextOrdinal, blobs }, parent)
    : target.createWorld({ ...request, programKey: parent.programKey });
  if (!isShared) copyHead(parent, { ...head, watermark, nextOrdinal, blobs }, child);
  if (folded !== undefined) {
    bring(child, folded, { to: { watermark, nextOrdinal }, rules: request.rules, parent });
    foldOutbox(child.outbox, folded.side, (sequence) => payloadAt(parent, sequence));
  }
  child.outbox.disown();
  return { child, position };
}

/** The head to begin with and what the fold adds to it. */
function* startOf(
  parent: WorldState,
  { parentMeta, atSequence, snapshotId }: ForkPoint,
  sliceOver: () => boolean,
): Generator<undefined, { head: WorldHead; position: Position; folded: Fold | undefined }> {
  if (snapshotId !== undefined || atSequence === undefined) {
    const head = snapshotId === undefined ? parent.freeze(parentMeta) : parent.snapshot(snapshotId);
    if (head === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such snapshot.' });
    const { sequence, transactions, meta } = head;
    return { head, position: { sequence, transactions, meta, side: new Map(), stamp: undefined }, folded: undefined };
  }
  requireSequence(parent, atSequence);
  const head = parent.snapshotBefore(atSequence);
  const { sequence, transactions } = wholeTransactionAt(parent.journal, Math.max(atSequence, head.sequence));
  const folded = yield* foldJournal(parent.journal, { after: head.sequence, to: sequence, rowsOnly: false }, sliceOver);
  return { head, position: { sequence, transactions, meta: head.meta, side: folded.side, stamp: folded.stamp }, folded };
}

function requireSequence(world: WorldState, sequence: number): void {
  if (sequence >= 0 && sequence <= world.journal.sequence) return;
  throw new ServiceError('control.NOT_FOUND', {
    message: 'The journal has no such sequence.',
    details: { sequence, last: world.journal.sequence },
  });
}

function bringRows(records: Records, { rows }: Fold): void {
  for (const { name, texts } of rows.values()) {
    const space = records.space(name.packageId, name.instanceId, name.namespace);
    for (const [rowId, text] of texts) records.restore(space, rowId, text);
  }
}

function bring(child: WorldState, folded: Fold, { to, rules, parent }: Bringing): void {
  bringRows(child.records, folded);
  for (const ordinal of folded.cancelled) child.queue.cancel(ordinal);
  const scheduled = [...folded.scheduled.values()].map(({ ordinal, atUs, parts: { event, actor }, payloadText }) => {
    const ref = child.queue.ref({ ...event, actorId: actor?.actorId, actorInstanceId: actor?.actorInstanceId });
    return { ordinal, atUs, ref, payloadText, causeSequence: 0 };
  });
  child.queue.endTurn();
  child.queue.restore(scheduled, to);
  for (const entry of folded.receiptEntries) {
    if (entry.kind === 'operation') {
      const made = rules.receiptOf(entry);
      if (made !== undefined) child.receipts.put(made.packageId, made.key, made.receipt);
    } else if (entry.phase === 'world_reset') {
      for (const packageId of (entry.details.packages as string[] | undefined) ?? [])
        child.receipts.replacePackage(packageId, parent.origin.receipts(packageId));
    }
  }
}
interface Bringing {
  to: { watermark: readonly [number, number]; nextOrdinal: number };
  rules: FoldRules;
  parent: WorldState;
}

/** Of the event that a callback reports. */
function payloadAt({ journal }: WorldState, sequence: number): string {
  const [entry] = journal.read(sequence, 1) as [EventEntry];
  return canonicalJson(entry.payload);
}

/** Everything that the head's layers hold above the base. */
function copyHead(parent: WorldState, head: WorldHead, child: WorldState): void {
  const layers = new Layers(parent.view, head.layers);
  head.spaces.forEach(([packageId, instanceId, namespace, , stored], index) => {
    const space = child.records.space(packageId, instanceId, namespace);
    if (stored === 0) return;
    for (const [rowId, bytes] of layers.rowsOf(index)) child.records.restore(space, rowId, bytes.length === 0 ? null : bytes.toString());
  });
  const queue = new EventQueue(parent.view, layers, head);
  const events = queue.pending(queue.size).map((event) => ({ ...event, ref: child.queue.ref(event.ref), causeSequence: 0 }));
  child.queue.restore(events, head);
  for (const row of new CallbackOutbox(layers, head.nextDelivery).rows()) child.outbox.put(row);
  child.outbox.reserve(head.nextDelivery);
  child.blobs.copyFrom(parent.view, head.blobs);
  if (!head.hasReceipts) return;
  for (const bytes of layers.receipts()) {
    const { packageId, key, receipt } = JSON.parse(bytes.toString()) as StoredReceipt;
    child.receipts.put(packageId, key, receipt);
  }
}
