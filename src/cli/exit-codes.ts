// What the command line ends with (docs/cli.md). Which failure is which: failure.ts. `fork -- COMMAND` ends with what the command ended
// with.
export const exitCodes = {
  /** Everything selected passed. */
  passed: 0,
  /** Something failed, was undecided, or could not run. */
  failed: 1,
  /** Bad usage, a source that does not compile, or what was named and is not there. */
  usage: 2,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
