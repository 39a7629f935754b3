// A report folder checked: read only if it is what was sealed, judged with the assertions of today, returned with what came out
// differently.
import { defined } from '../../contract/defined.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { Trials } from '../../contract/run/drill.js';
import type { AssertionStatus, RunIdentity, RunResult, Verdict } from '../../contract/run/run.js';
import type { ReportProblem } from '../../reports/report-problems.js';
import type { VerifyOptions } from '../../reports/verify-report.js';
import { type Judgement, judgeReport } from './judge-report.js';
import { readVerifiedReport } from './verified-report.js';

/** An assertion whose status is another than it was; absent on the side that does not have it. */
export interface ChangedAssertion {
  assertionId: string;
  checkpointId?: string;
  sealed?: AssertionStatus;
  status?: AssertionStatus;
  message?: string;
}
export type CheckedReport =
  | {
      kind: 'checked';
      runId: string;
      drillId: string;
      identity: RunIdentity;
      startedAtMs: number;
      /** The gate over trials of the present source. */
      require: Trials['require'];
      /** As it was sealed. */
      sealed: Verdict;
      judgement: Judgement;
      changed: ChangedAssertion[];
      /** The present source would start the drill from something else. */
      setupChanged: boolean;
    }
  | { kind: 'unavailable'; runId: string | null; problems: ReportProblem[] };

export async function checkReport(folder: string, build: CompiledBuild, options: VerifyOptions = {}): Promise<CheckedReport> {
  const read = await readVerifiedReport(folder, options);
  if (!read.ok) return { kind: 'unavailable', runId: read.runId, problems: read.problems };
  const { report, entries } = read;
  const { result } = report;
  const { drillId, setupHash } = result.identity;
  const compiled = build.drills.find(({ drill }) => drill.id === drillId);
  if (compiled === undefined) {
    const message = `The repository has no drill '${drillId}' any more, so there are no assertions to check.`;
    return { kind: 'unavailable', runId: report.runId, problems: [{ file: '', code: 'DRILL_UNKNOWN', message }] };
  }
  const judgement = await judgeReport(report, entries, compiled.drill);
  return {
    kind: 'checked',
    runId: report.runId,
    drillId,
    identity: result.identity,
    startedAtMs: report.startedAtMs,
    require: compiled.drill.trials.require,
    sealed: result.verdict,
    judgement,
    changed: changedAssertions(result, judgement),
    setupChanged: compiled.setupHash !== setupHash,
  };
}

type JudgedParts = Pick<RunResult, 'checkpoints' | 'assertionResults'>;
type NamedResult = { assertionId: string; checkpointId?: string; status: AssertionStatus; message: string };

function changedAssertions(sealed: JudgedParts, judged: JudgedParts): ChangedAssertion[] {
  const [before, after] = [byName(sealed), byName(judged)];
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((name): ChangedAssertion[] => {
    const [was, is] = [before.get(name), after.get(name)];
    if (was?.status === is?.status) return [];
    const { assertionId, checkpointId } = (is ?? was)!;
    return [
      {
        assertionId,
        ...defined({ checkpointId, sealed: was?.status, status: is?.status, message: is?.message }),
      },
    ];
  });
}

function byName({ checkpoints, assertionResults }: JudgedParts): Map<string, NamedResult> {
  const all: NamedResult[] = [
    ...assertionResults.map(({ assertionId, status, message }) => ({ assertionId, status, message })),
    ...checkpoints.flatMap(({ checkpointId, assertionResults: results }) =>
      results.map(({ assertionId, status, message }) => ({ assertionId, checkpointId, status, message })),
    ),
  ];
  return new Map(all.map((named) => [JSON.stringify([named.checkpointId ?? null, named.assertionId]), named]));
}
