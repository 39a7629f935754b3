// Begins work that others do not wait for: at once while little of it is asked for in a turn of the event loop; of much of it the rest
// begins when that turn's replies have left, and mostly before what comes in next is read.

export class TurnStarts {
  readonly #atOnceMax: number;
  /** Of this turn. */
  #asked = 0;
  #waiting: (() => void)[] = [];

  constructor({ atOnceMax }: { atOnceMax: number }) {
    this.#atOnceMax = atOnceMax;
  }

  /** In the order of the calls. */
  add(start: () => void): void {
    if (this.#asked === 0) {
      setImmediate(() => {
        this.#asked = 0;
      });
    }
    this.#asked += 1;
    if (this.#asked <= this.#atOnceMax && this.#waiting.length === 0) start();
    // What a turn defers, as it does many replies, is done in one round of the event loop; timers are looked at after it.
    else if (this.#waiting.push(start) === 1) setImmediate(() => setTimeout(() => this.#startWaiting()));
  }

  #startWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const start of waiting) start();
  }
}
