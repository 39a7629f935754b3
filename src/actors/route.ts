// The way to one actor while it has unanswered messages or is being moved: its supervisor, how many are unanswered, and what waits for a
// move.
//   ROUTE-1. While a move holds the route, nothing is sent; what comes in meanwhile is sent after it, in order.
//   ROUTE-2. A route without messages and without a move is dropped (`onIdle`); the system keeps nothing for an actor nobody talks to.
import { type Call, cancelledBeforeStart } from './calls.js';
import type { HostSupervisor } from './host-supervisor.js';

export class WorldRoute {
  /** Messages without an answer, the held ones included. */
  depth = 0;
  readonly #onIdle: () => void;
  #held: Call[] = [];
  #moves = 0;
  #lastMove: Promise<unknown> = Promise.resolve();
  #whenAnswered: (() => void) | undefined;

  constructor(
    public supervisor: HostSupervisor,
    onIdle: () => void,
  ) {
    this.#onIdle = onIdle;
  }

  send(call: Call): void {
    this.depth++;
    if (this.#moves > 0) this.#held.push(call);
    else this.#pass(call);
  }

  /** A held call is gone before it was sent; a sent one is its host's to cancel. */
  cancel(call: Call): void {
    const at = this.#held.indexOf(call);
    if (at < 0) {
      this.supervisor.cancel(call);
    } else {
      this.#held.splice(at, 1);
      call.reject(cancelledBeforeStart());
    }
  }

  /** A call has ended, however. */
  ended(): void {
    this.depth--;
    if (this.depth === this.#held.length) this.#whenAnswered?.();
    this.#dropIfIdle();
  }

  /** Lets what was sent be answered, then runs `move` while nothing is sent. Moves run one after the other. */
  async hold<T>(move: () => Promise<T>): Promise<T> {
    this.#moves++;
    const run = this.#lastMove.then(async () => {
      await this.#allAnswered();
      return await move();
    });
    this.#lastMove = run.catch(() => {});
    try {
      return await run;
    } finally {
      this.#moves--;
      if (this.#moves === 0) this.#sendHeld();
      this.#dropIfIdle();
    }
  }

  #allAnswered(): Promise<void> | undefined {
    if (this.depth === this.#held.length) return undefined;
    return new Promise((resolve) => {
      this.#whenAnswered = resolve;
    });
  }

  #sendHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const call of held) this.#pass(call);
  }

  #pass(call: Call): void {
    try {
      this.supervisor.send(call);
    } catch (error) {
      call.reject(error);
    }
  }

  #dropIfIdle(): void {
    if (this.depth === 0 && this.#moves === 0) this.#onIdle();
  }
}
