// The figures that tune this module: how a service keeps its memory, and what a terminal shows. Exit codes are in exit-codes.ts, bounds of
// what reports and lists hold in src/contract/limits.ts.

export const tuning = {
  /** Of a service: by how much more than what lives in a heap V8 lets it grow before it collects all of it. */
  heapGrowingPercent: 50,
  /** Assertions and counts that differ, as `compare` lists them: a screen. The report has all. */
  differencesListed: 20,
  /** Of a value that differs, in one line beside the other. */
  comparedValueChars: 60,
  /** Runs that the completion of a shell offers. */
  runsCompleted: 50,
  /** Marks of runs in one line of a history. */
  historyMarksShown: 30,
  /** Entries of a journal that `show` lists, around one that is named, and characters of arguments in a line. */
  entriesShown: 200,
  entriesAround: 5,
  argumentCharsShown: 80,
  /** Before a bar is drawn: what ends sooner needs none. */
  progressPatienceMs: 400,
  /** Between two pictures of a bar: as fast as an eye follows. */
  progressRedrawMs: 80,
  /** Of a source line around a diagnostic: from which column on its beginning is left out, what stays before the place, and in all. */
  excerptWholeColumns: 100,
  excerptBeforeColumns: 60,
  excerptColumns: 140,
  /** Where a folder is no repository: how many below it are looked into, and of those that are, how many are named. */
  siblingFoldersMax: 200,
  shownProjectsMax: 5,
  /** How long npm or git may take to give a package, and what they may say meanwhile. */
  fetchMsMax: 300_000,
  fetchOutputBytesMax: 4 * 1024 * 1024,
  /** Audit events in one answer of `admin`: one page. */
  auditEventsListed: 100,
  /** Between two looks at a backup: longer each time, up to the second. */
  backupLookMs: 250,
  backupLookMsMax: 5_000,
  /** Between two looks at homes that move, and how long they are waited for. */
  clusterLookMs: 250,
  clusterWaitMsMax: 120_000,
};
