// The bounds of the hosted service: its control plane, its HTTP servers, its sessions and runs. Read through limits.ts.

export const serviceLimits = {
  // Wire routes.
  /** Of one reply: base URLs that it names. */
  baseUrlPlacesMax: 20_000,

  // What a list of MCP tools shows.
  /** How deep alternatives inside of alternatives are looked into for what a tool takes. */
  mcpFoldDepthMax: 16,
  /** Of all input schemas of one list that are folded: parts looked at, properties taken over. Some 0.1 us each. */
  mcpFoldStepsMax: 200_000,
  // What a call of a tool answers over MCP, where its manifest lays it out.
  /** Blocks, and items of lists that are to become blocks. */
  mcpContentBlocksMax: 1_000,
  /** Of all texts in the blocks, in UTF-8. A result has up to 1 MiB, and may be in several of them. */
  mcpContentBytesMax: 4 * 1024 * 1024,
  // GraphQL.
  /** Of a request: names, signs and values. What is validated grows faster than it. */
  graphqlTokensMax: 10_000,
  /** Root fields of one request that are operations: all are called in one step. */
  graphqlCallsMax: 50,
  graphqlSelectionCharsMax: 256 * 1024,
  // The control plane.
  portMax: 65_535,
  /** Mounts of a process that have a port of their own. */
  mountPortsMax: 64,
  /** Of a token that a tool mints, before it is sealed. */
  mintedTokenCharsMax: 2_048,
  /** Of one reply: tokens that the server seals. */
  sealedTokensMax: 16,
  /** One worker for each processor, but no more than this: each is a thread or process with a heap and an environment of its own. */
  workersDefaultMax: 8,
  /** Of a secret, shown in lists. */
  credentialPrefixChars: 12,
  /** Of what an identity provider says of a person. */
  identityClaimCharsMax: 255,
  sourcePathCharsMax: 512,
  /** Names in a path of a source tree, and folders of a tree, which lie on the disk while it is compiled. */
  sourcePathNamesMax: 32,
  sourceFoldersMax: 10_000,
  /** Of the name of a draft that takes the title of what it came from. */
  draftNameCharsMax: 100,
  pageItemsDefault: 50,
  /** What one page reads at most while it looks for records that match its filters. */
  pageRecordsReadMax: 2_000,
  /** Records that are read at once: a page ends with those that pass `pageBytesMax`. */
  pageRecordsAtOnce: 16,
  lanePendingMax: 64,
  /** How often a backup begins to copy the worlds of one project, when hosts end meanwhile. */
  backupTriesMax: 10,
  /**
   * How often an operation is started that ends the process, or the host of its world, each time. Counted on the disk, over all
   * incarnations.
   */
  operationStartsMax: 5,
  /** How often an operation is run again in one incarnation after another's failure interrupted it. */
  operationInterruptionsMax: 20,
  /** Of one build: timeouts of its tool code, or hosts that it ended, inside the window before it is quarantined. */
  quarantineTimeoutsMax: 5,
  quarantineHostEndsMax: 3,
  quarantineWindowMs: 600_000,
  /** A step of tool code that lasts longer holds its host, and is counted. */
  heldStepMs: 50,
  /** What a world may have held its host for and still pass at once: its tools are loaded, now and then a step is long. */
  heldFreeMs: 500,
  /** A host that ended is as if it had been held so much longer: all who live there begin again. */
  heldHostEndMs: 1_000,
  /** Of one project: how long its steps may hold hosts in a minute. */
  heldMsPerMinute: 30_000,
  /** The part of its time that a host gives to worlds that hold it, while others are at work there. */
  heldShare: 0.25,
  /** How long nobody else is at work on a host before such worlds have all of it. */
  heldQuietMs: 500,
  /** The longest that a message of such a world waits for others, how many of one host may wait, and how many worlds are remembered. */
  heldWaitMsMax: 10_000,
  heldMessagesMax: 256,
  heldWorldsMax: 10_000,
  /** Worlds of which the project is known without a look into the catalog. */
  projectsOfWorldsKept: 65_536,
  operationRetryMs: 50,
  operationRetryMaxMs: 5_000,
  idempotencyKeptMs: 86_400_000,
  idempotencyRetryAfterMs: 250,
  idempotencyPurgeMs: 600_000,
  purgeRecordsMax: 500,
  /** Records that one change of a project's deletion removes, and what the last of them takes with it. */
  projectRecordsPerChange: 200,
  /** Whether it is ready: how often a write of the catalog is tried when somebody asks, and after one that failed. */
  healthProbeMs: 5_000,
  healthProbeAgainMs: 500,
  /** From when on a commit of the catalog that is under way is a reason not to be ready. */
  commitLagMsMax: 2_000,
  /** How long hosts that did not start are one, unless others start. */
  hostsTroubledMs: 60_000,
  /** From when on the event loop is one: the 99th percentile of its delays in a window. */
  eventLoopLagMsMax: 500,
  eventLoopWindowMs: 10_000,
  eventLoopSampleMs: 20,
  quotaRetryAfterMs: 60_000,
  unavailableRetryAfterMs: 1_000,
  rateBucketsMax: 100_000,
  /** Of an address, or of a network of IPv6: requests that need no credential, or have none that is valid. */
  strangerPerSecond: 100,
  strangerBurst: 2_000,
  /** Lines of the log about refusals to those without a credential, within a window; the others are counted. */
  strangerLinesMax: 20,
  strangerLinesWindowMs: 60_000,
  /** Senders that a forwarding header names: so many are followed from its end. */
  forwardedHopsMax: 32,
  credentialUseNotedMs: 60_000,
  credentialDefaultTtlMs: 43_200_000,
  jwksTimeoutMs: 5_000,
  /** The identity provider's keys are asked for again after this, and at once for a key that they lack: so often at most. */
  jwksKeptMs: 600_000,
  jwksCoolDownMs: 5_000,
  /** Of the answer with the identity provider's keys. */
  jwksBytesMax: 1024 * 1024,
  /** How far the provider's clock may be from the service's, where `nbf` and `exp` of a token are checked. */
  identityClockToleranceMs: 30_000,
  /** Of a token's `sub`. */
  identitySubjectCharsMax: 255,
  /** Organizations that are remembered between two commits. */
  organizationsSeenMax: 10_000,
  /** Earlier generations of the server key that are accepted at once. */
  keyGenerationsMax: 8,
  /** Names of keys before the present one by which a data directory of an earlier time is known. */
  keyFingerprintsKept: 64,
  /** Operator tokens before the present one of a cluster, whose files may lie on some of its machines: none of them returns. */
  operatorTokensKept: 64,
  /** Through how many credentials of early versions the member who made one is looked for. */
  credentialMakersMax: 64,
  /** Refusals of authority that the audit trail takes within a window, of one credential and of an organization; the others are counted. */
  auditRefusalWindowMs: 60_000,
  auditRefusalsOfCredentialMax: 5,
  auditRefusalsOfOrganizationMax: 50,
  organizationsPageItems: 100,
  /** How long what has ended stays as a record. */
  endedOperationKeptMs: 30 * 24 * 3_600_000,
  auditEventKeptMs: 400 * 24 * 3_600_000,
  /** A run and its result; longer where its evidence is retained longer. */
  endedRunKeptMs: 400 * 24 * 3_600_000,
  /** What the records no longer lead to stays on the disk for as long as the request that has just put it may take to say so. */
  blobUnreferencedKeptMs: 24 * 3_600_000,
  /** That a verification of a data directory tells; the others are counted. */
  verificationFindingsMax: 1_000,
  retentionSweepMs: 3_600_000,
  /** After a start: when the machine is no longer busy with it. */
  retentionFirstSweepMs: 60_000,
  /** What is removed may free what it referred to: so many rounds a sweep, and the rest comes with the next. */
  purgeRoundsMax: 8,
  /**
   * How old the figure of a part of the data directory is before it is counted again, how much of it is counted, and how long the first
   * count is waited for.
   */
  diskUseCountedMs: 60_000,
  diskUseEntriesMax: 1_000_000,
  diskUseWaitMs: 1_000,
  /** How long an end waits for spans that have not been sent. */
  traceFlushMs: 5_000,
  /** Of what the SDK of traces says, in a line of the log. */
  traceTroubleCharsMax: 500,
  organizationsOfUserMax: 10_000,
  meProjectsMax: 1_000,

  // From source to build, hosted.
  blobBytesMax: 256 * 1024 * 1024,
  /** Files written, or read, at once. */
  blobWritesAtOnceMax: 16,
  /** Damaged records that the log is known to have. */
  damageLoggedMax: 10_000,
  /** Kept in memory: how many, and how large as stored. In memory each is some five times as large. */
  loadedBuildsMax: 32,
  loadedBuildsBytesMax: 96 * 1024 * 1024,
  loadedViewsMax: 16,
  loadedViewsBytesMax: 48 * 1024 * 1024,
  /** Grants of all actors of a tool setup's world: with more, the file would be larger than one that is compiled. */
  setupGrantsMax: 50_000,
  compileWorkersMax: 2,
  /** Of one task: a compile, a check of rows. */
  compileTimeoutMs: 10_000,
  /** Of a task of the service itself, whose source ships with it: the machine may be busy when it starts. */
  compileOwnTimeoutMs: 60_000,
  /** Until a worker has loaded what its first task needs. */
  taskWorkerStartMs: 60_000,
  compileHeapMbMax: 1024,
  compileYoungHeapMbMax: 64,
  compileStackMbMax: 4,
  /** What a worker process may take beside its heap: buffers, stacks, code, and what bundles beside it. */
  taskBesideHeapBytesMax: 512 * 1024 * 1024,
  taskCpuPercentMax: 200,
  taskCpuWeight: 10,
  /** As `hostProcessesMax`; a bundler starts some threads for each processor. */
  taskProcessesMax: 1_024,
  /** So long a task has only what others leave of the processors. */
  taskYieldMs: 2_000,
  /** Of one message between the service and a worker process: a build and its view, as base64. */
  taskMessageBytesMax: 128 * 1024 * 1024,
  authorProcessMemoryBytesMax: 4 * 1024 * 1024 * 1024,
  authorCpuPercentMax: 200,
  authorCpuWeight: 10,
  authorProcessesMax: 1_024,
  /** Tasks that wait for a worker, of all projects and of one. */
  compileQueueMax: 1024,
  compileProjectQueueMax: 16,
  /** Projects of which is known when they had their last turn. */
  taskPartiesKeptMax: 4096,
  /** Rows of one dataset that are uploaded, as JSON. */
  datasetUploadBytesMax: 16 * 1024 * 1024,
  /** Rows chosen for one version of a source, as JSON: each selection counts, also of what another has chosen already. */
  chosenRowsBytesMax: 32 * 1024 * 1024,
  /** Uploads of one project that no dataset has taken, and how long each is kept. */
  datasetUploadsMax: 16,
  datasetUploadKeptMs: 3_600_000,
  baselineCollectionsMax: 2048,
  /** Of a baseline, as JSON: each collection has that of its namespace. */
  baselineSchemasBytesMax: 16 * 1024 * 1024,
  /** Of all collections of a baseline together. */
  baselineRecordsMax: 10_000,

  // HTTP servers.
  headerBytesMax: 16 * 1024,
  headersMax: 100,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  keepAliveTimeoutMs: 10_000,
  serverBacklog: 511,
  connectionsMax: 10_000,
  /** A proxy is one address. */
  connectionsPerAddressMax: 2_048,
  /** Of one connection: requests that were read and have no reply so far; one more closes it. */
  repliesOwedMax: 64,
  /** How long a client may take nothing of its reply. */
  replyStallMs: 30_000,
  /** Of a body that nobody has asked for. */
  unreadBodyBytesMax: 64 * 1024,
  /** Of an organization, a quarter of those of all: bodies that come at once, as they declare; large replies that have not left. */
  organizationBodyBytesMax: 128 * 1024 * 1024,
  bodyBytesUnderWayMax: 512 * 1024 * 1024,
  organizationReplyBytesMax: 64 * 1024 * 1024,
  replyBytesUnderWayMax: 256 * 1024 * 1024,
  /** Reads that wait for that memory, and how long. */
  repliesWaitingMax: 1_024,
  replyWaitMsMax: 10_000,
  serverCloseGraceMs: 5_000,
  /** uWebSockets.js closes what is idle for ten seconds, and counts in steps of four: how often that begins again where more is allowed. */
  uwsIdleHeldMs: 4_000,

  // A cluster.
  /** Of worlds, beside the catalog's: what a new cluster begins with, and at most. */
  clusterHomes: 64,
  clusterHomesMax: 1_024,
  /** A node's name stands in the names of its sessions in the database. */
  nodeNameCharsMax: 40,
  /** How often a node looks whether what it waits for has come. */
  clusterLookMs: 20,
  /** The same of who owns what, while nobody waits for a change of it. */
  clusterRestMs: 200,
  /** How long a node that starts asks a database that does not answer. */
  clusterDatabaseWaitMs: 30_000,
  /** Until an operator is shown the cluster without what its log says of itself. */
  clusterHealthMs: 1_000,
  // Requests that a node of a cluster forwards to their owner.
  /** For an owner, while there is none or it cannot be reached; and how soon it is asked for again where nothing says that it changed. */
  ownerWaitMs: 4_000,
  ownerAskedAgainMs: 50,
  /** A request under way, for a node that could not answer for its home: then it is answered that the outcome is not known. */
  heldAnswerMs: 2_000,
  /** How often what is under way is looked through for that. */
  heldLookMs: 250,
  ownerConnectMs: 1_000,
  /** How long an owner may bring nothing until it is looked whether it can be reached; and how long that takes at most. */
  ownerQuietMs: 1_000,
  ownerReachMs: 2_000,
  /** What is under way with a home when it is to be given away is waited for so long. */
  handoverQuietMs: 1_000,
  /** Once another node is the owner: how long what was sent to the former one may bring nothing. */
  formerOwnerQuietMs: 1_000,
  /** Connections to one owner, those of them that are kept for the next requests, and for how long: less than the owner keeps them. */
  ownerConnectionsMax: 1_024,
  ownerConnectionsKeptMax: 256,
  ownerConnectionKeptMs: 5_000,
  /** Requests that wait for an owner or for its reply, streams that it sends among them. */
  forwardsUnderWayMax: 4_096,
  /** The largest body of any route, a tool's among them: the owner's own bounds are what answers. */
  forwardedBodyBytesMax: 26 * 1024 * 1024,
  /** Bodies on their way at once without a look at the credential: of one client, of all. Beyond, it must be a known one. */
  forwardedClientBodyBytesMax: 104 * 1024 * 1024,
  forwardedStrangerBodyBytesMax: 208 * 1024 * 1024,
  /** A reply of a longer body is passed on as it comes. */
  forwardedWholeBytesMax: 64 * 1024,
  /** Of the client's: with those of the node that forwards them they are as many as each engine takes. */
  forwardedHeadersMax: 43,
  forwardedHeaderBytesMax: 16 * 1024 - 256,
  ownerReplyHeaderBytesMax: 256 * 1024,
  // What nodes ask each other.
  /** Under way at once, of one node. */
  nodeAsksMax: 4_096,
  nodeAskBytesMax: 32 * 1024 * 1024,
  nodeReplyBytesMax: 64 * 1024 * 1024,
  /** Between two looks at whether a copy of the catalog has what is waited for. */
  catalogLookMs: 3,
  /** What one that is to be cancelled has not begun yet is asked again. */
  nodeCancelAgainMs: 50,
  /** Agents' credentials of which the home is known without a look into the catalog. */
  homesOfAgentsKept: 65_536,

  // Hosted sessions.
  sessionTtlMs: 3_600_000,
  accessTtlMs: 600_000,
  /** That are alive, of one session. */
  accessesMax: 1024,
  accessCallsInFlightMax: 256,
  /** Sessions of which is known what no route answered, beside that of accesses that are valid. */
  unansweredSessionsMax: 1_000,
  /** Of all agents of one project. */
  agentCallsInFlightMax: 1_024,
  agentCallsPerSecond: 50_000,
  /** How long a client that has too many calls in flight is asked to wait. */
  inFlightRetryAfterMs: 100,
  sessionSnapshotsMax: 256,
  /** How long an ended session stays as a record. */
  endedSessionKeptMs: 30 * 24 * 3_600_000,
  sessionSweepMs: 1_000,
  /** Sessions that one change of a sweep or a recovery touches. */
  sessionBatch: 100,
  /** Worlds that one sweep asks how much they store, and what must have changed to be noted. */
  storageWorldsAsked: 1_000,
  storageNotedBytes: 16 * 1024,
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
} as const;
