// The supervisor of one host: starts its incarnations, one after the other, sends it calls, and settles what an incarnation leaves behind.
//   HOST-SUPERVISOR-1. An incarnation is started only after the one before it is gone (HostIncarnation.ended).
//   HOST-SUPERVISOR-2. Every call ends once: answered by an incarnation, settled by aftermath.ts, or refused because the supervisor is down
//     or closed.
//   HOST-SUPERVISOR-3. Nothing that happens to this host affects another supervisor.
//   HOST-SUPERVISOR-4. A host that answers, or reports progress, where no call waits is ended. An honest one says nothing of a call that it
//     has answered, and a call is settled otherwise only when its host is being ended.
import { within } from '../async/deadline.js';
import { errorFromFrame, errorToFrame, ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import { timeOfThread } from '../processes/processor-wait.js';
import { settleCalls } from './aftermath.js';
import { AskAnswers } from './ask-answers.js';
import { monotonicMs } from './board.js';
import { type Call, CallTable } from './calls.js';
import { ControlAsks } from './control-asks.js';
import { Deferred } from './deferred.js';
import { type CallerFrames, readAtCaller } from './frames.js';
import { HeldTime } from './held-time.js';
import {
  type Answer,
  type HostControl,
  type HostFigures,
  type HostIncarnation,
  type HostStart,
  type LoadedHost,
  unwrap,
} from './host-port.js';
import type { ActorLogEntry, ActorSystemOptions, HostEndReason, SeenStep } from './options.js';
import { OutgoingMail } from './outgoing-mail.js';
import { startHost } from './pool.js';
import { RestartBudget, type RestartLimits } from './restart-budget.js';
import { Watchdog } from './watchdog.js';

export interface HostSupervisorOptions {
  start: Omit<HostStart, 'onEnvelope' | 'onSign'>;
  handlerTimeoutMs: number;
  restarts: RestartLimits;
  silenceMsMax: number;
  answerFits: ActorSystemOptions['answerFits'];
  /** What its kind asks. */
  answer: ((request: unknown) => Promise<unknown>) | undefined;
  /** One source for all supervisors of a system; rises with every message sent. */
  nextStamp(): number;
  log(entry: ActorLogEntry): void;
  onStepSeen(seen: Omit<SeenStep, 'standsForMs'>): void;
}
interface WatchedIncarnation extends HostIncarnation {
  watchdog: Watchdog;
  answers: AskAnswers;
  /** Why it could not load its kind. */
  loadError?: unknown;
}

export class HostSupervisor {
  state: 'starting' | 'up' | 'down' = 'down';
  restarts = 0;
  readonly index: number;
  readonly #options: HostSupervisorOptions;
  readonly #calls = new CallTable();
  readonly #asks = new ControlAsks();
  readonly #mail = new OutgoingMail(() => this.#flush());
  readonly #budget: RestartBudget;
  #incarnation: WatchedIncarnation | undefined;
  /** Settles when the host is up, or the supervisor gives up. */
  #standing = new Deferred();
  #everUp = false;
  /** Infinity: until the incarnation that does not end has ended. */
  #downUntilMs = 0;
  #closed: Deferred | undefined;
  /** Of all incarnations: the next one is held no less. */
  readonly #held = new HeldTime(() => this.#incarnation?.watchdog.processorTime());
  #lastFigures: HostFigures = { actorsLive: 0, commits: 0, writeSets: 0, activations: 0, residentBytes: 0 };

  constructor(options: HostSupervisorOptions) {
    this.#options = options;
    this.index = options.start.setup.index;
    this.#budget = new RestartBudget(options.restarts);
    this.#launch();
  }

  /** Calls without an answer. */
  get depth(): number {
    return this.#calls.size;
  }
  /** From its start until it is known to be gone. */
  get hasIncarnation(): boolean {
    return this.#incarnation !== undefined;
  }
  /** Resolves when the host stands; rejects when it does not come up. */
  get standing(): Promise<void> {
    return this.#standing.promise;
  }

  /** Throws when the call cannot be taken; afterwards it is this supervisor's until it ends. */
  send(call: Call): void {
    if (this.state === 'down') this.#restart();
    if (!this.#calls.open(call)) throw new ServiceError('control.WORLD_BUSY', { details: { hostMessagesMax: limits.hostMessagesMax } });
    this.#write(call);
  }

  cancel(call: Call): void {
    if (call.cancelled || this.#calls.at(call.slot) !== call) return;
    call.cancelled = true;
    this.#mail.cancel(call);
  }

  /** One request on the control path. */
  async ask<T>(request: (control: HostControl) => Promise<T>): Promise<T> {
    if (this.state === 'down') this.#restart();
    await this.#standing.promise;
    const incarnation = this.#incarnation;
    // It stood a moment ago, and has ended since.
    if (incarnation === undefined) throw new ServiceError('world.ACTOR_RESTARTED');
    return this.#asks.run(() => request(incarnation.control));
  }

  /** The host's own figures; the last ones known when it does not answer soon. */
  async figures(): Promise<HostFigures> {
    if (this.state !== 'up') return this.#lastFigures;
    const asked = this.ask((control) => control.figures()).catch(() => undefined);
    const figures = await within(limits.hostFiguresWaitMs, asked);
    if (figures !== undefined && areFigures(figures)) this.#lastFigures = figures;
    return this.#lastFigures;
  }

  /** Looks after the present step; called at short intervals, `lateMs` after it was due. */
  watch(lateMs: number): void {
    if (this.state === 'starting') this.#incarnation?.watchdog.lookAtStart(lateMs);
    const step = this.state === 'up' ? this.#incarnation?.watchdog.look(this.#calls.slotsUsed, lateMs) : undefined;
    const found = step && this.#calls.at(step.slot);
    const call = found?.stamp === step?.stamp ? found : undefined;
    const runsForMs = step === undefined ? 0 : monotonicMs() - step.sinceMs;
    const heldMs = this.#held.look(call !== undefined && runsForMs > limits.heldStepMs);
    this.#incarnation?.setYielding?.(this.#held.yields);
    if (call !== undefined) this.#options.onStepSeen({ host: this.index, actorId: call.actorId, kind: call.kind, runsForMs, heldMs });
    if (this.state === 'up') this.#listen({ lateMs, isAtRest: step === undefined });
  }

  /** Ends a host on which nothing runs and that sends no heartbeat. One that yields may wait long for a processor. */
  #listen({ lateMs, isAtRest }: { lateMs: number; isAtRest: boolean }): void {
    const incarnation = this.#incarnation;
    if (incarnation?.heartbeat === undefined) return;
    const { heartbeat, watchdog } = incarnation;
    const { silenceMsMax, handlerTimeoutMs } = this.#options;
    const allowedMs = Math.max(silenceMsMax, handlerTimeoutMs, this.#held.yields ? limits.hostWorkTimeoutMs : 0);
    const { isMissing, heardMs } = heartbeat;
    const notCountedMs = isAtRest && isMissing ? watchdog.excuseSilence({ heardMs, lateMs, allowedMs }) : lateMs;
    if (heartbeat.look({ notCountedMs, isAtRest }) > allowedMs) watchdog.end('silent');
  }

  /** Ends the present incarnation as a crash would; resolves when the next one stands. */
  async kill(): Promise<void> {
    if (this.#incarnation === undefined) throw unavailable('The host is down.');
    this.#expectNextIncarnation();
    this.#incarnation.watchdog.end('killed');
    await this.#standing.promise;
  }

  /** Lets the host finish what it was sent, then ends it. */
  async close(graceMs: number): Promise<void> {
    if (this.#closed) return this.#closed.promise;
    const closed = new Deferred();
    this.#closed = closed;
    await this.#standing.promise.catch(() => {});
    const incarnation = this.#incarnation;
    if (incarnation === undefined || this.state === 'down') {
      closed.resolve();
      return;
    }
    const graceTimer = setTimeout(() => incarnation.watchdog.end('timeout'), graceMs + limits.hostWorkTimeoutMs);
    let end = (): void => incarnation.terminate();
    try {
      unwrap(await this.#asks.run(() => incarnation.control.stop(graceMs, this.#mail.sent)));
      end = () => incarnation.finish();
    } catch (error) {
      this.#logEnd('crashed', `while stopping: ${(error as Error).message}`);
    }
    clearTimeout(graceTimer);
    end();
    await closed.promise;
  }

  #launch(): void {
    this.state = 'starting';
    this.#mail.clear();
    let started: HostIncarnation;
    try {
      started = startHost({
        ...this.#options.start,
        onEnvelope: (envelope) => {
          if (this.#incarnation === incarnation) readAtCaller(envelope, this.#frames);
        },
      });
    } catch (error) {
      this.#markDown(this.#calls.inOrder(), error);
      return;
    }
    const incarnation: WatchedIncarnation = {
      ...started,
      watchdog: new Watchdog(started, this.#options.handlerTimeoutMs, () => this.#abandon(incarnation)),
      answers: this.#answersTo(started),
    };
    this.#incarnation = incarnation;
    void incarnation.ended.then((detail) => this.#exited(incarnation, detail));
    this.#asks
      .run(() => incarnation.control.load())
      .then((answer) => this.#loaded(incarnation, answer))
      .catch((error: unknown) => {
        incarnation.loadError ??= error;
        incarnation.terminate();
      });
  }

  #answersTo({ post, refuse }: HostIncarnation): AskAnswers {
    const { answer, start, log } = this.#options;
    return new AskAnswers({
      answer,
      asText: start.setup.isolation === 'process',
      post,
      refuse,
      bug: (error) => {
        const correlationId = newId('corr');
        const stack = error instanceof Error ? (error.stack ?? String(error)) : String(error);
        log({ event: 'actor_failed', host: this.index, actorId: '', correlationId, stack });
        return errorToFrame(new ServiceError('control.INTERNAL', { details: { correlationId } }));
      },
    });
  }

  #loaded(incarnation: WatchedIncarnation, answer: Answer): void {
    if (this.#incarnation !== incarnation || incarnation.watchdog.reason) return;
    if (!answer.ok) {
      incarnation.loadError = errorFromFrame(answer.error);
      incarnation.terminate();
      return;
    }
    // Of a process the system itself says what it waits, whatever it answers.
    if (incarnation.processorTime === undefined) {
      const { thread } = answer.value as LoadedHost;
      if (thread !== undefined) incarnation.watchdog.processorTime = () => timeOfThread(thread);
    }
    this.state = 'up';
    this.#everUp = true;
    this.#options.log({ event: 'host_started', host: this.index, restarts: this.restarts });
    this.#standing.resolve();
    this.#flush();
  }

  readonly #frames: CallerFrames = {
    reply: (slot, value) => {
      if (this.#fitting(slot, value, 'reply') !== undefined) this.#calls.close(slot)!.resolve(value);
    },
    refusal: (slot, error) => {
      if (this.#waiting(slot) !== undefined) this.#calls.close(slot)!.reject(errorFromFrame(error));
    },
    progress: (slot, value) => this.#fitting(slot, value, 'progress')?.onProgress?.(value),
    failure: ({ actorId, correlationId, stack }) =>
      this.#options.log({ event: 'actor_failed', host: this.index, actorId, correlationId, stack }),
    ask: (number, request) => this.#incarnation?.answers.take(number, request),
  };

  /** The call of a slot, if what came for it may be given to its caller; a host that sends anything else is ended. */
  #fitting(slot: number, value: unknown, as: 'reply' | 'progress'): Call | undefined {
    const call = this.#waiting(slot);
    if (call === undefined || this.#options.answerFits?.(call.message, value, as) !== false) return call;
    this.#incarnation?.refuse('it sent an answer of another shape');
    return undefined;
  }

  /** The call of a slot; a host that answers without one is ended. */
  #waiting(slot: number): Call | undefined {
    const call = this.#calls.at(slot);
    if (call === undefined && this.#incarnation?.watchdog.reason === undefined)
      this.#incarnation?.refuse('it answered what nobody had asked');
    return call;
  }

  #write(call: Call): void {
    call.stamp = this.#options.nextStamp();
    call.sends++;
    this.#mail.write(call);
  }

  #flush(): void {
    const incarnation = this.#incarnation;
    if (this.state !== 'up' || incarnation === undefined || incarnation.watchdog.reason) return;
    this.#mail.send(
      (envelope) => incarnation.post(envelope),
      (slot, cause) =>
        this.#calls.close(slot)?.reject(new ServiceError('control.INVALID_REQUEST', { message: 'The message cannot be cloned.', cause })),
    );
  }

  /** One incarnation is over: settle its calls, then start the next one, unless the supervisor starts no more. */
  #exited(incarnation: WatchedIncarnation, detail: string): void {
    this.#incarnation = undefined;
    incarnation.answers.end();
    if (this.state === 'down') {
      // Given up before it ended: the next request starts the host again.
      incarnation.board.close();
      this.#downUntilMs = 0;
      return;
    }
    const reason = incarnation.watchdog.reason ?? 'crashed';
    const { left, running } = settleCalls(this.#calls, incarnation.board, reason);
    incarnation.board.close();
    // An actor's step was not theirs; the host's own work may have been.
    this.#asks.rejectAll(
      new ServiceError(reason === 'timeout' && running === undefined ? 'world.HANDLER_TIMEOUT' : 'world.ACTOR_RESTARTED'),
    );
    this.#expectNextIncarnation();
    const { loadError, watchdog } = incarnation;
    const shown = loadError instanceof Error ? loadError.message : detail;
    if (!this.#closed) this.#logEnd(reason, shown, { running, isStarved: watchdog.isStarved });
    // Whose step ran past its time is known, and none of its time is spent on starting hosts in a row.
    const refusal = this.#whyStayDown(incarnation, {
      detail,
      isExpected: reason === 'killed' || (reason === 'timeout' && running !== undefined),
    });
    if (refusal) {
      this.#markDown(left, refusal);
      return;
    }
    this.restarts++;
    this.#launch();
    if (this.#incarnation) for (const call of left) this.#write(call);
  }

  /** Requests from now on wait for the next incarnation. */
  #expectNextIncarnation(): void {
    if (this.#standing.settled) this.#standing = new Deferred();
  }

  #whyStayDown(incarnation: WatchedIncarnation, { detail, isExpected }: { detail: string; isExpected: boolean }): unknown {
    if (this.#closed) return unavailable('The host is closed.');
    if (!this.#everUp) return incarnation.loadError ?? new Error(`A host did not come up: ${detail}`);
    if (isExpected || this.#budget.spend(monotonicMs())) return undefined;
    const { coolDownMs } = this.#budget.limits;
    this.#downUntilMs = monotonicMs() + coolDownMs;
    this.#options.log({ event: 'host_down', host: this.index, coolDownMs });
    return this.#notNow();
  }

  /** An incarnation that does not end may hold the store of its actors: no other is started, and nobody is kept waiting for it. */
  #abandon(incarnation: WatchedIncarnation): void {
    incarnation.answers.end();
    const { left, running } = settleCalls(this.#calls, incarnation.board, incarnation.watchdog.reason ?? 'stuck');
    this.#logEnd('stuck', 'it was asked to end and did not: it waits in native code', { running });
    this.#downUntilMs = Number.POSITIVE_INFINITY;
    this.#asks.rejectAll(this.#notNow());
    this.#markDown(left, this.#notNow());
  }

  /** Down: for good when closed, else until somebody asks again and it may be started. */
  #markDown(calls: Call[], error: unknown): void {
    this.state = 'down';
    this.#closed?.resolve();
    this.#standing.reject(error);
    const refusal = error instanceof ServiceError ? error : unavailable('The host did not come up.');
    for (const call of calls) this.#calls.close(call.slot)!.reject(refusal);
  }

  #restart(): void {
    if (this.#closed) throw unavailable('The host is closed.');
    if (monotonicMs() < this.#downUntilMs) throw this.#notNow();
    this.#expectNextIncarnation();
    this.restarts++;
    this.#launch();
    if (this.#incarnation === undefined) throw unavailable('The host could not be started.');
  }

  #notNow(): ServiceError {
    if (this.#downUntilMs === Number.POSITIVE_INFINITY) return unavailable('The host can neither continue nor be ended.');
    const retryAfterMs = Math.max(1, Math.ceil(this.#downUntilMs - monotonicMs()));
    return new ServiceError('control.UNAVAILABLE', { message: 'The host ended too often and is left alone for a while.', retryAfterMs });
  }

  #logEnd(
    reason: HostEndReason,
    detail: string,
    { running, isStarved = false }: { running?: Call | undefined; isStarved?: boolean } = {},
  ): void {
    const step = running && { actorId: running.actorId, kind: running.kind };
    this.#options.log({ event: 'host_ended', host: this.index, reason, detail, ...step, ...(isStarved && { isStarved }) });
  }
}

function areFigures(figures: HostFigures | null): figures is HostFigures {
  const { actorsLive, commits, writeSets, activations, residentBytes } = figures ?? ({} as HostFigures);
  return [actorsLive, commits, writeSets, activations, residentBytes].every((figure) => Number.isSafeInteger(figure) && figure >= 0);
}

export function unavailable(message: string): ServiceError {
  return new ServiceError('control.UNAVAILABLE', { message });
}
