// The figures that tune this module. The space that a disk keeps is in src/contract/limits.ts; what LMDB's format says is in
// database-page.ts.

export const tuning = {
  /** Readings of a database that is being written, before its check gives up. */
  checkTriesMax: 5,
  /** So many free pages behind the end of a file are believed. */
  pagesBeyondMax: 65_536,
  /** Of the files made here. LMDB takes it from the file, on machines of larger pages too. */
  madePageBytes: 4096,
  /** Of a lock file: more than LMDB asks for 126 readers on any system. */
  lockFileBytes: 3 * 4096,
  /**
   * Addresses of a data file: no memory until they are read, and a file that outgrows them gets more. LMDB keeps each earlier, smaller map
   * until the file is closed, and each page that was read through it is resident once more, so there should be none.
   */
  mapBytes: 4 * 1024 * 1024 * 1024,
  /** Descriptors: as many as LMDB keeps open of one environment, and one in passing. */
  databaseDescriptors: 4,
  /** LMDB says EIO where a write was cut short, as the last one on a full disk is: then there is less than this left. */
  cutShortFreeBytesMax: 4 * 1024 * 1024,
  /** Free space with which any transaction begins without a look at its file; what it may write comes on top. */
  amplySpacedBytes: 64 * 1024 * 1024,
  /** Of the tree of a data file from its root to a key: 100 million keys have fewer. */
  pathPagesMax: 6,
  /** What a transaction writes besides: lists of free pages, their tree. */
  transactionPages: 16,
  /** Of what a data file is extended by at once. */
  filledPieceBytes: 64 * 1024,
  /** Tries to take the lock of a folder from a process that has gone: each may lose to another taker. */
  lockTriesMax: 10,
  /** Between looks at a lock of which only time tells: several in the time in which a living holder renews it. */
  lockLookMs: 250,
  /** Of an archive, beside the bytes of each file: its header, and what fills its last block. */
  tarHeaderBytes: 4096,
  /** Passes over a folder that is removed, where its listing left something out. */
  removalTriesMax: 3,
  /** Editors write in several steps; a change counts once nothing has followed for so long. */
  sourceQuietMs: 60,
  /** Entries of a content cache: documents and bundles of some hundred repositories. */
  cachedEntriesMax: 8192,
  /** Builds of this program whose entries are kept. */
  cachedBuildsMax: 8,
  /** Of one entry: a larger document is parsed again. */
  cachedCharactersMax: 4 * 1024 * 1024,
};
