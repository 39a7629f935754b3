// A time advance: one command, many turns, one result. With an operation key it is done once: a repeat gets the stored result, and one
// that a crash interrupted goes on from its last committed slice.
import type { CommandRun } from '../actors/definition.js';
import { ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { Advance, AdvanceResult } from '../contract/world-protocol.js';
import { fireEvents, type Stop } from './fire-events.js';
import { invalidRequest, type Simulation } from './simulation.js';
import type { RunningAdvance } from './world-meta.js';

/** Results lie with the receipts, under the reserved package of the world itself. */
const receiptPackage = 'world';

export function* advanceTime(simulation: Simulation, command: Advance, run: CommandRun): Generator<undefined, AdvanceResult> {
  const { targetUs, maxEvents, operationKey } = command;
  const stored = operationKey === undefined ? undefined : storedResult(simulation, operationKey);
  if (stored !== undefined) return sameRequest(command, stored, stored);
  const interrupted = operationKey !== undefined && simulation.advance?.operationKey === operationKey ? simulation.advance : undefined;
  const advance = interrupted === undefined ? begun(simulation, command) : sameRequest(command, interrupted, interrupted);
  if (!Number.isInteger(maxEvents) || maxEvents < 0 || maxEvents > limits.advanceEventsMax) {
    throw invalidRequest(`maxEvents is an integer, 0 to ${limits.advanceEventsMax}.`);
  }
  simulation.advance = advance;
  const stop = yield* fireEvents(simulation, advance, run);
  return finish(simulation, { advance, stop, targetUs });
}

function begun({ clock, storage, turn }: Simulation, { targetUs, maxEvents, operationKey }: Advance): RunningAdvance {
  if (!Number.isSafeInteger(targetUs)) throw invalidRequest('targetUs is an integer of microseconds.');
  if (targetUs < clock.nowUs) throw invalidRequest(`targetUs ${targetUs} is before the clock, ${clock.nowUs}.`);
  return {
    ...(operationKey === undefined ? {} : { operationKey }),
    requestedUs: targetUs,
    maxEvents,
    startedUs: clock.nowUs,
    evidenceBeforeSequence: storage.journal.sequence,
    processed: 0,
    correlationOrdinal: turn.nextCorrelation,
  };
}

/** The clock moves on to the target in a turn of its own, only if it moves at all, and only when everything due has fired. */
function finish(simulation: Simulation, { advance, stop, targetUs }: { advance: RunningAdvance; stop: Stop; targetUs: number }): AdvanceResult {
  const { clock, turn, storage } = simulation;
  const fromUs = clock.nowUs;
  const moves = stop.kind === 'reached' && clock.advanceTo(clock.notBeforeNow(targetUs));
  turn.begin(undefined, advance.correlationOrdinal);
  if (moves) storage.journal.draft({ kind: 'clock', fromUs, toUs: targetUs, reason: 'explicit' });
  const result = advanceResult(simulation, advance, stop);
  if (advance.operationKey !== undefined) {
    const receipt = { argumentsHash: '', sequence: storage.journal.sequence, result: result as unknown as JsonValue };
    storage.receipts.put(receiptPackage, `advance ${advance.operationKey}`, receipt);
  }
  turn.end();
  simulation.advance = undefined;
  return result;
}

export function advanceResult({ clock, storage }: Simulation, advance: RunningAdvance, stop: Stop): AdvanceResult {
  const { requestedUs, startedUs, maxEvents, processed, evidenceBeforeSequence } = advance;
  const result: AdvanceResult = {
    requestedUs,
    startedUs,
    reachedUs: clock.nowUs,
    maxEvents,
    scheduledEventsProcessed: processed,
    evidenceBeforeSequence,
    evidenceAfterSequence: storage.journal.sequence,
    status: stop.kind === 'failed' || stop.kind === 'cancelled' ? stop.kind : 'completed',
    eventBudgetExhausted: stop.kind === 'exhausted',
  };
  if (stop.kind === 'failed') result.failure = stop.failure;
  return result;
}

function storedResult({ storage }: Simulation, operationKey: string): AdvanceResult | undefined {
  return storage.receipts.get(receiptPackage, `advance ${operationKey}`)?.result as AdvanceResult | undefined;
}

function sameRequest<T>({ targetUs, maxEvents, operationKey }: Advance, first: { requestedUs: number; maxEvents: number }, value: T): T {
  if (first.requestedUs === targetUs && first.maxEvents === maxEvents) return value;
  throw new ServiceError('control.IDEMPOTENCY_KEY_REUSED', { message: `The operation '${operationKey}' is another advance.` });
}
