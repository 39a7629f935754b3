// Ctrl-C: the first cancels, so that access is revoked, targets are ended and worlds are closed; the second ends the process at once. A
// terminal that closes cancels as well; as its shell says so too, a second time means no more.
import { exitCodes } from './exit-codes.js';

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the signals back to Node.js. */
  stop(): void;
}

export function abortOnInterrupt(warn: (text: string) => void): Interrupt {
  const abort = new AbortController();
  const interrupt = (name: NodeJS.Signals): void => {
    if (abort.signal.aborted && name === 'SIGHUP') return;
    // Targets that were started end with us, see processes/end-with-us.ts.
    if (abort.signal.aborted) process.exit(exitCodes.interrupted);
    warn('Cancelling; once more to end at once.');
    abort.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, interrupt);
  return {
    signal: abort.signal,
    stop: () => {
      for (const name of signals) process.off(name, interrupt);
    },
  };
}
