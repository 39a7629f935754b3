// Virtual time goes by: fires what is due until the target, in the order (atUs, scheduling sequence), one turn an event.
//   FIRE-EVENTS-1. Nothing in the result depends on where the slices end: a slice is a pause between two turns.
//   FIRE-EVENTS-2. The clock stands at the last event that fired when this returns; who asked decides what moves it on.
import type { CommandRun } from '../../actors/definition.js';
import type { JsonObject } from '../../contract/json.js';
import type { OutcomeError } from '../../contract/outcome-error.js';
import type { AdvanceResult, Delivering } from '../../contract/world/world-protocol.js';
import type { EventShapeParts } from '../journal/journal-shapes.js';
import { mintedId } from '../kv/minted-ids.js';
import type { ScheduledEvent, ScheduledRef } from '../state/event-queue.js';
import { tuning } from '../tuning.js';
import { queueCallbacks } from '../turn/callback-queue.js';
import type { EventPlan } from '../turn/event-dispatch.js';
import { callbackError, dispatchError } from '../turn/outcomes.js';
import type { Persona } from '../turn/program.js';
import type { Simulation } from '../turn/simulation.js';
import type { RunningAdvance } from '../turn/world-meta.js';

export type Stop =
  | { kind: 'reached' }
  | { kind: 'paused' }
  | { kind: 'exhausted' }
  | { kind: 'cancelled' }
  | { kind: 'failed'; failure: NonNullable<AdvanceResult['failure']> };
/** What to run when an event of this (event, actor) fires; kept on its ref. */
interface FirePlan {
  readonly owner: Simulation;
  readonly plan: EventPlan;
  readonly persona: Persona | undefined;
}

export function* fireEvents(
  simulation: Simulation,
  { advance, delivering }: { advance: RunningAdvance; delivering: Delivering | undefined },
  run: CommandRun,
): Generator<undefined, Stop> {
  if (delivering?.cancel === true) return { kind: 'cancelled' };
  const { storage, usage, budgets, clock } = simulation;
  const { queue } = storage;
  const budgetLeft = (budgets.maxEvents ?? Number.POSITIVE_INFINITY) - usage.eventsProcessed;
  const last = advance.processed + Math.min(advance.maxEvents - advance.processed, budgetLeft);
  for (let fired = 0; ; fired++) {
    const atUs = queue.peekAtUs();
    if (delivering !== undefined && standsStill(simulation, advance, { delivering, nextUs: atUs ?? advance.requestedUs }))
      return { kind: 'paused' };
    if (atUs === undefined || atUs > advance.requestedUs) return { kind: 'reached' };
    if (advance.processed >= last) {
      usage.eventsExhausted ||= budgets.maxEvents !== null && usage.eventsProcessed >= budgets.maxEvents;
      return { kind: 'exhausted' };
    }
    if (simulation.isFull) stopFull(simulation);
    const hadItsShare = run.isShared && fired >= tuning.eventsPerSharedSlice;
    if (hadItsShare || (fired % tuning.eventsPerLook === 0 && run.sliceOver())) {
      run.progress({ reachedUs: clock.nowUs, scheduledEventsProcessed: advance.processed });
      yield;
      fired = 0;
      if (run.cancelRequested) return { kind: 'cancelled' };
    }
    const failure = fireNext(simulation, advance.correlationOrdinal);
    advance.processed++;
    usage.eventsProcessed++;
    if (failure !== undefined) return { kind: 'failed', failure };
  }
}

/** What has fired stays: it is committed with the refusal, and nobody continues from there. */
function stopFull(simulation: Simulation): void {
  simulation.advance = undefined;
  simulation.pausedAdvance = undefined;
  simulation.requireFreeSpace();
}

/**
 * A callback that is due is delivered before the next event, and before the events of its own time: the clock is brought to it, and the
 * delivering side asks again when that is done. One that is under way is waited for: the delivering side knows whether somebody has it
 * still.
 */
function standsStill(
  { storage, clock, turn }: Simulation,
  { requestedUs, correlationOrdinal }: RunningAdvance,
  { delivering, nextUs }: { delivering: Delivering; nextUs: number },
): boolean {
  if (storage.outbox.size === 0) return false;
  if (storage.outbox.isUnderWay(delivering.receivers)) return true;
  const dueUs = storage.outbox.nextDueUs(delivering.receivers);
  if (dueUs > Math.min(nextUs, requestedUs)) return false;
  const fromUs = clock.nowUs;
  if (!clock.advanceTo(clock.notBeforeNow(dueUs))) return true;
  turn.begin(undefined, correlationOrdinal);
  storage.journal.draft({ kind: 'clock', fromUs, toUs: clock.nowUs, reason: 'scheduled_work' });
  turn.end();
  return true;
}

function fireNext(simulation: Simulation, correlationOrdinal: number): AdvanceResult['failure'] {
  const { storage, clock, turn, dispatcher } = simulation;
  const event = storage.queue.pop() as ScheduledEvent;
  const { ordinal, atUs, payloadText, causeSequence } = event;
  // After a latency fault the clock may be past an event that is still waiting.
  clock.advanceTo(clock.notBeforeNow(atUs));
  const { plan, persona } = planOf(simulation, event.ref);
  turn.begin(persona, correlationOrdinal);
  const sequence = storage.journal.draftQueued(plan.handled, payloadText, ordinal, atUs, causeSequence);
  const fired = { ordinal, atUs, payloadText, causeSequence };
  for (let left = plan.callbacks.length; left > 0; left--) {
    const crossed = turn.budget.takeWrite(payloadText);
    if (crossed !== undefined)
      return recordFailure(simulation, { parts: plan.handled.parts, error: callbackError(crossed, plan.event) }, fired);
  }
  if (plan.callbacks.length > 0) queueCallbacks(turn, plan.callbacks, { event: plan.event, payloadText, sequence });
  const [first] = plan.dispatches;
  if (first !== undefined) {
    const payload = first.instance.tool.realm.revive(payloadText) as JsonObject;
    const failure = dispatcher.fire(plan, { payload, payloadText, ordinal, atUs, sequence });
    if (failure !== undefined) {
      return recordFailure(simulation, { parts: failure.dispatch.handled.parts, error: dispatchError(failure) }, fired);
    }
  }
  turn.end();
  return undefined;
}

/** Everything of the turn is taken back but that the event is gone from the queue: it stays failed. */
function recordFailure(
  simulation: Simulation,
  { parts, error }: { parts: EventShapeParts; error: OutcomeError },
  event: Pick<ScheduledEvent, 'ordinal' | 'atUs' | 'payloadText' | 'causeSequence'>,
) {
  const { storage, turn } = simulation;
  turn.rollback();
  const sequence = storage.journal.draftEvent(storage.journal.eventShape({ ...parts, phase: 'failed' }), {
    payloadText: event.payloadText,
    scheduledOrdinal: event.ordinal,
    scheduledForUs: event.atUs,
    causeSequence: event.causeSequence,
    error,
  });
  turn.recordDrawsAgain(sequence);
  turn.end();
  return { code: error.code, message: error.message, scheduledEventId: mintedId('pending_', storage.tag, event.ordinal) };
}

function planOf(simulation: Simulation, ref: ScheduledRef): FirePlan {
  const known = ref.plan as FirePlan | undefined;
  if (known !== undefined && known.owner === simulation) return known;
  const { actorId, actorInstanceId } = ref;
  const persona = actorId === undefined ? undefined : simulation.program.persona({ actorId, actorInstanceId });
  const made = { owner: simulation, plan: simulation.dispatcher.plan(ref), persona };
  ref.plan = made;
  return made;
}
