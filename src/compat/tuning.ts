// Figures of the adapters.
export const tuning = {
  // How long a callback waits for its receiver, where a manifest of the other runner leaves it open: as most services do.
  callbackTimeoutMs: 10_000,
  // Workloads are written out, so that their interactions have the ids of that runner: no more than a timeline may have.
  workloadInteractionsMax: 10_000,
} as const;
