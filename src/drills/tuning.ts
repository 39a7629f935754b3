// The figures that tune this module. Bounds of runs and of judging are in src/contract/limits.ts.

export const tuning = {
  /** Of a journal, read and judged before others of this thread have their turn. */
  journalCharsAtOnce: 128 * 1024,
  /** Of both runs of a comparison: with more it has threads of its own, which take longer to start than fewer take to be compared. */
  comparedHereEntriesMax: 20_000,
  /** Of a column of digests, which grows by doubling, at first. */
  digestsMin: 1024,
  /** Of what an entry says: stretches of its line, and bytes at first. */
  saidStretchesMax: 8,
  saidBytesMin: 4096,
  /** Comparisons of a process that have threads at once; others wait. */
  comparisonsAtOnce: 1,
  /** The young generation of such a thread: a journal is parsed in pieces, and what a piece makes is dead with it. */
  comparisonYoungMb: 64,
  /** Of what names an effect, in a message. */
  identityCharsShown: 200,
  /** Of a compared value, in a message. */
  comparedCharsShown: 120,
  /** Ids that a message lists before it ends in dots. */
  idsListed: 20,
  /**
   * Of the processors, while a run decides about more lanes: what it used, and waited for. An idle process is below the first on any
   * machine; between the two it is where the whole machine is below the second.
   */
  idleShareMax: 0.3,
  busyShareMin: 0.6,
};
