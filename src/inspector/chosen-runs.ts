// What a run request asks for, as options of `runDrills`: a drill, a suite, a run of the past, or those of an invocation that did not pass.
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import type { InspectorStartRunRequest } from '../contract/inspector/runs.js';
import type { RunResult } from '../contract/run/run.js';
import type { RunDrillsOptions } from '../drills/plan/options.js';
import { failedChoice, repeatChoice } from '../drills/stored/repetition.js';
import { readInvocation } from '../reports/invocations.js';
import { readStoredReport } from '../reports/stored-reports.js';
import { counted } from '../text/counted.js';

export interface ChosenRuns {
  options: Pick<RunDrillsOptions, 'drills' | 'suite' | 'only' | 'seed'>;
  /** The run that is repeated. */
  repeated?: RunResult;
}

/** control.NOT_FOUND for a run or an invocation without a report, and where nothing failed. */
export async function chooseRuns(
  { drillId, suiteId, repeatOf, failedOf }: InspectorStartRunRequest,
  reportDirectory: string,
): Promise<ChosenRuns> {
  if (repeatOf !== undefined) {
    const stored = await readStoredReport(join(reportDirectory, repeatOf));
    if (stored.kind !== 'read')
      throw new ServiceError('control.NOT_FOUND', { message: `There is no report of ${repeatOf} that can be used: ${stored.problem}.` });
    return { options: repeatChoice(stored.report), repeated: stored.report.result };
  }
  if (failedOf !== undefined) {
    const invocation = await readInvocation(reportDirectory, failedOf === 'latest' ? undefined : failedOf);
    const options = failedChoice(invocation);
    if (options !== undefined) return { options };
    const message = `Nothing failed: ${counted(invocation.reports.length, 'run')} of ${invocation.id}, and every drill passed.`;
    throw new ServiceError('control.NOT_FOUND', { message, details: { invocationId: invocation.id } });
  }
  if (drillId !== undefined) return { options: { drills: [drillId] } };
  return { options: suiteId === undefined ? {} : { suite: suiteId } };
}
