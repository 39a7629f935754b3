// The bounds of reports: what they show, and what is read of a folder that may come from anywhere. Read through limits.ts.

export const reportLimits = {
  // Reports: what index.html and report.txt show of a run; report.json and evidence.jsonl hold all of it.
  reportHeadEntriesMax: 2_400,
  reportCitedEntriesMax: 600,
  reportNotableEntriesMax: 1_500,
  reportTailEntriesMax: 400,
  reportEntriesCharsMax: 4 * 1024 * 1024,
  /** Of an image that a page holds: a larger one is a link. */
  reportImageBytesMax: 1024 * 1024,
  jsonDiffChangesMax: 200,
  /** Rows of the start that a page holds, so that it can show state at an entry, as JSON. */
  reportStartCharsMax: 256 * 1024,
  reportEntryCharsMax: 64 * 1024,
  reportValueCharsMax: 20_000,
  reportListItemsMax: 200,
  /** Of what an agent said before it failed: lines, and characters of each. */
  reportLastWordsLinesMax: 5,
  reportLastWordsCharsMax: 2_000,
  /** What handlers of one world threw, in words: the first of each handler. */
  keptThrowsMax: 100,
  reportPreviewBytesMax: 16 * 1024,
  /** A report that nobody has written to for so long is abandoned, if its writer is gone. */
  reportDraftIdleMs: 3_600_000,
  /** Of one value, and of the entries that one assertion cites, in report.txt. */
  textValueLinesMax: 24,
  textCitedLinesMax: 8,
  /** Of one member of a value in index.html. */
  reportMemberCharsMax: 4096,
  /** Runs explained, and unanswered requests of one run, on the terminal; reports have all. */
  terminalReasonsMax: 25,
  terminalUnansweredMax: 12,
  /** Of one run, in JSON lines and other records of a run. */
  recordReasonsMax: 10,
  recordWhyCharsMax: 8 * 1024,
  /** Trials of the page over a run that have their findings in full; the others have what decided them, and their report. */
  runPageWholeTrialsMax: 500,
  /** GitHub shows no more annotations of a step than this. */
  githubAnnotationsMax: 10,
  githubMessageCharsMax: 4_000,
  githubSummaryBytesMax: 512 * 1024,

  // Reading a report folder back, which may come from anywhere.
  reportDocumentBytesMax: 256 * 1024 * 1024,
  reportManifestBytesMax: 8 * 1024 * 1024,
  reportFilesMax: 10_000,
  reportProblemsMax: 100,
  evidenceLineBytesMax: 16 * 1024 * 1024,
  /** Reports of one directory that a command reads: the newest. */
  storedReportsMax: 10_000,
  /** Runs that a repository keeps where nobody says otherwise: the newest, and of older ones those that did not pass in so many days. */
  keptRuns: 1_000,
  keptFailedDays: 30,
  /** Runs of one drill that its history lists. */
  historyRunsShown: 100,
} as const;
