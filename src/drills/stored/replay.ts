// Recorded steps asked again of another world, and where it answers otherwise. No agent decides anything: what it asked then is asked now.
//   REPLAY-1. Each call is made at its virtual time, or as soon after it as the world allows; time never goes back.
//   REPLAY-2. Every step is asked, whatever the answers before it: a difference may follow from an earlier one, and is counted all the
//     same.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { diffJson } from '../../contract/json-diff.js';
import { limits } from '../../contract/limits.js';
import type { OutcomeError } from '../../contract/outcome-error.js';
import type { OperationEntry } from '../../contract/world/evidence.js';
import { tokenFaultOf } from '../../contract/world/minted-tokens.js';
import type { WorldRef } from '../../worlds/api.js';
import type { RecordedStep } from './recorded-steps.js';
import { RenamedIds } from './renamed-ids.js';

export interface ReplayDifference {
  /** Which of the calls and waits it is, from 1. Absent: the clock was moved, or a fault was switched. */
  call?: number;
  /** Of the first entry that the journal has of it. */
  sequence: number;
  virtualTimeUs: number;
  /** For people: `support-agent called ticket-desk/ticket.get`. */
  what: string;
  /** Of a call: what was asked. */
  arguments?: JsonValue;
  /** The first member that differs; empty where the answers have nothing in common. */
  path: (string | number)[];
  /** Ids of the recorded world stand in both. */
  recorded: JsonValue;
  /** An outcome; `{ kind: 'refused', error }` where nothing could be asked. */
  present: JsonValue;
}
export interface Replayed {
  /** Calls and waits. */
  calls: number;
  /** Steps with another answer. */
  differing: number;
  /** In order, at most limits.replayDifferencesShown. */
  differences: ReplayDifference[];
}
type Answer = { kind: string; error?: Pick<OutcomeError, 'code' | 'message'>; value?: JsonValue };
type Asked = Pick<ReplayDifference, 'call' | 'sequence' | 'virtualTimeUs' | 'what' | 'arguments'>;

/** control.INVALID_REQUEST at a step that cannot be asked again. */
export async function replaySteps(
  steps: AsyncIterable<RecordedStep>,
  { world, recordedInstanceId }: { world: WorldRef; recordedInstanceId: string },
): Promise<Replayed> {
  const replay = new Replay(world, new RenamedIds(recordedInstanceId, world.worldInstanceId));
  for await (const step of steps) await replay.take(step);
  const { calls, differing, differences } = replay;
  return { calls, differing, differences };
}

class Replay implements Replayed {
  calls = 0;
  differing = 0;
  readonly differences: ReplayDifference[] = [];
  readonly #world: WorldRef;
  readonly #ids: RenamedIds;

  constructor(world: WorldRef, ids: RenamedIds) {
    this.#world = world;
    this.#ids = ids;
  }

  async take(step: RecordedStep): Promise<void> {
    switch (step.kind) {
      case 'call':
        // What is due at that very time fires when somebody lets it: a step of its own.
        if (step.entry.virtualTimeUs > (await this.#nowUs())) await this.#advanceTo(step.entry.virtualTimeUs);
        return this.#compare(this.#nextCall(step.entry), step.entry.outcome, await this.#call(step.entry));
      case 'wait':
        return this.#compare(this.#nextCall(step.entry), step.entry.outcome, await this.#wait(step));
      case 'advance': {
        const { sequence, targetUs, events, failure } = step;
        const asked = { sequence, virtualTimeUs: targetUs, what: `the clock went to ${targetUs} us` };
        return this.#compare(asked, advanced(failure), advanced(await this.#advanceTo(targetUs, events)));
      }
      case 'fault': {
        const { sequence, virtualTimeUs, packageId, instanceId, faultId, active, changed } = step.entry;
        const what = `fault ${packageId}/${faultId} was switched ${active ? 'on' : 'off'}`;
        const present = await answerOf(async () => {
          const { changed: value } = await this.#world.command({ kind: 'setFault', packageId, instanceId, faultId, active });
          return { kind: 'ok', value };
        });
        return this.#compare({ sequence, virtualTimeUs, what }, { kind: 'ok', value: changed }, present);
      }
      case 'unrepeatable':
        throw new ServiceError('control.INVALID_REQUEST', {
          message: `The run cannot be replayed from its report alone: ${step.what} (entry ${step.sequence}).`,
        });
      default:
        return step satisfies never;
    }
  }

  #nextCall({ sequence, virtualTimeUs, actorId, invocation }: OperationEntry): Asked {
    this.calls += 1;
    const { packageId, operationId, arguments: given } = invocation;
    return { call: this.calls, sequence, virtualTimeUs, what: `${actorId} called ${packageId}/${operationId}`, arguments: given };
  }

  #call({ actorId, actorInstanceId, invocation, outcome: recorded }: OperationEntry): Promise<Answer> {
    const { callId: recordedId, packageId, instanceId, operationId, arguments: given, idempotencyKey } = invocation;
    return answerOf(async () => {
      const { callId, outcome } = await this.#world.command({
        kind: 'call',
        ...{ actorId, packageId, instanceId, operationId, arguments: this.#ids.toPresent(given) },
        // The seal of a token is in no evidence; what was wrong with it is.
        ...defined({ actorInstanceId, idempotencyKey, tokenFault: tokenFaultOf(recorded) }),
      });
      this.#ids.pair(recordedId, callId);
      return outcome;
    });
  }

  #wait({ entry, untilUs }: Extract<RecordedStep, { kind: 'wait' }>): Promise<Answer> {
    const { actorId, actorInstanceId } = entry;
    return answerOf(async () => (await this.#world.command({ kind: 'wait', actorId, ...defined({ actorInstanceId, untilUs }) })).outcome);
  }

  async #nowUs(): Promise<number> {
    return (await this.#world.query({ kind: 'position' })).virtualTimeUs;
  }

  /** As far as the budget of events lets it, firing at most so many; the first event that failed on the way. */
  async #advanceTo(
    targetUs: number,
    events: number = limits.advanceEventsMax,
  ): Promise<Pick<OutcomeError, 'code' | 'message'> | undefined> {
    let failure: Pick<OutcomeError, 'code' | 'message'> | undefined;
    for (let left = events; ; ) {
      if (targetUs < (await this.#nowUs())) return failure;
      const result = await this.#world.command({ kind: 'advance', targetUs, maxEvents: left });
      failure ??= result.failure;
      // Each round that failed has taken an event from the queue.
      left -= result.scheduledEventsProcessed;
      if (result.status !== 'failed') return failure;
    }
  }

  #compare(asked: Asked, recorded: Answer, answered: Answer): void {
    const present = this.#ids.toRecorded(answered as JsonObject);
    const [first] = diffJson(recorded as JsonObject, present).changes;
    if (first === undefined) return;
    this.differing += 1;
    if (this.differences.length < limits.replayDifferencesShown)
      this.differences.push({ ...asked, path: first.path, recorded: recorded as JsonObject, present });
  }
}

function advanced(failure: Pick<OutcomeError, 'code' | 'message'> | undefined): Answer {
  if (failure === undefined) return { kind: 'ok' };
  const { code, message } = failure;
  return { kind: 'failed', error: { code, message } };
}

/** A refusal is an answer too: an actor that is gone, a handler that does not end. */
async function answerOf(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { kind: 'refused', error: { code: error.code, message: error.message } };
  }
}
