// The environment of a local attempt: a world made for it, its target as the agent, nothing kept.
import { withReceivers } from '../callbacks/delivering-world.js';
import type { Receivers } from '../callbacks/receivers.js';
import { defined } from '../contract/defined.js';
import { newId } from '../contract/ids.js';
import type { AttemptContext } from './attempt/attempt-context.js';
import type { AttemptEnvironment } from './attempt/attempt-environment.js';
import { atTheStart } from './attempt/attempt-result.js';
import { localAgent } from './attempt/interaction.js';
import { AttemptTranscript } from './attempt/transcript.js';
import type { PlannedDrill, PlannedTrial } from './plan/plan.js';
import { moduleJudge } from './targets/module-judge.js';

export interface AttemptRequest {
  planned: PlannedDrill;
  trial: PlannedTrial;
  attempt: number;
  /** Where its world lives; nobody else does meanwhile. */
  host: number;
}

export interface LocalEnvironment extends AttemptEnvironment {
  readonly transcript: AttemptTranscript;
}

export function localEnvironment(context: AttemptContext, { planned, trial, attempt, host }: AttemptRequest): LocalEnvironment {
  const { build, worlds, targets, callbackReceivers, signal, onEvent, onWorld, onSaid } = context;
  const { drill, setup, setupHash, trialCount, attemptLimit, refusal } = planned;
  const runId = newId('run');
  const transcript = new AttemptTranscript({ policy: drill.capture.logs, onLine: (line) => onSaid(runId, line) });
  let receivers: Receivers | undefined;
  return {
    transcript,
    runId,
    build,
    planned,
    numbers: { ...trial, trialCount, attempt, attemptLimit },
    ...defined({ refusal }),
    judgeModule: moduleJudge(targets, { runId, drillId: drill.id, signal }),
    signal,
    onEvent,
    open: async () => {
      const made = await worlds.create({
        worldId: runId,
        build,
        setup,
        setupHash,
        seed: { ...trial, attempt },
        budgets: { maxToolCalls: drill.timeline.maxToolCalls, maxEvents: drill.timeline.maxEvents },
        placement: { host },
        isChecked: true,
      });
      const delivering = withReceivers(made, { build, fixed: callbackReceivers, signal });
      const { world } = delivering;
      receivers = delivering.receivers;
      onWorld(runId, world);
      return { world, begun: atTheStart(planned) };
    },
    agent: (world) => localAgent(context, { runId, planned, world, transcript, ...defined({ receivers }) }),
    once: () => ({}),
  };
}
