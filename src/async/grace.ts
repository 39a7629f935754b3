// Time for what is still to be done once somebody has aborted.

/** Aborts `ms` after `signal` does, or after now where that has happened already. Never without one. */
export function graceAfter(signal: AbortSignal | undefined, ms: number): AbortSignal {
  const late = new AbortController();
  const begin = (): void => {
    const over = AbortSignal.timeout(ms);
    over.addEventListener('abort', () => late.abort(over.reason), { once: true });
  };
  if (signal?.aborted === true) begin();
  // Of a signal of its own: the one that is given may live for long, and complains of many listeners.
  else if (signal !== undefined) AbortSignal.any([signal]).addEventListener('abort', begin, { once: true });
  return late.signal;
}
