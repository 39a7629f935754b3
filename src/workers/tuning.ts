// The figures that tune this module: what nobody outside meets. Bounds that a user can meet are in src/contract/limits.ts.

export const tuning = {
  /**
   * A test has one world open at a time, a few have more. One thread holds some 30 MB, and twenty seconds are longer than what lies between
   * two tests that open a world.
   */
  keptThreads: { threadsMax: 4, idleMs: 20_000 },
};
