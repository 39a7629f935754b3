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
import { entriesAt, type JournalChunks } from './journal-text.js';
import { type ReadSide, readSide } from './read-side.js';
import { type AlignedRuns, alignRuns } from './run-differences.js';
import { RunTrace } from './run-trace.js';
import { type RunValues, runValues, type TracedRun } from './run-values.js';

export interface ComparedRun {
  result: RunResult;
  /** The journal from sequence 1 on (evidence.jsonl). It is read twice. */
  evidence: JournalChunks;
}

/** A side, wherever its journal is read. */
export interface ComparedSide {
  result: RunResult;
  read(): Promise<ReadSide>;
  entriesAt(sequences: ReadonlySet<number>): Promise<Map<number, EvidenceEntry>>;
}

export function compareRuns(left: ComparedRun, right: ComparedRun): Promise<RunComparison> {
  return compareSides(sideOf(left), sideOf(right));
}

/** Read in this thread. */
export function sideOf(run: ComparedRun): ComparedSide {
  return { result: run.result, read: () => readSide(run), entriesAt: (sequences) => entriesAt(run.evidence, sequences) };
}

export async function compareSides(left: ComparedSide, right: ComparedSide): Promise<RunComparison> {
  const { grade, inputs, lacks } = comparedInputs(left.result, right.result);
  // The right one first: where another thread reads it, it does so while this one reads the left.
  const [other, one] = await Promise.all([right.read(), left.read()]);
  const sides = { left: one, right: other };
  const aligned = alignRuns(one.turns, other.turns);
  const values = grade === 'incompatible' ? undefined : await valuesOf({ left, right }, sides, aligned);
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
    counts: countsOf({ left: allCounts(left.result, one.counts), right: allCounts(right.result, other.counts) }),
  };
}

function valuesOf(runs: Pair<ComparedSide>, sides: Pair<ReadSide>, aligned: AlignedRuns): Promise<RunValues> {
  const traced = (side: keyof Pair<unknown>): TracedRun => {
    const { result } = runs[side];
    const trace = new RunTrace(sides[side].trace, result.setup.setup.scenario?.state);
    return { trace, entriesAt: (sequences) => runs[side].entriesAt(sequences) };
  };
  const [one, other] = [runs.left.result.identity, runs.right.result.identity];
  const tags = { left: worldTag(one.worldInstanceId), right: worldTag(other.worldInstanceId) };
  const sameStart = one.setupHash === other.setupHash;
  return runValues({ left: traced('left'), right: traced('right') }, aligned, { tags, sameStart });
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

function allCounts(result: RunResult, counts: ReadSide['counts']): ReadonlyMap<string, number> {
  const { interactions, startedAtVirtualUs, finishedAtVirtualUs, budgetUsage } = result;
  return new Map([
    ...counts,
    ['interactions', interactions.length],
    ['virtualUs', finishedAtVirtualUs - startedAtVirtualUs],
    ['toolCalls.attempted', budgetUsage.toolCalls.attempted],
    ['toolCalls.rejected', budgetUsage.toolCalls.rejected],
    ['scheduledEvents.processed', budgetUsage.scheduledEvents.processed],
  ]);
}

function countsOf({ left, right }: Pair<ReadonlyMap<string, number>>): RunComparison['counts'] {
  const names = [...new Set([...left.keys(), ...right.keys()])].sort();
  return names.map((name) => ({ name, left: left.get(name) ?? 0, right: right.get(name) ?? 0 }));
}
