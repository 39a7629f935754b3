// What this life of the service knows of its hosted runs beyond the catalog: the access it has issued for the pending interaction, and who
// waits for that to be handed in.
//   M1. `close` ends every access of a run from the moment it is called; it resolves when calls that had begun have been answered.
import type { Access } from '../drills/bindings-port.js';
import type { HandedIn } from '../drills/hosted-attempt.js';
import type { ControlServices } from './services.js';

export class RunMemory {
  readonly #accesses = new Map<string, Access[]>();
  readonly #waiters = new Map<string, ((handedIn: HandedIn) => void)[]>();

  /** Resolves with what is told next. */
  nextHandedIn(hostedRunId: string): Promise<HandedIn> {
    return new Promise((resolve) => this.#waiters.set(hostedRunId, [...(this.#waiters.get(hostedRunId) ?? []), resolve]));
  }
  tell(hostedRunId: string, handedIn: HandedIn): void {
    const waiters = this.#waiters.get(hostedRunId) ?? [];
    this.#waiters.delete(hostedRunId);
    for (const resolve of waiters) resolve(handedIn);
  }
  /** How many runs await an agent. */
  get awaiting(): number {
    return this.#waiters.size;
  }
  /** Nothing will be told: the run has ended, or it is known already. */
  forget(hostedRunId: string): void {
    this.#waiters.delete(hostedRunId);
  }

  issued(hostedRunId: string, access: Access): void {
    this.#accesses.set(hostedRunId, [...(this.#accesses.get(hostedRunId) ?? []), access]);
  }
  observed(hostedRunId: string): boolean {
    return this.#accesses.get(hostedRunId)?.some((access) => access.observed()) ?? false;
  }
  async close(hostedRunId: string): Promise<void> {
    const accesses = this.#accesses.get(hostedRunId) ?? [];
    await Promise.all(accesses.map((access) => access.revoke()));
    // Another interaction's, meanwhile.
    if (this.#accesses.get(hostedRunId) === accesses) this.#accesses.delete(hostedRunId);
  }
}

const memories = new WeakMap<ControlServices, RunMemory>();

/** One for each control room. */
export function runMemory(services: ControlServices): RunMemory {
  let memory = memories.get(services);
  if (memory === undefined) {
    memory = new RunMemory();
    memories.set(services, memory);
  }
  return memory;
}
