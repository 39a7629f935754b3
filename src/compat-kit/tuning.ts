// The figures that tune this module.

export const tuning = {
  /** Of one response: a union that none of its parts fits has faults of each part. */
  faultsShown: 8,
};
