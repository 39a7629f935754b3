// The figures that tune this module.

export const tuning = {
  /** A program that is not over by then has started, and keeps what that took; later V8 forgets code that has not run for long. */
  keptAfterMs: 3000,
  /** One for each kind of thread and process, and each command; those of earlier bundles too. */
  codeFilesMax: 48,
  /** Of one file: what all bundles together come to is a fourth of it. */
  codeBytesMax: 64 * 1024 * 1024,
};
