// The actor system: what the rest of the product holds. Finds an actor's supervisor, bounds its mailbox, and moves it where its caller
// wants it.
//   SYSTEM-1. An actor lives on one host at a time: it is passivated where it was before a message of it goes anywhere else.
//   SYSTEM-2. Messages of one actor are sent in the order of the calls.
//   SYSTEM-3. Stamps, and with them incarnations, rise over all hosts of a system, and over systems as the wall clock does.
import { isServiceError, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { onAbort } from './abort-listeners.js';
import { monotonicMs } from './board.js';
import { Call, cancelledBeforeStart } from './calls.js';
import { unwrap } from './host-port.js';
import { HostSupervisor, unavailable } from './host-supervisor.js';
import type { ActorSystemOptions, CommandOptions, HostStats, Placement } from './options.js';
import { LocalPlacement, type PlacementPort } from './placement.js';
import { WorldRoute } from './route.js';
import { tuning } from './tuning.js';

interface ExclusiveHost {
  index: number;
  placed: Promise<number>;
}

export class ActorSystem {
  readonly #options: ActorSystemOptions;
  readonly #mailboxMessagesMax: number;
  readonly #placement: PlacementPort;
  readonly #supervisors = new Map<number, HostSupervisor>();
  readonly #exclusive = new Map<string, ExclusiveHost>();
  readonly #routes = new Map<string, WorldRoute>();
  readonly #watch: NodeJS.Timeout;
  #stamp = Date.now() * tuning.stampsPerMs;
  #closing: Promise<void> | undefined;

  private constructor(options: ActorSystemOptions) {
    this.#options = options;
    this.#mailboxMessagesMax = options.mailboxMessagesMax ?? limits.mailboxMessagesMax;
    this.#placement = options.placement ?? new LocalPlacement(options.hosts);
    const atStart = Math.min(options.hosts, options.hostsAtStart ?? options.hosts);
    for (let index = 0; index < atStart; index++) this.#openSupervisor(index);
    const watchMs = this.#watchMs;
    let watchedMs = monotonicMs();
    this.#watch = setInterval(() => {
      const nowMs = monotonicMs();
      const lateMs = Math.max(0, nowMs - watchedMs - watchMs);
      watchedMs = nowMs;
      for (const supervisor of this.#supervisors.values()) supervisor.watch(lateMs);
    }, watchMs);
    this.#watch.unref();
  }

  /** Resolves when the hosts that start at once have loaded their kind; rejects with the reason when one could not. */
  static async start(options: ActorSystemOptions): Promise<ActorSystem> {
    const system = new ActorSystem(options);
    try {
      await Promise.all([...system.#supervisors.values()].map((supervisor) => supervisor.standing));
      return system;
    } catch (error) {
      await system.close();
      throw error;
    }
  }

  /**
   * Commands of one actor run one at a time, in the order of these calls. Rejects with ServiceError: what the kind threw, or
   * control.WORLD_BUSY, control.UNAVAILABLE, control.INVALID_REQUEST (the message cannot be cloned), world.HANDLER_TIMEOUT,
   * world.ACTOR_RESTARTED, control.INTERNAL (details.correlationId).
   */
  command(actorId: string, message: unknown, options: CommandOptions = {}): Promise<unknown> {
    const { signal, onProgress } = options;
    if (signal === undefined) return this.#send('command', actorId, message, onProgress);
    return this.#abortable(actorId, message, signal, onProgress);
  }

  /** Answered between commands and between the slices of a long one, always from committed state. Rejects as `command`. */
  query(actorId: string, message: unknown): Promise<unknown> {
    return this.#send('query', actorId, message, undefined);
  }

  /** One request to a host's kind (ActorKind.control), in no mailbox. */
  async control(hostIndex: number, request: unknown): Promise<unknown> {
    this.#refuseWhenClosing();
    return unwrap(await this.#supervisor(hostIndex).ask((host) => host.control(request)));
  }

  /** Whether a thread or process of the host may be there. One that is not there starts with the next message to it. */
  hasHost(index: number): boolean {
    return this.#supervisors.get(index)?.hasIncarnation ?? false;
  }

  /** Lets what was sent to the actor be answered, then takes it from memory. Its next message activates it again. */
  async passivate(actorId: string): Promise<void> {
    await this.#routeTo(actorId).hold(() => this.#leave(actorId));
  }

  /** The index of the host that owns an actor, for `control`. */
  hostOf(actorId: string): number {
    return this.#placement.hostOf(actorId);
  }

  /**
   * Gives an actor a place other than its default and moves it there; resolves with the host's index (exclusive ones follow the standing
   * ones).
   */
  async place(actorId: string, placement: Placement): Promise<number> {
    if (placement === 'exclusive') return await this.#placeAlone(actorId);
    await this.#move(actorId, placement.host);
    await this.#endExclusive(actorId);
    return placement.host;
  }

  /** `place` for an actor that has never lived: where nobody is on the way to it, no host need be asked to let it go. */
  async placeNew(actorId: string, placement: { host: number }): Promise<void> {
    if (this.#routes.has(actorId)) await this.place(actorId, placement);
    else this.#placement.assign(actorId, this.#supervisor(placement.host).index);
  }

  /** Passivates the actor and ends its exclusive host, if it has one; afterwards its place is the default again. */
  async release(actorId: string): Promise<void> {
    await this.#move(actorId, undefined);
    await this.#endExclusive(actorId);
  }

  async stats(): Promise<HostStats[]> {
    const owners = new Map([...this.#exclusive].map(([actorId, { index }]) => [index, actorId]));
    return await Promise.all([...this.#supervisors.values()].map((supervisor) => statsOf(supervisor, owners.get(supervisor.index))));
  }

  /** Ends a host at once, as a crash would, and replaces it. For operations and tests of recovery. Resolves when the replacement stands. */
  async killHost(index: number): Promise<void> {
    await this.#supervisor(index).kill();
  }

  /** Refuses new messages, finishes what was accepted, commits, passivates, closes the kinds, ends the hosts. */
  close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#supervisors.values()].map((supervisor) => supervisor.close(this.#graceMs))).then(() =>
      clearInterval(this.#watch),
    );
    return this.#closing;
  }

  get #watchMs(): number {
    return Math.max(5, (this.#options.handlerTimeoutMs ?? limits.handlerTimeoutMs) / tuning.watchesPerTimeout);
  }
  get #graceMs(): number {
    return this.#options.closeGraceMs ?? limits.closeGraceMs;
  }

  #refuseWhenClosing(): void {
    if (this.#closing) throw unavailable('The system is closing.');
  }

  #send(kind: Call['kind'], actorId: string, message: unknown, onProgress: Call['onProgress']): Promise<unknown> {
    try {
      return this.#sendCall(kind, actorId, message, onProgress).reply;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #sendCall(kind: Call['kind'], actorId: string, message: unknown, onProgress: Call['onProgress']): Call {
    const route = this.#routeTo(actorId);
    if (route.depth >= this.#mailboxMessagesMax) {
      throw new ServiceError('control.WORLD_BUSY', { details: { mailboxMessagesMax: this.#mailboxMessagesMax } });
    }
    const call = new Call(kind, actorId, message, onProgress, route);
    route.send(call);
    return call;
  }

  async #abortable(actorId: string, message: unknown, signal: AbortSignal, onProgress: Call['onProgress']): Promise<unknown> {
    if (signal.aborted) throw cancelledBeforeStart();
    const call = this.#sendCall('command', actorId, message, onProgress);
    const forget = onAbort(signal, () => this.#routes.get(actorId)?.cancel(call));
    try {
      return await call.reply;
    } finally {
      forget();
    }
  }

  #routeTo(actorId: string): WorldRoute {
    this.#refuseWhenClosing();
    let route = this.#routes.get(actorId);
    if (route === undefined) {
      route = new WorldRoute(this.#supervisor(this.hostOf(actorId)), () => this.#routes.delete(actorId));
      this.#routes.set(actorId, route);
    }
    return route;
  }

  async #leave(actorId: string): Promise<void> {
    try {
      unwrap(await this.#supervisor(this.hostOf(actorId)).ask((host) => host.passivate(actorId)));
    } catch (error) {
      // The host has ended, and the actor's incarnation with it.
      if (!isServiceError(error, 'world.ACTOR_RESTARTED', 'world.HANDLER_TIMEOUT')) throw error;
    }
  }

  /** `host` undefined: back to its default. */
  async #move(actorId: string, host: number | undefined): Promise<void> {
    const to = host === undefined ? undefined : this.#supervisor(host);
    const route = this.#routeTo(actorId);
    await route.hold(async () => {
      await this.#leave(actorId);
      if (to) this.#placement.assign(actorId, to.index);
      else this.#placement.unassign(actorId);
      route.supervisor = this.#supervisor(this.hostOf(actorId));
    });
  }

  #placeAlone(actorId: string): Promise<number> {
    const already = this.#exclusive.get(actorId);
    if (already) return already.placed;
    const index = this.#freeIndex();
    const placed = (async () => {
      try {
        await this.#openSupervisor(index).standing;
        await this.#move(actorId, index);
        return index;
      } catch (error) {
        await this.#endExclusive(actorId);
        throw error;
      }
    })();
    this.#exclusive.set(actorId, { index, placed });
    return placed;
  }

  async #endExclusive(actorId: string): Promise<void> {
    const host = this.#exclusive.get(actorId);
    if (host === undefined) return;
    this.#exclusive.delete(actorId);
    await this.#supervisor(host.index).close(this.#graceMs);
    this.#supervisors.delete(host.index);
  }

  #openSupervisor(index: number): HostSupervisor {
    const { hostModule, hostOptions, isolation, resourceLimits = {}, takeChild, answerFits, answer } = this.#options;
    const mayAsk = answer !== undefined;
    const { log = () => {}, onStepSeen = () => {} } = this.#options;
    const { idlePassivationMs = limits.idlePassivationMs, actorsInMemoryMax = limits.hostActorsInMemoryMax } = this.#options;
    const supervisor = new HostSupervisor({
      start: {
        setup: { index, isolation, moduleHref: hostModule.href, hostOptions, idlePassivationMs, actorsInMemoryMax, mayAsk },
        resourceLimits,
        takeChild,
      },
      answer: answer && ((request) => answer(index, request)),
      answerFits: isolation === 'thread' ? undefined : answerFits,
      handlerTimeoutMs: this.#options.handlerTimeoutMs ?? limits.handlerTimeoutMs,
      restarts: this.#options.restarts ?? {
        max: limits.hostRestartsMax,
        windowMs: limits.hostRestartWindowMs,
        coolDownMs: limits.hostCoolDownMs,
      },
      silenceMsMax: this.#options.silenceMsMax ?? limits.hostSilenceMsMax,
      nextStamp: () => ++this.#stamp,
      log,
      onStepSeen: (seen) => onStepSeen({ ...seen, standsForMs: this.#watchMs }),
    });
    this.#supervisors.set(index, supervisor);
    return supervisor;
  }

  #supervisor(index: number): HostSupervisor {
    const supervisor = this.#supervisors.get(index);
    if (supervisor !== undefined) return supervisor;
    const isStanding = Number.isInteger(index) && index >= 0 && index < this.#options.hosts;
    if (!isStanding) throw new ServiceError('control.NOT_FOUND', { message: `There is no host ${index}.` });
    this.#refuseWhenClosing();
    return this.#openSupervisor(index);
  }

  /** Numbers are reused, so a host's index is one of few whatever comes and goes. */
  #freeIndex(): number {
    let index = this.#options.hosts;
    while (this.#supervisors.has(index)) index++;
    return index;
  }
}

async function statsOf(supervisor: HostSupervisor, exclusiveTo: string | undefined): Promise<HostStats> {
  const figures = await supervisor.figures();
  const { index, state, restarts, depth } = supervisor;
  return { index, ...(exclusiveTo !== undefined && { exclusiveTo }), state, restarts, mailboxDepth: depth, ...figures };
}
