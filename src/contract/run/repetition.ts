// A run beside the one that it repeats.

export interface Repetition {
  /** What was repeated. */
  ofRunId: string;
  /** The trajectory hash is the same. */
  same: boolean;
  /** Empty where it is the same; else what is another than it was, and `agent` where nothing else is. */
  differs: RepetitionDifference[];
}
export type RepetitionDifference = 'seed' | 'setup' | 'target' | 'build' | 'agent';
