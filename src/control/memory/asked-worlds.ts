// What the control plane remembers of sessions and runs where their worlds are with the owners of their homes: little, and it asks for the
// rest.
import { backoffMs, retry } from '../../async/retry.js';
import type { UnansweredRequests } from '../../contract/run/run-events.js';
import type { AdvanceProgress, WorldAnswers, WorldCommand, WorldQuery } from '../../contract/world/world-protocol.js';
import type { ForkWorld, SendOptions, WorldRef, Worlds } from '../../worlds/api.js';
import { tuning } from '../tuning.js';
import { RunMemory } from './run-memory.js';
import { type HeldWorld, SessionMemory } from './session-memory.js';
import type { HomesPort } from './world-asks.js';

/** A world that its home's owner is asked for: guarded, watched, and its callbacks delivered there. */
export class AskedWorld implements HeldWorld {
  readonly worldId: string;
  readonly worldInstanceId: string;
  readonly isDelivering = false;
  readonly #homes: HomesPort;

  constructor(homes: HomesPort, { worldId, worldInstanceId }: Pick<WorldRef, 'worldId' | 'worldInstanceId'>) {
    this.#homes = homes;
    this.worldId = worldId;
    this.worldInstanceId = worldInstanceId;
  }

  command<C extends WorldCommand>(command: C, options?: SendOptions<AdvanceProgress>): Promise<WorldAnswers[C['kind']]> {
    return this.#homes.ask(this.worldId, { kind: 'command', command }, options) as Promise<WorldAnswers[C['kind']]>;
  }
  query<Q extends WorldQuery>(query: Q): Promise<WorldAnswers[Q['kind']]> {
    return this.#homes.ask(this.worldId, { kind: 'query', query }) as Promise<WorldAnswers[Q['kind']]>;
  }
  /** In the home of its parent. */
  async fork(request: ForkWorld): ReturnType<WorldRef['fork']> {
    const { worldInstanceId, position } = await this.#homes.ask(this.worldId, { kind: 'fork', request });
    return { world: new AskedWorld(this.#homes, { worldId: request.worldId, worldInstanceId }), position };
  }
  async passivate(): Promise<void> {
    await this.#homes.ask(this.worldId, { kind: 'passivate' });
  }
  async destroy(): Promise<void> {
    await this.#homes.ask(this.worldId, { kind: 'destroy' });
  }
  /** Its owner does, by itself. */
  async deliver(): Promise<void> {}
}

export interface AskedMemoryParts {
  homes: HomesPort;
  worlds: Pick<Worlds, 'open'>;
  acceptsKey(generation: number): boolean;
}

export class AskedSessions extends SessionMemory {
  readonly #homes: HomesPort;

  constructor({ homes, worlds, acceptsKey }: AskedMemoryParts) {
    super({ worlds, acceptsKey, held: (world) => (world instanceof AskedWorld ? world : new AskedWorld(homes, world)) });
    this.#homes = homes;
  }

  override askDelivering(sessionId: string): Promise<boolean> {
    return this.#homes.ask(sessionId, { kind: 'delivering' });
  }
  override unansweredOf(sessionId: string): Promise<UnansweredRequests> {
    return this.#homes.ask(sessionId, { kind: 'unanswered' });
  }
  /** Its owner sees by the catalog that accesses are over, and hears here that no callback is to leave: it may have left already. */
  override ended(sessionId: string): void {
    super.ended(sessionId);
    void this.#homes.ask(sessionId, { kind: 'ended' }).catch(() => {});
  }
}

export interface AskedRunsParts {
  homes: HomesPort;
  /** Undefined where there is no such run any more. */
  sessionOf(hostedRunId: string): string | undefined;
  /** Aborted when this incarnation ends. */
  leaving: AbortSignal;
}

export class AskedRuns extends RunMemory {
  readonly #parts: AskedRunsParts;

  constructor(parts: AskedRunsParts) {
    super();
    this.#parts = parts;
  }

  /** Its owner knows which are open. */
  override issued(): void {}

  /** Asked until it is answered: calls of the interaction must be over before the run continues. Rejects where this incarnation ends. */
  override async close(hostedRunId: string): Promise<void> {
    const { homes, sessionOf, leaving } = this.#parts;
    const sessionId = sessionOf(hostedRunId);
    if (sessionId === undefined) return;
    const waitMs = (_: unknown, attempts: number): number => backoffMs(tuning.askAgainBackoff, attempts);
    const closed = await retry({ isRetryable: () => !leaving.aborted, waitMs, signal: leaving }, () =>
      homes.ask(sessionId, { kind: 'closeRun', hostedRunId }),
    );
    this.noteClosed(hostedRunId, closed);
  }
}
