// Which subscriptions receive an event, and the dispatch: every subscription, packages in build order, subscriptions in manifest order,
// instances in order. A subscription to an event of its own package receives those of its own instance only; one to another package's
// event, of every instance. What handlers emit meanwhile is dispatched in the same turn, breadth first.
import type { JsonObject } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { ToolCallback } from '../../contract/world/tool-manifest.js';
import type { HandlerFault } from '../../tools/loaded-tool.js';
import type { EventShape } from '../journal/journal.js';
import { callbacksOf } from './callback-queue.js';
import type { Program } from './program.js';
import { type EventName, notScheduled, type Turn } from './turn.js';
import { WorldTool } from './world-tool.js';

export interface EventDispatch {
  readonly kind: 'event';
  readonly event: EventName;
  readonly subscriptionId: string;
  readonly instance: WorldTool;
  readonly handled: EventShape;
}
export interface EventPlan {
  readonly event: EventName;
  readonly dispatches: readonly EventDispatch[];
  /** Of the entry when it fires: with its first dispatch, or bare where nobody subscribes. */
  readonly handled: EventShape;
  readonly callbacks: readonly ToolCallback[];
}
export interface DispatchFailure {
  readonly fault: HandlerFault;
  readonly dispatch: EventDispatch;
}

export class EventDispatcher {
  readonly #turn: Turn;
  readonly #program: Program;
  readonly #freshModulePerTurn: boolean;
  readonly #instances = new Map<string, WorldTool>();
  readonly #plans = new Map<string, EventPlan>();

  constructor(turn: Turn, program: Program, { freshModulePerTurn }: { freshModulePerTurn: boolean }) {
    this.#turn = turn;
    this.#program = program;
    this.#freshModulePerTurn = freshModulePerTurn;
  }

  /** Of an instance that the program has. */
  instance(packageId: string, instanceId: string): WorldTool {
    const key = `${packageId} ${instanceId}`;
    let instance = this.#instances.get(key);
    if (instance === undefined) {
      const tool = this.#program.tools.get(packageId);
      if (tool === undefined) throw new RangeError(`no tool ${packageId}`);
      instance = new WorldTool(tool, instanceId, { turn: this.#turn, freshModulePerTurn: this.#freshModulePerTurn });
      this.#instances.set(key, instance);
    }
    return instance;
  }

  plan({ packageId, instanceId, eventId }: EventName): EventPlan {
    const key = `${packageId} ${instanceId} ${eventId}`;
    let plan = this.#plans.get(key);
    if (plan === undefined) {
      plan = this.#makePlan({ packageId, instanceId, eventId });
      this.#plans.set(key, plan);
    }
    return plan;
  }

  /** A fired event, whose first entry is drafted: its subscriptions one after the other, then what they emit. */
  fire(
    plan: EventPlan,
    fired: { payload: JsonObject; payloadText: string; ordinal: number; atUs: number; sequence: number },
  ): DispatchFailure | undefined {
    const { journal } = this.#turn.storage;
    const { dispatches } = plan;
    let { sequence } = fired;
    for (let index = 0; index < dispatches.length; index++) {
      const dispatch = dispatches[index] as EventDispatch;
      if (index > 0) {
        const crossed = this.#turn.budget.takeWrite(fired.payloadText);
        if (crossed !== undefined) return { fault: crossed, dispatch };
        sequence = journal.draftQueued(dispatch.handled, fired.payloadText, fired.ordinal, fired.atUs, fired.sequence);
      }
      this.#turn.scheduledOrdinal = fired.ordinal;
      const fault = this.#tell(dispatch, fired.payload, sequence);
      if (fault !== null) return { fault, dispatch };
    }
    return this.#turn.emissions.length === 0 ? undefined : this.cascade();
  }

  /** Everything emitted so far in this turn, and what that emits. */
  cascade(): DispatchFailure | undefined {
    const { emissions, storage, budget } = this.#turn;
    let count = 0;
    this.#turn.scheduledOrdinal = notScheduled;
    // The list grows while it is walked: that is the breadth-first order.
    for (const { event, payload, payloadText, sequence } of emissions) {
      for (const dispatch of this.plan(event).dispatches) {
        if (++count > limits.cascadeDeliveriesMax) return { fault: tooMany, dispatch };
        const crossed = budget.takeWrite(payloadText);
        if (crossed !== undefined) return { fault: crossed, dispatch };
        const handled = storage.journal.draftEvent(dispatch.handled, { payloadText, causeSequence: sequence });
        const fault = this.#tell(dispatch, payload, handled);
        if (fault !== null) return { fault, dispatch };
      }
    }
    return undefined;
  }

  #tell(dispatch: EventDispatch, payload: JsonObject, sequence: number): HandlerFault | null {
    this.#turn.source = dispatch;
    this.#turn.storage.journal.causeSequence = sequence;
    return dispatch.instance.handle(dispatch.subscriptionId, payload);
  }

  #makePlan(event: EventName): EventPlan {
    const { journal } = this.#turn.storage;
    const dispatches: EventDispatch[] = [];
    for (const { packageId, subscriptionId } of this.#program.subscribers(event.packageId, event.eventId)) {
      const instances = packageId === event.packageId ? [event.instanceId] : (this.#program.instances.get(packageId) ?? []);
      for (const instanceId of instances) {
        const handled = journal.eventShape({
          event,
          phase: 'handled',
          handlerPackageId: packageId,
          handlerInstanceId: instanceId,
          subscriptionId,
        });
        dispatches.push({ kind: 'event', event, subscriptionId, instance: this.instance(packageId, instanceId), handled });
      }
    }
    const handled = dispatches[0]?.handled ?? journal.eventShape({ event, phase: 'handled' });
    const manifest = this.#program.tools.get(event.packageId)?.manifest;
    return { event, dispatches, handled, callbacks: manifest === undefined ? [] : callbacksOf(manifest, event.eventId) };
  }
}

const tooMany: HandlerFault = { kind: 'thrown', message: `more than ${limits.cascadeDeliveriesMax} deliveries in one turn`, detail: '' };
