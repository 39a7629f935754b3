// What the side that runs the drill does to a world: faults, events, overrides, budgets, verification. Each is one turn; none is an
// agent's.
import type { Issue } from '../../contract/errors.js';
import { ServiceError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json.js';
import { admitJsonObject, JsonRefusal } from '../../contract/json-check.js';
import { limits } from '../../contract/limits.js';
import type { ActorName } from '../../contract/world/persona.js';
import type { InitialEvent } from '../../contract/world/scenario.js';
import type {
  BudgetUsage,
  CancelEvent,
  ScheduleEvents,
  SetBudgets,
  SetFault,
  SetOverrides,
  Verify,
} from '../../contract/world/world-protocol.js';
import type { Validate } from '../../tools/loaded-tool.js';
import { mintedId, ordinalOfId } from '../kv/minted-ids.js';
import { invalidRequest, type Simulation } from '../turn/simulation.js';
import { budgetsKey, budgetView } from '../turn/world-meta.js';
import { draftCancelled, type ScheduleTarget, scheduleEvent, scheduleTarget } from '../turn/world-tool.js';

/** A no-op leaves its entry too. */
export function setFault({ program, faults, storage, turn }: Simulation, command: SetFault): { changed: boolean; sequence: number } {
  const { packageId, instanceId = packageId, faultId, active } = command;
  if (!program.tools.get(packageId)?.faults.has(faultId)) throw invalidRequest(`There is no fault '${faultId}' of '${packageId}'.`);
  if (!program.hasInstance(packageId, instanceId)) throw invalidRequest(`There is no instance '${instanceId}' of '${packageId}'.`);
  turn.begin(undefined);
  const changed = faults.set({ packageId, instanceId }, faultId, active);
  const sequence = storage.journal.draft({ kind: 'fault_control', packageId, instanceId, faultId, active, changed });
  turn.end();
  return { changed, sequence };
}

/** All or none. A time that has passed means now. */
export function scheduleEvents(simulation: Simulation, { events }: ScheduleEvents): { scheduledEventIds: string[] } {
  if (events.length > limits.scheduleEventsMax) throw invalidRequest(`At most ${limits.scheduleEventsMax} events at a time.`);
  const admitted = admitEvents(simulation, events);
  const { clock, storage, turn } = simulation;
  turn.begin(undefined);
  const scheduledEventIds = admitted.map(({ target, atUs, payloadText }) =>
    mintedId('pending_', storage.tag, scheduleEvent(storage, target, { atUs: clock.notBeforeNow(atUs), payloadText })),
  );
  turn.end();
  return { scheduledEventIds };
}

interface AdmittedEvent {
  target: ScheduleTarget;
  atUs: number;
  payloadText: string;
}
interface KnownTarget {
  target: ScheduleTarget;
  validatePayload: Validate | undefined;
  unknown: 'event' | 'actor' | undefined;
}
export function admitEvents(simulation: Simulation, events: readonly InitialEvent[]): AdmittedEvent[] {
  const issues: Issue[] = [];
  /** Many events are for few. */
  const known = new Map<string, KnownTarget>();
  const admitted = events.map(({ event, payload, atUs, actorId, actorInstanceId }, index) => {
    const complain = (path: string, code: string, message: string): void => {
      if (issues.length < limits.issuesMax) issues.push({ path: `/events/${index}${path}`, code, message });
    };
    const key = `${event.packageId} ${event.instanceId} ${event.eventId} ${actorId} ${actorInstanceId}`;
    let found = known.get(key);
    if (found === undefined) {
      found = findTarget(simulation, event, { actorId, actorInstanceId });
      known.set(key, found);
    }
    if (found.unknown !== undefined)
      complain(found.unknown === 'event' ? '/event' : '/actorId', 'unknown', `there is no such ${found.unknown}`);
    if (!Number.isSafeInteger(atUs)) complain('/atUs', 'type', 'is an integer of microseconds');
    return { target: found.target, atUs, payloadText: admitPayload(payload, found.validatePayload, complain) };
  });
  if (issues.length > 0) throw new ServiceError('control.INVALID_REQUEST', { message: 'The events do not fit the world.', issues });
  return admitted;
}

export function findTarget({ program, storage }: Simulation, event: InitialEvent['event'], actor: ActorName): KnownTarget {
  const { packageId, instanceId = packageId, eventId } = event;
  const declared = program.tools.get(packageId)?.events.get(eventId);
  const isKnown = declared !== undefined && program.hasInstance(packageId, instanceId);
  const target = scheduleTarget(storage, { packageId, instanceId, eventId }, actor);
  const unknown = !isKnown ? 'event' : program.persona(actor) === undefined ? 'actor' : undefined;
  return { target, validatePayload: declared?.validatePayload, unknown };
}

function admitPayload(
  payload: JsonObject,
  validate: Validate | undefined,
  complain: (path: string, code: string, message: string) => void,
): string {
  try {
    const { value, text } = admitJsonObject(payload);
    for (const { path, code, message } of validate?.(value) ?? []) complain(`/payload${path}`, code, message);
    return text;
  } catch (error) {
    if (!(error instanceof JsonRefusal)) throw error;
    complain(`/payload${error.path}`, error.reason, error.message);
    return '';
  }
}

/** False for an event that has fired, was cancelled, or never was. */
export function cancelEvent({ storage, turn }: Simulation, { scheduledEventId }: CancelEvent): { cancelled: boolean } {
  const { journal, queue, tag } = storage;
  const ordinal = ordinalOfId(scheduledEventId, 'pending_', tag);
  const event = ordinal === undefined ? undefined : queue.get(ordinal);
  if (event === undefined) return { cancelled: false };
  turn.begin(undefined);
  queue.cancel(event.ordinal);
  draftCancelled(journal, event);
  turn.end();
  return { cancelled: true };
}

/** Not evidence by itself: an operation that a rule answers says so. The next turn that leaves entries records it for forks. */
export function setOverrides({ overrides, program, turn }: Simulation, { scope, rules }: SetOverrides): { count: number } {
  for (const { id, operation } of rules) {
    const { packageId, instanceId = packageId, operationId } = operation;
    const isKnown = program.tools.get(packageId)?.operations.has(operationId) && program.hasInstance(packageId, instanceId);
    if (!isKnown) throw invalidRequest(`Override '${id}' names no operation of this world: '${packageId}/${operationId}'.`);
  }
  turn.begin(undefined);
  overrides.set(scope, rules);
  turn.end();
  return { count: rules.length };
}

export function setBudgets(simulation: Simulation, { budgets }: SetBudgets): BudgetUsage {
  for (const limit of [budgets.maxToolCalls, budgets.maxEvents]) {
    if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 0)) throw invalidRequest('A budget is null or an integer, 0 or more.');
  }
  simulation.turn.begin(undefined);
  simulation.budgets = budgets;
  const { maxToolCalls, maxEvents } = budgets;
  simulation.counters.set(budgetsKey, { maxToolCalls, maxEvents });
  simulation.usage.eventsExhausted = false;
  simulation.turn.end();
  return budgetView(simulation);
}

export function verify({ storage, turn }: Simulation, { checkpointId, checkpointKind, result }: Verify): { sequence: number } {
  turn.begin(undefined);
  const sequence = storage.journal.draft({ kind: 'verification', checkpointId, checkpointKind, result });
  turn.end();
  return { sequence };
}

export function lifecycle({ storage, turn }: Simulation, phase: 'world_closed' | 'world_reset', details: JsonObject): number {
  turn.begin(undefined);
  const sequence = storage.journal.draft({ kind: 'lifecycle', phase, details });
  turn.end();
  return sequence;
}
