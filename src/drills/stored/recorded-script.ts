// Recorded calls as the interactions of a scripted target: a module that makes the calls its task names, in order.
//   RECORDED-SCRIPT-1. An interaction is what one actor did until somebody else did something, or the clock was moved by who held the
//     world: between interactions a drill moves it.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { recordingLimits } from '../../contract/recording-limits.js';
import type { InteractionInput } from '../../contract/run/drill.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import type { RecordedStep } from './recorded-steps.js';
import { ownInstance } from './recorded-world.js';

export const scriptedTarget = {
  id: 'recorded-calls',
  instruction: 'Make the recorded calls.',
  module: `// Makes the calls that its task names, in order, whatever they answer: recorded drills are played by it.
const play = async ({ task }, { world }) => {
  const outcomes = [];
  for (const { packageId, operationId, arguments: args, wait, ...options } of task.input.calls) {
    const outcome = wait === undefined ? await world.call(packageId, operationId, args, options) : await world.wait(wait ?? undefined);
    outcomes.push(outcome.kind);
  }
  return { outcomes };
};
export { play as default };
`,
} as const;

interface Script {
  interactions: InteractionInput[];
  calls: number;
  /** Where each interaction began. */
  starts: { sequence: number; timeUs: number }[];
}
interface Open {
  interaction: InteractionInput;
  calls: JsonValue[];
}

/** control.INVALID_REQUEST for a step that no drill can make. */
export async function scriptOf(steps: AsyncIterable<RecordedStep>, startUs: number): Promise<Script> {
  const interactions: InteractionInput[] = [];
  const starts: Script['starts'] = [];
  let calls = 0;
  let nowUs = startUs;
  let open: Open | undefined;
  for await (const step of steps) {
    if (step.kind === 'unrepeatable') throw refused(`${step.what} (entry ${step.sequence})`);
    if (step.kind === 'fault') {
      // Until the first call it is a part of the start.
      if (calls > 0)
        throw refused(`a fault was switched in the midst of it (entry ${step.entry.sequence}), and a drill has its faults from its start`);
      continue;
    }
    if (step.kind === 'advance') {
      nowUs = Math.max(nowUs, step.targetUs);
      open = undefined;
      continue;
    }
    const { actorId, actorInstanceId, virtualTimeUs } = step.entry;
    const isSame = open?.interaction.actorId === actorId && open.interaction.actorInstanceId === actorInstanceId;
    if (open === undefined || !isSame || open.calls.length >= recordingLimits.callsInInteraction) {
      const list: JsonValue[] = [];
      open = {
        interaction: interactionAt(interactions.length + 1, Math.max(nowUs, virtualTimeUs) - startUs, step.entry, list),
        calls: list,
      };
      interactions.push(open.interaction);
      starts.push({ sequence: step.entry.sequence, timeUs: Math.max(nowUs, virtualTimeUs) });
    }
    open.calls.push(step.kind === 'wait' ? { wait: step.untilUs ?? null } : callOf(step));
    calls += 1;
    if (calls > recordingLimits.callsMax) throw refused(`it made more than ${recordingLimits.callsMax} calls`);
  }
  if (calls === 0) throw refused('nobody called anything');
  return { interactions, calls, starts };
}

/**
 * Events that are due fire before an interaction begins. A call that was made between events of one moment, while callbacks were delivered,
 * would come after all of them: control.INVALID_REQUEST.
 */
export function requireEventsBefore(starts: Script['starts'], entries: readonly EvidenceEntry[]): void {
  const scheduled = new Map<string, number>();
  let next = 0;
  for (const entry of entries) {
    while (next < starts.length && starts[next]!.sequence <= entry.sequence) next++;
    if (entry.kind !== 'event' || entry.scheduledForUs === undefined) continue;
    const { phase, sequence, scheduledForUs, scheduledEventId = '' } = entry;
    if (phase === 'scheduled') scheduled.set(scheduledEventId, sequence);
    const start = starts[next - 1];
    if ((phase !== 'handled' && phase !== 'failed') || start === undefined) continue;
    if (start.timeUs >= scheduledForUs && start.sequence > (scheduled.get(scheduledEventId) ?? 0))
      throw refused(`call ${start.sequence} came before event ${sequence}, which was due by then: a drill lets what is due happen first`);
  }
}

function interactionAt(
  number: number,
  afterStartUs: number,
  { actorId, actorInstanceId }: { actorId: string; actorInstanceId?: string },
  calls: JsonValue[],
): InteractionInput {
  return {
    id: `calls-${number}`,
    ...(afterStartUs === 0 ? {} : { afterStartUs }),
    actorId,
    ...defined({ actorInstanceId }),
    task: { instruction: scriptedTarget.instruction, input: { calls } },
  };
}

function callOf({ entry: { invocation } }: Extract<RecordedStep, { kind: 'call' }>): JsonObject {
  const { packageId, operationId, arguments: given, idempotencyKey } = invocation;
  return {
    packageId,
    operationId,
    arguments: given,
    ...ownInstance(invocation),
    ...defined({ idempotencyKey }),
  };
}

function refused(why: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: `This cannot be a drill: ${why}. A scenario of it can be saved.` });
}
