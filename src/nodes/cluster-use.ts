// Who is at work with the homes of this node: a home that is given away by plan waits for them, so that they are answered here.
//   CLUSTER-USE-1. What was begun before a home is given away, and is not longer under way than limits.handoverQuietMs, is answered by the
//     node that began it; what comes later waits for the next owner.
import { within } from '../async/deadline.js';
import { limits } from '../contract/limits.js';

interface Use {
  count: number;
  /** Called when nobody is at work any more; there is none for most. */
  quiet: Set<() => void> | undefined;
}

export class ClusterUse {
  /** Of homes with which somebody is at work. */
  readonly #uses = new Map<number, Use>();

  /** The work begins at once. */
  async during<T>(home: number, work: () => Promise<T> | T): Promise<T> {
    this.begin(home);
    try {
      return await work();
    } finally {
      this.end(home);
    }
  }

  begin(home: number): void {
    const use = this.#uses.get(home);
    if (use === undefined) this.#uses.set(home, { count: 1, quiet: undefined });
    else use.count += 1;
  }
  /** Once for each `begin`. */
  end(home: number): void {
    const use = this.#uses.get(home);
    if (use === undefined || --use.count > 0) return;
    this.#uses.delete(home);
    for (const tell of use.quiet ?? []) tell();
  }

  /** Resolves when nobody is at work with it, or the bound is over. To be called when nobody begins any more. */
  async quiet(home: number): Promise<void> {
    const use = this.#uses.get(home);
    if (use === undefined) return;
    let tell = (): void => {};
    const quiet = new Promise<void>((resolve) => {
      tell = resolve;
    });
    use.quiet ??= new Set();
    use.quiet.add(tell);
    await within(limits.handoverQuietMs, quiet);
    use.quiet.delete(tell);
  }
}
