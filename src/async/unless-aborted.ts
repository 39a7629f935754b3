// Work that is waited for only as long as a signal is not aborted. The work itself continues: what cannot be called off ends by itself.

/** Settles as the work does; rejects with `reason`, by default that of the signal, as soon as the signal is aborted. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, reason: () => unknown = () => signal.reason): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(reason());
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
