// A world of a session as the control plane and its agents hold it: refused while its build is quarantined, in its turn on its host. When
// the host is lost, the caller learns whose failure it was. What another's failure interrupted is asked again where that changes nothing.
//   GUARDED-WORLD-1. What runs no tool code takes no turn: it waits for none, and no world waits for it.
import { type RetryPolicy, retry } from '../../async/retry.js';
import { isServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { AdvanceProgress, WorldAnswers, WorldCommand, WorldQuery } from '../../contract/world/world-protocol.js';
import type { ForkWorld, SendOptions, WorldRef } from '../../worlds/api.js';
import { WorldView } from '../../worlds/world-view.js';
import type { HostTurn, HostTurns } from './host-turns.js';
import { isOwnFailure, ownFailure } from './interruptions.js';
import type { BuildPlace, Strike } from './quarantine-records.js';

export interface GuardedWorldParts {
  guard: Guard;
  /** As its session says. */
  projectId: string;
  buildHash: string;
  hostOf(worldId: string): number;
}
export interface Guard {
  readonly quarantines: BuildGate;
  readonly turns: HostTurns;
  /** Begins to watch a message of a world. */
  watch(worldId: string): Watch;
}
/** Which builds are quarantined, as who asks their worlds has to know. */
export interface BuildGate {
  /** world.BUILD_QUARANTINED for a build that is. `read`: what runs no tool code that has not run already. */
  requireOpen(build: Pick<BuildPlace, 'projectId' | 'buildHash'>, how?: 'use' | 'read'): void;
  /** Counts against the build of a session what its world did to its host. Never rejects. */
  strike(kind: Strike['kind'], sessionId: string): Promise<void>;
}
export interface Watch {
  /** Whether the world's host has ended in a step of that world since. */
  isOwn(): boolean;
  /** The message has been answered. */
  end(): void;
}

/** What runs no tool code: a run of a quarantined build is still judged and sealed. */
const reading: ReadonlySet<WorldCommand['kind']> = new Set<WorldCommand['kind']>(['setBudgets', 'verify', 'close']);

const queryRetries: RetryPolicy = {
  attemptsMax: limits.worldTriesMax,
  isRetryable: (error) => isServiceError(error, 'world.ACTOR_RESTARTED') && !isOwnFailure(error),
};

export class GuardedWorld extends WorldView {
  readonly #parts: GuardedWorldParts;

  constructor(world: WorldRef, parts: GuardedWorldParts) {
    super(world);
    this.#parts = parts;
  }

  override command<C extends WorldCommand>(command: C, options?: SendOptions<AdvanceProgress>): Promise<WorldAnswers[C['kind']]> {
    return this.#guarded(reading.has(command.kind) ? 'read' : 'use', () => this.world.command(command, options));
  }
  override async query<Q extends WorldQuery>(query: Q): Promise<WorldAnswers[Q['kind']]> {
    return await retry(queryRetries, () => this.#guarded('read', () => this.world.query(query)));
  }
  override fork(request: ForkWorld): ReturnType<WorldRef['fork']> {
    return this.#guarded('use', () => this.world.fork(request));
  }

  /**
   * Nothing is awaited before a message of a world that may pass is sent: it keeps its place. One frame: each call of an agent comes here.
   */
  async #guarded<T>(how: 'use' | 'read', work: () => Promise<T>): Promise<T> {
    const { guard, projectId, hostOf } = this.#parts;
    const { worldId } = this;
    const watch = guard.watch(worldId);
    let turn: HostTurn | undefined;
    try {
      guard.quarantines.requireOpen(this.#parts, how);
      const entered = how === 'use' ? guard.turns.enter({ worldId, projectId, host: hostOf(worldId) }) : undefined;
      if (entered instanceof Promise) {
        turn = await entered;
        // The build may have been quarantined while the message waited.
        guard.quarantines.requireOpen(this.#parts, how);
      } else turn = entered;
      return await work();
    } catch (error) {
      const isLost = isServiceError(error, 'world.ACTOR_RESTARTED');
      throw isLost && watch.isOwn() ? ownFailure(error) : error;
    } finally {
      turn?.leave();
      watch.end();
    }
  }
}
