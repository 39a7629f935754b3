// The supervisor of one host: gives it lives, one after the other, sends it calls, and settles what a life leaves behind.
//   P1. A life is started only after the one before it is gone (HostLife.ended).
//   P2. Every call ends once: answered by a life, settled by `aftermath`, or refused because the seat is down or closed.
//   P3. Whatever happens to this host, no other seat hears of it.
import { errorFromFrame, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { monotonicMs } from './board.js';
import { aftermath, type Call, CallTable } from './calls.js';
import { ControlAsks } from './control-asks.js';
import { type CallerFrames, type Envelope, postToHost, readAtCaller, writeToHost } from './frames.js';
import { type Answer, type HostControl, type HostLife, type HostStart, unwrap } from './host-port.js';
import type { ActorLogEntry, HostEndReason } from './options.js';
import { startHost } from './pool.js';
import { RestartBudget, type RestartLimits } from './restart-budget.js';
import { Watchdog } from './watchdog.js';

export interface SeatOptions {
  start: Omit<HostStart, 'onEnvelope'>;
  handlerTimeoutMs: number;
  restarts: RestartLimits;
  /** One source for all seats of a system; rises with every message sent. */
  nextStamp(): number;
  log(entry: ActorLogEntry): void;
}
interface Life extends HostLife {
  watchdog: Watchdog;
  /** Messages written for it. */
  sent: number;
  /** Why it could not load its kind. */
  loadError?: unknown;
}

export class Seat {
  state: 'starting' | 'up' | 'down' = 'down';
  restarts = 0;
  readonly index: number;
  readonly #options: SeatOptions;
  readonly #calls = new CallTable();
  readonly #asks = new ControlAsks();
  readonly #budget: RestartBudget;
  #life: Life | undefined;
  #outgoing: Envelope = [];
  /** Settles when the seat is up, or gives up. */
  #standing = deferred();
  #everUp = false;
  #downUntilMs = 0;
  #closed: Deferred | undefined;

  constructor(options: SeatOptions) {
    this.#options = options;
    this.index = options.start.setup.index;
    this.#budget = new RestartBudget(options.restarts);
    this.#launch();
  }

  /** Calls without an answer. */
  get depth(): number {
    return this.#calls.size;
  }
  /** Resolves when the host stands; rejects when it does not come up. */
  get standing(): Promise<void> {
    return this.#standing.promise;
  }

  /** Throws when the call cannot be taken; afterwards it is this seat's until it ends. */
  send(call: Call): void {
    if (this.state === 'down') this.#rise();
    if (!this.#calls.open(call)) throw new ServiceError('control.WORLD_BUSY', { details: { hostMessagesMax: limits.hostMessagesMax } });
    this.#write(call);
  }

  cancel(call: Call): void {
    if (call.cancelled || this.#calls.at(call.slot) !== call) return;
    call.cancelled = true;
    this.#scheduleFlush();
    writeToHost.cancel(this.#outgoing, call.slot, call.stamp, call.actorId);
  }

  /** One request on the control path. */
  async ask<T>(request: (control: HostControl) => Promise<T>): Promise<T> {
    if (this.state === 'down') this.#rise();
    await this.#standing.promise;
    const life = this.#life!;
    return this.#asks.run(() => request(life.control));
  }

  /** Looks after the present step; called at short intervals. */
  watch(): void {
    if (this.state === 'starting') this.#life?.watchdog.lookAtStart();
    if (this.state === 'up') this.#life?.watchdog.look(this.#calls.slotsUsed);
  }

  /** Ends the present life as a crash would; resolves when the next one stands. */
  async kill(): Promise<void> {
    const life = this.#life;
    if (life === undefined) throw unavailable('The host is down.');
    life.watchdog.end('killed');
    await life.ended;
    await this.#standing.promise;
  }

  /** Lets the host finish what it was sent, then ends it. */
  async close(graceMs: number): Promise<void> {
    if (this.#closed) return this.#closed.promise;
    this.#closed = deferred();
    await this.#standing.promise.catch(() => {});
    const life = this.#life;
    if (life === undefined) {
      this.#closed.resolve();
      return;
    }
    const patience = setTimeout(() => life.watchdog.end('timeout'), graceMs + limits.hostWorkTimeoutMs);
    await this.#asks
      .run(() => life.control.stop(graceMs, life.sent))
      .then(unwrap)
      .catch((error: Error) => this.#options.log({ event: 'host_ended', host: this.index, reason: 'crashed', detail: `stopping: ${error.message}` }));
    clearTimeout(patience);
    life.terminate();
    await this.#closed.promise;
  }

  #launch(): void {
    this.state = 'starting';
    const started = startHost({
      ...this.#options.start,
      onEnvelope: (envelope) => {
        if (this.#life === life) readAtCaller(envelope, this.#frames);
      },
    });
    const life: Life = { ...started, sent: 0, watchdog: new Watchdog(started, this.#options.handlerTimeoutMs) };
    this.#life = life;
    void life.ended.then((detail) => this.#buried(life, detail));
    this.#asks
      .run(() => life.control.load())
      .then(
        (answer) => this.#loaded(life, answer),
        () => life.terminate(),
      );
  }

  #loaded(life: Life, answer: Answer): void {
    if (this.#life !== life || life.watchdog.reason) return;
    if (!answer.ok) {
      life.loadError = errorFromFrame(answer.error);
      life.terminate();
      return;
    }
    this.state = 'up';
    this.#everUp = true;
    this.#options.log({ event: 'host_started', host: this.index, restarts: this.restarts });
    this.#standing.resolve();
    this.#flush();
  }

  readonly #frames: CallerFrames = {
    reply: (slot, value) => this.#calls.close(slot)?.resolve(value),
    refusal: (slot, error) => this.#calls.close(slot)?.reject(errorFromFrame(error)),
    progress: (slot, value) => this.#calls.at(slot)?.onProgress?.(value),
    failure: (notice) => this.#options.log({ event: 'actor_failed', host: this.index, ...notice }),
  };

  #write(call: Call): void {
    call.stamp = this.#options.nextStamp();
    call.sends++;
    this.#life!.sent++;
    this.#scheduleFlush();
    writeToHost[call.kind](this.#outgoing, call.slot, call.stamp, call.actorId, call.message);
  }

  /** The tick queue runs after all promise reactions: whatever this turn of the event loop makes ready travels together. */
  #scheduleFlush(): void {
    if (this.#outgoing.length === 0) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    if (this.state !== 'up' || this.#outgoing.length === 0) return;
    const life = this.#life!;
    const envelope = this.#outgoing;
    this.#outgoing = [];
    postToHost(
      envelope,
      (frames) => life.post(frames),
      (slot, cause) => {
        life.sent--;
        this.#calls.close(slot)?.reject(new ServiceError('control.INVALID_REQUEST', { message: 'The message cannot be cloned.', cause }));
      },
    );
  }

  /** One life is over: settle its calls, then start the next one, unless the seat is to stay empty. */
  #buried(life: Life, detail: string): void {
    const reason = life.watchdog.reason ?? 'crashed';
    const { left, running } = this.#settleCalls(life, reason);
    this.#life = undefined;
    this.#outgoing = [];
    this.#asks.rejectAll(new ServiceError(reason === 'timeout' ? 'world.HANDLER_TIMEOUT' : 'world.ACTOR_RESTARTED'));
    if (this.state === 'up') this.#standing = deferred();
    if (!this.#closed) {
      const said = life.loadError instanceof Error ? life.loadError.message : detail;
      this.#options.log({ event: 'host_ended', host: this.index, reason, detail: said, ...(running && { actorId: running.actorId }) });
    }
    const refusal = this.#whyStayDown(life, reason, detail);
    if (refusal) this.#fall(left, refusal);
    else this.#relaunch(left);
  }

  #whyStayDown(life: Life, reason: HostEndReason, detail: string): unknown {
    if (this.#closed) return unavailable('The host is closed.');
    if (!this.#everUp) return life.loadError ?? new Error(`A host did not come up: ${detail}`);
    if (reason === 'killed' || this.#budget.spend(monotonicMs())) return undefined;
    const { coolDownMs } = this.#budget.limits;
    this.#downUntilMs = monotonicMs() + coolDownMs;
    this.#options.log({ event: 'host_down', host: this.index, coolDownMs });
    return this.#coolingDown();
  }

  #relaunch(left: Call[]): void {
    this.restarts++;
    this.#launch();
    for (const call of left) this.#write(call);
  }

  #settleCalls(life: Life, reason: HostEndReason): { left: Call[]; running: Call | undefined } {
    const { board } = life;
    board.refresh(this.#calls.slotsUsed);
    const step = board.running(this.#calls.slotsUsed);
    const candidate = step && this.#calls.at(step.slot);
    const running = candidate?.stamp === step?.stamp ? candidate : undefined;
    const left: Call[] = [];
    for (const call of this.#calls.inOrder()) {
      const refusal = aftermath(call, { reason, running, begun: ({ slot, stamp }) => board.begun(slot, stamp) });
      if (refusal === undefined) left.push(call);
      else this.#calls.close(call.slot)!.reject(refusal);
    }
    board.close();
    return { left, running };
  }

  /** Down for good when closed, else until somebody asks again after the cool-down. */
  #fall(calls: Call[], error: unknown): void {
    this.state = 'down';
    this.#closed?.resolve();
    this.#standing.reject(error);
    const refusal = error instanceof ServiceError ? error : unavailable('The host did not come up.');
    for (const call of calls) this.#calls.close(call.slot)!.reject(refusal);
  }

  #rise(): void {
    if (this.#closed) throw unavailable('The host is closed.');
    if (monotonicMs() < this.#downUntilMs) throw this.#coolingDown();
    this.#standing = deferred();
    this.restarts++;
    this.#launch();
  }

  #coolingDown(): ServiceError {
    const retryAfterMs = Math.max(1, Math.ceil(this.#downUntilMs - monotonicMs()));
    return new ServiceError('control.UNAVAILABLE', { message: 'The host ended too often and is left alone for a while.', retryAfterMs });
  }
}

export function unavailable(message: string): ServiceError {
  return new ServiceError('control.UNAVAILABLE', { message });
}

interface Deferred {
  promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}
/** A promise to settle from outside; nobody has to listen to its rejection. */
function deferred(): Deferred {
  let settle!: Omit<Deferred, 'promise'>;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => {});
  return { promise, ...settle };
}
