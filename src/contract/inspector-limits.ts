// The bounds of the local inspector. Read through limits.ts.

export const inspectorLimits = {
  inspectorSearchMatches: 100,
  inspectorSearchSequencesMax: 100_000,
  inspectorTimelineMarksMax: 2_000,
  inspectorCallbacksMax: 1_000,
  inspectorEvidencePageEntries: 200,
  inspectorStatePageRows: 100,
  inspectorRowChangesMax: 1_000,
  /** Of a report that is packed into one archive, unpacked. */
  inspectorZipBytesMax: 512 * 1024 * 1024,
  inspectorRunsPageItems: 100,
  /** Reports that one page of a filtered list looks through: a rare match takes several pages, none of them slow. */
  inspectorRunsScannedMax: 2_000,
  inspectorReportFoldersMax: 100_000,
  /** Journals whose index is kept, and the entries of all of them together. */
  inspectorJournalsMax: 8,
  inspectorJournalEntriesMax: 8_000_000,
  /** Requests that wait or run, and those remembered. */
  inspectorRequestsWaitingMax: 32,
  inspectorRequestsKeptMax: 200,
  inspectorRequestRunsShown: 1_000,
  inspectorEventRunsMax: 50,
  inspectorFindingsShown: 20,
  inspectorCausesMax: 12,
  inspectorEffectsMax: 100,
  inspectorWorldsMax: 32,
  /** Files of a repository that are shown, and lines that one search finds. */
  inspectorSourceFilesMax: 5_000,
  inspectorSourceMatches: 200,
  /** Browsers hold connections open on which they never asked anything. */
  inspectorCloseGraceMs: 250,
  /** For the index of a journal, before the beginning of it is shown. */
  inspectorIndexWaitMs: 250,
  inspectorStreamsMax: 32,
  /** Messages that a slow reader of the live stream may be behind. */
  inspectorStreamBacklogMax: 1_000,
  /** How often the journals of what runs are read while somebody listens. */
  inspectorWatchMs: 100,
  /** Retained worlds that are open at once. */
  inspectorWorldCopiesMax: 4,
} as const;
