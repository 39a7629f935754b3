// The figures that tune this module, bounds of its callers included: src/contract/limits.ts is not for browsers to load.

export const tuning = {
  /** Of one request where nobody says otherwise. */
  requestTimeoutMs: 60_000,
  /** Between looks at an operation: the first, and the longest where nobody says otherwise. Most operations end within the first few. */
  operationFirstPollMs: 20,
  operationPollMs: 1_000,
  /** Waits between tries of a request. */
  retryFirstMs: 100,
  retryMaxMs: 5_000,
  /** Of a call where nobody says how often it is tried: a service restarts within this, and a few tries are made however slow each is. */
  retryBudgetMs: 60_000,
  retriesMin: 4,
  /** A refusal that asks for more patience than this is thrown instead. */
  retryPatienceMs: 60_000,
  /** Tries to end a session that a run still owns, and the wait between them: two seconds, in which a cancelled run ends. */
  destroyAttemptsMax: 20,
  destroyWaitMs: 100,
  /** Once somebody has aborted: how long a session that is being created is waited for, and how long one may take to be destroyed. */
  abortedCreateMs: 5_000,
  abortedDestroyMs: 5_000,
  /** The largest reply of JSON: a document or a page. And the largest refusal, which may list diagnostics. */
  replyBytesMax: 0x1000_0000,
  /** The largest reply of bytes, which are gathered in memory: no buffer of a browser takes more. */
  replyFileBytesMax: 0x8000_0000,
  refusalBytesMax: 0x100_0000,
};
