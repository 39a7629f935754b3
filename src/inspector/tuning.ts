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

  /** Of a line of source that was found, and of that before what was found. */
  sourceLineChars: 240,
  sourceCharsBefore: 60,

  // The page.
  /** How long a file that was saved can be read by the browser. */
  savedUrlMs: 10_000,
  /** Between tries to follow the live stream: the first, and the longest. */
  /** A tab out of sight keeps its stream for so long. */
  hiddenStreamMs: 5_000,
  liveRetryFirstMs: 500,
  liveRetryMaxMs: 15_000,
  /** Entries of the history whose place is known; for what was there, a step back waits so long, and until it has stood for a while. */
  placesMax: 50,
  placeWaitMs: 10_000,
  placeRestMs: 300,
  /** Worlds that are known to have ended. */
  endedWorldsMax: 1_000,
  runsAPage: 50,
  runsAPageMax: 500,
  /** The newest runs, from which the page chooses what belongs to a drill or a comparison. */
  runsChosenFrom: 200,
  /** Failures beside what passed, which a comparison begins with. */
  pairsSuggested: 8,
  requestsShown: 3,
  /** Of what is run again, each a request of its own. */
  rerunSeedsMax: 10,
  /** Of a request that did not compile. */
  diagnosticsShown: 10,
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
  sampleDepthMax: 6,
  /** Longer source lines stay uncolored: a span a token would be slow. */
  coloredLineCharsMax: 2_000,
  /** Calls of a run that are read to find the next one of a tool: waits are calls, too. */
  nextCallsRead: 100,
  /** Of a journal, read at once for a comparison. */
  linesAtOnce: 1_000,
};
