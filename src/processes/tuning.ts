// The figures that tune this module. Bounds of children are in src/contract/limits.ts.

export const tuning = {
  /** The kernel's usual period, in which a group may use its part of the processors. */
  cpuPeriodUs: 100_000,
  /** What bounds and boxes are tried with, once, before they are relied on. */
  probeTimeoutMs: 10_000,
  probeMemoryBytes: 1024 * 1024 * 1024,
  probeCpuPercent: 100,
  probeProcesses: 64,
  /** Of a tree of processes: those whose waiting for a processor is counted. A worker has some twenty. */
  threadsCountedMax: 256,
  /** Of why a child was ended, for the log: an error with its stack. */
  reasonCharsMax: 2048,
};
