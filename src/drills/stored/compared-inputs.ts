// What went into two runs, by name, and what follows from it: whether what they did can be held against each other, and what a difference
// may come from.
//   COMPARED-INPUTS-1. The grade rests on what a run begins with and who plays it: setup, tools, target, task, seed, budgets. What else the
//     repository holds is none of it, so a build that another drill changed is no other input.
import { canonicalJson } from '../../contract/canonical-json.js';
import type { RunComparison } from '../../contract/hosted/runs.js';
import type { JsonValue } from '../../contract/json.js';
import type { RunResult } from '../../contract/run/run.js';

type Lacks = NonNullable<RunComparison['lacks']>;

export function comparedInputs(left: RunResult, right: RunResult): Pick<RunComparison, 'grade' | 'inputs'> & { lacks: Lacks } {
  const [one, other] = [namedInputs(left, right), namedInputs(right, left)];
  const inputs = Object.keys(one)
    .filter((name) => canonicalJson(one[name]!) !== canonicalJson(other[name]!))
    .map((name) => ({ name, left: one[name]!, right: other[name]! }));
  const lacks = lacking(left, right);
  return { grade: gradeOf(left, right, inputs.length === 0 && lacks.length === 0), inputs, lacks };
}

/** Those that both know. What was set up is compared by its hash, tools by that of their lock, the target by that of its declaration. */
function namedInputs(result: RunResult, other: RunResult): { [name: string]: JsonValue } {
  const { identity, startedAtVirtualUs, budgetUsage, setup } = result;
  const { drillId, targetId, targetHash, packageLockHash, seed, trial, attempt, scenarioId, setupHash } = identity;
  return {
    drillId,
    targetId,
    ...(targetHash === undefined || other.identity.targetHash === undefined ? {} : { targetHash }),
    packageLockHash,
    setupHash,
    tasks: tasksOf(result, other),
    seed,
    trial,
    attempt,
    scenarioId: scenarioId ?? null,
    startedAtVirtualUs,
    maxToolCalls: budgetUsage.toolCalls.limit,
    maxEvents: budgetUsage.scheduledEvents.limit,
    bindings: setup.setup.bindings.environment,
  };
}

/** What was asked of the agent, as far as both were asked: a run that was cut short had the same task. */
function tasksOf({ interactions, startedAtVirtualUs }: RunResult, other: RunResult): JsonValue {
  const both = Math.min(interactions.length, other.interactions.length);
  return interactions.slice(0, both).map(({ actorId, actorInstanceId = null, task, scheduledAtVirtualUs }) => {
    const { instruction, input = null } = task;
    return { actorId, actorInstanceId, instruction, input, afterStartUs: scheduledAtVirtualUs - startedAtVirtualUs };
  });
}

/** Of one build, all of it is the same, and nothing is missing to say so. */
function lacking(left: RunResult, right: RunResult): Lacks {
  if (left.identity.buildHash === right.identity.buildHash) return [];
  const sides = { left, right };
  return (['left', 'right'] as const)
    .filter((side) => sides[side].identity.targetHash === undefined)
    .map((side) => ({ side, name: 'targetHash' }));
}

/** Runs of different drills in different setups have nothing in common to align. With equal inputs whatever differs came from the agent. */
function gradeOf({ identity: one }: RunResult, { identity: other }: RunResult, isEqual: boolean): RunComparison['grade'] {
  if (one.drillId !== other.drillId && one.setupHash !== other.setupHash) return 'incompatible';
  return isEqual ? 'exact_inputs' : 'descriptive_only';
}
