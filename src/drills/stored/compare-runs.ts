// Two sealed runs side by side: whether their inputs were the same, where they parted, what came of it. Facts only, never which is better.
//   COMPARE-RUNS-1. Pure: results and journals in, a comparison out. Paths of the machine are in neither.
//   COMPARE-RUNS-2. What happened is compared turn by turn. A turn is known by its cause (who called what, which event came due), not by
//     its place or its ids: a turn that only one side has is reported as such, and does not make everything after it look different.
import { defined } from '../../contract/defined.js';
import type { RunComparison } from '../../contract/hosted/runs.js';
import type { RunResult } from '../../contract/run/run.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { worldTag } from '../../reports/compared-values.js';
import { comparedInputs } from './compared-inputs.js';
import { alignRuns } from './run-differences.js';
import { RunTrace } from './run-trace.js';
import { runValues } from './run-values.js';

export interface ComparedRun {
  result: RunResult;
  /** The journal from sequence 1 on, as chunks of whole lines (evidence.jsonl). It is read twice. */
  evidence: AsyncIterable<string> | Iterable<string>;
}

export async function compareRuns(left: ComparedRun, right: ComparedRun): Promise<RunComparison> {
  const { grade, inputs, lacks } = comparedInputs(left.result, right.result);
  const shared = { trace: new RunTrace({ tag: worldTag(left.result.identity.worldInstanceId) }), counts: new Counts() };
  const [one, other] = [observed(left, shared), observed(right, shared)];
  const aligned = await alignRuns(one, other, (entry) => {
    shared.trace.observe(entry);
    shared.counts.observe(entry);
  });
  const values = grade === 'incompatible' ? undefined : await valuesOf([one, other], aligned);
  return {
    schemaVersion: 1,
    grade,
    left: { runId: left.result.identity.runId, verdict: left.result.verdict },
    right: { runId: right.result.identity.runId, verdict: right.result.verdict },
    inputs,
    equal: {
      stateHash: left.result.stateHash === right.result.stateHash,
      evidenceHash: left.result.evidenceHash === right.result.evidenceHash,
      trajectoryHash: left.result.trajectoryHash === right.result.trajectoryHash,
    },
    ...(lacks.length === 0 ? {} : { lacks }),
    ...(values === undefined
      ? {}
      : {
          ...defined({ firstDivergence: values.divergence, rows: values.rows }),
          differences: { ...aligned.differences, shown: values.shown },
        }),
    assertions: assertionsOf(left.result, right.result),
    counts: countsOf({ left: one.counts.of(left.result), right: other.counts.of(right.result) }),
  };
}

interface Observed extends ComparedRun {
  trace: RunTrace;
  counts: Counts;
  observe: (entry: EvidenceEntry) => void;
}

function observed(run: ComparedRun, shared: Pick<Observed, 'trace' | 'counts'>): Observed {
  const { identity, setup } = run.result;
  const trace = new RunTrace({ tag: worldTag(identity.worldInstanceId), start: setup.setup.scenario?.state, shared: shared.trace });
  const counts = new Counts(shared.counts);
  const observe = (entry: EvidenceEntry): void => {
    trace.observe(entry);
    counts.observe(entry);
  };
  return { ...run, trace, counts, observe };
}

function valuesOf([left, right]: [Observed, Observed], aligned: Awaited<ReturnType<typeof alignRuns>>) {
  const [one, other] = [left.result.identity, right.result.identity];
  const tags = { left: worldTag(one.worldInstanceId), right: worldTag(other.worldInstanceId) };
  return runValues({ left, right }, aligned, { tags, sameStart: one.setupHash === other.setupHash });
}

interface Pair<T> {
  left: T;
  right: T;
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
  readonly #shared: Counts | undefined;

  constructor(shared?: Counts) {
    this.#shared = shared;
  }

  observe(entry: EvidenceEntry): void {
    this.#add(`entries.${entry.kind}`);
    if (entry.kind === 'operation') this.#add(`operations.${entry.outcome.kind}`);
    if (entry.kind === 'event') this.#add(`events.${entry.phase}`);
    if (entry.kind === 'state_change') this.#add(`stateChanges.${entry.change}`);
  }
  of({ interactions, startedAtVirtualUs, finishedAtVirtualUs, budgetUsage }: RunResult): ReadonlyMap<string, number> {
    for (const [name, count] of this.#shared === undefined ? [] : this.#shared.#counts) this.#add(name, count);
    this.#counts.set('interactions', interactions.length);
    this.#counts.set('virtualUs', finishedAtVirtualUs - startedAtVirtualUs);
    this.#counts.set('toolCalls.attempted', budgetUsage.toolCalls.attempted);
    this.#counts.set('toolCalls.rejected', budgetUsage.toolCalls.rejected);
    this.#counts.set('scheduledEvents.processed', budgetUsage.scheduledEvents.processed);
    return this.#counts;
  }

  #add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }
}

function countsOf({ left, right }: Pair<ReadonlyMap<string, number>>): RunComparison['counts'] {
  const names = [...new Set([...left.keys(), ...right.keys()])].sort();
  return names.map((name) => ({ name, left: left.get(name) ?? 0, right: right.get(name) ?? 0 }));
}
