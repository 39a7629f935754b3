// The time of a cluster: monotonic, of this node alone. No wall clock is read, so that a clock that jumps does nothing.

export interface ClusterClock {
  /** Milliseconds from some moment on. */
  now(): number;
  /** Runs the work once, later; returns how to cancel it. */
  after(ms: number, work: () => void): () => void;
}

export const steadyClock: ClusterClock = {
  now: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

export const waitOn = (clock: ClusterClock, ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
