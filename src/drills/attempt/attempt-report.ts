// The report document of a played attempt, and its folder.
import { defined } from '../../contract/defined.js';
import type { RunInvocation, RunReport } from '../../contract/run/run-events.js';
import { packageVersion } from '../../files/installation.js';
import { type WrittenReport, writeRunReport } from '../../reports/write-run-report.js';
import type { PlannedDrill, PlayableDrill } from '../plan/plan.js';
import type { PlayedAttempt } from './attempt.js';

/** What the host knows of it. */
export interface AttemptFacts {
  startedAtMs: number;
  finishedAtMs: number;
  /** Absent: nobody here asked for it. */
  invocation?: RunInvocation;
}

/** `require`: absent where its trials are not judged together. */
type ReportedDrill = PlayableDrill & Partial<Pick<PlannedDrill, 'require'>>;

export function attemptReport(
  { drill, target, require = {} }: ReportedDrill,
  attempt: Omit<PlayedAttempt, 'captured'>,
  facts: AttemptFacts,
): RunReport {
  const { result, cutShort, toolFailures, unanswered } = attempt;
  const { startedAtMs, finishedAtMs, invocation } = facts;
  return {
    schemaVersion: 1,
    runId: result.identity.runId,
    drill: {
      id: drill.id,
      ...defined({ title: drill.title }),
      tags: drill.tags,
      ...defined({ caseOf: drill.caseOf }),
      ...(Object.keys(require).length === 0 ? {} : { require }),
    },
    target: { id: target.id, kind: target.kind },
    result,
    startedAtMs,
    finishedAtMs,
    engineVersion: packageVersion(),
    ...defined({ invocation, cutShort, toolFailures, unanswered }),
  };
}

/** `<reportDirectory>/<runId>/`. */
export function writeAttemptReport(
  reportDirectory: string,
  report: RunReport,
  { journal, captured }: Pick<PlayedAttempt, 'journal' | 'captured'>,
): Promise<WrittenReport> {
  const sealed = report.result.evidenceRange.toSequence > 0;
  return writeRunReport({
    reportDirectory,
    report,
    evidenceLines: sealed && journal !== undefined ? journal.lines() : [],
    attachments: captured.kept,
  });
}
