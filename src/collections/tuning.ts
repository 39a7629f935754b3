// The figures that tune this module.

export const tuning = {
  /** Of a column that grows by doubling, at first. */
  columnItemsMin: 1024,
};
