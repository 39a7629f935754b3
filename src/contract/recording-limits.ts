// The bounds of what is recorded as files of a repository, and what a drill has that does not say.

export const recordingLimits = {
  entriesMax: 100_000,
  callsMax: 5_000,
  /** Of one interaction: beyond, there is another. */
  callsInInteraction: 100,
  /** Net changes that one assertion lists; of more, the rows of each namespace are counted. */
  changesMax: 100,
  /** Rows, and entries, that are offered to be pinned. */
  pinsShown: 200,
  idChars: 60,
  lineColumns: 140,
  targetTimeoutMs: 60_000,
  /** What a drill has that does not say. */
  drillToolCallsDefault: 1_000,
  drillEventsDefault: 10_000,
} as const;
