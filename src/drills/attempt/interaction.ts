// The agent of a local attempt: for each interaction access for its actor, the target at work under it, access taken back.
import { defined } from '../../contract/defined.js';
import type { TargetInvocation } from '../../contract/run/target-invocation.js';
import type { WorldRef } from '../../worlds/api.js';
import type { PlayableDrill } from '../plan/plan.js';
import type { PlannedInteraction } from '../plan/timeline.js';
import type { Access, ReceiverBook } from '../ports/bindings-port.js';
import { bindingUrls } from '../targets/command-environment.js';
import type { TargetRunner } from '../targets/target-run.js';
import type { AttemptContext } from './attempt-context.js';
import type { Agent, StepStart, WorkResult } from './attempt-environment.js';
import type { AttemptTranscript } from './transcript.js';

export interface LocalAgentPart {
  runId: string;
  planned: PlayableDrill;
  world: WorldRef;
  /** Where the agent may add itself, as long as it has access. */
  receivers?: ReceiverBook;
  transcript: AttemptTranscript;
}

export function localAgent(context: AttemptContext, part: LocalAgentPart): Agent {
  const runner = context.targets.runnerFor(part.planned.target);
  return {
    work: (interaction, started) => workOn(context, { ...part, runner, interaction, started }),
    release: () => runner.release(),
  };
}

interface InteractionPart extends LocalAgentPart {
  runner: TargetRunner;
  interaction: PlannedInteraction;
  started: StepStart;
}

async function workOn({ bindings, signal }: AttemptContext, part: InteractionPart): Promise<WorkResult> {
  const { world, planned, interaction, runner, receivers, transcript } = part;
  const { target } = planned;
  const actor = {
    actorId: interaction.actorId,
    ...defined({ actorInstanceId: interaction.actorInstanceId }),
  };
  const access = await bindings.open({
    world,
    ...actor,
    bindings: target.bindings,
    ...defined({ receivers, mcpToolNames: target.mcpToolNames, httpMounts: target.httpMounts }),
  });
  const speaker = transcript.speakerOf(interaction.id, world);
  try {
    const invocation = invocationOf(part, access);
    const run = await runner.run({ invocation, access, timeoutMs: target.timeoutMs, signal, say: speaker.say });
    await speaker.end();
    return { run, bindingEvidence: access.observed() ? 'observed' : 'issued', unanswered: access.unanswered() };
  } finally {
    await access.revoke();
  }
}

function invocationOf({ runId, planned, interaction, started }: InteractionPart, { endpoints }: Access): TargetInvocation {
  const { id, atUs: _, ...who } = interaction;
  return {
    schemaVersion: 1,
    runId,
    drillId: planned.drill.id,
    interactionId: id,
    ...who,
    virtualTimeUs: started.virtualTimeUs,
    bindings: bindingUrls(endpoints),
  };
}
