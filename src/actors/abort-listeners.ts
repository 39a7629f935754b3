// One listener a signal, however many commands wait on it: a run's signal may cancel hundreds, and Node warns of a leak at eleven.
const cancelsOf = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `cancel` when the signal aborts, unless what it returns is called before. The signal has not aborted yet. */
export function onAbort(signal: AbortSignal, cancel: () => void): () => void {
  let cancels = cancelsOf.get(signal);
  if (cancels === undefined) {
    const all = new Set<() => void>();
    signal.addEventListener('abort', () => all.forEach((each) => void each()), { once: true });
    cancelsOf.set(signal, all);
    cancels = all;
  }
  cancels.add(cancel);
  return () => cancels.delete(cancel);
}
