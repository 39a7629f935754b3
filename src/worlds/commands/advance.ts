// A time advance: one command, many turns, one result. With an operation key, one that a crash interrupted continues from its last
// committed slice when it is asked for again.
import type { CommandRun } from '../../actors/definition.js';
import { limits } from '../../contract/limits.js';
import type { Advance, AdvanceAnswer, AdvanceResult, CommandKey, PausedTime } from '../../contract/world/world-protocol.js';
import { requestHashOf } from '../state/command-log.js';
import { invalidRequest, type Simulation } from '../turn/simulation.js';
import type { RunningAdvance } from '../turn/world-meta.js';
import { fireEvents, type Stop } from './fire-events.js';

export function* advanceTime(simulation: Simulation, command: Advance, run: CommandRun): Generator<undefined, AdvanceAnswer> {
  const { targetUs, maxEvents, delivering } = command;
  if (!Number.isInteger(maxEvents) || maxEvents < 0 || maxEvents > limits.advanceEventsMax) {
    throw invalidRequest(`maxEvents is an integer, 0 to ${limits.advanceEventsMax}.`);
  }
  const advance = begunAdvance(simulation, command) ?? delivering?.resume ?? begun(simulation, command);
  simulation.advance = advance;
  const stop = yield* fireEvents(simulation, { advance, delivering }, run);
  return stop.kind === 'paused' ? pause(simulation, advance) : finish(simulation, { advance, stop, targetUs });
}

/** With a key: the one that stands still, or that a crash interrupted. */
export function begunAdvance({ advance, pausedAdvance }: Simulation, { operationKey }: CommandKey): RunningAdvance | undefined {
  if (operationKey === undefined) return undefined;
  return [advance, pausedAdvance].find((one) => one?.operationKey === operationKey);
}

/** What it has done so far is kept with its key, so that a crash loses nothing; without one it is only in the answer. */
function pause(simulation: Simulation, advance: RunningAdvance): AdvanceAnswer {
  const { turn } = simulation;
  turn.begin(undefined, advance.correlationOrdinal);
  turn.end();
  simulation.advance = undefined;
  if (advance.operationKey !== undefined) simulation.pausedAdvance = advance;
  return { ...advanceResult(simulation, advance, { kind: 'paused' }), paused: pausedTime(advance) };
}
export function pausedTime({ operationKey: _, requestHash: __, ...paused }: RunningAdvance): PausedTime {
  return paused;
}

function begun(simulation: Simulation, command: Advance): RunningAdvance {
  const { clock, storage, turn } = simulation;
  const { targetUs, maxEvents, operationKey } = command;
  if (!Number.isSafeInteger(targetUs)) throw invalidRequest('targetUs is an integer of microseconds.');
  if (targetUs < clock.nowUs) throw invalidRequest(`targetUs ${targetUs} is before the clock, ${clock.nowUs}.`);
  // Nobody has asked for it again, and now it is too late.
  simulation.pausedAdvance = undefined;
  return {
    ...(operationKey === undefined ? {} : { operationKey, requestHash: requestHashOf(command) }),
    requestedUs: targetUs,
    maxEvents,
    startedUs: clock.nowUs,
    evidenceBeforeSequence: storage.journal.sequence,
    processed: 0,
    correlationOrdinal: turn.nextCorrelation,
  };
}

/** The clock moves on to the target in a turn of its own, only if it moves at all, and only when everything due has fired. */
function finish(
  simulation: Simulation,
  { advance, stop, targetUs }: { advance: RunningAdvance; stop: Stop; targetUs: number },
): AdvanceResult {
  const { clock, turn, storage } = simulation;
  const fromUs = clock.nowUs;
  const moves = stop.kind === 'reached' && clock.advanceTo(clock.notBeforeNow(targetUs));
  turn.begin(undefined, advance.correlationOrdinal);
  if (moves) storage.journal.draft({ kind: 'clock', fromUs, toUs: targetUs, reason: 'explicit' });
  const result = advanceResult(simulation, advance, stop);
  turn.end();
  simulation.advance = undefined;
  if (advance.operationKey !== undefined && simulation.pausedAdvance?.operationKey === advance.operationKey)
    simulation.pausedAdvance = undefined;
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
