// Every bound that a user, an agent or an operator can meet, by name, the unit last. The range of one field or setting stands in its
// declaration: the tags of its shape, the row of its setting (src/cli/serve-settings.ts); those of the browser's client, which loads no
// such table, in src/client/tuning.ts. What only tunes a module (a cache, a page, a batch, the pace of a picture) is in its tuning.ts, in
// the same form. test/tidy.test.ts looks for figures elsewhere.
import { inspectorLimits } from './inspector-limits.js';
import { reportLimits } from './report-limits.js';
import { serviceLimits } from './service-limits.js';
import { wireLimits } from './wire-limits.js';

export const limits = {
  ...inspectorLimits,
  ...reportLimits,
  ...serviceLimits,
  ...wireLimits,

  // Values and bodies.
  jsonDepthMax: 64,
  jsonNodesMax: 1_000_000,
  // Records that hold such values (entries, results, reports), with what they put around them.
  recordDepthMax: 80,
  recordNodesMax: 16_000_000,
  /** Of the body of a request, where its row of a route table has no bound of its own. */
  bodyBytesMax: 1024 * 1024,
  issuesMax: 100,
  /** Of a name and of a value that a message quotes, of a piece of a text, and of all values that would have been right. */
  quotedNameCharsMax: 96,
  quotedValueCharsMax: 100,
  quotedPieceCharsMax: 48,
  quotedChoicesCharsMax: 500,
  quotedKeywordCharsMax: 200,
  rowIdCharsMax: 512,
  rowBytesMax: 1024 * 1024,

  // What tool code makes, in UTF-8 bytes of canonical JSON text. The same everywhere: they are part of what a world is.
  resultBytesMax: 1024 * 1024,
  failureDetailsBytesMax: 1024 * 1024,
  eventPayloadBytesMax: 1024 * 1024,
  /** Rows put (id and text), rows deleted (id), events emitted, scheduled and delivered, callbacks queued (payload): all of one turn. */
  turnWriteBytesMax: 16 * 1024 * 1024,
  /** Entries that those leave, and random draws where they are evidence. */
  turnEntriesMax: 100_000,
  /** Calls of the context by all handlers of one turn; a scan counts each row that it gives. */
  contextCallsMax: 1_000_000,
  /** A longer text in what tool code throws is not copied: its length stands in its place. */
  thrownCharsMax: 1024 * 1024,
  /** What evidence and answers keep of it: of its message, of the code of a failure, and of the name of an error. */
  failureMessageCharsMax: 1_000,
  failureCodeCharsMax: 200,
  thrownNameCharsMax: 100,
  decodedBytesMax: 4 * 1024 * 1024,
  /** What a method of arrays loops over in one step of V8, which nothing interrupts. As many numbers have 256 MB. */
  toolArrayItemsMax: 32 * 1024 * 1024,

  /** Rows in a page of a declarative tool's `list`. */
  declarativePageRowsMax: 200,
  declarativePageRowsDefault: 50,

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
  /** Of a page of entries, rows or pending events, whatever may be on it by number; it has at least one. Counted as JSON in UTF-8. */
  pageBytesMax: 4 * 1024 * 1024,
  evidenceLeafEntries: 1024,
  /** What of a leaf is hashed, or written, at once. */
  evidencePieceChars: 512 * 1024,

  // Actors.
  mailboxMessagesMax: 1024,
  sliceMs: 10,
  handlerTimeoutMs: 10_000,
  /** What a host, or the worker of a task, waits for a processor is not counted, up to so many times what its work may take. */
  processorWaitFactorMax: 5,
  /** What tool code is blocked is not counted, up to so many times what it may take: it waits for nothing by itself. */
  blockedFactorMax: 1,
  /** The default of a hosted service, where tool code is a stranger's. */
  hostedHandlerTimeoutMs: 1_000,
  idlePassivationMs: 300_000,
  /** Worlds that a host keeps in memory. More are live all the same: the next message of one that has left reads it from its data file. */
  hostActorsInMemoryMax: 1024,
  /** Unanswered messages of all actors of one host. */
  hostMessagesMax: 16_384,
  queriesInRowMax: 64,
  /** What a long command may hold uncommitted before its host commits it in between. */
  commitEntriesMax: 65_536,
  /** How long the progress of a long command may wait for a commit. */
  commitDelayMs: 250,
  /** For one commit, one control request: never a step of tool code. */
  hostWorkTimeoutMs: 60_000,
  /** A process of a host that has sent nothing for so long is asked for a heartbeat. */
  hostHeartbeatMs: 2_000,
  /** How long it may owe one while nothing runs there, where no step may take longer. */
  hostSilenceMsMax: 5_000,
  closeGraceMs: 5_000,
  hostFiguresWaitMs: 1_000,
  hostEndWaitMs: 10_000,
  hostRestartsMax: 5,
  hostRestartWindowMs: 60_000,
  hostCoolDownMs: 10_000,
  /** How often a message that had not started is sent to the next incarnation of its host. */
  resendsMax: 3,

  // Hosts of a service, in processes of their own.
  /** What a host may take beside its heap: buffers, stacks, code. */
  hostBesideHeapBytesMax: 256 * 1024 * 1024,
  /** For the machine code of the thread in a child, a part of what it may take beside its heap; V8 would take 512. */
  childCodeRangeMb: 64,
  /** V8's range for the machine code of an isolate, where nothing else was asked for. */
  codeRangeBytesMax: 512 * 1024 * 1024,
  hostCpuPercentMax: 100,
  /** Of a process that has the usual share of a processor where processors are short; so what else a service starts waits for its hosts. */
  hostCpuWeight: 50,
  /** Processes and threads of a box. A busy host has some fifteen, whatever the machine; 64 projects stay below the 32,768 of a kernel. */
  hostProcessesMax: 256,
  /** Of a local run's host in a box: heap, buffers, stacks. */
  localBoxMemoryBytesMax: 2 * 1024 * 1024 * 1024,
  /** Processes or boxes that wait for a project, so that its first call waits for no start. */
  hostsReady: 1,
  hostRefillMs: 250,
  /** Projects whose hosts stand at once. */
  projectsLiveMax: 64,
  /** Hosts of a project end when none of its worlds has had a message for this long, */
  hostsIdleMs: 300_000,
  /** or sooner, but not before this, when another project needs the space. */
  hostsSpareMs: 1_000,

  // Disks.
  /** Free where runs are kept: below the first `doctor` warns; below the second it fails, as a run of a few drills takes a few MiB. */
  doctorDiskWantedMib: 1_024,
  doctorDiskNeededMib: 64,
  /** The last piece of a disk: kept for what ends work, frees space or reports it. */
  diskKeptBytes: 16 * 1024 * 1024,
  /** Of a small disk, this share of it instead. */
  diskKeptShare: 1 / 64,
  diskFullRetryAfterMs: 1_000,
  /** While a disk is short an organization makes so many changes that end work but free nothing; the rest of what is kept is for others. */
  shortDiskChangesMax: 256,
  /** Of a larger one the roots and branches alone are checked before it is opened. */
  databaseLeavesCheckedBytesMax: 1024 * 1024 * 1024,
  /** Processes that a check of data may lose, each to another damaged file. */
  verifyProcessesMax: 100,

  // Child processes.
  /** Of one message between a process and its parent, either way. */
  childMessageBytesMax: 64 * 1024 * 1024,
  /**
   * Of one message of a child, what is not inside of texts: more than a page (`pageBytesMax`) and the largest entry. And how deep it may
   * be: a record (`recordDepthMax`), with what messages put around it.
   */
  childStructureCharsMax: 8 * 1024 * 1024,
  childMessageDepthMax: 128,
  /** What a child may write to its own output, over its lifetime; the rest is dropped. */
  childOutputBytesMax: 256 * 1024,
  /** Failures that a host process may report to the log, over its lifetime, and the length of each. */
  childNoticesMax: 10_000,
  childNoticeCharsMax: 64 * 1024,
  /** Of messages of a host that answer nothing: at once, and again each second. Progress of all worlds comes to some 10 KiB a second. */
  hostUnaskedBytesMax: 4 * 1024 * 1024,
  hostUnaskedBytesPerSecond: 256 * 1024,
  /** Each of the two folders for temporary files of a box, in memory. */
  boxTemporaryBytesMax: 16 * 1024 * 1024,

  // Compiler and source inspection.
  sourceFileBytesMax: 1024 * 1024,
  sourceSnapshotBytesMax: 16 * 1024 * 1024,
  projectFileBytesMax: 4 * 1024 * 1024,
  projectFilesMax: 10_000,
  projectBytesMax: 64 * 1024 * 1024,
  documentNodesMax: 500_000,
  documentDepthMax: 80,
  behaviorBundleBytesMax: 4 * 1024 * 1024,
  diagnosticsMax: 1_000,
  /** Of a drill, invariants included. */
  drillAssertionsMax: 200,
  /** Of one drill, and drills that the cases of all files make. */
  drillCasesMax: 256,
  projectCasesMax: 10_000,
  startActorsMax: 1_000,
  actorGrantsMax: 4_096,
  startRowsMax: 100_000,
  startFaultsMax: 1_000,
  startEventsMax: 10_000,
  tagsMax: 100,
  suiteDrillsMax: 10_000,
  manifestListItemsMax: 1_000,
  /** Of all tools together: tables of them are made where an access is opened. */
  projectRoutesMax: 5_000,
  loadedToolsMax: 256,
  compiledSchemasMax: 4096,

  // Schemas and their patterns.
  patternCharsMax: 4096,
  /** Groups in groups. */
  patternDepthMax: 32,
  /** Of a pattern that RE2 runs, with its repetitions written out. */
  patternSizeMax: 4096,
  compiledPatternsMax: 4096,
  /** Of formats that are not checked in linear time. */
  formatCharsMax: 2048,
  /** Of one value: references followed, and instructions of RE2 for each character. */
  validationStepsMax: 10_000_000,
  validationReferencesDeepMax: 256,

  // Folders that one process uses at a time.
  folderLockRenewedMs: 2_000,
  folderLockStaleMs: 15_000,

  // Streams of events.
  /** Of one in which nothing happens: less than the minute after which proxies end a connection that says nothing. */
  eventStreamQuietMs: 15_000,

  // MCP.
  mcpToolsPageMax: 100,
  /** How long a client may keep a page of tools: grants last as long as their access. */
  mcpToolsTtlMs: 300_000,
  /** Of a result that follows its progress as an event: the official client for Python takes no event of more than 1 MiB. */
  mcpEventResultBytesMax: 1_000_000,
  /** Requests under way of one client on stdio. */
  mcpStdioRequestsMax: 256,
  /** A longer name ends in a digest of the whole. */
  mcpToolNameCharsMax: 128,
  /** Of a name without dots: what models of many vendors take. */
  mcpPlainNameCharsMax: 64,

  // Targets.
  targetOutputBytesMax: 1024 * 1024,
  targetLogBytesMax: 4 * 1024 * 1024,
  targetKillGraceMs: 2_000,
  targetErrorCharsMax: 4_096,
  /** Of an output that is not what its target promises, as the error shows it. */
  targetBeginningCharsMax: 200,
  /** What an error keeps of the end of a log: a stack and what came before it. */
  targetTailLinesMax: 40,
  /** What of a log is looked through for that end. */
  targetTailCharsMax: 64 * 1024,
  /** Of the members that Node prints of an uncaught error, so many of the first and of the last. */
  targetTailMembersMax: 8,
  /** Of a module that lacks the export that is asked for. */
  shownExportsMax: 5,
  redactedCharsMin: 6,
  /** A result that carries its attachments. */
  completionBytesMax: 32 * 1024 * 1024,
  /** Of a result, which has its output one level down, and of a request that hands in a result. */
  resultDepthMax: 65,
  completionDepthMax: 66,
  agentDeskWaitMs: 25_000,
  agentDeskWaitMsMax: 60_000,
  /** Results that can be handed in again. */
  agentDeskRememberedMax: 1_000,
  agentDeskPollsMax: 256,

  // Sources and runs of a hosted service, from here.
  /** Of one request with source: its bytes as JSON stay so far below `bodyBytesMax`, and its files are so many. */
  sourceRequestSpareBytes: 4 * 1024,
  sourceRequestFilesMax: 2_000,
  /** How often a push begins again when another one changed the draft. */
  pushTriesMax: 3,
  remotePollFirstMs: 20,
  remotePollMsMax: 500,
  /** A hosted run, beside what its interactions may take; and its session, beside that. */
  remoteRunSpareMs: 60_000,
  remoteRunTimeoutMsMax: 86_400_000,
  remoteSessionSpareMs: 600_000,
  remoteAccessTtlMs: 3_600_000,
  /** All files of one evidence bundle. */
  remoteEvidenceBytesMax: 4 * 1024 * 1024 * 1024,
  /** Of one of them, one try. */
  remoteDownloadTimeoutMs: 600_000,
  /** Of what is still asked of a service once somebody has cancelled: runs are cancelled, and evidence of what had begun is fetched. */
  remoteEndingMs: 10_000,
  /** Of a request that hands in a result: an output of `targetOutputBytesMax`, written as JSON again, and an error with parts of it. */
  interactionResultBytesMax: 4 * 1024 * 1024,
  /** Of what an agent here reported, as it is handed in. */
  remoteErrorCharsMax: 4096,
  remoteFileNameCharsMax: 200,

  // Drills.
  runConcurrencyMax: 64,
  trialsMax: 10_000,
  retriesMax: 10,
  /** Of `--until-failed`. */
  runRoundsMax: 1000,
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
  /** Of a name as it is given: so much of it is searched for secrets before it is cut. */
  attachmentNameReadCharsMax: 16 * 1024,
  attachmentFolderDepthMax: 8,
  attachmentFolderEntriesMax: 1_000,
  /** Of an attempt, logs included; `runAttachmentBytesMax` bounds the bytes. */
  captureItemsMax: 1_000,
  captureErrorsMax: 100,
  /** Of what an agent says, an attempt; of one line of it; and what a line costs beside its text. */
  transcriptCharsMax: 512 * 1024,
  transcriptTextCharsMax: 16 * 1024,
  transcriptLineCharsCost: 200,
  /** Lines of what no wire route answered, an access and an attempt. */
  unansweredRequestsMax: 100,

  // Comparing two runs.
  /** Entries of a side that are aligned, cells of one exact alignment, and edits of one that is not. */
  comparisonEntriesMax: 200_000,
  comparisonCellsMax: 4_000_000,
  comparisonEditsMax: 1_000,
  comparisonDifferencesShown: 200,
  /** Of these, those with values; rows and effects that are listed; of a value that differs, as JSON. */
  comparisonValuesShown: 50,
  comparisonRowsShown: 200,
  comparisonEffectsShown: 50,
  comparisonValueCharsMax: 4_000,
  /** Steps of a replayed run with another answer that are listed; all are counted. */
  replayDifferencesShown: 200,

  // Judging.
  judgeWorkersMax: 2,
  /** One expression, of which the steps are counted: what takes this long is a machine that stands still. */
  judgeTimeoutMs: 30_000,
  judgeTriesMax: 3,
  judgeHeapMbMax: 512,
  judgeQueueMax: 16_384,
  /**
   * Modules that judge one attempt: so many at once, each for so long where nobody says otherwise, with so much of the journal, and of
   * interactions, journal and rows together, which are one message (`moduleMessageBytesMax`).
   */
  customJudgesAtOnceMax: 4,
  customJudgeTimeoutMs: 60_000,
  customJudgeEntriesMax: 10_000,
  customJudgeJournalCharsMax: 4 * 1024 * 1024,
  customJudgeViewCharsMax: 12 * 1024 * 1024,
  /** Of the view of one expression, as JSON. */
  exprViewCharsMax: 16 * 1024 * 1024,
  /** What one CEL expression sees and does at most; beyond, it is not decided. Work is counted in steps of the evaluation. */
  exprEntriesMax: 10_000,
  exprRowsMax: 10_000,
  exprNodesMax: 1_000_000,
  exprStepsMax: 1_000_000,
  exprPatternCharsMax: 1_000,
  /** Sequences that a result cites: the first ones. And of one value, the changes that led to it: the last ones. */
  citedSequencesMax: 100,
  citedChangesMax: 10,
  /** Changes that a result lists on either side. */
  diffChangesShown: 50,

  /** What an agent may say it used: of each count, and of its cost. Sums stay there, too. */
  usageCountMax: 1_000_000_000_000,
  usageCostUsdMax: 1_000_000,
} as const;
