// What this incarnation of the service knows of its hosted runs beyond the catalog: the accesses that are open for the pending interaction,
// and who waits for that to be handed in.
//   RUN-MEMORY-1. `close` ends every access of a run from the moment it is called; it resolves when calls that had begun have been
//     answered.
import type { UnansweredRequests } from '../../contract/run/run-events.js';
import type { AgentSubmission } from '../../drills/attempt/hosted-attempt.js';
import { joinUnanswered } from '../../drills/attempt/unanswered.js';
import type { Access, PendingStep } from '../../drills/ports/bindings-port.js';
import type { ClosedRun } from './world-asks.js';

export class RunMemory {
  readonly #accesses = new Map<string, Access[]>();
  readonly #unanswered = new Map<string, UnansweredRequests>();
  /** Runs of which an access was used that `close` has ended. */
  readonly #used = new Set<string>();
  readonly #waiters = new Map<string, ((handedIn: AgentSubmission) => void)[]>();

  /** Resolves with the next event. */
  nextHandedIn(hostedRunId: string): Promise<AgentSubmission> {
    return new Promise((resolve) => this.#waiters.set(hostedRunId, [...(this.#waiters.get(hostedRunId) ?? []), resolve]));
  }
  tell(hostedRunId: string, handedIn: AgentSubmission): void {
    const waiters = this.#waiters.get(hostedRunId) ?? [];
    this.#waiters.delete(hostedRunId);
    for (const resolve of waiters) resolve(handedIn);
  }
  /** How many runs await an agent. */
  get awaiting(): number {
    return this.#waiters.size;
  }
  /** The run has ended, or it is known already; no event follows. */
  forget(hostedRunId: string): void {
    this.#waiters.delete(hostedRunId);
    this.#unanswered.delete(hostedRunId);
    this.#used.delete(hostedRunId);
  }

  issued(hostedRunId: string, access: Access): void {
    this.#accesses.set(hostedRunId, [...(this.#accesses.get(hostedRunId) ?? []), access]);
  }
  observed(hostedRunId: string): boolean {
    return this.#accesses.get(hostedRunId)?.some((access) => access.observed()) ?? false;
  }
  /** What its agent asked first that has no answer yet. Undefined where there is nothing, and where another machine has its accesses. */
  pending(hostedRunId: string): PendingStep | undefined {
    for (const access of this.#accesses.get(hostedRunId) ?? []) {
      const pending = access.pending?.();
      if (pending !== undefined) return pending;
    }
    return undefined;
  }
  /** As `close`, and nobody waits for it. */
  end(hostedRunId: string): void {
    void this.close(hostedRunId).catch(() => {});
  }
  async close(hostedRunId: string): Promise<void> {
    const accesses = this.#accesses.get(hostedRunId) ?? [];
    await Promise.all(accesses.map((access) => access.revoke()));
    // Another interaction's, meanwhile.
    if (accesses.length === 0 || this.#accesses.get(hostedRunId) !== accesses) return;
    const observed = this.observed(hostedRunId);
    this.#accesses.delete(hostedRunId);
    this.noteClosed(hostedRunId, { observed, unanswered: joinUnanswered(accesses.map((access) => access.unanswered())) });
  }
  /** What there was to see of the interaction that has ended; of one that ended before there is nothing more. */
  protected noteClosed(hostedRunId: string, { observed, unanswered }: ClosedRun): void {
    if (unanswered !== undefined && unanswered.requests.length > 0) this.#unanswered.set(hostedRunId, unanswered);
    if (observed) this.#used.add(hostedRunId);
  }
  /** Of the interaction that `close` has ended: whether its access was used; once. */
  takeObserved(hostedRunId: string): boolean {
    return this.#used.delete(hostedRunId);
  }
  /** What no route answered of the interaction that `close` has ended; once. */
  takeUnanswered(hostedRunId: string): UnansweredRequests | undefined {
    const found = this.#unanswered.get(hostedRunId);
    this.#unanswered.delete(hostedRunId);
    return found;
  }
}
