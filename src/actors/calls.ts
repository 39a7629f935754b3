// The unanswered calls of one host.
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { firstCallSlot } from './board.js';

/** Notified of the end of each call, before its caller is. */
export interface CallEnds {
  ended(): void;
}

export class Call {
  /** Its record on the board, while a supervisor has it. */
  slot = 0;
  /** Of its latest sending. */
  stamp = 0;
  sends = 0;
  cancelled = false;
  readonly reply: Promise<unknown>;
  #resolve!: (reply: unknown) => void;
  #reject!: (error: unknown) => void;

  constructor(
    readonly kind: 'command' | 'query',
    readonly actorId: string,
    readonly message: unknown,
    readonly onProgress: ((value: unknown) => void) | undefined,
    readonly ends: CallEnds,
  ) {
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(reply: unknown): void {
    this.ends.ended();
    this.#resolve(reply);
  }
  reject(error: unknown): void {
    this.ends.ended();
    this.#reject(error);
  }
}

/** Calls by slot. Slots are reused last in, first out, so those in use stay low. */
export class CallTable {
  readonly #calls: (Call | undefined)[] = new Array(firstCallSlot).fill(undefined);
  readonly #free: number[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }
  /** All slots ever used are below it. */
  get slotsUsed(): number {
    return this.#calls.length;
  }

  /** False when the host has as many as it may. */
  open(call: Call): boolean {
    if (this.#size >= limits.hostMessagesMax) return false;
    const slot = this.#free.pop() ?? this.#calls.length;
    this.#calls[slot] = call;
    call.slot = slot;
    this.#size++;
    return true;
  }

  at(slot: number): Call | undefined {
    return this.#calls[slot];
  }

  close(slot: number): Call | undefined {
    const call = this.#calls[slot];
    if (call === undefined) return undefined;
    this.#calls[slot] = undefined;
    this.#free.push(slot);
    this.#size--;
    return call;
  }

  /** In the order in which they were sent. */
  inOrder(): Call[] {
    return this.#calls.filter((call) => call !== undefined).sort((one, other) => one.stamp - other.stamp);
  }
}

export function cancelledBeforeStart(): ServiceError {
  return new ServiceError('control.STATE_CONFLICT', { message: 'Cancelled before it started.', details: { cancelled: true } });
}
