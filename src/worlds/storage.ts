// All that is durable of one active world: rows, journal, queue, receipts and the owner's meta, gathered into one write set a commit.
// Used only by that world's actor. Turns run in memory; nothing here waits and nothing runs inside a transaction.
//   W1. A write set holds whole turns. What it holds is in the store when its commit returns, or the world is thrown away.
//   W2. The origin is the snapshot with the empty id, taken with the first write set: what a whole reset goes back to.
import { invariant, ServiceError } from '../contract/errors.js';
import type { OperationEntry } from '../contract/evidence.js';
import type { JsonValue } from '../contract/json.js';
import type { Base, ParseRow } from './base.js';
import { EventQueue, type ScheduledEvent } from './event-queue.js';
import { Journal } from './journal.js';
import type { ChunkCache } from './journal-reader.js';
import { segmentOf } from './journal-reader.js';
import { headKey, keyKinds, snapshotIdOfKey, snapshotKey, snapshotRange } from './keys.js';
import { Layers, layersMax } from './layers.js';
import { mergeLayers } from './layer-merge.js';
import { type Receipt, Receipts } from './receipts.js';
import { Records } from './records.js';
import type { Store } from './store.js';
import { decodeHead, encodeHead, type JournalSegment, type WorldHead } from './world-head.js';
import { WriteSet } from './write-set.js';

export interface TurnStamp {
  virtualTimeUs: number;
  /** corr_ id of every entry of the turn. */
  correlationOrdinal: number;
}
/** What a turn changed beside rows, queue, receipts and evidence (clock, random streams, counters): the last value of each key counts. Not evidence. */
export type TurnSide = { readonly [key: string]: JsonValue };

/** The owner's knowledge that a fold needs. */
export interface FoldRules {
  /** The receipt that an `operation` entry with idempotency `recorded` left. */
  receiptOf(entry: OperationEntry): { packageId: string; key: string; receipt: Receipt } | undefined;
}

/** What the worlds of one environment share. */
export interface StorageContext {
  store: Store;
  chunks: ChunkCache;
  base: Base;
  parse: ParseRow;
}
export const originId = '';

export class WorldStorage {
  readonly worldId: string;
  readonly incarnation: number;
  readonly tag: string;
  readonly programKey: string;
  readonly context: StorageContext;
  readonly records: Records;
  readonly journal: Journal;
  readonly queue: EventQueue;
  readonly receipts: Receipts;
  readonly #layers: Layers;
  #meta: object | undefined;
  #topUsed: boolean;
  #firstOwnOrdinal: number;
  #carried: TurnSide | undefined;
  #isNew: boolean;
  #isChanged: boolean;
  /** What a reset leaves for the next write set. */
  #owed: ((set: WriteSet) => void) | undefined;

  /** `isNew`: the first write set creates the world. */
  constructor(context: StorageContext, world: { worldId: string; incarnation: number }, head: WorldHead, isNew: boolean) {
    this.context = context;
    this.worldId = world.worldId;
    this.incarnation = world.incarnation;
    this.tag = head.tag;
    this.programKey = head.programKey;
    this.#layers = new Layers(context.store, head.layers);
    this.journal = new Journal(context.chunks, head.tag, head);
    this.records = new Records({ base: context.base, layers: this.#layers, journal: this.journal, parse: context.parse }, head.spaces);
    this.queue = new EventQueue(context.store, this.#layers, head);
    this.receipts = new Receipts(this.#layers, head.hasReceipts);
    this.#meta = isNew ? undefined : head.meta;
    this.#topUsed = head.topUsed;
    this.#firstOwnOrdinal = head.firstOwnOrdinal;
    this.#carried = readSide(head.carriedSide);
    this.#isNew = this.#isChanged = isNew;
  }

  /** As loaded, or as of the last reset; undefined in a world just created. */
  get meta(): object | undefined {
    return this.#meta;
  }

  beginTurn(): void {
    this.records.beginTurn();
    this.journal.beginTurn();
    this.receipts.beginTurn();
  }
  /** Undoes rows, scheduled and cancelled events, receipts and drafted entries of this turn; the turn itself goes on. A popped event stays popped. */
  rollbackEffects(): void {
    this.records.rollback();
    this.journal.rollback();
    this.queue.rollback();
    this.receipts.rollback();
  }
  /** The drafted entries become one transaction of the journal. A turn without any leaves its state all the same. */
  endTurn(stamp: TurnStamp, side?: TurnSide): void {
    if (side !== undefined) this.#carried = this.#carried === undefined ? side : { ...this.#carried, ...side };
    if (this.journal.turnHasEntries) {
      this.journal.endTurn(stamp.virtualTimeUs, stamp.correlationOrdinal, writeSide(this.#carried));
      this.#carried = undefined;
    }
    this.queue.endTurn();
    this.#isChanged = true;
  }

  /** Entries and scheduled events not yet taken. */
  pendingCount(): number {
    return this.journal.pendingEntries + this.queue.freshCount;
  }
  /** Everything since the last take; undefined when nothing changed. `meta`: what the owner keeps (msgpack-able, small). Between turns only. */
  takeWriteSet(meta: object): WriteSet | undefined {
    return this.#isNew ? this.#take(meta, originId) : this.#isChanged || this.journal.hasPending ? this.#take(meta) : undefined;
  }
  /** Takes and commits at once, outside any group. Throws what refuses it. */
  commitNow(meta: object): void {
    this.#commit(this.takeWriteSet(meta));
  }

  /** Makes one more leaf of the journal's hash; false when none is left to make. */
  idle(): boolean {
    return this.journal.idle();
  }
  /** Drops what can be read again; nothing may be pending. */
  passivate(): void {
    this.journal.dropCaches();
    this.records.dropCaches();
    this.receipts.dropCaches();
  }

  /**
   * Commits what is pending and names the position. Called after the turn that tells of the snapshot: both are stored together.
   * The world goes on in a new layer over the one that the snapshot keeps, so a snapshot costs the same whatever the world holds.
   */
  takeSnapshot(snapshotId: string, meta: object): void {
    invariant(snapshotId !== originId && !this.#isNew, 'a snapshot has a name and its world exists');
    if (this.#layers.chain.length >= layersMax) this.#mergeLayers();
    this.#commit(this.#take(meta, snapshotId));
  }
  /** Commits what is pending and freezes the layers as they are, so that a fork can share them. Returns the head they are part of. */
  freeze(meta: object): WorldHead {
    this.commitNow(meta);
    if (this.#layers.chain.length >= layersMax) this.#mergeLayers();
    const frozen = this.#frozenHead(meta);
    const set = this.#newSet('change');
    this.#pushLayer(set);
    set.put(headKey(this.worldId), encodeHead(this.#head(meta)));
    this.#commit(set);
    return frozen;
  }
  snapshotIds(): string[] {
    return this.#snapshots()
      .map(({ snapshotId }) => snapshotId)
      .filter((snapshotId) => snapshotId !== originId);
  }
  snapshot(snapshotId: string): WorldHead | undefined {
    const bytes = this.context.store.get(snapshotKey(this.worldId, snapshotId));
    return bytes === undefined ? undefined : decodeHead(bytes);
  }
  /** The latest snapshot (or the origin) of this journal at or below a sequence. */
  snapshotBefore(sequence: number): WorldHead {
    let best: WorldHead | undefined;
    for (const { head } of this.#snapshots()) {
      const onLine = head.sequence === 0 || (head.sequence <= this.journal.sequence && segmentOf(head.segments, head.sequence) === segmentOf(this.journal.segments, head.sequence));
      if (onLine && head.sequence <= sequence && (best === undefined || head.sequence >= best.sequence)) best = head;
    }
    return best ?? (this.snapshot(originId) as WorldHead);
  }

  /**
   * Back to a snapshot, or to the origin: rows, queue, receipts, and the journal's prefix. Returns that point's meta. Stored with the
   * next write set, which carries the turn that tells of the reset. `meta` is the present one: what is pending is committed first.
   * Spaces and refs that the owner holds are void. Throws control.NOT_FOUND.
   */
  reset(meta: object, snapshotId: string = originId): object {
    this.commitNow(meta);
    const target = this.snapshot(snapshotId);
    if (target === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such snapshot.', details: { snapshotId } });
    const { store } = this.context;
    const left = this.#layers.chain;
    const segments = [...target.segments, [store.allocateId(), target.sequence + 1] as const];
    const layers = [...target.layers, store.allocateId()];
    const abandoned = this.#abandonedChunks(segments, target.sequence);
    this.#owed = (set) => {
      set.refer(left, -1);
      set.refer(layers, 1);
      for (const [journal, from] of abandoned) set.doom(keyKinds.chunk, journal, from);
      for (const [journal, from] of abandoned) if (from === 0) set.doom(keyKinds.leaves, journal, 0);
    };
    this.#layers.moveTo(layers);
    this.#topUsed = false;
    this.#carried = undefined;
    this.#isChanged = true;
    this.#meta = target.meta;
    this.journal.moveTo({ segments, sequence: target.sequence, transactions: target.transactions });
    this.records.load(target.spaces);
    this.queue.load(target);
    this.receipts.load(target.hasReceipts);
    return target.meta;
  }

  /** Puts the rows and receipts of a package back to the origin's: rows with their entries, in the present turn. Events are the owner's to cancel. */
  resetPackage(packageId: string): void {
    const origin = this.snapshot(originId);
    invariant(origin !== undefined, 'a stored world has an origin');
    this.records.resetPackage(packageId, this.recordsOf(origin));
    this.receipts.deletePackage(packageId);
  }
  /** What the origin has pending of a package, the earliest first. */
  originEvents(packageId: string): ScheduledEvent[] {
    const origin = this.snapshot(originId);
    invariant(origin !== undefined, 'a stored world has an origin');
    const queue = new EventQueue(this.context.store, new Layers(this.context.store, origin.layers), origin);
    return queue.pending(queue.size).filter(({ ref }) => ref.packageId === packageId);
  }
  /** The rows of a snapshot, to read (or to bring forward by a fold). */
  recordsOf(head: WorldHead): Records {
    const { base, parse, store } = this.context;
    return new Records({ base, parse, layers: new Layers(store, head.layers), journal: this.journal }, head.spaces);
  }

  #snapshots(): { snapshotId: string; head: WorldHead }[] {
    const heads: { snapshotId: string; head: WorldHead }[] = [];
    for (const { key, value } of this.context.store.range(snapshotRange(this.worldId))) {
      heads.push({ snapshotId: snapshotIdOfKey(key), head: decodeHead(value) });
    }
    return heads;
  }

  #newSet(intent: 'create' | 'change'): WriteSet {
    return new WriteSet(this, intent, () => this.journal.applied());
  }

  #take(meta: object, snapshotId?: string): WriteSet {
    const set = this.#newSet(this.#isNew ? 'create' : 'change');
    if (this.#isNew) set.refer(this.#layers.chain, 1);
    this.#owed?.(set);
    this.journal.takeInto(set);
    const before = set.keys.length;
    this.records.takeInto(set);
    this.queue.takeInto(set);
    this.receipts.takeInto(set);
    if (set.keys.length > before) this.#topUsed = true;
    if (snapshotId !== undefined) {
      const frozen = this.#frozenHead(meta);
      set.put(snapshotKey(this.worldId, snapshotId), encodeHead(frozen));
      set.refer(frozen.layers, 1);
      this.#pushLayer(set);
    }
    set.put(headKey(this.worldId), encodeHead(this.#head(meta)));
    this.#owed = undefined;
    this.#isNew = this.#isChanged = false;
    return set;
  }

  /** The head with those layers that will not be written again. */
  #frozenHead(meta: object): WorldHead {
    const head = this.#head(meta);
    return { ...head, layers: this.#topUsed ? head.layers : head.layers.slice(0, -1), topUsed: true };
  }
  /** A new top, unless nothing is in the present one. */
  #pushLayer(set: WriteSet): void {
    if (!this.#topUsed) return;
    const top = this.context.store.allocateId();
    this.#layers.moveTo([...this.#layers.chain, top]);
    set.refer([top], 1);
    this.#topUsed = false;
  }
  /** All layers become one. What is in memory stays as it is; the stored head changes in nothing but its layers. */
  #mergeLayers(): void {
    const { store } = this.context;
    const stored = decodeHead(store.get(headKey(this.worldId)) as Buffer);
    const merged = store.allocateId();
    const set = this.#newSet('change');
    mergeLayers(store, stored.layers, merged, set);
    set.refer(stored.layers, -1);
    set.refer([merged], 1);
    set.put(headKey(this.worldId), encodeHead({ ...stored, layers: [merged], topUsed: true }));
    this.#commit(set);
    this.#layers.moveTo([merged]);
    this.#topUsed = true;
  }

  #head(meta: object): WorldHead {
    return {
      programKey: this.programKey,
      tag: this.tag,
      layers: this.#layers.chain,
      topUsed: this.#topUsed,
      segments: this.journal.segments,
      sequence: this.journal.sequence,
      transactions: this.journal.transactions,
      spaces: this.records.spaceRecords(),
      nextOrdinal: this.queue.nextOrdinal,
      firstOwnOrdinal: this.#firstOwnOrdinal,
      watermark: this.queue.watermark,
      hasQueue: this.queue.hasQueue,
      hasReceipts: this.receipts.hasStored,
      carriedSide: writeSide(this.#carried) ?? '',
      meta,
    };
  }

  /** Journals of the chain that was left, from the first sequence that neither the new chain nor any snapshot reads. */
  #abandonedChunks(segments: readonly JournalSegment[], sequence: number): [journal: number, from: number][] {
    const needed = new Map<number, number>();
    const need = (chain: readonly JournalSegment[], end: number): void => {
      chain.forEach(([journal], index) => {
        const through = index + 1 < chain.length ? (chain[index + 1] as JournalSegment)[1] - 1 : end;
        needed.set(journal, Math.max(needed.get(journal) ?? 0, through));
      });
    };
    need(segments, sequence);
    for (const { head } of this.#snapshots()) need(head.segments, head.sequence);
    return this.journal.segments.map(([journal]) => [journal, (needed.get(journal) ?? -1) + 1]);
  }

  #commit(set: WriteSet | undefined): void {
    if (set === undefined) return;
    const [refusal] = this.context.store.commit([set]);
    if (refusal !== undefined) throw refusal;
  }
}

function writeSide(side: TurnSide | undefined): string | undefined {
  return side === undefined ? undefined : JSON.stringify(side);
}
function readSide(text: string): TurnSide | undefined {
  return text === '' ? undefined : (JSON.parse(text) as TurnSide);
}
