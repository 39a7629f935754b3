// The figures that tune this module: what nobody outside meets. Bounds that a user can meet are in src/contract/limits.ts.

export const tuning = {
  /**
   * A test has one world open at a time, a few have more; a service has a thread that compiles and one that judges beside. One thread holds
   * some 30 MB, and twenty seconds are longer than what lies between two tests that open a world.
   */
  keptThreads: { threadsMax: 6, idleMs: 20_000 },
  /** Less than such a part of its time is no waiting for a processor that makes a task slow, and the kernel is not asked more often. */
  taskWaitPart: 20,
};
