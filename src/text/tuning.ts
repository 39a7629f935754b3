// The figures that tune this module.

export const tuning = {
  /** Of a word for which a near one is looked for: the work grows with its square, and nobody misspells a longer one by three letters. */
  nearWordCharsMax: 96,
  /** From here on (March 1973) a virtual time is taken for microseconds since the Unix epoch and shown as a date. */
  epochLikeUs: 1e14,
};
