// The report document of a played attempt, and its folder.
import { defined } from '../../contract/defined.js';
import type { RunReport } from '../../contract/run/run-events.js';
import { packageVersion } from '../../files/installation.js';
import { type WrittenReport, writeRunReport } from '../../reports/write-run-report.js';
import type { PlayableDrill } from '../plan/plan.js';
import type { PlayedAttempt } from './attempt.js';

export interface AttemptTimes {
  /** Host time. */
  startedAtMs: number;
  finishedAtMs: number;
}

export function attemptReport({ drill, target }: PlayableDrill, attempt: Omit<PlayedAttempt, 'captured'>, times: AttemptTimes): RunReport {
  const { result, cutShort, toolFailures, unanswered } = attempt;
  return {
    schemaVersion: 1,
    runId: result.identity.runId,
    drill: { id: drill.id, ...defined({ title: drill.title }), tags: drill.tags, ...defined({ caseOf: drill.caseOf }) },
    target: { id: target.id, kind: target.kind },
    result,
    ...times,
    engineVersion: packageVersion(),
    ...defined({ cutShort, toolFailures, unanswered }),
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
