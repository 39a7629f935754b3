// The environment of a local attempt: a world made for it, its target as the agent, nothing kept.
import { withReceivers } from '../callbacks/delivering-world.js';
import type { Receivers } from '../callbacks/receivers.js';
import { defined } from '../contract/defined.js';
import { newId } from '../contract/ids.js';
import type { AttemptContext } from './attempt/attempt-context.js';
import type { AttemptEnvironment } from './attempt/attempt-environment.js';
import { atTheStart } from './attempt/attempt-result.js';
import { localAgent } from './attempt/interaction.js';
import type { PlannedDrill, PlannedTrial } from './plan/plan.js';
import { moduleJudge } from './targets/module-judge.js';

export interface AttemptRequest {
  planned: PlannedDrill;
  trial: PlannedTrial;
  attempt: number;
  /** Where its world lives; nobody else does meanwhile. */
  host: number;
}

export function localEnvironment(context: AttemptContext, { planned, trial, attempt, host }: AttemptRequest): AttemptEnvironment {
  const { build, worlds, targets, callbackReceivers, signal, onEvent, onWorld } = context;
  const { drill, setup, setupHash, trialCount, attemptLimit, refusal } = planned;
  const runId = newId('run');
  let receivers: Receivers | undefined;
  return {
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
      });
      const delivering = withReceivers(made, { build, fixed: callbackReceivers, signal });
      const { world } = delivering;
      receivers = delivering.receivers;
      onWorld(runId, world);
      return { world, begun: atTheStart(planned) };
    },
    agent: (world) => localAgent(context, { runId, planned, world, ...defined({ receivers }) }),
    once: () => ({}),
  };
}
