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
  /** For the end of a stream to leave. */
  lastPiecesMs: 20,

  // The page.
  /** How long a file that was saved can be read by the browser. */
  savedUrlMs: 10_000,
  /** Between tries to follow the live stream: the first, and the longest. */
  liveRetryFirstMs: 500,
  liveRetryMaxMs: 15_000,
  runsAPage: 50,
  /** The newest runs, from which the page chooses what belongs to a drill or a comparison. */
  runsChosenFrom: 200,
  sampleDepthMax: 6,
  /** Longer source lines stay uncolored: a span a token would be slow. */
  coloredLineCharsMax: 2_000,
};
