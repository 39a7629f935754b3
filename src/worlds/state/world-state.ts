// All that is durable of one active world: rows, journal, queue, receipts, outbox and the owner's meta, gathered into one write set a
// commit. Used only by that world's actor. Turns run in memory; nothing here waits, and nothing here writes: the commit of a write set
// does.
//   WORLD-STATE-1. A write set holds whole turns. Once it is taken, it is applied to the state it was made on, or this object is thrown
//     away.
//   WORLD-STATE-2. The world's own layer is the top one. A snapshot or a fork makes it a lower one, never to be written again, and puts a
//     new one on it.
//   WORLD-STATE-3. Snapshots, resets and forks gather what is pending at their place; until the commit, `#view` shows what they gathered.
import { invariant } from '../../contract/errors.js';
import type { OperationEntry } from '../../contract/world/evidence.js';
import { Journal } from '../journal/journal.js';
import type { ChunkCache } from '../journal/journal-reader.js';
import { headKey, keyKinds } from '../kv/keys.js';
import { KvView } from '../kv/view.js';
import { encodeHead, type StoredBlobs, type WorldHead } from '../kv/world-head.js';
import { type WorldVersion, WriteSet } from '../kv/write-set.js';
import type { KvWriter } from '../kv/writer.js';
import { tuning } from '../tuning.js';
import type { Base, ParseRow } from './base.js';
import { CommandLog } from './command-log.js';
import { EventQueue } from './event-queue.js';
import { mergeLayers } from './layer-merge.js';
import { Layers } from './layers.js';
import { Origin } from './origin.js';
import { CallbackOutbox } from './outbox.js';
import { type Receipt, Receipts } from './receipts.js';
import { Records } from './records.js';
import { originId, Snapshots } from './snapshots.js';
import { readSide, type TurnSide, writeSide } from './turn-side.js';
import { layersOf, WorldBlobs } from './world-blobs.js';

export interface TurnStamp {
  virtualTimeUs: number;
  /** corr_ id of every entry of the turn. */
  correlationOrdinal: number;
}

/** The owner's knowledge that a fold needs. */
export interface FoldRules {
  /** The receipt that an `operation` entry with idempotency `recorded` left. */
  receiptOf(entry: OperationEntry): { packageId: string; key: string; receipt: Receipt } | undefined;
}

/** What the worlds of one data file share. */
export interface WorldStateContext {
  store: KvWriter;
  chunks: ChunkCache;
  base: Base;
  parse: ParseRow;
}
/** Where a world begins in this incarnation. */
export interface WorldStateStart {
  worldId: string;
  incarnation: number;
  head: WorldHead;
  /** Undefined: the first write set creates the world. */
  stored: WorldVersion | undefined;
  /** Of a parent that has not committed yet what this world shares with it. */
  parent?: { view: KvView; gathered: WriteSet | undefined } | undefined;
}

export class WorldState {
  readonly worldId: string;
  readonly incarnation: number;
  readonly tag: string;
  readonly programKey: string;
  readonly context: WorldStateContext;
  readonly records: Records;
  readonly journal: Journal;
  readonly queue: EventQueue;
  readonly receipts: Receipts;
  readonly outbox: CallbackOutbox;
  readonly snapshots: Snapshots;
  readonly origin: Origin;
  readonly doneCommands: CommandLog;
  readonly blobs: WorldBlobs;
  readonly view: KvView;
  readonly #layers: Layers;
  readonly #parent: WriteSet | undefined;
  #stored: WorldVersion | undefined;
  #meta: object | undefined;
  #topUsed: boolean;
  #firstOwnOrdinal: number;
  #carried: TurnSide | undefined;
  #storedBytes: number;
  #isNew: boolean;
  #isChanged: boolean;
  /** Begun by a snapshot, reset or fork; the next take completes it. */
  #gathered: WriteSet | undefined;

  constructor(context: WorldStateContext, { worldId, incarnation, head, stored, parent }: WorldStateStart) {
    this.context = context;
    this.worldId = worldId;
    this.incarnation = incarnation;
    this.tag = head.tag;
    this.programKey = head.programKey;
    this.view = new KvView(context.store, parent?.view);
    this.snapshots = new Snapshots(this.view, worldId);
    this.origin = new Origin(this.view, this.snapshots);
    this.doneCommands = new CommandLog(this.view, worldId);
    this.#layers = new Layers(this.view, head.layers);
    this.journal = new Journal(context.chunks, head.tag, head);
    this.records = new Records({ base: context.base, layers: this.#layers, journal: this.journal, parse: context.parse }, head.spaces);
    this.queue = new EventQueue(this.view, this.#layers, head);
    this.receipts = new Receipts(this.#layers, head.hasReceipts);
    this.outbox = new CallbackOutbox(this.#layers, head.nextDelivery);
    this.blobs = new WorldBlobs(this.view, () => context.store.allocateId(), head.blobs);
    this.#parent = parent?.gathered;
    this.#stored = stored;
    this.#isNew = this.#isChanged = stored === undefined;
    this.#meta = this.#isNew ? undefined : head.meta;
    this.#topUsed = head.topUsed;
    this.#firstOwnOrdinal = head.firstOwnOrdinal;
    this.#carried = readSide(head.carriedSide);
    this.#storedBytes = head.storedBytes ?? 0;
  }

  /**
   * What commits have added, and about what the next one will: a row that is pending is in the journal and in its layer. It only grows, but
   * for a reset: what a row replaced is in the journal still.
   */
  get storedBytes(): number {
    return this.#storedBytes + 2 * this.journal.pendingChars + this.blobs.freshBytes;
  }

  /** As loaded, or as of the last reset; undefined in a world just created. */
  get meta(): object | undefined {
    return this.#meta;
  }

  beginTurn(): void {
    this.records.beginTurn();
    this.journal.beginTurn();
    this.receipts.beginTurn();
    this.outbox.beginTurn();
    this.blobs.beginTurn();
  }
  /**
   * Undoes rows, scheduled and cancelled events, callbacks, receipts and drafted entries of this turn; the turn itself continues. A popped
   * event stays popped.
   */
  rollbackEffects(): void {
    this.records.rollback();
    this.journal.rollback();
    this.queue.rollback();
    this.receipts.rollback();
    this.outbox.rollback();
    this.blobs.rollback();
  }
  /** The drafted entries become one transaction of the journal. A turn without any leaves its state all the same. */
  endTurn(stamp: TurnStamp, side?: TurnSide): void {
    const sent = this.outbox.turnSide();
    const changes = sent === undefined ? side : { ...side, ...sent };
    if (changes !== undefined) this.#carried = this.#carried === undefined ? changes : { ...this.#carried, ...changes };
    if (this.journal.turnHasEntries) {
      this.journal.endTurn(stamp.virtualTimeUs, stamp.correlationOrdinal, writeSide(this.#carried));
      this.#carried = undefined;
    }
    this.queue.endTurn();
    this.#isChanged = true;
  }

  /** Entries and scheduled events not yet taken; large ones count for many. */
  pendingCount(): number {
    const count = this.journal.pendingEntries + this.queue.freshCount;
    return Math.max(count, Math.floor((this.journal.pendingChars + this.blobs.freshBytes) / tuning.pendingCharsCounted));
  }
  /**
   * Everything since the last take; undefined when nothing changed. `meta`: what the owner keeps (msgpack-able, small). Between turns only.
   */
  takeWriteSet(meta: object): WriteSet | undefined {
    const { journal, doneCommands } = this;
    if (!this.#isNew && !this.#isChanged && this.#gathered === undefined && !journal.hasPending && !doneCommands.hasFresh) return undefined;
    const set = this.#gather();
    doneCommands.takeInto(set);
    // The origin is what the first write set holds.
    if (this.#isNew) this.#keepSnapshot(set, originId, meta);
    this.#storedBytes += set.bytes;
    const version = { incarnation: this.incarnation, commits: (this.#stored?.commits ?? 0) + 1 };
    set.put(headKey(this.worldId), encodeHead(this.#head(meta), version));
    this.#stored = version;
    this.#gathered = undefined;
    this.#isNew = this.#isChanged = false;
    return set;
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

  /** Names the position, after the turn that records it; stored with the next write set. It costs the same for every size of world. */
  takeSnapshot(snapshotId: string, meta: object): void {
    invariant(snapshotId !== originId && !this.#isNew, 'a snapshot has a name and its world exists');
    this.#show(() => this.#keepSnapshot(this.#gather(), snapshotId, meta));
  }
  /** Forks have what they share with it; who stands at it, or goes back to before it, misses nothing. Stored with the next write set. */
  deleteSnapshot(snapshotId: string): void {
    this.#show(() => this.snapshots.delete(this.#gather(), snapshotId, this.journal));
  }
  /** Freezes the layers as they are, so that a fork can share them: the head they are part of. */
  freeze(meta: object): WorldHead {
    let frozen: WorldHead | undefined;
    this.#show(() => {
      frozen = this.#freeze(this.#gather(), meta);
    });
    return frozen as unknown as WorldHead;
  }
  /** What a fork of this world needs to see before this world's next commit. */
  get asParent(): { view: KvView; gathered: WriteSet | undefined } {
    return { view: this.view, gathered: this.#gathered };
  }

  /** What a fork at the sequence sees of the bytes. */
  blobsAt(sequence: number): StoredBlobs | undefined {
    if (this.blobs.hasFresh) this.#show(() => void this.#gather());
    return this.blobs.frozenAt(sequence);
  }

  snapshotIds(): string[] {
    return this.snapshots.ids();
  }
  snapshot(snapshotId: string): WorldHead | undefined {
    return this.snapshots.get(snapshotId);
  }
  /** The latest snapshot (or the origin) of this journal at or below a sequence. */
  snapshotBefore(sequence: number): WorldHead {
    const head = this.snapshots.before(sequence, this.journal);
    invariant(head !== undefined, 'a stored world has an origin');
    return head;
  }

  /** Throws control.NOT_FOUND. */
  resetTarget(snapshotId: string = originId): WorldHead {
    return this.snapshots.require(snapshotId);
  }
  /**
   * Back to a snapshot, or to the origin: rows, queue, receipts, and the journal's prefix. Returns that point's meta. What was pending is
   * dropped. Stored with the next write set, which should carry the turn that records the reset. Spaces and refs that the owner holds
   * are void. Throws as resetTarget does.
   */
  reset(snapshotId: string = originId): object {
    const target = this.resetTarget(snapshotId);
    const { store } = this.context;
    const segments = [...target.segments, [store.allocateId(), target.sequence + 1] as const];
    const layers = [...target.layers, store.allocateId()];
    this.#gathered ??= this.#newSet();
    const set = this.#gathered;
    set.refer(this.#allLayers(), -1);
    set.refer(layersOf({ layers, blobs: target.blobs }), 1);
    for (const [journal, from] of this.snapshots.abandoned(this.journal.segments, { segments, sequence: target.sequence })) {
      set.doom(keyKinds.chunk, journal, from);
      if (from === 0) set.doom(keyKinds.leaves, journal, 0);
    }
    this.#layers.moveTo(layers);
    this.#topUsed = false;
    this.#carried = undefined;
    this.#meta = target.meta;
    // What a snapshot keeps stays stored, whether it lies before or after.
    this.#storedBytes = Math.max(target.storedBytes ?? 0, this.snapshots.storedBytes());
    this.journal.moveTo({ segments, sequence: target.sequence, transactions: target.transactions });
    this.records.load(target.spaces);
    this.queue.load(target);
    this.receipts.load(target.hasReceipts);
    this.outbox.load(target.nextDelivery);
    this.blobs.load(target.blobs);
    return target.meta;
  }

  /**
   * Puts the rows and receipts of a package back to the origin's: rows with their entries, in the present turn. Its events are the owner's
   * to cancel and schedule.
   */
  resetPackage(packageId: string): void {
    this.records.resetPackage(packageId, this.recordsOf(this.origin.head));
    this.receipts.replacePackage(packageId, this.origin.receipts(packageId));
  }
  /** The rows of a snapshot, to read (or to bring forward by a fold). */
  recordsOf(head: WorldHead): Records {
    const { base, parse } = this.context;
    return new Records({ base, parse, layers: new Layers(this.view, head.layers), journal: this.journal }, head.spaces);
  }

  #allLayers(): number[] {
    return layersOf({ layers: this.#layers.chain, blobs: this.blobs.stored() });
  }

  #newSet(): WriteSet {
    const set = new WriteSet(this.worldId, this.#stored, () => {
      this.journal.applied();
      this.view.settled();
    });
    set.requires = this.#isNew ? this.#parent : undefined;
    if (this.#isNew) set.refer(this.#allLayers(), 1);
    return set;
  }
  /** Puts all that is pending into the set of the next commit. */
  #gather(): WriteSet {
    this.#gathered ??= this.#newSet();
    const set = this.#gathered;
    this.journal.takeInto(set);
    const before = set.keys.length;
    this.records.takeInto(set);
    this.queue.takeInto(set);
    this.receipts.takeInto(set);
    this.outbox.takeInto(set);
    if (set.keys.length > before) this.#topUsed = true;
    this.blobs.takeInto(set);
    return set;
  }
  /** Runs what gathers, then shows it to the readers of this world. */
  #show(gather: () => void): void {
    const from = this.#gathered?.keys.length ?? 0;
    gather();
    this.view.show(this.#gathered as WriteSet, from);
  }

  #keepSnapshot(set: WriteSet, snapshotId: string, meta: object): void {
    const frozen = this.#freeze(set, meta);
    this.snapshots.put(set, snapshotId, frozen, { incarnation: this.incarnation, commits: 0 });
  }
  /** The head with those layers that will not be written again; the world continues in a new top, unless nothing is in the present one. */
  #freeze(set: WriteSet, meta: object): WorldHead {
    const head = { ...this.#head(meta), topUsed: true, blobs: this.blobs.frozen(this.journal.sequence) };
    if (!this.#topUsed) return { ...head, layers: head.layers.slice(0, -1) };
    const layers = head.layers.length < tuning.layersMax ? head.layers : this.#merge(set);
    const top = this.context.store.allocateId();
    this.#layers.moveTo([...layers, top]);
    set.refer([top], 1);
    this.#topUsed = false;
    return { ...head, layers };
  }
  /** All layers become one, so that a look-up stays short; those who share the old ones keep them. */
  #merge(set: WriteSet): readonly number[] {
    this.view.show(set, 0);
    const merged = [this.context.store.allocateId()];
    mergeLayers(this.view, this.#layers.chain, merged[0] as number, set);
    set.refer(this.#layers.chain, -1);
    set.refer(merged, 1);
    return merged;
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
      nextDelivery: this.outbox.nextOrdinal,
      meta,
      storedBytes: this.#storedBytes,
      blobs: this.blobs.stored(),
    };
  }
}
