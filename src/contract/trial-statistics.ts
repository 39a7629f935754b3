// What trials say about a drill (docs/statistics.md). Rates are rounded to six digits.

export interface TrialStatistics {
  trials: number;
  passed: number;
  passRate: number;
  /** Clopper-Pearson: it holds the true rate in at least 95 of 100 cases, also for few trials and for rates near 0 or 1. */
  interval: { low: number; high: number; level: 0.95; method: 'clopper_pearson' };
  /** For k = 1, 2, 5, 10 ... up to the number of trials, estimated without bias: at least one of k passes, and all of k pass. */
  atK: { k: number; passAtK: number; passHatK: number }[];
}
