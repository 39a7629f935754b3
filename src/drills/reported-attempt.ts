// An attempt with its report: played, written down, reported. Its lane is free when it has been played: the report needs no world.
import { join, relative, resolve } from 'node:path';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { JsonObject } from '../contract/json.js';
import { localFolders } from '../contract/local-folders.js';
import { usageOf } from '../contract/run/agent-usage.js';
import type { RunError, RunResult, Verdict } from '../contract/run/run.js';
import type { AttemptDetail, FaultMeaning, RunEvent, RunReport } from '../contract/run/run-events.js';
import type { ToolFailureReport } from '../contract/world/tool-failure.js';
import { Attempt, type PlayedAttempt } from './attempt/attempt.js';
import type { AttemptContext } from './attempt/attempt-context.js';
import { attemptReport, writeAttemptReport } from './attempt/attempt-report.js';
import { type AttemptRequest, localEnvironment } from './local-attempt.js';
import type { RunDrillsOptions } from './plan/options.js';
import { runError } from './ports/run-error.js';

export interface ReportedAttempt {
  runId: string;
  /** From 1. */
  attempt: number;
  verdict: Verdict;
  result: RunResult;
  /** The report folder, relative to the root; '' when none was written. */
  report: string;
  /** Why there is no report though one was wanted; such an attempt never counts as passed. */
  reportError?: RunError;
}

export interface PlayedOut {
  /** As it was judged; a caller that waits for `reported` may learn that a passed one is inconclusive, for want of its report. */
  verdict: Verdict;
  reported: Promise<ReportedAttempt>;
}

export async function attemptPlayed(context: AttemptContext, options: RunDrillsOptions, request: AttemptRequest): Promise<PlayedOut> {
  const { planned } = request;
  const startedAtMs = Date.now();
  const environment = localEnvironment(context, request);
  const { runId, transcript } = environment;
  context.onEvent(attemptStarted(request, runId));
  const played = await new Attempt(environment).play();
  const { result } = played;
  const placed = played.toolFailures?.map((failure) => withPlace(failure, context));
  const meanings = faultMeanings(context.build, result);
  const document: RunReport = {
    ...attemptReport(planned, placed === undefined ? played : { ...played, toolFailures: placed }, {
      startedAtMs,
      finishedAtMs: Date.now(),
      invocation: context.invocation,
    }),
    ...(meanings.length === 0 ? {} : { faultMeanings: meanings }),
    ...defined({ transcript: transcript.settle({ passed: result.verdict === 'passed' }) }),
  };
  const writing = writeReport(options, document, played);
  // A journal that was not kept is read from the world once more.
  if (played.journal?.isKept === false) await writing;
  await played.world?.passivate();
  return { verdict: result.verdict, reported: writing.then((written) => tellReported(context.onEvent, request, document, written)) };
}

/** Of the faults that its world began with, where their tools describe them. */
function faultMeanings({ tools }: AttemptContext['build'], { setup }: RunResult): FaultMeaning[] {
  return setup.setup.scenario.faults.flatMap(({ packageId, faultId }) => {
    const fault = tools.find(({ manifest }) => manifest.id === packageId)?.manifest.faults.find(({ id }) => id === faultId);
    return fault?.description === undefined ? [] : [{ packageId, faultId, description: fault.description }];
  });
}

export function attemptStarted({ planned, trial, attempt }: AttemptRequest, runId: string): RunEvent {
  const { drill, trialCount, attemptLimit } = planned;
  const title = drill.title === undefined ? {} : { title: drill.title };
  const place = { trial: trial.trial, trialCount, attempt, attemptLimit };
  return { event: 'attempt_started', runId, drillId: drill.id, ...title, ...place };
}

export function withPlace(failure: ToolFailureReport, { placeOfHandler }: Pick<AttemptContext, 'placeOfHandler'>): ToolFailureReport {
  const place = placeOfHandler(failure.packageId, failure.handlerId);
  return place === undefined ? failure : { ...failure, place };
}

/** The last word on an attempt. */
export function tellReported(
  onEvent: AttemptContext['onEvent'],
  { trial, attempt }: AttemptRequest,
  document: RunReport,
  written: ReportWriting,
): ReportedAttempt {
  const { runId, result } = document;
  const { report, reportError, cited, story } = written;
  const verdict = reportError !== undefined && result.verdict === 'passed' ? 'inconclusive' : result.verdict;
  const { status, stateHash, evidenceHash, trajectoryHash } = result;
  // What is shown of it has the verdict that counts, and why.
  const shown =
    verdict === result.verdict || reportError === undefined
      ? document
      : { ...document, result: { ...result, verdict, failure: reportError } };
  const detail: AttemptDetail = { report: shown, cited, ...defined({ story }) };
  onEvent({
    event: 'attempt',
    runId,
    drillId: document.drill.id,
    trial: trial.trial,
    attempt,
    status,
    verdict,
    stateHash,
    evidenceHash,
    trajectoryHash,
    report,
    ...defined({ usage: usageOf(result), toolFailures: document.toolFailures, reportError }),
    detail,
  });
  return { runId, attempt, verdict, result, report, ...defined({ reportError }) };
}

export interface ReportWriting {
  /** Relative to the root; '': there is none. */
  report: string;
  reportError?: RunError;
  cited: AttemptDetail['cited'];
  story?: AttemptDetail['story'];
}

/** Why there is no report. */
export function writeFailed(error: Error): RunError {
  if (!(error instanceof ServiceError)) {
    return runError('reporter.WRITE_FAILED', `The report could not be written: ${error.message.replace(/\.$/, '')}.`);
  }
  return runError('reporter.WRITE_FAILED', error.message, { details: { ...error.extra.details, code: error.code } as JsonObject });
}

/** Of an attempt that was played here. */
export async function writeReport(
  { root, reportDirectory = localFolders.reports }: RunDrillsOptions,
  report: RunReport,
  played: Pick<PlayedAttempt, 'journal' | 'captured'>,
): Promise<ReportWriting> {
  if (reportDirectory === false) return { report: '', cited: [] };
  const directory = resolve(root, reportDirectory);
  try {
    const { cited, story } = await writeAttemptReport(directory, report, played);
    return { report: relative(resolve(root), join(directory, report.runId)), cited, story };
  } catch (error) {
    return { report: '', reportError: writeFailed(error as Error), cited: [] };
  }
}
