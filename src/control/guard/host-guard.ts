// What stands between the hosts of this machine and who asks their worlds, so that a build that loops or takes its host down costs others
// little: turns on hosts, and whose failure it was that ended a host. It observes hosts through their log, and steps through their
// watchdogs.
import { isServiceError, ServiceError } from '../../contract/errors.js';
import type { WorldSession } from '../../contract/hosted/resources.js';
import { limits } from '../../contract/limits.js';
import type { WorldRef, WorldsOptions } from '../../worlds/api.js';
import type { CatalogReads } from '../catalog/catalog.js';
import { sessionTable } from '../catalog/session-records.js';
import { type BuildGate, type Guard, GuardedWorld, type GuardedWorldParts, type Watch } from './guarded-world.js';
import { HostTurns } from './host-turns.js';
import { isOwnFailure, ownFailure } from './interruptions.js';

export interface HostGuardParts<Gate> {
  catalog: Pick<CatalogReads, 'view'>;
  quarantines: Gate;
  heldMsPerMinute: number;
}
type HostEvent = Parameters<NonNullable<WorldsOptions['log']>>[0];
type SeenStep = Parameters<NonNullable<WorldsOptions['onStepSeen']>>[0];
interface Making {
  sessionId: string;
  host: number;
  /** Its host ended in no actor's step while this was the only world that was made there. */
  isBlamed: boolean;
}

export class HostGuard<Gate extends BuildGate = BuildGate> implements Guard {
  readonly quarantines: Gate;
  readonly turns: HostTurns;
  readonly #parts: HostGuardParts<Gate>;
  /** By world whose messages are under way: how often its host ended in a step of it. */
  readonly #ends = new Map<string, { messages: number; ends: number }>();
  readonly #makings = new Set<Making>();

  constructor(parts: HostGuardParts<Gate>) {
    this.#parts = parts;
    this.quarantines = parts.quarantines;
    this.turns = new HostTurns({ heldMsPerMinute: parts.heldMsPerMinute });
  }

  guarded(world: WorldRef, of: Omit<GuardedWorldParts, 'guard'>): WorldRef {
    return new GuardedWorld(world, { guard: this, ...of });
  }

  /** What a host's log says of it. */
  noted(entry: HostEvent): void {
    // Nothing of tool code ran on a host that was silent.
    if (entry.event !== 'host_ended' || entry.reason === 'killed' || entry.reason === 'silent') return;
    const kind = entry.reason === 'timeout' ? 'timeout' : 'hostEnd';
    const { actorId, isStarved = false } = entry;
    if (actorId !== undefined) {
      const known = this.#ends.get(actorId);
      if (known !== undefined) known.ends++;
      // Neither is a fault of tool code: it was not looked at, or the machine had no processor for it.
      if (isLateLook(entry) || isStarved) return;
      this.#held(actorId, entry.host, limits.heldHostEndMs);
      void this.quarantines.strike(kind, actorId);
      return;
    }
    const [making, ...others] = [...this.#makings].filter(({ host }) => host === entry.host);
    if (making === undefined || others.length > 0 || isStarved) return;
    making.isBlamed = true;
    void this.quarantines.strike(kind, making.sessionId);
  }

  /** Short steps hold nobody up, and what a look takes is no tool code's. */
  seen({ host, actorId, kind, runsForMs, heldMs }: SeenStep): void {
    if (kind === 'command' && runsForMs >= limits.heldStepMs) this.#held(actorId, host, Math.min(runsForMs, heldMs));
  }

  watch(worldId: string): Watch {
    const known = this.#ends.get(worldId) ?? { messages: 0, ends: 0 };
    if (known.messages++ === 0) this.#ends.set(worldId, known);
    const before = known.ends;
    return {
      isOwn: () => known.ends > before,
      end: () => {
        if (--known.messages === 0) this.#ends.delete(worldId);
      },
    };
  }

  /** Runs `work`, which makes the world of a session on a host: tool code is loaded there, in no actor's step. */
  async making<T>(session: Pick<WorldSession, 'sessionId' | 'projectId' | 'buildHash'>, host: number, work: () => Promise<T>): Promise<T> {
    const { sessionId, projectId } = session;
    this.quarantines.requireOpen(session);
    const making: Making = { sessionId, host, isBlamed: false };
    this.#makings.add(making);
    const turn = await this.turns.enter({ worldId: sessionId, projectId, host });
    try {
      return await work();
    } catch (error) {
      const isLost = isServiceError(error, 'world.ACTOR_RESTARTED', 'world.HANDLER_TIMEOUT');
      // What its hosts' own guard has said, where that is another's, stands.
      if (!isLost || isOwnFailure(error)) throw error;
      throw making.isBlamed ? ownFailure(error) : new ServiceError('world.ACTOR_RESTARTED', { cause: error });
    } finally {
      turn.leave();
      this.#makings.delete(making);
    }
  }

  #held(worldId: string, host: number, ms: number): void {
    const session = this.#parts.catalog.view.get(sessionTable, worldId)?.session;
    if (session !== undefined) this.turns.held({ worldId, projectId: session.projectId, host }, ms);
  }
}

/** A query runs no tool code: one that takes too long waits for a machine, or has much to read. One that ends its host by itself counts. */
function isLateLook({ reason, kind }: HostEvent & { event: 'host_ended' }): boolean {
  return reason === 'timeout' && kind === 'query';
}
