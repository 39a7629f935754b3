// The figures that tune this module. None shows in a result: hashes, evidence and refusals are the same with others. The bounds that a user
// can meet are in src/contract/limits.ts; what the stored forms say stands beside their codecs.

export const tuning = {
  /** Events fired between two looks at the clock of the slice: each takes some microseconds. */
  eventsPerLook: 16,
  /**
   * Fired in one slice where others wait for theirs. In the least time of a slice (actors/tuning.ts) code that is young fires half of
   * them, and code that is warm twice as many: by time alone of a thousand worlds the first ended in two thirds of the time of the last.
   */
  eventsPerSharedSlice: 384,
  /** Of the pieces that lines are hashed in: few calls, and still in the cache of a processor. One line more may be in them. */
  linePieceBytes: 64 * 1024,
  /** Up to so many bytes a loop copies faster than a call. */
  loopedBytesMax: 24,
  /** Transactions of more entries than this have the place of each in them written number by number. */
  placesKept: 16,
  /** What a buffer of lines has at first, and after lines that were larger. */
  lineBytesKept: 256 * 1024,
  /** Of the lines that are hashed in one slice: some milliseconds of SHA-256. A leaf of a thousand entries of 1 MB would take seconds. */
  hashedBytesPerStep: 4 * 1024 * 1024,
  /** Of a chunk: big enough that a text is rarely repeated as a `before`, small enough that reading one page decodes little. */
  chunkEntriesMax: 8192,
  /** Chunks of one journal that are kept decoded. */
  decodedChunksMax: 8,
  /**
   * Columns are lent from journal to journal: a world that writes nothing holds none. Few need to be large, but all worlds of a tick may be
   * writing a little at once, and typed arrays are dear to make.
   */
  spareColumnsMax: 256,
  largeSpareColumnsMax: 4,
  smallColumnEntries: 256,
  /** Of the first arrays of columns. */
  columnEntriesMin: 16,
  /** Shapes come from manifests and setups, so they are few; the bound is against a host that lives for months. */
  shapesMax: 4096,
  /** Keys below a tombstone that a commit deletes by the way for each of its sets, so that many that share one leave no more behind. */
  sweepKeysMax: 256,
  /** Worlds made and deleted in one commit: more wait for the next one, so that none holds its host for long. */
  sharedSetsMax: 64,
  /** So many times as much goes at the close: some tens of milliseconds at most. */
  sweepsAtClose: 64,
  /** Ids are taken from the durable counter in blocks; those of a block that is not used up are never used. */
  idBlock: 256,
  /**
   * Of a record's payload. Brotli at quality 1 makes large records of calls three to six times smaller for some 4 us a call. Of what is
   * smaller than the least most of it is to begin, on both sides: two calls take 30 us here and half of that where they are read, and with
   * records of four and more calls alone it was 7 us of each call. What is larger than `inline` (about a millisecond) is compressed beside
   * the thread.
   */
  recordQuality: 1,
  recordWindowBits: 18,
  compressedBytesMin: 16 * 1024,
  recordBytesInline: 256 * 1024,
  /** A record that holds so much takes no further transaction. */
  recordBytesAimed: 1024 * 1024,
  /** One transaction never makes a larger record, and none that is larger is read: no bytes ask for more memory than this. */
  recordBytesMax: 256 * 1024 * 1024,
  /** Changes that wait for the log, before further ones are refused: they stand in memory until they are appended. */
  unappendedBytesMax: 16 * 1024 * 1024,
  /**
   * Of what a host hands over for its log at a time, and how many such pieces at once: as texts they stay below what a host may ask
   * (actors/tuning.ts).
   */
  appendPieceBytes: 512 * 1024,
  appendAsksMax: 32,
  /**
   * Of records that a file with a log does not have yet, and how long they wait at most: what its host holds, its node keeps, and a restart
   * reads again. A transaction that is larger than the second is written at once: it would gain nothing.
   */
  lateBytesMax: 256 * 1024,
  lateTransactionBytesMax: 64 * 1024,
  lateMs: 5000,
  /** Payloads that a copy applies in one transaction: large enough that its begin and end cost nothing, small for the memory. */
  replayedBytesAtOnce: 8 * 1024 * 1024,
  /** Of a stored page of the queue. */
  queuePageEventsMax: 4096,
  /** More layers than this are merged into one when the next is put on top, so that a look-up stays short. */
  layersMax: 8,
  /** Of a stored piece of a blob; and layers of bytes before what they show is copied into one. */
  blobPieceBytes: 1024 * 1024,
  blobLayersMax: 64,
  /** Receipts of one world that are kept in memory. */
  receiptsCachedMax: 256,
  /** Rows kept in memory, all spaces together, and their size in UTF-16 code units. Uncommitted rows are kept whatever their number. */
  rowsCachedMax: 65_536,
  rowCharsCachedMax: 16 * 1024 * 1024,
  /** Ids of stored rows that are read at once: a millisecond or two. */
  rowIdsPerPage: 4096,
  /** More changed ids than this between two digests: the next one starts afresh. */
  staleIdsMax: 65_536,
  /**
   * Programs of a host that are kept prepared. One host opens many environments with the same program (a run each). A base holds parsed
   * rows, so it belongs to the way of parsing.
   */
  preparedProgramsMax: 16,
  /** What counts like one entry that waits for its commit. */
  pendingCharsCounted: 1024,
  /** A world keeps no more texts of its last turn than this. */
  turnCharsKeptMax: 64 * 1024,
  /** New ids that are tried for a home, for each home that there is: one in e^32 would find none. */
  idTriesPerHome: 32,
  /** Nonces of records. */
  noncesDrawnAtOnce: 256,
  /** Of a folder that code in a box may have filled: more than hosts give names. What is beyond is not looked for. */
  slotNamesMax: 20_000,
  /** A copied file may have this size, and so many times what it takes of the disk beside. */
  sparseBytesMax: 1024 * 1024 * 1024,
  sparseTimesMax: 64,
  /** Of a copy: a hole of this size stays one. */
  copiedPieceBytes: 64 * 1024,
};
