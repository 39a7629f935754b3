// The figures that tune this module: what a picture or a line shows of more. Bounds of a whole report are in src/contract/limits.ts.

export const tuning = {
  /** Entries shown on each side of a cited one. */
  contextEntries: 3,
  /** Bins of the picture that shows where a journal is dense: one for some pixels. */
  densityBins: 240,
  /** A file of a report is read in pieces of so many bytes. */
  readPieceBytes: 512 * 1024,
  /** Above this a write waits in the thread pool, too. */
  immediateBytesMax: 256 * 1024,
  /** Of a bar of progress, and of the longest name of a drill. */
  progressColumns: 24,
  nameColumnsMax: 44,
  /** A narrower terminal breaks lines itself. */
  wrapColumnsMin: 20,
  /** Between two pictures of a terminal: as fast as an eye follows. */
  redrawMs: 80,
  /** Of a value beside others, in a line of its own, and in a table of index.html. */
  shortValueChars: 72,
  valueLineChars: 120,
  cellValueChars: 2_000,
  /** Sequences listed in a line of text, in index.html, and in JUnit. */
  sequencesListed: 20,
  sequenceLinks: 30,
  junitSequences: 100,
  /** Around what a finding cites: entries on each side of one, and rows in all. */
  aroundEntries: 2,
  aroundRows: 12,
  /** Of a finding in index.html: entries around it, and checkpoints. */
  findingEntries: 100,
  findingCheckpoints: 10,
  /** Items of a setup that stand open. */
  openItemsMax: 12,
  /** Of a story: causes walked up, entries looked at on each side, members of a row that it names, and characters of each value. */
  storyStepsMax: 24,
  storyEntriesMax: 400,
  storyMembers: 2,
  storyValueChars: 40,
  /** Values of a call's arguments and answer in short: how many, characters of each, and of all. */
  wordValues: 4,
  wordChars: 36,
  wordsChars: 96,
  /** Of a line of an answer that was the last of an agent. */
  answerLineChars: 300,
};
