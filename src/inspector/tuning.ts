// The figures that tune this module: the server's caches, and what its pages draw and ask for. Bounds that a user can meet are in
// src/contract/limits.ts.

export const tuning = {
  // The server.
  /** Journals of worlds that are mirrored at once, and what of one is read in a piece. */
  mirrorsMax: 8,
  mirrorBatchChars: 4 * 1024 * 1024,
  /** Lines of a journal between two known offsets: the index stays small, and a line is found by reading a few. */
  journalOffsetStride: 32,
  /** Of a journal, read at once: what a processor keeps at hand. */
  journalPieceBytes: 1024 * 1024,
  /** Entries searched before others of this thread have their turn. */
  searchEntriesAtOnce: 65_536,
  /** Of an entry, shown before and after what was found. */
  matchCharsBefore: 60,
  matchCharsAfter: 180,
  /** Of a column that grows by doubling, at first. */
  columnItemsMin: 1024,
  /** Entries of a live run that are read at once. */
  liveEntriesAtOnce: 500,
  /** A slow reader of the live stream is sent news again below this part of `inspectorStreamBacklogMax`. */
  streamRoomPart: 10,
  /** Before a client asks again for what is being made. */
  retryAfterMs: 100,
  /** Openings of a retained world that another process is writing. */
  worldOpeningsMax: 3,
  /** Ports of repositories: below those that systems hand out by themselves. Where one is taken, some after it are tried. */
  repositoryPortMin: 24_000,
  repositoryPorts: 8_000,
  repositoryPortTries: 5,
  /** Between two looks whether a run has ended, when the source has changed meanwhile. */
  busyLookMs: 200,
  /** Of what changed at once, named. */
  changedFilesShown: 20,
  /** Diagnostics that are shown with their line, and how long that may be. */
  excerptsMax: 200,
  excerptCharsMax: 500,
  /** For the end of a stream to leave. */
  lastPiecesMs: 20,

  // Waits of the page, so that it asks for what somebody looks at and not for what passes by.
  typingMs: 180,
  /** Of a filter that changed, before the journal is asked. */
  filterRestMs: 20,
  /** For the next problem or call, before the key is forgotten. */
  stepWaitMs: 10_000,
  scrubberRestMs: 90,
  listSettleMs: 160,
  listRestMs: 40,
  timelineAskMs: 120,
  /** How long a button says that it has copied. */
  copiedShownMs: 1_500,
  /** How long a file that was saved can be read by the browser. */
  savedUrlMs: 10_000,
  /** Between tries to follow the live stream: the first, and the longest. */
  liveRetryFirstMs: 500,
  liveRetryMaxMs: 15_000,

  // Pieces in which the page asks.
  journalPageEntries: 200,
  journalPagesMax: 60,
  stateRowsAPage: 100,
  /** Changes of one row, with what each changed. */
  rowChangesShown: 50,
  runsAPage: 50,
  /** The newest runs, from which the page chooses what belongs to a drill or a comparison. */
  runsChosenFrom: 200,
  /** Failures beside what passed, which a comparison begins with. */
  pairsSuggested: 8,
  timelineEntriesAtOnce: 500,
  /** Up to here every entry is drawn by itself; beyond, the server counts, in so many buckets. */
  timelineWholeEntriesMax: 2_000,
  timelineBucketsMax: 400,

  // What the page shows of more.
  requestsShown: 3,
  /** Of what the palette found. */
  commandsShown: 40,
  /** Entries that a failure copied as Markdown cites. */
  markdownEntries: 40,
  /** Verdicts of a drill's last runs, in one row. */
  stripRuns: 30,
  /** Of several k: how likely all of k trials pass. */
  ratesAtK: 3,
  /** Reasons why runs did not pass. */
  reasonsShown: 8,
  /** A list of so many has a field to narrow it. */
  filterFromItems: 8,
  effectsShown: 20,
  findingLinksMax: 8,
  /** Causes of a verdict that stand open, one under the other, and checkpoints that one of them names. */
  causesOpen: 3,
  checkpointsNamed: 10,
  /** Of a value that stands on a line with another. */
  scalarCharsMax: 60,
  sampleDepthMax: 6,
  shortChars: 160,
  cellChars: 40,
  /** Of an entry, on each side of what was searched for. */
  snippetChars: 40,
  /** Of a value that is shown short, when the pointer rests on it. */
  titleChars: 2_000,
  /** Longer texts and source lines stay uncolored: a span a token would be slow. */
  coloredValueCharsMax: 20_000,
  coloredLineCharsMax: 2_000,
  /** Up to here a value stays on one line. */
  valueLineCharsMax: 64,

  // Sizes of what is drawn, in CSS pixels; app.css has the same rows.
  journalRowPx: 30,
  /** Rows drawn above and below those in sight. */
  journalMarginRows: 12,
  /** Browsers draw no higher element reliably. */
  areaPxMax: 8_000_000,
  lanePx: 30,
  timelineTopPx: 34,
  /** What the text of a tick may take: at the right edge it goes to the left of its line. */
  tickTextPx: 70,
  tickPx: 110,
  /** Marks nearer than this are drawn as one. */
  joinPx: 15,
  charPx: 6.6,
  /** Calls of a run that are read to find the next one of a tool: waits are calls, too. */
  nextCallsRead: 100,
  /** Of a journal, read at once for a comparison. */
  linesAtOnce: 1_000,
};
