// A world whose callbacks are delivered: the world as it is, but time stands still while a callback is delivered.
//   DELIVERING-WORLD-1. One delivery is under way at a time, in the order (dueUs, ordinal). There is one DeliveringWorld a world.
//   DELIVERING-WORLD-2. What a call makes due is delivered before the call is answered, so that evidence has one order. What a receiver
//     does meanwhile is served at once: its own calls wait for no delivery, and the one under way takes along what they make due.
//   DELIVERING-WORLD-3. Time moves past no callback that is due for a receiver or under way to it, unless an agent waits while it is being
//     delivered.
//   DELIVERING-WORLD-4. An attempt that the sender broke off itself, by its end or a cancel, is not settled: it is recovered, and goes out
//     again before time moves. So an advance or a wait goes no further where the sender ends.
import { type RetryPolicy, retry } from '../async/retry.js';
import { defined } from '../contract/defined.js';
import { type ErrorCode, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { DeliveryRequest } from '../contract/world/delivery-request.js';
import type { DeliveryPhase } from '../contract/world/evidence.js';
import type { CallRoute } from '../contract/world/wire.js';
import type {
  Advance,
  AdvanceAnswer,
  AdvanceProgress,
  CallResult,
  CallTool,
  DeliveryAnswer,
  PausedTime,
  RouteResult,
  Wait,
  WaitAnswer,
  WorldAnswers,
  WorldCommand,
} from '../contract/world/world-protocol.js';
import type { SendOptions, WorldRef } from '../worlds/api.js';
import { WorldView } from '../worlds/world-view.js';
import { type CallbackReceivers, type Receiver, type ReceiverSource, Receivers, receiverIdsOf } from './receivers.js';
import { send } from './send.js';

type Options = SendOptions<AdvanceProgress>;
type AnyAnswer = WorldAnswers[WorldCommand['kind']];

/** Sees what is delivered, as it happens: for figures and traces. */
export interface DeliveryObserver {
  /** Sends one attempt by `send`, once. What it gives it as headers goes beside those of the delivery, which win. */
  attempt(
    request: DeliveryRequest,
    receiver: Receiver,
    send: (headers: { [name: string]: string }) => Promise<DeliveryAnswer | undefined>,
  ): Promise<DeliveryAnswer | undefined>;
  settled(phase: DeliveryPhase): void;
}

/** A fork is a world of its own: its callbacks wait until somebody delivers them. */
export class DeliveringWorld extends WorldView {
  readonly #source: ReceiverSource;
  readonly #observer: DeliveryObserver | undefined;
  /** The deliveries that are being made. */
  #delivering: Promise<void> | undefined;
  /** A call has made something due since they began, and they may have looked for the last time. */
  #isDueAgain = false;

  constructor(world: WorldRef, source: ReceiverSource, observer?: DeliveryObserver) {
    super(world);
    this.#source = source;
    this.#observer = observer;
  }

  get isDelivering(): boolean {
    return this.#delivering !== undefined;
  }
  override command<C extends WorldCommand>(command: C, options: Options = {}): Promise<WorldAnswers[C['kind']]> {
    return this.#run(command, options) as Promise<WorldAnswers[C['kind']]>;
  }

  /** Sends every callback that is due now; an attempt that an earlier incarnation left behind is sent again. */
  async deliver(signal?: AbortSignal): Promise<void> {
    do {
      if (this.#delivering === undefined) {
        this.#isDueAgain = false;
        this.#delivering = this.#deliverAll(signal).finally(() => {
          this.#delivering = undefined;
        });
      }
      await this.#delivering;
    } while (this.#isDueAgain && signal?.aborted !== true);
  }

  #run(command: WorldCommand, options: Options): Promise<AnyAnswer> {
    switch (command.kind) {
      case 'call':
        return this.#call(command, options);
      case 'callRoute':
        return this.#callRoute(command, options);
      case 'advance':
        return this.#advance(command, options);
      case 'wait':
        // A receiver gets the next callback only after it has answered the one before.
        return this.#delivering === undefined ? this.#wait(command, options) : this.world.command(command, options);
      case 'close':
        return this.#close(command, options);
      case 'reset':
        return this.#reset(command, options);
      default:
        return this.world.command(command, options);
    }
  }

  async #call(command: CallTool, options: Options): Promise<CallResult> {
    return await this.#delivered(await this.world.command(command, options));
  }
  async #callRoute(command: CallRoute, options: Options): Promise<RouteResult> {
    const result = await this.world.command(command, options);
    if (result.kind === 'not_decoded') return result;
    if (result.kind === 'answered_each') return { ...result, calls: await this.#deliveredEach(result.calls) };
    return result.call === undefined ? result : ({ ...result, call: await this.#delivered(result.call) } as RouteResult);
  }
  /** All are made by now, so the last of them has what any of them made due. */
  async #deliveredEach(calls: readonly CallResult[]): Promise<CallResult[]> {
    const delivered: CallResult[] = [];
    for (const call of calls) delivered.push(await this.#delivered(call));
    return delivered;
  }
  async #delivered({ deliveriesDue, ...result }: CallResult): Promise<CallResult> {
    if (deliveriesDue !== true) return result;
    if (this.#delivering === undefined) await this.deliver().catch(leaveForNext);
    else this.#isDueAgain = true;
    return result;
  }

  async #advance(command: Advance, options: Options): Promise<AdvanceAnswer> {
    await this.#delivering?.catch(leaveForNext);
    return await this.#untilThere(command, options);
  }
  #wait(command: Wait, options: Options): Promise<WaitAnswer> {
    return this.#untilThere(command, options);
  }

  /** Asks again each time that deliveries were made. A cancel that came meanwhile ends it where it stands. */
  async #untilThere<C extends Advance | Wait>(command: C, options: Options): Promise<WorldAnswers[C['kind']]> {
    const { signal, ...rest } = options;
    let resume: PausedTime | undefined;
    for (;;) {
      const receivers = [...this.#source.current().keys()];
      const isCancelled = resume !== undefined && signal?.aborted === true;
      if (this.#source.isLeaving === true && signal?.aborted !== true) throw leaving();
      const delivering = { receivers, ...defined({ resume }), ...(isCancelled ? { cancel: true as const } : {}) };
      const answer = await this.world.command({ ...command, delivering }, isCancelled ? rest : options);
      if (answer.paused === undefined) return answer;
      resume = answer.paused;
      await this.deliver(signal);
    }
  }

  async #close(command: Extract<WorldCommand, { kind: 'close' }>, options: Options): Promise<AnyAnswer> {
    if (this.#source.current().size > 0) await this.deliver().catch(leaveForNext);
    return await this.world.command(command, options);
  }

  /** What an earlier incarnation left behind is in flight nowhere. */
  async #reset(command: Extract<WorldCommand, { kind: 'reset' }>, options: Options): Promise<AnyAnswer> {
    if (this.#delivering === undefined) await this.world.command({ kind: 'startDelivery', receivers: [] }).catch(leaveForNext);
    return await this.world.command(command, options);
  }

  async #deliverAll(signal: AbortSignal | undefined): Promise<void> {
    while (signal?.aborted !== true) {
      const receivers = this.#source.current();
      const { request } = await this.world.command({ kind: 'startDelivery', receivers: [...receivers.keys()] });
      if (request === undefined) return;
      const receiver = receivers.get(request.receiverId);
      if (receiver === undefined) throw new Error('a world gives out deliveries of the receivers it was named alone');
      const answer = await this.#send(request, receiver, signal);
      if (answer === undefined) return;
      await this.#settle(request, answer);
    }
  }

  #send(request: DeliveryRequest, receiver: Receiver, signal: AbortSignal | undefined): Promise<DeliveryAnswer | undefined> {
    if (this.#observer === undefined) return send(request, receiver, signal);
    return this.#observer.attempt(request, receiver, (headers) =>
      send({ ...request, headers: { ...headers, ...request.headers } }, receiver, signal),
    );
  }

  /** Once for each attempt, however often it is sent. What cannot be delivered is recovered later. */
  async #settle({ deliveryId, attempt }: DeliveryRequest, answer: Parameters<typeof settlement>[1]): Promise<void> {
    const { phase } = await retry(settleRetries, () => this.world.command(settlement({ deliveryId, attempt }, answer)));
    if (phase !== undefined) this.#observer?.settled(phase);
  }
}

const retryableCodes = new Set<ErrorCode>(['world.ACTOR_RESTARTED', 'control.WORLD_BUSY']);
const settleRetries: RetryPolicy = {
  attemptsMax: limits.worldTriesMax,
  isRetryable: (error) => error instanceof ServiceError && retryableCodes.has(error.code),
};

function settlement(of: { deliveryId: string; attempt: number }, answer: Extract<WorldCommand, { kind: 'settleDelivery' }>['answer']) {
  return { kind: 'settleDelivery' as const, ...of, answer };
}

/** Nobody receives here any more, so time would pass what is due: the next sender is to be asked. */
function leaving(): ServiceError {
  return new ServiceError('control.UNAVAILABLE', {
    message: 'Callbacks of this world are delivered from elsewhere, or after the next start.',
    retryAfterMs: limits.unavailableRetryAfterMs,
  });
}

/** The world could not be asked: what is due is due still, and the next command finds it so. */
function leaveForNext(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

/** The world as it is when its tools have no callbacks. `receivers`: where others may be added. */
export function withReceivers(
  world: WorldRef,
  { build, fixed, signal }: { build: Pick<CompiledBuild, 'tools'>; fixed?: CallbackReceivers | undefined; signal: AbortSignal },
): { world: WorldRef; receivers?: Receivers } {
  const known = receiverIdsOf(build);
  if (known.size === 0) return { world };
  const receivers = new Receivers({ known, fixed, signal });
  return { world: new DeliveringWorld(world, receivers), receivers };
}
