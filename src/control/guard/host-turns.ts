// Turns on hosts between worlds: a world whose steps hold its host goes behind the others there, and not every second time either.
// Owns what each world and each project has held of late, and who waits. Time as the looks of the watchdogs count it
// (actors/held-time.ts); no world sees any of it.
//   HOST-TURNS-1. A world that has held its host for less than `heldFreeMs` passes at once.
//   HOST-TURNS-2. Of the worlds of one host that hold it, one is served at a time, the one that held least first, and while others are at
//     work there the host is held for no more than `heldShare` of its time; nobody waits longer than `heldWaitMsMax`.
//   HOST-TURNS-3. Messages of one world that take turns pass in the order in which they came.
import { LruMap } from '../../collections/lru-map.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { minuteMs } from '../../contract/units.js';

export interface HostTurnsOptions {
  /** How long the steps of one project may hold hosts in a minute. */
  heldMsPerMinute: number;
  /** Monotonic milliseconds. Default: the clock of the machine. */
  nowMs?: () => number;
}
export interface Holder {
  worldId: string;
  projectId: string;
  host: number;
}
/** A message on its way; `leave` when it is answered. */
export interface HostTurn {
  leave(): void;
}
/** What was held, as it drains. */
interface Level {
  ms: number;
  atMs: number;
}
interface Waiter {
  holder: Holder;
  sinceMs: number;
  pass(): void;
}
interface HostQueue {
  /** Messages under way of worlds that pass at once, and since when there are none. */
  others: number;
  quietSinceMs: number;
  /** Messages under way of worlds that hold it. */
  held: number;
  restUntilMs: number;
  waiting: Waiter[];
  timer: NodeJS.Timeout | undefined;
}

export class HostTurns {
  readonly #heldMsPerMinute: number;
  readonly #nowMs: () => number;
  readonly #worlds = new LruMap<string, Level>({ entriesMax: limits.heldWorldsMax });
  readonly #projects = new LruMap<string, Level>({ entriesMax: limits.heldWorldsMax });
  readonly #hosts = new Map<number, HostQueue>();

  constructor({ heldMsPerMinute, nowMs = () => performance.now() }: HostTurnsOptions) {
    this.#heldMsPerMinute = heldMsPerMinute;
    this.#nowMs = nowMs;
  }

  /** A step of a world has held its host for so long, or for so much longer. */
  held({ worldId, projectId, host }: Holder, ms: number): void {
    this.#raise(this.#worlds, worldId, { ms, drain: limits.heldShare });
    this.#raise(this.#projects, projectId, { ms, drain: this.#projectDrain });
    const nowMs = this.#nowMs();
    const queue = this.#queueOf(host);
    queue.restUntilMs = Math.min(Math.max(queue.restUntilMs, nowMs) + ms * (1 / limits.heldShare - 1), nowMs + limits.heldWaitMsMax);
  }

  /** A promise where it has to wait. control.RATE_LIMITED, control.WORLD_BUSY for worlds that hold their host. */
  enter(holder: Holder): HostTurn | Promise<HostTurn> {
    const queue = this.#queueOf(holder.host);
    const isWaiting = queue.waiting.some(({ holder: { worldId } }) => worldId === holder.worldId);
    if (!isWaiting && this.#heldBy(holder.worldId) < limits.heldFreeMs) return this.#passed(queue, false);
    this.#requireBudget(holder.projectId);
    if (queue.waiting.length >= limits.heldMessagesMax) {
      throw new ServiceError('control.WORLD_BUSY', {
        message: 'Too many messages wait for worlds that hold their host.',
        retryAfterMs: limits.heldWaitMsMax,
      });
    }
    return new Promise((resolve) => {
      queue.waiting.push({ holder, sinceMs: this.#nowMs(), pass: () => resolve(this.#passed(queue, true)) });
      this.#serve(queue);
    });
  }

  get #projectDrain(): number {
    return this.#heldMsPerMinute / minuteMs;
  }

  #passed(queue: HostQueue, holds: boolean): HostTurn {
    if (holds) queue.held++;
    else queue.others++;
    return {
      leave: () => {
        if (holds) queue.held--;
        else if (--queue.others === 0) queue.quietSinceMs = this.#nowMs();
        this.#serve(queue);
      },
    };
  }

  /** Lets the next one pass, or comes back when it may. */
  #serve(queue: HostQueue): void {
    clearTimeout(queue.timer);
    if (queue.waiting.length === 0) return;
    const nowMs = this.#nowMs();
    const quietMs = queue.others > 0 ? Number.POSITIVE_INFINITY : queue.quietSinceMs + limits.heldQuietMs;
    const latestMs = (queue.waiting[0] as Waiter).sinceMs + limits.heldWaitMsMax;
    const dueMs = queue.held > 0 ? latestMs : Math.min(quietMs, queue.restUntilMs, latestMs);
    if (dueMs > nowMs) {
      queue.timer = setTimeout(() => this.#serve(queue), Math.ceil(dueMs - nowMs)).unref();
      return;
    }
    const next = nowMs >= latestMs ? 0 : this.#leastHeld(queue.waiting);
    const [waiter] = queue.waiting.splice(next, 1);
    (waiter as Waiter).pass();
  }

  #leastHeld(waiting: readonly Waiter[]): number {
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (const [index, { holder }] of waiting.entries()) {
      const held = this.#heldBy(holder.worldId);
      if (held < least) [best, least] = [index, held];
    }
    return best;
  }

  #requireBudget(projectId: string): void {
    const held = drained(this.#projects.peek(projectId), this.#projectDrain, this.#nowMs());
    if (held < this.#heldMsPerMinute) return;
    const seconds = this.#heldMsPerMinute / 1000;
    throw new ServiceError('control.RATE_LIMITED', {
      message: `Tool code of this project has held its hosts for ${seconds} s of a minute, and this session is one of those that did.`,
      details: { heldMsPerMinute: this.#heldMsPerMinute },
      retryAfterMs: Math.ceil((held - this.#heldMsPerMinute) / this.#projectDrain) + 1000,
    });
  }

  #heldBy(worldId: string): number {
    const level = this.#worlds.peek(worldId);
    if (level === undefined) return 0;
    const held = drained(level, limits.heldShare, this.#nowMs());
    if (held === 0) this.#worlds.delete(worldId);
    return held;
  }

  #raise(levels: LruMap<string, Level>, name: string, { ms, drain }: { ms: number; drain: number }): void {
    const atMs = this.#nowMs();
    levels.set(name, { ms: drained(levels.peek(name), drain, atMs) + ms, atMs });
  }

  #queueOf(host: number): HostQueue {
    let queue = this.#hosts.get(host);
    if (queue === undefined) {
      queue = { others: 0, quietSinceMs: Number.NEGATIVE_INFINITY, held: 0, restUntilMs: 0, waiting: [], timer: undefined };
      this.#hosts.set(host, queue);
    }
    return queue;
  }
}

function drained(level: Level | undefined, drain: number, nowMs: number): number {
  return level === undefined ? 0 : Math.max(0, level.ms - (nowMs - level.atMs) * drain);
}
