// When a target's time is up, or the run is cancelled: first its access is revoked, then it is asked to end. In this order, always.
import type { RunError } from '../../contract/run/run.js';
import type { Access, PendingStep } from '../ports/bindings-port.js';
import { runError, stillAtWork } from '../ports/run-error.js';

export type EndReason = 'timed_out' | 'cancelled';

export class Deadline {
  readonly #stop: () => void;
  readonly #timeoutMs: number;
  #ended: EndReason | undefined;
  /** When its time was up. */
  #pending: PendingStep | undefined;

  constructor({
    access,
    timeoutMs,
    signal,
    deliver,
  }: { access: Access; timeoutMs: number; signal: AbortSignal; deliver: (ended: EndReason) => void }) {
    this.#timeoutMs = timeoutMs;
    const end = (ended: EndReason): void => {
      if (this.#ended !== undefined) return;
      this.#ended = ended;
      this.stop();
      this.#pending = access.pending?.();
      // From this moment calls are refused; whether those in flight are answered first is not the target's to wait for.
      void access.revoke();
      deliver(ended);
    };
    const timer = setTimeout(() => end('timed_out'), timeoutMs);
    const cancel = (): void => end('cancelled');
    signal.addEventListener('abort', cancel, { once: true });
    this.#stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    };
    if (signal.aborted) queueMicrotask(cancel);
  }

  /** Set once the target was asked to end. */
  get ended(): EndReason | undefined {
    return this.#ended;
  }

  stop(): void {
    this.#stop();
  }
  /** Of what was asked to end. `said`: the end of its log. */
  error(said = ''): RunError {
    const details = said === '' ? {} : { log: said };
    if (this.#ended === 'cancelled') return runError('target.CANCELLED', 'The run was cancelled while the target worked.', { details });
    const message = `The target did not finish within ${this.#timeoutMs} ms${stillAtWork(this.#pending)}. Its access was revoked, then it was ended.`;
    return runError('target.TIMED_OUT', message, { details });
  }
}
