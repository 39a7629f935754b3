// What a node of a cluster does for the others (http/node-door.ts).
//   CLUSTER-DOOR-1. Nothing of a home is begun here by a node that does not own it, or by an older catalog than who asks has. Who asks for
//     what that catalog does not have asks again.
//   CLUSTER-DOOR-2. Of a home that another node may have by now nothing is answered: what only reads is to be asked again, of anything else
//     the outcome is not known.
import { pause } from '../async/pause.js';
import { steadyClock } from '../cluster/clock.js';
import type { Follower } from '../cluster/follower.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { ControlLog } from '../control/core/services.js';
import { type AskOptions, isRepeatable, type WorldAsk } from '../control/memory/world-asks.js';
import type { Control } from '../control/open-control.js';
import { type OwnedHomes, SessionUnknown } from '../control/owned-homes.js';
import type { OwnerReport } from '../control/owner-report.js';
import { type NodeDoor, NotOwner } from '../http/node-door.js';
import type { ClusterOwners } from './cluster-owners.js';
import type { ClusterUse } from './cluster-use.js';

export interface ClusterDoorParts {
  node: string;
  owners: Pick<ClusterOwners, 'homeOf' | 'ownerOfHome' | 'mayAnswer'>;
  follower: Pick<Follower, 'lookSoon'>;
  owned: Pick<OwnedHomes, 'answer' | 'removeProject'>;
  use: ClusterUse;
  /** Of the newest record of the catalog that can be read here. */
  catalogNumber(): number;
  control(): Control | undefined;
  /** The node ends. */
  isOver(): boolean;
  log: Pick<ControlLog, 'error'>;
}

export class ClusterDoor implements NodeDoor {
  readonly #parts: ClusterDoorParts;

  constructor(parts: ClusterDoorParts) {
    this.#parts = parts;
  }

  get node(): string {
    return this.#parts.node;
  }

  async ask(sessionId: string, ask: WorldAsk, { catalog, ...options }: AskOptions & { catalog: number }): Promise<unknown> {
    const { owners, owned, use } = this.#parts;
    const home = owners.homeOf(sessionId);
    await this.catalogAt(catalog).catch(() => {
      throw new NotOwner();
    });
    if (owners.ownerOfHome(home) !== 'self') throw new NotOwner();
    let answer: unknown;
    try {
      const work = (): Promise<unknown> => owned.answer(sessionId, ask, options);
      answer = await (isAskedAgain(ask) ? work() : use.during(home, work));
    } catch (error) {
      if (error instanceof SessionUnknown) {
        this.#parts.log.error('a session is unknown in a catalog that should have it', {
          sessionId,
          catalog,
          here: this.#parts.catalogNumber(),
        });
        throw new NotOwner();
      }
      // It may have been refused because the home is being given away.
      if (isRepeatable(ask) && (!owners.mayAnswer(home) || owners.ownerOfHome(home) !== 'self')) throw new NotOwner();
      throw error;
    }
    if (owners.mayAnswer(home)) return answer;
    if (isRepeatable(ask)) throw new NotOwner();
    throw new ServiceError('world.ACTOR_RESTARTED', { message: 'Another machine may have this world by now.' });
  }

  async catalogAt(number: number): Promise<void> {
    const { follower, catalogNumber, isOver } = this.#parts;
    const untilMs = steadyClock.now() + limits.ownerWaitMs;
    while (catalogNumber() < number) {
      if (isOver() || steadyClock.now() > untilMs)
        throw new ServiceError('control.UNAVAILABLE', {
          message: 'The catalog of this node is behind.',
          retryAfterMs: limits.unavailableRetryAfterMs,
        });
      follower.lookSoon();
      await pause(limits.catalogLookMs);
    }
  }

  async removeProject(projectId: string, { catalog }: { catalog: number }): Promise<readonly number[]> {
    await this.catalogAt(catalog);
    return await this.#parts.owned.removeProject(projectId);
  }

  async report(report: OwnerReport): Promise<void> {
    const control = this.#parts.control();
    if (control === undefined) throw new NotOwner();
    await control.take(report);
  }
}

/** Who asks does so again by itself, and may have asked for what takes long. */
const isAskedAgain = (ask: WorldAsk): boolean => isRepeatable(ask) || (ask.kind === 'command' && 'operationKey' in ask.command);
