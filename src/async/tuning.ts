// The figures that tune this module. Each policy brings its own bounds.

export const tuning = {
  /** Doublings of a wait. Beyond them it is longer than any bound, and no number is lost to infinity. */
  doublingsMax: 40,
};
