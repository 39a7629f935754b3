// One interaction: access for its actor, the target at work under it, access taken back.
import type { Drill } from '../contract/drill.js';
import type { Target } from '../contract/target.js';
import type { TargetInvocation } from '../contract/target-invocation.js';
import type { WorldRef } from '../worlds/api.js';
import type { AttemptContext } from './attempt-context.js';
import type { Access } from './bindings-port.js';
import type { TargetRun, TargetRunner } from './targets/target-run.js';
import type { PlannedInteraction } from './timeline.js';

export interface InteractionPart {
  runId: string;
  drill: Drill;
  target: Target;
  planned: PlannedInteraction;
  world: WorldRef;
  runner: TargetRunner;
  startedAtUs: number;
}

export async function playInteraction({ bindings, signal }: AttemptContext, part: InteractionPart): Promise<{ run: TargetRun; observed: boolean }> {
  const { world, target, planned, runner } = part;
  const actor = { actorId: planned.actorId, ...(planned.actorInstanceId === undefined ? {} : { actorInstanceId: planned.actorInstanceId }) };
  const access = await bindings.open({ world, ...actor, bindings: target.bindings });
  try {
    const run = await runner.run({ invocation: invocationOf(part, access), access, timeoutMs: target.timeoutMs, signal });
    return { run, observed: access.observed() };
  } finally {
    await access.revoke();
  }
}

function invocationOf({ runId, drill, planned, startedAtUs }: InteractionPart, { endpoints }: Access): TargetInvocation {
  const { id, atUs: _, ...who } = planned;
  const urls = Object.entries(endpoints).map(([binding, { url }]) => [binding, { url }]);
  return {
    schemaVersion: 1,
    runId,
    drillId: drill.id,
    interactionId: id,
    ...who,
    virtualTimeUs: startedAtUs,
    bindings: Object.fromEntries(urls) as TargetInvocation['bindings'],
  };
}
