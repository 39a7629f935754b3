// Whether the log still has what it acknowledged, when another server of its engine answers: a standby that was promoted, a backup that was
// restored, the same server after a restart.
//   ENGINE-WATCH-1. From the first beat of another server on nothing is answered, until it was seen that the log has all that this node
//     appended. A home of which it has less is lost to this node; a takeover finds its copy above the log (NODE-HOMES-5).
import { type Beat, type ClusterLog, LogUnavailable, LogUnknown } from './log.js';

/** Of a home that this node owns: its epoch, and the last sequence that it has appended. */
export interface OwnedHome {
  home: number;
  epoch: number;
  end: number;
}

export class EngineWatch {
  readonly #log: ClusterLog;
  readonly #lose: (home: number) => void;
  #server: string | undefined;
  #isInDoubt = false;

  constructor(log: ClusterLog, lose: (home: number) => void) {
    this.#log = log;
    this.#lose = lose;
  }

  get isInDoubt(): boolean {
    return this.#isInDoubt;
  }

  /** Of each beat, with what is owned at that moment. */
  async see({ server, homes }: Beat, owned: readonly OwnedHome[]): Promise<void> {
    if (this.#server !== undefined && server !== this.#server) this.#isInDoubt = true;
    this.#server = server;
    if (!this.#isInDoubt) return;
    try {
      const ends = await this.#log.ends(owned.map(({ home }) => home));
      for (const { home, epoch, end } of owned) if ((ends.get(home) ?? 0) < end || (homes[home]?.epoch ?? 0) < epoch) this.#lose(home);
      // Yet another one may have answered meanwhile.
      if (this.#server === server) this.#isInDoubt = false;
    } catch (error) {
      // The next beat asks again.
      if (!(error instanceof LogUnknown || error instanceof LogUnavailable)) throw error;
    }
  }
}
