// Every bound of the system by name, the unit last. interface.md 8 fixes those with a section; the rest are ours.

export const limits = {
  // Values and bodies.
  jsonDepthMax: 64,
  jsonNodesMax: 1_000_000,
  // Records that hold such values (entries, results, reports), with what they put around them.
  recordDepthMax: 80,
  recordNodesMax: 16_000_000,
  bodyBytesMax: 1024 * 1024,
  issuesMax: 100,
  rowBytesMax: 1024 * 1024,

  // Worlds.
  cascadeDeliveriesMax: 10_000,
  scanRowsMax: 10_000,
  advanceEventsMax: 1_000_000,
  scheduleEventsMax: 100_000,
  toolIdempotencyKeyCharsMax: 256,
  operationKeyCharsMax: 256,
  resetPackagesMax: 256,
  hostProgramsMax: 64,
  /** Callbacks of one world that wait for their receiver; one more fails at once. */
  outboxDeliveriesMax: 100_000,
  callbackBodyBytesMax: 1024 * 1024,
  callbackSecretCharsMin: 16,
  callbackSecretCharsMax: 1024,
  /** Of a receiver's answer, which nobody reads: more of it ends the connection. */
  callbackAnswerBytesMax: 64 * 1024,
  evidencePageEntriesMax: 500,
  statePageRowsMax: 200,
  evidenceLeafEntries: 1024,

  // Actors.
  mailboxMessagesMax: 1024,
  sliceMs: 10,
  handlerTimeoutMs: 10_000,
  idlePassivationMs: 300_000,
  /** Unanswered messages of all actors of one host. */
  hostMessagesMax: 16_384,
  queriesInRowMax: 64,
  /** What a long command may hold uncommitted before its host commits it in between. */
  commitEntriesMax: 65_536,
  /** How long the progress of a long command may wait for a commit. */
  commitDelayMs: 250,
  /** For one commit, one control request: never a step of tool code. */
  hostWorkTimeoutMs: 60_000,
  closeGraceMs: 5_000,
  hostFiguresWaitMs: 1_000,
  hostEndWaitMs: 10_000,
  hostRestartsMax: 5,
  hostRestartWindowMs: 60_000,
  hostCoolDownMs: 10_000,
  /** How often a message that had not started is sent to the next life of its host. */
  resendsMax: 3,

  // Compiler and source inspection (interface.md 8).
  sourceFileBytesMax: 1024 * 1024,
  sourceSnapshotBytesMax: 16 * 1024 * 1024,
  projectFileBytesMax: 4 * 1024 * 1024,
  projectFilesMax: 10_000,
  projectBytesMax: 64 * 1024 * 1024,
  documentNodesMax: 500_000,
  documentDepthMax: 80,
  behaviorBundleBytesMax: 4 * 1024 * 1024,
  diagnosticsMax: 1_000,
  loadedToolsMax: 256,
  compiledSchemasMax: 4096,

  // Folders that one process uses at a time.
  folderLockRenewedMs: 2_000,
  folderLockStaleMs: 15_000,

  // The control room.
  pageItemsDefault: 50,
  /** What one page reads at most while it looks for records that match its filters. */
  pageRecordsReadMax: 2_000,
  lanePendingMax: 64,
  /** How often an operation is run anew after the host it worked on was lost. */
  operationRunsMax: 5,
  operationRetryMs: 50,
  operationRetryMaxMs: 5_000,
  idempotencyKeptMs: 86_400_000,
  idempotencyRetryAfterMs: 250,
  idempotencyPurgeMs: 600_000,
  purgeRecordsMax: 500,
  quotaRetryAfterMs: 60_000,
  unavailableRetryAfterMs: 1_000,
  rateBucketsMax: 100_000,
  credentialUseNotedMs: 60_000,
  credentialDefaultTtlMs: 43_200_000,
  jwksTimeoutMs: 5_000,
  jwksCoolDownMs: 30_000,
  organizationsPageItems: 100,
  /** How long what has ended stays as a record. */
  endedOperationKeptMs: 30 * 24 * 3_600_000,
  auditEventKeptMs: 400 * 24 * 3_600_000,
  /** A run and its result; longer where its evidence is retained longer. */
  endedRunKeptMs: 400 * 24 * 3_600_000,
  /** What the records no longer lead to stays on the disk for as long as whoever has just put it may need to say so. */
  blobUnreferencedKeptMs: 24 * 3_600_000,
  retentionSweepMs: 3_600_000,
  organizationsOfUserMax: 10_000,
  meProjectsMax: 1_000,

  // From source to build, hosted.
  blobBytesMax: 256 * 1024 * 1024,
  /** Files written, or read, at once. */
  blobWritesAtOnceMax: 16,
  loadedBuildsMax: 32,
  compileWorkersMax: 2,
  compileTimeoutMs: 60_000,
  compileHeapMbMax: 1024,
  /** Compiles that wait for a worker. */
  compileQueueMax: 1024,
  baselineCollectionsMax: 2048,
  /** Of all collections of a baseline together. */
  baselineRecordsMax: 10_000,

  // MCP.
  mcpToolsPageMax: 100,
  /** How long a client may keep a page of tools: grants last as long as their access. */
  mcpToolsTtlMs: 300_000,
  /** Requests under way of one client on stdio. */
  mcpStdioRequestsMax: 256,

  // What codecs of tools make: replies of wire routes, messages of callbacks.
  encodedBodyBytesMax: 4 * 1024 * 1024,
  encodedHeadersMax: 64,
  /** Of a listener: sets of routes, of which those in use stay in any case. */
  wireTablesKeptMax: 64,

  // HTTP servers.
  headerBytesMax: 16 * 1024,
  headersMax: 100,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  keepAliveTimeoutMs: 10_000,
  serverBacklog: 511,
  serverCloseGraceMs: 5_000,

  // Hosted sessions.
  sessionTtlMs: 3_600_000,
  accessTtlMs: 600_000,
  /** That are alive, of one session. */
  accessesMax: 1024,
  sessionSnapshotsMax: 256,
  /** How long an ended session stays as a record. */
  endedSessionKeptMs: 30 * 24 * 3_600_000,
  sessionSweepMs: 1_000,
  /** Sessions that one change of a sweep or a recovery touches. */
  sessionBatch: 100,
  pendingEventsShownMax: 200,
  notReadyRetryMs: 250,
  statePageItemsDefault: 100,
  evidencePageItemsDefault: 200,
  /** How often a read is asked again when a reset came in between. */
  readTriesMax: 3,

  // Hosted runs.
  runTimeoutMs: 1_800_000,
  runRecordsPage: 500,
  /** Of one run, all attachments together. */
  runAttachmentBytesMax: 64 * 1024 * 1024,
  /** Runs or bundles that one change of a sweep touches. */
  runBatch: 100,
  worldTriesMax: 8,

  // Targets.
  targetOutputBytesMax: 1024 * 1024,
  targetLogBytesMax: 4 * 1024 * 1024,
  targetKillGraceMs: 2_000,
  targetErrorCharsMax: 4_096,
  redactedCharsMin: 6,
  /** A result that carries its attachments. */
  completionBytesMax: 32 * 1024 * 1024,
  agentDeskWaitMs: 25_000,
  agentDeskWaitMsMax: 60_000,
  /** Results that can be handed in again. */
  agentDeskRememberedMax: 1_000,
  agentDeskPollsMax: 256,

  // Drills.
  runConcurrencyMax: 64,
  /** How often a run looks whether more attempts at once would help. */
  runLanesLookMs: 50,
  runShardsMax: 1_000,
  timelineInteractionsMax: 100_000,
  journalKeptCharsMax: 1024 * 1024,
  moduleHostLivesMax: 256,
  moduleHeapMbMax: 1024,
  moduleAbortGraceMs: 200,
  /** Of what a module's process and its run say to each other. */
  moduleMessageBytesMax: 32 * 1024 * 1024,
  /** Of an interaction. */
  attachmentsMax: 100,
  /** Each. */
  attachmentBytesMax: 16 * 1024 * 1024,
  /** All of an interaction, held until its policies are asked. */
  interactionAttachmentBytesMax: 256 * 1024 * 1024,
  attachmentNameCharsMax: 255,
  attachmentFolderDepthMax: 8,
  attachmentFolderEntriesMax: 1_000,
  /** Of an attempt, logs included; `runAttachmentBytesMax` bounds the bytes. */
  captureItemsMax: 1_000,
  captureErrorsMax: 100,

  // Comparing two runs.
  /** Entries of a side that are aligned, cells of one exact alignment, and edits of one that is not. */
  comparisonEntriesMax: 200_000,
  comparisonCellsMax: 4_000_000,
  comparisonEditsMax: 1_000,
  comparisonDifferencesShown: 200,

  // Judging.
  /** What one CEL expression sees and does at most; beyond, it is not decided. Work is counted in steps of the evaluation. */
  exprEntriesMax: 10_000,
  exprRowsMax: 10_000,
  exprNodesMax: 1_000_000,
  exprStepsMax: 1_000_000,
  exprPatternCharsMax: 1_000,
  /** Changes that a result lists on either side. */
  diffChangesShown: 50,

  // Reports: what index.html and report.txt show of a run; report.json and evidence.jsonl hold all of it.
  reportHeadEntriesMax: 2_500,
  reportCitedEntriesMax: 600,
  reportNotableEntriesMax: 1_500,
  reportTailEntriesMax: 400,
  reportEntriesCharsMax: 4 * 1024 * 1024,
  reportEntryCharsMax: 64 * 1024,
  reportValueCharsMax: 20_000,
  reportListItemsMax: 200,
  /** Of what an agent said before it failed. */
  reportLastWordsLinesMax: 5,
  reportPreviewBytesMax: 16 * 1024,
  /** A report that nobody has gone on writing for so long is abandoned, if its writer is gone. */
  reportDraftIdleMs: 3_600_000,

  // Reading a report folder back, which may come from anywhere.
  reportDocumentBytesMax: 256 * 1024 * 1024,
  reportManifestBytesMax: 8 * 1024 * 1024,
  reportFilesMax: 10_000,
  reportProblemsMax: 100,
  evidenceLineBytesMax: 16 * 1024 * 1024,
  /** Reports of one directory that a command looks at: the newest. */
  storedReportsMax: 10_000,
  /** Runs of one drill that its history lists. */
  historyRunsShown: 100,

  // The local inspector.
  inspectorSearchMatches: 100,
  inspectorSearchSequencesMax: 100_000,
  inspectorTimelineMarksMax: 2_000,
  inspectorCallbacksMax: 1_000,
  inspectorEvidencePageEntries: 200,
  inspectorStatePageRows: 100,
  inspectorRunsPageItems: 100,
  inspectorReportFoldersMax: 100_000,
  /** Journals whose index is kept, and the entries of all of them together. */
  inspectorJournalsMax: 8,
  inspectorJournalEntriesMax: 8_000_000,
  /** Requests that wait or run, and those remembered. */
  inspectorRequestsWaitingMax: 32,
  inspectorRequestsKeptMax: 200,
  inspectorRequestRunsShown: 1_000,
  inspectorEventRunsMax: 50,
  inspectorWorldsMax: 32,
  /** Browsers hold connections open on which they never asked anything. */
  inspectorCloseGraceMs: 250,
  /** For the index of a journal, before the beginning of it is shown. */
  inspectorIndexWaitMs: 250,
  inspectorStreamsMax: 32,
  /** Messages that a slow reader of the live stream may be behind. */
  inspectorStreamBacklogMax: 1_000,
  inspectorStreamQuietMs: 15_000,
  /** How often the journals of what runs are looked at while somebody listens. */
  inspectorWatchMs: 100,
} as const;
