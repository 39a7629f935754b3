// The figures that tune this module. Bounds that a client or an operator can meet are in src/contract/limits.ts, the defaults of what an
// operator sets in catalog/settings.ts.

export const tuning = {
  /** The reason of a commit that failed comes at once, if it comes. */
  commitReasonWaitMs: 1_000,
  /** Changes of a catalog that wait for its log, before further ones are refused: they stand in memory until they are appended. */
  unappendedBytesMax: 16 * 1024 * 1024,
  /** Of one change: with all that may wait beside it, it is within what a record may be. */
  changeBytesMax: 64 * 1024 * 1024,
  /** Records of the catalog that are kept as they were read: how many, their text together, and that of one. */
  keptRecordsMax: 4096,
  keptRecordsBytesMax: 4 * 1024 * 1024,
  keptRecordBytesMax: 16 * 1024,
  /** The reserve of the disk is written and released in pieces of so many bytes. */
  reservePieceBytes: 1024 * 1024,
  /** Operations that begin before the replies to those who asked for them leave, when so many are asked for in one turn. */
  operationsBegunAtOnceMax: 16,
  /** How long an operation runs before that it does is on the disk. */
  runningNotedMs: 250,
  /** The longest wait before an operation runs again, in first waits. */
  operationWaitGrowthMax: 128,
  /** Counts of the disk's use take one part in so many of the time. */
  diskUseRestPerCount: 99,
  /** Numbers of hosts kept for one project. */
  hostsOfProjectMax: 256,
  /** Looks for idle hosts in one idle time: they end at most a quarter of it too late. */
  hostLooksPerIdleTime: 4,
  /** The shortest time between such looks. */
  hostLookMsMin: 10,
  /** Until what another machine has to do, or a catalog that is changing its owner, is asked again. */
  askAgainBackoff: { firstMs: 50, maxMs: 1_000 },
  /** How often a session is asked for its due callbacks at a start: for about two minutes. Then its next command finds them. */
  deliveryTriesMax: 120,
  /** Projects whose sessions are asked at once, one of each; how long one of them holds the next of its project up. */
  deliveryProjects: 16,
  deliveryHoldMs: 1_000,
  /** Worlds that wait and are looked at for one that fits: those past their time are few, and the sweep takes them. */
  warmLookedAtMax: 16,
};
