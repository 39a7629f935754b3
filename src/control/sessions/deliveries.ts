// Callbacks of sessions that nobody commands: after a start, what is due for their receivers goes out.
//   DELIVERIES-1. What passes by itself (a host that starts again, a catalog that is changing its owner) leaves no callback behind: the
//     session is asked again, until its home is another's.
//   DELIVERIES-2. No session holds those of another project up, whatever its receivers or its tools do.
import { within } from '../../async/deadline.js';
import { pause } from '../../async/pause.js';
import { backoffMs } from '../../async/retry.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { homeOf } from '../../worlds/homes.js';
import { type SessionRecord, sessionTable } from '../catalog/session-records.js';
import { everyListed } from '../catalog/tables.js';
import type { WorldServices } from '../core/services.js';
import { isPassing } from '../core/with-retry.js';
import { isOwnFailure } from '../guard/interruptions.js';
import { tuning } from '../tuning.js';

export interface DeliverAgain {
  /** Of this one alone, which has just been opened; otherwise of those that the service owns. */
  home?: number | undefined;
  /** Aborted when this incarnation ends. */
  signal: AbortSignal;
}
type Ground = Pick<WorldServices, 'catalog' | 'homes' | 'log' | 'sessionMemory'>;

/**
 * At start: what an earlier incarnation had under way, or had not begun, goes out. Resolves when each session was asked once, or its
 * project has had its turn, with `rest`: it resolves when those that could not be asked then have been, or are given up.
 */
export async function deliverAgain(services: Ground, options: DeliverAgain): Promise<{ rest: Promise<void> }> {
  const { catalog, homes } = services;
  const { home, signal } = options;
  const opened = homes && new Set(home === undefined ? homes.owned() : [home]);
  const onDamage = (sessionId: string, err: unknown): void =>
    services.log.error('what is stored of a session is damaged; its callbacks are not taken up', { sessionId, err });
  const place = { index: 'byReceivers', prefix: [], limit: limits.sessionBatch, onDamage };
  const round = new DeliveryRound(services, options);
  for (let tries = 1; !isOver(services, options); tries++) {
    round.left.clear();
    try {
      for (const { session } of everyListed(catalog.view, sessionTable, place)) {
        if (homes !== undefined && opened?.has(homeOf(session.sessionId, homes.count)) !== true) continue;
        round.leave(session);
      }
      break;
    } catch (error) {
      if (!isPassing(error) || tries === tuning.deliveryTriesMax) throw error;
      await pause(backoffMs(tuning.askAgainBackoff, tries), signal);
    }
  }
  await round.askEach({ isLast: false });
  return { rest: deliverLeft(round, services, options) };
}

async function deliverLeft(round: DeliveryRound, services: Ground, options: DeliverAgain): Promise<void> {
  for (let tries = 2; tries <= tuning.deliveryTriesMax; ) {
    if (round.left.size === 0) {
      if (round.slow.size === 0) return;
      await Promise.race(round.slow);
      continue;
    }
    await pause(backoffMs(tuning.askAgainBackoff, tries - 1), options.signal);
    if (isOver(services, options)) return;
    await round.askEach({ isLast: tries === tuning.deliveryTriesMax });
    tries++;
  }
  await Promise.all(round.slow);
}

/** Sessions that are to be asked, project by project in turns. */
class DeliveryRound {
  /** Ids of sessions that are to be asked, by project. */
  readonly left = new Map<string, string[]>();
  /** Those whose receivers take their time: none of them holds another up. */
  readonly slow = new Set<Promise<void>>();
  readonly #ground: Ground;
  readonly #options: DeliverAgain;

  constructor(ground: Ground, options: DeliverAgain) {
    this.#ground = ground;
    this.#options = options;
  }

  leave({ projectId, sessionId }: Place): void {
    const ids = this.left.get(projectId);
    if (ids === undefined) this.left.set(projectId, [sessionId]);
    else ids.push(sessionId);
  }

  async askEach({ isLast }: { isLast: boolean }): Promise<void> {
    const turns = [...this.left].map(([projectId, ids]) => ({ projectId, ids, next: 0 }));
    this.left.clear();
    const takeTurns = async (): Promise<void> => {
      for (let turn = turns.shift(); turn !== undefined && !isOver(this.#ground, this.#options); turn = turns.shift()) {
        const sessionId = turn.ids[turn.next++];
        if (sessionId === undefined) continue;
        await within(tuning.deliveryHoldMs, this.#ask({ projectId: turn.projectId, sessionId }, isLast));
        turns.push(turn);
      }
    };
    await Promise.all(Array.from({ length: Math.min(tuning.deliveryProjects, turns.length) }, takeTurns));
  }

  #ask(place: Place, isLast: boolean): Promise<void> {
    const asked = isDelivered(this.#ground, place.sessionId, { isLast }).then((isDone) => {
      this.slow.delete(asked);
      if (!isDone) this.leave(place);
    });
    this.slow.add(asked);
    return asked;
  }
}
type Place = Pick<SessionRecord['session'], 'projectId' | 'sessionId'>;

/** False where it is to be asked again. */
async function isDelivered({ sessionMemory, log }: Ground, sessionId: string, { isLast }: { isLast: boolean }): Promise<boolean> {
  try {
    await (await sessionMemory.world(sessionId)).deliver();
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError)) log.error('a bug met in the callbacks of a session', { sessionId, err: error });
    else if (isPassing(error) && !isOwnFailure(error) && !isLast) return false;
    else log.warn('callbacks of a session wait for its next command', { sessionId, error: error.code });
    return true;
  }
}

/** The sessions are another's to ask. */
function isOver({ homes }: Ground, { home, signal }: DeliverAgain): boolean {
  return signal.aborted || (home !== undefined && homes?.owned().includes(home) === false);
}
