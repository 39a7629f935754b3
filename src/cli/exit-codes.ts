// What the command line ends with (docs/cli.md).
export const exitCodes = {
  /** Everything selected passed. */
  passed: 0,
  /** Something failed, was undecided, or could not run. */
  failed: 1,
  /** Bad usage, or a source that does not compile. */
  usage: 2,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
