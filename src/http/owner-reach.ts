// Whether a node can be reached at all: asked by a connection of its own (who-is-there.ts), once a request to it has brought nothing for a
// while. A kept connection over a link that is cut stays open and says nothing.
//   OWNER-REACH-1. Each address is asked at most once in each quiet time, however many requests wait for it.
//   OWNER-REACH-2. One that could not be reached is asked again until it is, or until it is none of the nodes any more: it is known without
//     a request when it is back.
import { limits } from '../contract/limits.js';

export class OwnerReach {
  readonly #asked = new Map<string, Promise<boolean>>();
  /** Since when, by address. */
  readonly #cut = new Map<string, number>();
  /** What is asked again later. */
  readonly #later = new Set<string>();
  readonly #isThere: (address: string) => Promise<boolean>;
  readonly #quietMs: number;

  /** `isThere`: by a connection of its own; never rejects. `quietMs`: after which a request is worth the question. */
  constructor(isThere: (address: string) => Promise<boolean>, { quietMs = limits.ownerQuietMs }: { quietMs?: number } = {}) {
    this.#isThere = isThere;
    this.#quietMs = quietMs;
  }

  /** Calls once the address cannot be reached any more. Returns what ends the watch. */
  watch(address: string, whenCut: () => void): () => void {
    let isOver = false;
    let timer: NodeJS.Timeout;
    const lookLater = (): void => {
      timer = setTimeout(() => void look(), this.#quietMs);
    };
    const look = async (): Promise<void> => {
      const isReached = await this.#isReached(address);
      if (!isReached) this.#note(address);
      if (isOver) return;
      if (isReached) lookLater();
      else whenCut();
    };
    lookLater();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** A request to it found no connection, or somebody who does not own what it should: for whatever reason, so it is looked. */
  suspect(address: string): void {
    if (this.#cut.has(address)) return;
    void this.#isReached(address).then((isReached) => {
      if (!isReached) this.#note(address);
    });
  }

  /** For how many milliseconds the address could not be reached; 0 where it can be, as far as is known. */
  cutMs(address: string): number {
    const sinceMs = this.#cut.get(address);
    return sinceMs === undefined ? 0 : performance.now() - sinceMs;
  }

  /** Those of the nodes that cannot be reached. All others are forgotten. */
  cutAmong(addresses: readonly string[]): string[] {
    for (const address of this.#cut.keys()) if (!addresses.includes(address)) this.#cut.delete(address);
    return [...this.#cut.keys()];
  }

  #note(address: string): void {
    if (!this.#cut.has(address)) this.#cut.set(address, performance.now());
    this.#lookLater(address);
  }

  #lookLater(address: string): void {
    if (this.#later.has(address)) return;
    this.#later.add(address);
    const look = async (): Promise<void> => {
      const isReached = !this.#cut.has(address) || (await this.#isReached(address));
      this.#later.delete(address);
      if (isReached) this.#cut.delete(address);
      else this.#lookLater(address);
    };
    setTimeout(() => void look(), this.#quietMs).unref();
  }

  #isReached(address: string): Promise<boolean> {
    const known = this.#asked.get(address);
    if (known !== undefined) return known;
    const asked = this.#isThere(address).finally(() => {
      setTimeout(() => this.#asked.delete(address), this.#quietMs).unref();
    });
    this.#asked.set(address, asked);
    return asked;
  }
}
