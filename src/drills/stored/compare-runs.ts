// Two sealed runs side by side: whether their inputs were the same, where they parted, what came of it. Facts only, never which is better.
//   COMPARE-RUNS-1. Pure: results and journals in, a comparison out. Paths of the machine are in neither.
//   COMPARE-RUNS-2. What happened is compared turn by turn. A turn is known by its cause (who called what, which event came due), not by
//     its place or its ids: a turn that only one side has is reported as such, and does not make everything after it look different.
import { canonicalJson } from '../../contract/canonical-json.js';
import { defined } from '../../contract/defined.js';
import type { RunComparison } from '../../contract/hosted/runs.js';
import type { JsonValue } from '../../contract/json.js';
import type { RunResult } from '../../contract/run/run.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { runDifferences } from './run-differences.js';

export interface ComparedRun {
  result: RunResult;
  /** The journal from sequence 1 on, as chunks of whole lines (evidence.jsonl). */
  evidence: AsyncIterable<string> | Iterable<string>;
}

export async function compareRuns(left: ComparedRun, right: ComparedRun): Promise<RunComparison> {
  const inputs = inputsOf(left.result, right.result);
  const grade = gradeOf(left.result, right.result, inputs);
  const counts: Pair<Counts> = { left: new Counts(), right: new Counts() };
  const differences = await runDifferences(
    { ...left, observe: (entry) => counts.left.observe(entry) },
    { ...right, observe: (entry) => counts.right.observe(entry) },
  );
  const [one, other] = [left.result, right.result];
  return {
    schemaVersion: 1,
    grade,
    left: { runId: one.identity.runId, verdict: one.verdict },
    right: { runId: other.identity.runId, verdict: other.verdict },
    inputs,
    equal: {
      stateHash: one.stateHash === other.stateHash,
      evidenceHash: one.evidenceHash === other.evidenceHash,
      trajectoryHash: one.trajectoryHash === other.trajectoryHash,
    },
    ...(grade === 'incompatible' ? {} : differences),
    assertions: assertionsOf(one, other),
    counts: countsOf({ left: counts.left.of(one), right: counts.right.of(other) }),
  };
}

interface Pair<T> {
  left: T;
  right: T;
}

/** By name, those that differ. What was set up is compared by its hash, who ran it by the target and its bindings. */
function inputsOf(left: RunResult, right: RunResult): RunComparison['inputs'] {
  const [one, other] = [namedInputs(left), namedInputs(right)];
  return Object.keys(one)
    .filter((name) => canonicalJson(one[name]!) !== canonicalJson(other[name]!))
    .map((name) => ({ name, left: one[name]!, right: other[name]! }));
}

function namedInputs({ identity, startedAtVirtualUs, budgetUsage, setup }: RunResult): { [name: string]: JsonValue } {
  const { drillId, targetId, buildHash, packageLockHash, seed, trial, attempt, scenarioId, setupHash } = identity;
  return {
    drillId,
    targetId,
    buildHash,
    packageLockHash,
    setupHash,
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

/** Runs of different drills have nothing to align. With equal inputs whatever differs came from the agent. */
function gradeOf(left: RunResult, right: RunResult, inputs: RunComparison['inputs']): RunComparison['grade'] {
  if (left.identity.drillId !== right.identity.drillId) return 'incompatible';
  return inputs.length === 0 ? 'exact_inputs' : 'descriptive_only';
}

/** Every assertion of either side with its status, checkpoints first as they came; those of a checkpoint are named with it. */
function assertionsOf(left: RunResult, right: RunResult): RunComparison['assertions'] {
  const statuses = ({ checkpoints, assertionResults }: RunResult): Map<string, string> => {
    const all = checkpoints.flatMap(({ checkpointId, assertionResults: results }) =>
      results.map(({ assertionId, status }) => [`${checkpointId}/${assertionId}`, status] as const),
    );
    return new Map([...all, ...assertionResults.map(({ assertionId, status }) => [assertionId, status] as const)]);
  };
  const [one, other] = [statuses(left), statuses(right)];
  return [...new Set([...one.keys(), ...other.keys()])].map((assertionId) => {
    const [before, after] = [one.get(assertionId), other.get(assertionId)];
    return { assertionId, ...defined({ left: before, right: after }) };
  });
}

class Counts {
  readonly #counts = new Map<string, number>();

  observe(entry: EvidenceEntry): void {
    this.#add(`entries.${entry.kind}`);
    if (entry.kind === 'operation') this.#add(`operations.${entry.outcome.kind}`);
    if (entry.kind === 'event') this.#add(`events.${entry.phase}`);
    if (entry.kind === 'state_change') this.#add(`stateChanges.${entry.change}`);
  }
  of({ interactions, startedAtVirtualUs, finishedAtVirtualUs, budgetUsage }: RunResult): ReadonlyMap<string, number> {
    this.#counts.set('interactions', interactions.length);
    this.#counts.set('virtualUs', finishedAtVirtualUs - startedAtVirtualUs);
    this.#counts.set('toolCalls.attempted', budgetUsage.toolCalls.attempted);
    this.#counts.set('toolCalls.rejected', budgetUsage.toolCalls.rejected);
    this.#counts.set('scheduledEvents.processed', budgetUsage.scheduledEvents.processed);
    return this.#counts;
  }

  #add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}

function countsOf({ left, right }: Pair<ReadonlyMap<string, number>>): RunComparison['counts'] {
  const names = [...new Set([...left.keys(), ...right.keys()])].sort();
  return names.map((name) => ({ name, left: left.get(name) ?? 0, right: right.get(name) ?? 0 }));
}
