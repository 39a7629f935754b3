// Bytes that the service holds for its clients at once: bodies that come, replies that leave. Of each organization, and of all.
//   BYTE-BUDGET-1. What was taken is released once, however often `release` is called.
//   BYTE-BUDGET-2. Those who wait are served in order; one that is too much for now does not stop another organization's.
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';

export interface ByteBounds {
  ownerBytesMax: number;
  totalBytesMax: number;
  waitingMax: number;
  waitMsMax: number;
  /** What an owner is, for refusals. Default: an organization. */
  ownerNoun?: string;
}
export interface BytesHeld {
  /** What it turned out to be. */
  resize(bytes: number): void;
  release(): void;
}
interface Waiting {
  owner: string;
  bytes: number;
  admit(): void;
}

export class ByteBudget {
  readonly #bounds: ByteBounds;
  readonly #owners = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #total = 0;

  constructor(bounds: ByteBounds) {
    this.#bounds = bounds;
  }

  get totalBytes(): number {
    return this.#total;
  }

  /** At once. control.RATE_LIMITED where the owner has too much under way, control.UNAVAILABLE where all have. */
  take(owner: string, bytes: number): BytesHeld {
    if (!this.fits(owner, bytes)) throw this.#refusal(owner, bytes);
    return this.#hold(owner, bytes);
  }

  /** As `take`, but waits for free bytes; refused when the wait takes too long, or when too many wait. */
  whenFree(owner: string, bytes: number): BytesHeld | Promise<BytesHeld> {
    if (this.fits(owner, bytes)) return this.#hold(owner, bytes);
    if (this.#waiting.size >= this.#bounds.waitingMax) throw this.#refusal(owner, bytes);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        bytes,
        admit: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve(this.#hold(owner, bytes));
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(this.#refusal(owner, bytes));
      }, this.#bounds.waitMsMax);
      this.#waiting.add(waiting);
    });
  }

  /** It could be taken now. */
  fits(owner: string, bytes: number): boolean {
    const { ownerBytesMax, totalBytesMax } = this.#bounds;
    return (this.#owners.get(owner) ?? 0) + bytes <= ownerBytesMax && this.#total + bytes <= totalBytesMax;
  }

  #hold(owner: string, bytes: number): BytesHeld {
    let held = 0;
    const resize = (now: number): void => {
      const change = now - held;
      held = now;
      this.#total += change;
      const ofOwner = (this.#owners.get(owner) ?? 0) + change;
      if (ofOwner > 0) this.#owners.set(owner, ofOwner);
      else this.#owners.delete(owner);
      if (change < 0) this.#admitWaiting();
    };
    resize(bytes);
    let isOver = false;
    return {
      resize: (now) => {
        if (!isOver) resize(now);
      },
      release: () => {
        if (isOver) return;
        isOver = true;
        resize(0);
      },
    };
  }

  #admitWaiting(): void {
    for (const waiting of this.#waiting) if (this.fits(waiting.owner, waiting.bytes)) waiting.admit();
  }

  #refusal(owner: string, bytes: number): ServiceError {
    const { ownerBytesMax, ownerNoun = 'organization' } = this.#bounds;
    const isOwn = (this.#owners.get(owner) ?? 0) + bytes > ownerBytesMax;
    const retryAfterMs = limits.unavailableRetryAfterMs;
    if (!isOwn) return new ServiceError('control.UNAVAILABLE', { message: 'Too many bytes are under way.', retryAfterMs });
    const message = `The ${ownerNoun} has more than ${ownerBytesMax} bytes under way.`;
    return new ServiceError('control.RATE_LIMITED', { message, retryAfterMs });
  }
}
