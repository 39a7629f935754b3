// The figures that tune this module.

export const tuning = {
  /** Of a word for which a near one is looked for: the work grows with its square, and nobody misspells a longer one by three letters. */
  nearWordCharsMax: 96,
};
