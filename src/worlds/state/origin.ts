// What a world began with: in a fork, what its parent had. A reset by packages puts each of it back; a whole reset goes to it as to a
// snapshot. It never changes.
import { invariant } from '../../contract/errors.js';
import type { KvView } from '../kv/view.js';
import type { WorldHead } from '../kv/world-head.js';
import { EventQueue, type ScheduledEvent } from './event-queue.js';
import { Layers } from './layers.js';
import { CallbackOutbox, type OutboxRow } from './outbox.js';
import type { StoredReceipt } from './receipts.js';
import { originId, type Snapshots } from './snapshots.js';

export class Origin {
  readonly #view: KvView;
  readonly #snapshots: Snapshots;
  /** Undefined until it is asked for. */
  #hasReceipts: boolean | undefined;

  constructor(view: KvView, snapshots: Snapshots) {
    this.#view = view;
    this.#snapshots = snapshots;
  }

  get head(): WorldHead {
    const origin = this.#snapshots.get(originId);
    invariant(origin !== undefined, 'a stored world has an origin');
    return origin;
  }

  /** What a package had scheduled, the earliest first. */
  events(packageId: string): ScheduledEvent[] {
    const { head } = this;
    const queue = new EventQueue(this.#view, this.#layersOf(head), head);
    return queue.pending(queue.size).filter(({ ref }) => ref.packageId === packageId);
  }
  /** The callbacks of a package that were waiting. */
  deliveries(packageId: string): OutboxRow[] {
    const { head } = this;
    return new CallbackOutbox(this.#layersOf(head), head.nextDelivery).rows().filter((row) => row.packageId === packageId);
  }
  /** What calls of a package had left: only a fork has any, of calls of its parent. */
  receipts(packageId: string): StoredReceipt[] {
    const { head } = this;
    if (!head.hasReceipts) return [];
    return this.#layersOf(head)
      .receipts(packageId)
      .map((bytes) => JSON.parse(bytes.toString()) as StoredReceipt);
  }
  /** The call that left it was one of the parent's: the journal has no entry of it. */
  hasReceipt(packageId: string, key: string): boolean {
    if (this.#hasReceipts === false) return false;
    const { head } = this;
    this.#hasReceipts = head.hasReceipts;
    return head.hasReceipts && this.#layersOf(head).receipt(packageId, key) !== undefined;
  }

  #layersOf({ layers }: WorldHead): Layers {
    return new Layers(this.#view, layers);
  }
}
