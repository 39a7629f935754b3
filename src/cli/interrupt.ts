// Ctrl-C: the first cancels, so that access is revoked, targets are ended and worlds are closed; the second ends the process at once. A
// terminal that closes cancels as well; as its shell says so too, a second time means no more. A service stops in the same way.
import { exitProcess } from '../files/database-exit.js';
import { exitCodes } from './exit-codes.js';

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the signals back to Node.js. */
  stop(): void;
}

export function abortOnInterrupt(warn: (text: string) => void): Interrupt {
  const abort = new AbortController();
  const stop = onInterrupt(() => {
    warn('Cancelling; once more to end at once.');
    abort.abort();
  });
  return { signal: abort.signal, stop };
}

/** `first` is called once; a later signal ends the process. Returns what gives the signals back to Node.js. */
export function onInterrupt(first: () => void): () => void {
  let isAsked = false;
  const interrupt = (name: NodeJS.Signals): void => {
    if (isAsked && name === 'SIGHUP') return;
    // Targets that were started end with us, see processes/end-with-us.ts.
    if (isAsked) {
      exitProcess(exitCodes.interrupted);
      return;
    }
    isAsked = true;
    first();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, interrupt);
  return () => {
    for (const name of signals) process.off(name, interrupt);
  };
}
