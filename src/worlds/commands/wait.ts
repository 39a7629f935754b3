// An agent's wait: time goes by within the run's event budget, to a time or to the next event. The agent learns where it stands and
// whether it got there, nothing of what happened meanwhile. It is no tool call: the budget of calls does not count it.
import type { CommandRun } from '../../actors/definition.js';
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import type { ToolOutcome } from '../../contract/world/evidence.js';
import type { AdvanceResult, Wait, WaitAnswer, WaitResult } from '../../contract/world/world-protocol.js';
import { mintedId } from '../kv/minted-ids.js';
import { isGranted, waitTarget } from '../turn/grants.js';
import { refusal } from '../turn/outcomes.js';
import type { Persona } from '../turn/program.js';
import { invalidRequest, type Simulation } from '../turn/simulation.js';
import type { RunningAdvance } from '../turn/world-meta.js';
import { advanceResult, pausedTime } from './advance.js';
import { fireEvents, type Stop } from './fire-events.js';

export function* wait(simulation: Simulation, command: Wait, run: CommandRun): Generator<undefined, WaitAnswer> {
  const persona = simulation.persona(command);
  const { clock, storage, turn } = simulation;
  const resumed = command.delivering?.resume;
  const correlationOrdinal = resumed?.correlationOrdinal ?? turn.nextCorrelation;
  // No journal can hold it, so it is no argument that an entry could refuse.
  if (command.untilUs !== undefined && !Number.isFinite(command.untilUs)) throw invalidRequest('untilUs is a finite number.');
  const refused = resumed === undefined ? refuse(simulation, persona, command) : undefined;
  if (refused !== undefined) return answer(simulation, { persona, command, correlationOrdinal, outcome: refused });
  const advance: RunningAdvance = resumed ?? {
    requestedUs: command.untilUs ?? clock.notBeforeNow(nextUs(simulation, command)),
    maxEvents: limits.advanceEventsMax,
    startedUs: clock.nowUs,
    evidenceBeforeSequence: storage.journal.sequence,
    processed: 0,
    correlationOrdinal,
  };
  simulation.advance = advance;
  const stop = yield* fireEvents(simulation, { advance, delivering: command.delivering }, run);
  simulation.advance = undefined;
  const reached = stop.kind === 'reached';
  const virtualTimeUs = reached ? clock.notBeforeNow(advance.requestedUs) : clock.nowUs;
  const outcome: ToolOutcome = { kind: 'ok', value: { virtualTimeUs, reached } };
  if (stop.kind === 'paused') {
    return { outcome, correlationId: mintedId('corr_', storage.tag, correlationOrdinal), virtualTimeUs, paused: pausedTime(advance) };
  }
  return answer(simulation, { persona, command, correlationOrdinal, outcome, advance, stop });
}

/** Of the next event, or of the next callback that somebody delivers; now when there is neither, or one is under way. */
function nextUs({ storage: { queue, outbox }, clock }: Simulation, { delivering }: Wait): number {
  const receivers = delivering?.receivers ?? [];
  const dueUs = outbox.isUnderWay(receivers) ? clock.nowUs : outbox.nextDueUs(receivers);
  const atUs = Math.min(queue.peekAtUs() ?? Number.POSITIVE_INFINITY, dueUs);
  return atUs === Number.POSITIVE_INFINITY ? clock.nowUs : atUs;
}

function refuse({ clock }: Simulation, { actor }: Persona, { untilUs }: Wait): ToolOutcome | undefined {
  if (!isGranted(actor, waitTarget)) return refusal('denied', 'NOT_GRANTED', "The actor has no grant for 'world/clock.wait'.");
  if (untilUs === undefined) return undefined;
  if (!Number.isSafeInteger(untilUs)) return refusal('invalid', 'INVALID_ARGUMENTS', 'untilUs is an integer of microseconds.');
  return untilUs < clock.nowUs
    ? refusal('invalid', 'INVALID_ARGUMENTS', `untilUs ${untilUs} is in the past; it is ${clock.nowUs}.`)
    : undefined;
}

interface Answer {
  persona: Persona;
  command: Wait;
  correlationOrdinal: number;
  outcome: ToolOutcome;
  advance?: RunningAdvance;
  stop?: Stop;
}
/** The wait's own entry comes after what it waited for, in one transaction with the clock's move to the target. */
function answer(simulation: Simulation, { persona: { actor }, command, correlationOrdinal, outcome, advance, stop }: Answer): WaitResult {
  const { clock, storage, turn } = simulation;
  const fromUs = clock.nowUs;
  if (advance !== undefined && stop?.kind === 'reached') clock.advanceTo(clock.notBeforeNow(advance.requestedUs));
  turn.begin(undefined, correlationOrdinal);
  const { journal, tag } = storage;
  const callId = mintedId('call_', tag, journal.sequence + 1);
  const sequence = journal.draft({
    kind: 'operation',
    invocation: { callId, ...waitTarget, arguments: command.untilUs === undefined ? {} : { untilUs: command.untilUs } },
    actorId: actor.id,
    ...defined({ actorInstanceId: actor.instanceId }),
    outcome,
    idempotency: 'not_requested',
  });
  if (clock.nowUs > fromUs) journal.draft({ kind: 'clock', fromUs, toUs: clock.nowUs, reason: 'wait', causeSequence: sequence });
  const { correlationId } = turn;
  const result: AdvanceResult | undefined = advance && stop && advanceResult(simulation, advance, stop);
  turn.end();
  return { outcome, correlationId, virtualTimeUs: clock.nowUs, ...defined({ advance: result }) };
}
