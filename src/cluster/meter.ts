// What a cluster counts as it happens; how it stands is asked (overview.ts).
import type { ClusterClock } from './clock.js';

/** Why a home came to this node: its owner was silent, its owner gave it, nobody had it, or this node had it before it started. */
export type TakeKind = 'silence' | 'handover' | 'first' | 'restart';
/** `owner`: as the log had it. `wasOwn`: of a home that is this node's there already, whether it was when the node started. */
export function kindOfTake(owner: string | undefined, node: string, wasOwn: () => boolean): TakeKind {
  if (owner === undefined) return 'first';
  if (owner !== node) return 'silence';
  return wasOwn() ? 'restart' : 'handover';
}

/** Of one take, in seconds. */
export interface TakeParts {
  /** From the last beat of the owner before that was seen. Only after silence. */
  detection?: number;
  claim?: number;
  /** What the copy did not have. */
  reading?: number;
  /** The fence, what is waited for until the owner before answers no reads, and the files. */
  opening?: number;
}
export interface ClusterMeter {
  /** One append: from when it was handed to the log until the log had acknowledged it. */
  appended(append: { seconds: number; records: number; bytes: number }): void;
  taken(kind: TakeKind, parts: TakeParts): void;
}

/** Measures the parts of a take, one after the other. */
export class TakeTimer {
  readonly parts: TakeParts = {};
  readonly #clock: ClusterClock;
  #fromMs: number;

  /** `sinceMs`: of the last beat of the owner before, where it is silent. */
  constructor(clock: ClusterClock, sinceMs: number | undefined) {
    this.#clock = clock;
    this.#fromMs = clock.now();
    if (sinceMs !== undefined) this.parts.detection = (this.#fromMs - sinceMs) / 1000;
  }

  end(part: 'claim' | 'reading' | 'opening'): void {
    const now = this.#clock.now();
    this.parts[part] = (now - this.#fromMs) / 1000;
    this.#fromMs = now;
  }
}

export const silentClusterMeter: ClusterMeter = { appended: () => {}, taken: () => {} };
