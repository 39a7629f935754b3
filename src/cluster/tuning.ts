// The figures that tune this module. The safety of the log rests on none of them: waits say only how soon something is noticed.

export const tuning = {
  /** Of the body of one entry: PostgreSQL writes and reads a row as a whole. */
  entryBytesMax: 1024 * 1024,
  /** Of one append: what one statement carries besides the record that is over it alone. */
  appendBytesMax: 8 * 1024 * 1024,
  appendEntriesMax: 1024,
  /** Of records that wait for their append; above it `space` waits. */
  pendingBytesMax: 64 * 1024 * 1024,
  /** Until what the log refused as unavailable is tried again. */
  retryFirstMs: 50,
  retryMaxMs: 1000,
  /** Between two beats, and how long a changed beat shows that its node is alive. */
  beatMs: 300,
  aliveMs: 2200,
  /** A node of which three beats are missing: others start what they will need if it stays so. */
  silentMs: 1000,
  /** Such hosts, one after the other; of projects whose worlds have changed so lately. */
  projectsAheadMax: 4,
  atWorkMs: 60_000,
  /** Reads are answered so long after the last answered beat was sent: clocks may differ by a third in rate before a taker is earlier. */
  readLeaseMs: 1500,
  /** A node that was away gets homes only after so long without a fault: moving them to and fro costs more than it saves. */
  returnedMs: 30_000,
  /** Of nodes that cannot reach another one: of two that cannot reach each other nobody knows which is cut off. */
  cutOffVoicesMin: 2,
  /** Between two looks at the followed homes. */
  followMs: 100,
  /** Of one look: what a copy may have to hold at once. */
  readBytesMax: 16 * 1024 * 1024,
  /** Of one home in one look. */
  readEntriesMax: 2048,
  /** A copy that is no further behind its owner is warm: to apply so much takes some milliseconds. */
  warmEntriesMax: 256,
  /** Homes that one node gives away at once, and that it takes at once. */
  handoversAtOnceMax: 2,
  takesAtOnceMax: 16,
  /** A claim that has waited so long ends the sessions of the owner before. */
  claimPatienceMs: 200,
  /** Until no answer is expected: to a connection, to a beat, and to an append before it is resolved on another connection. */
  connectMs: 2000,
  beatAnswerMs: 2000,
  answerMs: 5000,
  /** To a statement of snapshots, blobs and a trim: with a piece, or a deletion of many. */
  largeAnswerMs: 30_000,
  /** The longest of these waits, each twice as long as the one before. */
  answerMaxMs: 300_000,
  /** Of the server's side of a connection: a peer that is gone holds a row no longer than this. */
  peerGoneMs: 2000,
  /** A node's row that was not written for so long is dropped, and holds the cluster's format back no more. */
  nodeKeptMs: 86_400_000,
  /** Entries that one statement of a trim deletes: the next append waits for none of them long. */
  trimEntriesMax: 4096,
  /** Of snapshots of one home. The log is trimmed below the one before the newest. */
  snapshotsKept: 2,
  /** Of a stored piece of a snapshot or a blob. */
  pieceBytes: 1024 * 1024,
  /** Of an object of a store beside the database: a request each, and a node holds one in memory. */
  objectBytes: 8 * 1024 * 1024,
  /** Of one request to such a store, and how often it is asked. */
  objectAnswerMs: 30_000,
  objectTriesMax: 4,
  /** Of a rename into a folder that others remove when it is empty. */
  placeTriesMax: 8,
  /** What no row names is of a put under way, or was left by one that was cut short: it is removed when it is so old. */
  strayObjectMs: 86_400_000,
  /** Between two looks for such objects, and objects that one question of the index asks for. */
  straysLookMs: 21_600_000,
  straysAskedAtOnce: 1000,
  /** Copies of data files that are open at once, of all homes. */
  copiesOpenMax: 128,
  /** Of records that a copy takes before others have their turn: some ten milliseconds of work. */
  followedBytesAtOnce: 256 * 1024,
  /** Of records after which it is written how far a home's copies are: what a restart reads again at most. */
  markedRecordsMax: 256,
  markedBytesMax: 4 * 1024 * 1024,
  /** Of records of one stream that its owner has appended and says it has not written: an honest one writes long before. */
  unwrittenBytesMax: 4 * 1024 * 1024,
  /** A snapshot is made when the log since the last one is larger than that, and than this: of 64 small homes the log keeps 1 GiB. */
  snapshotLogBytesMin: 8 * 1024 * 1024,
  /** Between two looks at which homes want a snapshot. */
  snapshotLookMs: 10_000,
  /** Of what a snapshot says of one file: its name and position. */
  snapshotHeadBytesMax: 4096,
  /** Brotli at quality 1 makes snapshots of data files some ten times smaller at the speed of a disk. */
  snapshotQuality: 1,
  /** Names of blobs that one statement reads. */
  blobsListedAtOnce: 4096,
  /** Of pairs of a node and a home: those of 64 nodes. */
  scoresKept: 4096,
  /** Names of nodes stand in the names of sessions, which PostgreSQL cuts at 63 characters: two nodes must not become one. */
  nodeNameCharsMax: 40,
};
