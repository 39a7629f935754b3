// What is scheduled in one world: the heap in memory and its durable twin in pages.
// A page holds what one commit scheduled. Nothing is deleted event by event: (atUs, ordinal) of the last event that fired is the
// watermark, for the order is total and nothing is ever scheduled below it; cancels are kept as ordinals; a page goes when its last
// event has gone.
//   EVENT-QUEUE-1. Every event in the heap has under its slot itself, or once it is stored its page and its place in it; a free slot has
//     neither. A page is held as bytes: objects and texts of all that waits would be most of what is to collect.
//   EVENT-QUEUE-2. What a turn schedules waits in `#turnScheduled` until the turn ends, so that a rollback never has to search the heap.
import { invariant } from '../../contract/errors.js';
import { EventHeap } from '../../scheduler/event-heap.js';
import { cancelledKey, keyKinds, queuePageKey, rangeOf, sequenceOfKey } from '../kv/keys.js';
import type { KvView } from '../kv/view.js';
import type { WriteSet } from '../kv/write-set.js';
import { tuning } from '../tuning.js';
import type { Layers } from './layers.js';
import { encodePage, StoredPage } from './queue-page.js';

export interface ScheduledRefParts {
  packageId: string;
  instanceId: string;
  eventId: string;
  actorId?: string | undefined;
  actorInstanceId?: string | undefined;
}
/** Interned (event, actor) of scheduled events; `plan` is the owner's to fill (what to run when it fires). */
export interface ScheduledRef {
  readonly packageId: string;
  readonly instanceId: string;
  readonly eventId: string;
  readonly actorId: string | undefined;
  readonly actorInstanceId: string | undefined;
  readonly text: string;
  plan: unknown;
}
export interface ScheduledEvent {
  /** The scheduling sequence: ties at equal times fire in this order. */
  ordinal: number;
  atUs: number;
  ref: ScheduledRef;
  /** Canonical JSON. */
  payloadText: string;
  /** Of the `scheduled` entry; 0: none (an initial event). */
  causeSequence: number;
}
export interface EventToSchedule {
  atUs: number;
  ref: ScheduledRef;
  payloadText: string;
  causeSequence?: number | undefined;
}
/** What a stored page still has to do. */
interface Page {
  readonly layer: number;
  readonly key: number;
  readonly stored: StoredPage;
  readonly refs: readonly ScheduledRef[];
  /** Events of lower ordinals show no cause. */
  readonly firstOwnOrdinal: number;
  live: number;
  cancelled: number[];
}
export interface QueuePosition {
  nextOrdinal: number;
  /** Events below it have their cause in another journal: it is not shown. */
  firstOwnOrdinal: number;
  watermark: readonly [atUs: number, ordinal: number];
  hasQueue: boolean;
}

/** Ordinals are 32-bit in the journal's columns. */
const ordinalMax = 0x7fff_ffff;
const tombstone = Buffer.alloc(0);
const present = Buffer.from([1]);

export class EventQueue {
  readonly #view: KvView;
  readonly #layers: Layers;
  readonly #heap = new EventHeap();
  readonly #refs = new Map<string, ScheduledRef>();
  // Columns by slot.
  #events: (ScheduledEvent | undefined)[] = [];
  #pages: (Page | undefined)[] = [];
  #places: number[] = [];
  /** Slots filled since the last take: one that was freed and filled again is named twice. */
  #fresh: number[] = [];
  #emptied: Page[] = [];
  #cancels: { ordinal: number; page: Page }[] = [];
  #turnScheduled: ScheduledEvent[] = [];
  #turnCancelled: { event: ScheduledEvent; page: Page | undefined; place: number }[] = [];
  #nextOrdinal = 1;
  /** `#nextOrdinal` when the turn began. */
  #turnOrdinal = 1;
  #watermarkUs = Number.NEGATIVE_INFINITY;
  #watermarkOrdinal = 0;
  #hasQueue = false;
  readonly #popped: ScheduledEvent = { ordinal: 0, atUs: 0, ref: undefined as unknown as ScheduledRef, payloadText: '', causeSequence: 0 };

  constructor(view: KvView, layers: Layers, position: QueuePosition) {
    this.#view = view;
    this.#layers = layers;
    this.load(position);
  }

  /** Reads everything pending from the layers: linear, and one heap load. */
  load({ nextOrdinal, firstOwnOrdinal, watermark, hasQueue }: QueuePosition): void {
    this.#heap.clear();
    this.#events = [];
    this.#pages = [];
    this.#places = [];
    this.#fresh = [];
    this.#emptied = [];
    this.#cancels = [];
    this.#nextOrdinal = this.#turnOrdinal = nextOrdinal;
    [this.#watermarkUs, this.#watermarkOrdinal] = watermark;
    this.#hasQueue = hasQueue;
    if (!hasQueue) return;
    const times: number[] = [];
    const ordinals: number[] = [];
    const { pages, cancelled } = this.#storedPages();
    for (const { layer, key, bytes } of pages) {
      const page = this.#page({ layer, key, bytes, firstOwnOrdinal });
      const { stored } = page;
      for (let place = 0; place < stored.count; place++) {
        const [atUs, ordinal] = [stored.atUs(place), stored.ordinal(place)];
        if (cancelled.has(ordinal)) page.cancelled.push(ordinal);
        else if (atUs > this.#watermarkUs || (atUs === this.#watermarkUs && ordinal > this.#watermarkOrdinal)) {
          this.#putStored(times.length, page, place);
          times.push(atUs);
          ordinals.push(ordinal);
          page.live++;
        }
      }
      if (page.live === 0) this.#emptied.push(page);
    }
    this.#heap.load(Float64Array.from(times), Float64Array.from(ordinals));
  }

  ref({ packageId, instanceId, eventId, actorId, actorInstanceId }: ScheduledRefParts): ScheduledRef {
    return this.#refOfText(JSON.stringify([packageId, instanceId, eventId, actorId ?? null, actorInstanceId ?? null]));
  }

  /** The ordinal that the next schedule() gives. */
  get nextOrdinal(): number {
    return this.#nextOrdinal;
  }
  get size(): number {
    return this.#heap.size + this.#turnScheduled.length;
  }
  get watermark(): readonly [atUs: number, ordinal: number] {
    return [this.#watermarkUs, this.#watermarkOrdinal];
  }
  get hasQueue(): boolean {
    return this.#hasQueue;
  }

  /** `atUs` is not below now. In the heap when the turn ends. */
  schedule({ atUs, ref, payloadText, causeSequence = 0 }: EventToSchedule): number {
    const ordinal = this.#nextOrdinal++;
    invariant(ordinal <= ordinalMax && atUs >= this.#watermarkUs, 'an event is scheduled after what has fired');
    this.#turnScheduled.push({ ordinal, atUs, ref, payloadText, causeSequence });
    return ordinal;
  }

  /** False when it is not pending. */
  cancel(ordinal: number): boolean {
    const event = this.get(ordinal);
    if (event === undefined) return false;
    const waiting = this.#turnScheduled.findIndex((scheduled) => scheduled.ordinal === ordinal);
    if (waiting !== -1) this.#turnScheduled.splice(waiting, 1);
    else {
      const slot = this.#heap.cancel(ordinal);
      const page = this.#pages[slot];
      const place = this.#places[slot] as number;
      this.#freeSlot(slot);
      if (page !== undefined) this.#leave(page, ordinal);
      this.#turnCancelled.push({ event, page, place });
    }
    return true;
  }

  get(ordinal: number): ScheduledEvent | undefined {
    const slot = this.#heap.slotOf(ordinal);
    return slot === -1 ? this.#turnScheduled.find((event) => event.ordinal === ordinal) : this.#eventAt(slot);
  }
  peekAtUs(): number | undefined {
    return this.#heap.size === 0 ? undefined : this.#heap.headAtUs;
  }

  /** Takes the least; it stays taken whatever becomes of the turn. The object is good until the next pop. */
  pop(): ScheduledEvent | undefined {
    const heap = this.#heap;
    if (heap.size === 0) return undefined;
    const { headAtUs: atUs, headSequence: ordinal } = heap;
    this.#watermarkUs = atUs;
    this.#watermarkOrdinal = ordinal;
    const slot = heap.pop();
    const page = this.#pages[slot];
    let event = this.#events[slot];
    if (page !== undefined) {
      event = this.#popped;
      event.atUs = atUs;
      event.ordinal = ordinal;
      readStored(page, this.#places[slot] as number, event);
      if (--page.live === 0) this.#emptied.push(page);
    }
    this.#freeSlot(slot);
    return event;
  }

  /** The earliest first. Between turns. */
  pending(limit: number): ScheduledEvent[] {
    return this.#heap.earliest(limit).map((slot) => this.#eventAt(slot));
  }
  /** Those cancelled, the earliest first. Between turns' beginnings and their scheduling. */
  cancelWhere(predicate: (event: ScheduledEvent) => boolean): ScheduledEvent[] {
    const events = this.pending(this.#heap.size).filter(predicate);
    for (const event of events) this.cancel(event.ordinal);
    return events;
  }

  /** Puts what a fork brings along, with its ordinal; pending until the next take. */
  restore(
    events: Iterable<ScheduledEvent>,
    { nextOrdinal, watermark }: { nextOrdinal: number; watermark: readonly [number, number] },
  ): void {
    for (const event of events) this.#fresh.push(this.#enter(event));
    this.#nextOrdinal = this.#turnOrdinal = nextOrdinal;
    [this.#watermarkUs, this.#watermarkOrdinal] = watermark;
  }

  rollback(): void {
    for (const { event, page, place } of this.#turnCancelled) {
      const slot = this.#enter(event);
      if (page === undefined) this.#fresh.push(slot);
      else {
        this.#putStored(slot, page, place);
        this.#rejoin(page, event.ordinal);
      }
    }
    this.#nextOrdinal = this.#turnOrdinal;
    this.#forgetTurn();
  }
  endTurn(): void {
    this.#turnOrdinal = this.#nextOrdinal;
    for (const event of this.#turnScheduled) this.#fresh.push(this.#enter(event));
    this.#forgetTurn();
  }
  /** To set the length of an array costs a call of the engine, which most turns need not make. */
  #forgetTurn(): void {
    if (this.#turnScheduled.length > 0) this.#turnScheduled.length = 0;
    if (this.#turnCancelled.length > 0) this.#turnCancelled.length = 0;
  }

  get freshCount(): number {
    return this.#fresh.length;
  }
  takeInto(set: WriteSet): void {
    const top = this.#layers.top;
    this.#storeFresh(set);
    for (const { ordinal, page } of this.#cancels) if (page.live > 0) set.put(cancelledKey(top, ordinal), present);
    for (const page of this.#emptied) {
      if (page.layer !== top) set.put(queuePageKey(top, page.key), tombstone);
      else set.remove(queuePageKey(top, page.key));
      for (const ordinal of page.cancelled) set.remove(cancelledKey(top, ordinal));
    }
    this.#fresh = [];
    this.#cancels = [];
    this.#emptied = [];
  }

  #storeFresh(set: WriteSet): void {
    const slots: number[] = [];
    const events: ScheduledEvent[] = [];
    for (const slot of this.#fresh) {
      const event = this.#events[slot];
      if (event === undefined) continue;
      this.#events[slot] = undefined;
      slots.push(slot);
      events.push(event);
    }
    for (let from = 0; from < events.length; from += tuning.queuePageEventsMax) {
      const to = Math.min(events.length, from + tuning.queuePageEventsMax);
      const key = (events[from] as ScheduledEvent).ordinal;
      const bytes = encodePage(events.slice(from, to));
      const page = this.#page({ layer: this.#layers.top, key, bytes, firstOwnOrdinal: 0 });
      page.live = to - from;
      set.put(queuePageKey(this.#layers.top, key), bytes);
      for (let index = from; index < to; index++) this.#putStored(slots[index] as number, page, index - from);
      this.#hasQueue = true;
    }
  }

  #storedPages(): { pages: { layer: number; key: number; bytes: Buffer }[]; cancelled: Set<number> } {
    const pages = new Map<number, { layer: number; key: number; bytes: Buffer }>();
    const cancelled = new Set<number>();
    for (const layer of this.#layers.chain) {
      for (const { key, value } of this.#view.range(rangeOf(keyKinds.queuePage, layer))) {
        if (value.length === 0) pages.delete(sequenceOfKey(key));
        else pages.set(sequenceOfKey(key), { layer, key: sequenceOfKey(key), bytes: value });
      }
      for (const key of this.#view.keys(rangeOf(keyKinds.cancelled, layer))) cancelled.add(sequenceOfKey(key));
    }
    return { pages: [...pages.values()], cancelled };
  }

  #enter(event: ScheduledEvent): number {
    const slot = this.#heap.push(event.atUs, event.ordinal);
    this.#events[slot] = event;
    this.#pages[slot] = undefined;
    this.#places[slot] = 0;
    return slot;
  }
  #putStored(slot: number, page: Page, place: number): void {
    this.#events[slot] = undefined;
    this.#pages[slot] = page;
    this.#places[slot] = place;
  }
  #freeSlot(slot: number): void {
    this.#events[slot] = undefined;
    this.#pages[slot] = undefined;
  }
  #page({ bytes, ...of }: Pick<Page, 'layer' | 'key' | 'firstOwnOrdinal'> & { bytes: Buffer }): Page {
    const stored = new StoredPage(bytes);
    return { ...of, stored, refs: stored.refTexts().map((text) => this.#refOfText(text)), live: 0, cancelled: [] };
  }

  #leave(page: Page, ordinal: number): void {
    page.cancelled.push(ordinal);
    this.#cancels.push({ ordinal, page });
    if (--page.live === 0) this.#emptied.push(page);
  }
  #rejoin(page: Page, ordinal: number): void {
    page.cancelled = page.cancelled.filter((other) => other !== ordinal);
    this.#cancels = this.#cancels.filter((cancel) => cancel.ordinal !== ordinal);
    if (page.live++ === 0) this.#emptied = this.#emptied.filter((other) => other !== page);
  }

  #eventAt(slot: number): ScheduledEvent {
    const page = this.#pages[slot];
    if (page === undefined) return this.#events[slot] as ScheduledEvent;
    const event = { ...this.#popped, ordinal: this.#heap.sequenceOf(slot), atUs: this.#heap.atUsOf(slot) };
    readStored(page, this.#places[slot] as number, event);
    return event;
  }

  #refOfText(text: string): ScheduledRef {
    let ref = this.#refs.get(text);
    if (ref === undefined) {
      const [packageId, instanceId, eventId, actorId, actorInstanceId] = JSON.parse(text) as [
        string,
        string,
        string,
        string | null,
        string | null,
      ];
      ref = {
        packageId,
        instanceId,
        eventId,
        actorId: actorId ?? undefined,
        actorInstanceId: actorInstanceId ?? undefined,
        text,
        plan: undefined,
      };
      this.#refs.set(text, ref);
    }
    return ref;
  }
}

/** All but its time and ordinal, which the heap has. */
function readStored({ stored, refs, firstOwnOrdinal }: Page, place: number, event: ScheduledEvent): void {
  event.ref = refs[stored.refIndex(place)] as ScheduledRef;
  event.payloadText = stored.payloadText(place);
  event.causeSequence = event.ordinal < firstOwnOrdinal ? 0 : stored.causeSequence(place);
}
