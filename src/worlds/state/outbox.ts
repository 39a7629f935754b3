// The callbacks of one world that were neither delivered nor given up: what is due next for whom, and their durable twins.
//   OUTBOX-1. A row is what the world has now; every change of a turn is in that turn's side record, so that the journal folds to the
//     outbox.
//   OUTBOX-2. A row that waits is in the heap of its receiver; one whose attempt is under way is in `#started` and in no heap.
//   OUTBOX-3. `#dirty` holds each ordinal changed since the last take.
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { EventHeap } from '../../scheduler/event-heap.js';
import { deliveryKey } from '../kv/keys.js';
import type { WriteSet } from '../kv/write-set.js';
import type { Layers } from './layers.js';

export interface OutboxRow {
  readonly ordinal: number;
  readonly packageId: string;
  readonly instanceId: string;
  readonly callbackId: string;
  readonly receiverId: string;
  readonly eventId: string;
  /** Canonical JSON. */
  readonly payloadText: string;
  readonly queuedAtUs: number;
  readonly dueUs: number;
  /** Begun so far. */
  readonly attempts: number;
  /** Delays of the declaration used so far. */
  readonly retries: number;
  /** The last attempt has begun and not ended. */
  readonly isStarted: boolean;
  /** Faults have considered the next attempt. */
  readonly isInspected: boolean;
  /** Held back until a later one for the same receiver has begun, or until it is due. */
  readonly yields: boolean;
  /** Of the event's entry and of the delivery's latest; 0: in the journal of a fork's parent. */
  readonly eventSequence: number;
  readonly lastSequence: number;
}

const sideKey = 'delivery ';
const tombstone = Buffer.alloc(0);

export class CallbackOutbox {
  readonly #layers: Layers;
  readonly #rows = new Map<number, OutboxRow>();
  readonly #heaps = new Map<string, EventHeap>();
  readonly #started = new Set<number>();
  readonly #yielding = new Set<number>();
  #nextOrdinal = 1;
  /** As each ordinal was before the present turn, and the counter. */
  readonly #turn = new Map<number, OutboxRow | undefined>();
  #turnOrdinal = 1;
  readonly #dirty = new Set<number>();

  constructor(layers: Layers, nextOrdinal: number) {
    this.#layers = layers;
    this.load(nextOrdinal);
  }

  /** As the layers have it. */
  load(nextOrdinal: number): void {
    for (const store of [this.#rows, this.#heaps, this.#started, this.#yielding, this.#turn, this.#dirty]) store.clear();
    this.#nextOrdinal = nextOrdinal;
    if (nextOrdinal === 1) return;
    for (const bytes of this.#layers.deliveries()) this.#insert(JSON.parse(bytes.toString()) as OutboxRow);
  }

  get nextOrdinal(): number {
    return this.#nextOrdinal;
  }
  get size(): number {
    return this.#rows.size;
  }
  rows(): OutboxRow[] {
    return [...this.#rows.values()];
  }
  get(ordinal: number): OutboxRow | undefined {
    return this.#rows.get(ordinal);
  }

  /** Infinity when nothing waits for any of them. */
  nextDueUs(receivers: Iterable<string>): number {
    let dueUs = Number.POSITIVE_INFINITY;
    for (const receiverId of receivers) dueUs = Math.min(dueUs, this.#heaps.get(receiverId)?.headAtUs ?? dueUs);
    return dueUs;
  }
  /** For any receiver. */
  hasDue(nowUs: number): boolean {
    return this.#rows.size > 0 && this.nextDueUs(this.#heaps.keys()) <= nowUs;
  }
  /** The least of those that are due, by (dueUs, ordinal). */
  nextDue(receivers: Iterable<string>, nowUs: number): OutboxRow | undefined {
    let best: EventHeap | undefined;
    for (const receiverId of receivers) {
      const heap = this.#heaps.get(receiverId);
      if (heap === undefined || heap.headAtUs > nowUs) continue;
      const isLess =
        best === undefined || heap.headAtUs < best.headAtUs || (heap.headAtUs === best.headAtUs && heap.headSequence < best.headSequence);
      if (isLess) best = heap;
    }
    return best && this.#rows.get(best.headSequence);
  }
  /** An attempt for one of them is under way, or was when an incarnation ended. */
  isUnderWay(receivers: readonly string[]): boolean {
    for (const ordinal of this.#started) if (receivers.includes(this.#rows.get(ordinal)?.receiverId ?? '')) return true;
    return false;
  }
  /** Whose attempt is under way, or was when an incarnation ended. */
  started(): OutboxRow[] {
    return [...this.#started].map((ordinal) => this.#rows.get(ordinal) as OutboxRow);
  }
  /** Those held back for the one that begins now. */
  yieldingTo({ receiverId, ordinal }: OutboxRow): OutboxRow[] {
    return [...this.#yielding]
      .map((held) => this.#rows.get(held) as OutboxRow)
      .filter((row) => row.receiverId === receiverId && row.ordinal < ordinal);
  }

  /** With the next ordinal, a new one; else in place of what is there. */
  put(row: OutboxRow): void {
    this.#changes(row.ordinal);
    this.#remove(row.ordinal);
    this.#insert(row);
    this.reserve(row.ordinal + 1);
  }
  remove(ordinal: number): void {
    this.#changes(ordinal);
    this.#remove(ordinal);
    this.reserve(ordinal + 1);
  }
  /** Ordinals below it are taken. */
  reserve(nextOrdinal: number): void {
    this.#nextOrdinal = Math.max(this.#nextOrdinal, nextOrdinal);
  }
  /** A fork's own from here on: their causes are in another journal. Outside of turns. */
  disown(): void {
    for (const row of this.rows()) {
      this.#rows.set(row.ordinal, { ...row, eventSequence: 0, lastSequence: 0 });
      this.#dirty.add(row.ordinal);
    }
    this.#turn.clear();
  }

  beginTurn(): void {
    if (this.#turn.size > 0) this.#turn.clear();
    this.#turnOrdinal = this.#nextOrdinal;
  }
  rollback(): void {
    for (const [ordinal, row] of this.#turn) {
      this.#remove(ordinal);
      if (row !== undefined) this.#insert(row);
    }
    this.#turn.clear();
    this.#nextOrdinal = this.#turnOrdinal;
  }
  /**
   * What the turn changed, to go with its entries. The payload stays where it is: in the event's entry, or in the row that a fork began
   * with.
   */
  turnSide(): { [key: string]: JsonValue } | undefined {
    if (this.#turn.size === 0) return undefined;
    const side: { [key: string]: JsonValue } = {};
    for (const ordinal of this.#turn.keys()) {
      const row = this.#rows.get(ordinal);
      if (row === undefined) side[sideKey + ordinal] = null;
      else side[sideKey + ordinal] = { ...row, ...(row.eventSequence === 0 ? {} : { payloadText: null }) };
    }
    this.#turn.clear();
    return side;
  }

  takeInto(set: WriteSet): void {
    for (const ordinal of this.#dirty) {
      const row = this.#rows.get(ordinal);
      const key = deliveryKey(this.#layers.top, ordinal);
      if (row !== undefined) set.put(key, Buffer.from(JSON.stringify(row)));
      else if (this.#layers.chain.length > 1) set.put(key, tombstone);
      else set.remove(key);
    }
    this.#dirty.clear();
  }

  #changes(ordinal: number): void {
    if (!this.#turn.has(ordinal)) this.#turn.set(ordinal, this.#rows.get(ordinal));
    this.#dirty.add(ordinal);
  }
  #insert(row: OutboxRow): void {
    this.#rows.set(row.ordinal, row);
    if (row.yields) this.#yielding.add(row.ordinal);
    if (row.isStarted) this.#started.add(row.ordinal);
    else this.#heapOf(row.receiverId).push(row.dueUs, row.ordinal);
  }
  #remove(ordinal: number): void {
    const row = this.#rows.get(ordinal);
    if (row === undefined) return;
    this.#rows.delete(ordinal);
    this.#yielding.delete(ordinal);
    if (!this.#started.delete(ordinal)) this.#heapOf(row.receiverId).cancel(ordinal);
  }
  #heapOf(receiverId: string): EventHeap {
    let heap = this.#heaps.get(receiverId);
    if (heap === undefined) {
      heap = new EventHeap();
      this.#heaps.set(receiverId, heap);
    }
    return heap;
  }
}

/** The ordinal that a key of a turn's side record is about, if it is one of the outbox. */
export function outboxOrdinal(key: string): number | undefined {
  return key.startsWith(sideKey) ? Number(key.slice(sideKey.length)) : undefined;
}

/** Brings an outbox forward by side records. `payloadOf`: of the event's entry, as canonical JSON. */
export function foldOutbox(
  outbox: CallbackOutbox,
  side: ReadonlyMap<string, JsonValue>,
  payloadOf: (eventSequence: number) => string,
): void {
  for (const [key, value] of side) {
    const ordinal = outboxOrdinal(key);
    if (ordinal === undefined) continue;
    if (value === null) {
      outbox.remove(ordinal);
      continue;
    }
    const row = value as JsonObject as unknown as OutboxRow & { payloadText: string | null };
    outbox.put({ ...row, payloadText: row.payloadText ?? outbox.get(ordinal)?.payloadText ?? payloadOf(row.eventSequence) });
  }
}
