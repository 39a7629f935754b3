// Which runs of the past a `run` is about, and how often it is made: `--repeat`, `--last-failed`, `--until-failed`.
import { resolve } from 'node:path';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { RunResult } from '../contract/run/run.js';
import type { RunDrillsResult } from '../drills/run-drills.js';
import { failedChoice, type RepeatChoice, repeatChoice, repetitionOf } from '../drills/stored/repetition.js';
import { readInvocation, type StoredInvocation } from '../reports/invocations.js';
import { repetitionText } from '../reports/repetition-text.js';
import { oneReportPath } from '../reports/report-path.js';
import { readStoredReport } from '../reports/stored-reports.js';
import { counted } from '../text/counted.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import type { AgainFlags, OneRun } from './one-run.js';

export interface Plays {
  once: (run: OneRun) => Promise<{ code: ExitCode; result?: RunDrillsResult }>;
  /** Has the reporters say why there is nothing to run. */
  nothing: (run: OneRun, why: string, line: object) => ExitCode;
}

export async function runAgain(run: OneRun, flags: AgainFlags, plays: Plays): Promise<ExitCode> {
  const { output, options } = run;
  const chosen = await chooseAgain(options, flags);
  if ('noneOf' in chosen) {
    const { id: invocationId, reports } = chosen.noneOf;
    const why = `nothing failed in ${invocationId} (${counted(reports.length, 'run')})`;
    return plays.nothing(run, why, { event: 'nothing_failed', invocationId, runs: reports.length });
  }
  const { choice, repeated } = chosen;
  const due = { ...run, options: { ...options, ...narrowed(choice, options) } };
  const { untilFailed: times = 1 } = flags;
  for (let round = 1; ; round++) {
    if (times > 1) output.line({ event: 'round', round, of: times });
    if (times > 1 && !output.json) output.say(`\nRound ${round} of ${times}`);
    const { code, result } = await plays.once(due);
    if (repeated !== undefined && result !== undefined) tellRepetition(run, repeated, result);
    if (times > 1 && !output.json && code === exitCodes.passed && round === times)
      output.say(`All of it passed ${counted(times, 'time')}.`);
    if (code !== exitCodes.passed || round === times) return code;
  }
}

async function chooseAgain(
  { root, reportDirectory }: OneRun['options'],
  { repeat, lastFailed }: AgainFlags,
): Promise<{ choice: RepeatChoice | undefined; repeated?: RunResult } | { noneOf: StoredInvocation }> {
  if (repeat !== undefined) {
    const folder = oneReportPath(repeat, root);
    const stored = await readStoredReport(folder);
    if (stored.kind !== 'read')
      throw new ServiceError('control.INVALID_REQUEST', { message: `The report ${folder} cannot be used: ${stored.problem}.` });
    return { choice: repeatChoice(stored.report), repeated: stored.report.result };
  }
  if (lastFailed === undefined) return { choice: undefined };
  const invocation = await readInvocation(resolve(root, reportDirectory), lastFailed === true ? undefined : lastFailed);
  const choice = failedChoice(invocation);
  return choice === undefined ? { noneOf: invocation } : { choice };
}

/** What is named beside it narrows the choice, and a seed that is named wins. */
function narrowed(choice: RepeatChoice | undefined, { drills = [], seed }: OneRun['options']): Partial<RepeatChoice> {
  if (choice === undefined) return {};
  return { ...choice, ...(drills.length === 0 ? {} : { drills }), ...defined({ seed }) };
}

function tellRepetition({ output }: OneRun, repeated: RunResult, { drills }: RunDrillsResult): void {
  for (const { result, runId } of drills.flatMap(({ trials }) => trials.flatMap(({ attempts }) => attempts.slice(-1)))) {
    const repetition = repetitionOf(repeated, result);
    output.line({ event: 'repetition', runId, ...repetition });
    if (!output.json) output.say(repetitionText(repetition));
  }
}
