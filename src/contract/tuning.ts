// The figures that tune this module. The bounds that a user can meet are in limits.ts.

export const tuning = {
  /** Members of an object that are sorted by insertion: below it that is faster than the engine's sort, by what was measured. */
  namesInsertedMax: 32,
};
