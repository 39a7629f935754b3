// The figures that tune this module: what nobody outside meets. Bounds that a user can meet are in src/contract/limits.ts.

export const tuning = {
  /** Sweeps for unused worlds in one idle time: a world stays at most a quarter of it too long. */
  sweepsPerIdleTime: 4,
  /** Messages a millisecond that a system may send and still stay below the stamps of a later one. */
  stampsPerMs: 1024,
  /**
   * Of a long command while others wait for theirs: a slice of limits.sliceMs is shared, down to this, so that those that began together
   * end together.
   */
  sharedSliceMs: 2,
  /**
   * Progress is no reason for a commit before the command has worked so long since its last one: of many that take turns each commit would
   * write the same rows again, and the more of them there are, the fewer steps lie between two of its slices.
   */
  progressWorkMs: 25,
  /** Without a message for so long, a host does all its spare work; while more come, a piece of it so often. */
  calmMs: 25,
  spareWorkEveryMs: 250,
  /** What all actors of a host may hold uncommitted before each slice is followed by a commit. */
  hostEntriesUncommittedMax: 524_288,
  /** Looks of the watchdog in one timeout: a step that hangs runs at most an eighth of it too long. */
  watchesPerTimeout: 8,
  /** Between two tries of the critical section. */
  sectionLookMs: 1,
  /** Places of a queue that were read before the array is cut: fewer are cheaper to keep than to copy. */
  fifoReadPlacesMax: 1024,
  /**
   * What a host has asked its system and has no answer to: a few for each data file that commits, and characters of their texts where it is
   * a process. A text lies in a message (limits.childMessageBytesMax), where some of its characters take two.
   */
  asksMax: 64,
  askCharsMax: 32 * 1024 * 1024,
  /** Of the text of an ask, what is not inside of texts: an append has some 120 for each of its pieces (worlds/tuning.ts). */
  askStructureCharsMax: 64 * 1024,
};
