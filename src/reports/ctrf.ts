// A run as one CTRF document (https://ctrf.io, the schema of the npm package ctrf): a test a trial, its earlier attempts as retry attempts.
import { defined } from '../contract/defined.js';
import type { Verdict } from '../contract/run/run.js';
import type { SkippedDrill } from '../contract/run/run-events.js';
import { toolFailureText } from '../contract/world/tool-failure.js';
import { jsonDocument } from './projections.js';
import {
  type AttemptRecord,
  hostSpan,
  neverStarted,
  type RunRecords,
  reasonsOrHeadline,
  type TrialRecord,
  trialName,
  type UnstartedTrial,
} from './run-records.js';
import { type RunRefusal, refusalText, refusedTest } from './run-refusal.js';
import type { PlaceOf } from './source-place.js';

/** The version of the format whose schema the tests hold it to. */
const specVersion = '0.0.0';

export function ctrfDocument(records: RunRecords, placeOf: PlaceOf): string {
  const { trials, unstarted, skipped, shard, totals, refusal, beganAtMs } = records;
  const refused = refusal === undefined ? [] : [refusedRun(refusal)];
  const extra = defined({ shard, usage: totals?.usage });
  const count = (wanted: Verdict): number => trials.filter((trial) => verdictOf(trial) === wanted).length;
  const { startedAtMs: start, finishedAtMs: stop } = hostSpan(trials) ?? { startedAtMs: beganAtMs, finishedAtMs: beganAtMs };
  const first = trials[0];
  return jsonDocument({
    reportFormat: 'CTRF',
    specVersion,
    generatedBy: 'drillyard',
    results: {
      tool: { name: 'drillyard', ...(first === undefined ? {} : { version: first.engineVersion, extra: { buildHash: first.buildHash } }) },
      summary: {
        tests: refused.length + trials.length + unstarted.length + skipped.length,
        passed: count('passed'),
        failed: refused.length + count('failed'),
        skipped: skipped.length,
        pending: unstarted.length,
        other: count('inconclusive'),
        flaky: trials.filter(isFlaky).length,
        start,
        stop,
        duration: Math.max(stop - start, 0),
        ...(Object.keys(extra).length === 0 ? {} : { extra }),
      },
      tests: [
        ...refused,
        ...trials.map((trial) => testOf(trial, placeOf)),
        ...unstarted.map((trial) => pendingTest(trial, placeOf)),
        ...skipped.map((drill) => skippedTest(drill, placeOf)),
      ],
    },
  });
}

function testOf(trial: TrialRecord, placeOf: PlaceOf): object {
  const { drillId, verdict, attempts, reasons, why, seed, repeat, tolerated, toolFailures, usage } = trial;
  const said = reasonsOrHeadline(trial).map(({ message }) => message);
  const place = placeOf(drillId, reasons[0]?.assertionId);
  const last = attempts.at(-1)!;
  const earlier = attempts.slice(0, -1).map((attempt) => ({ attempt: attempt.attempt, attemptId: attempt.runId, ...outcomeOf(attempt) }));
  return {
    ...nameOf(trial),
    executionId: last.runId,
    ...outcomeOf({ ...last, verdict: verdictOf(trial) }),
    rawStatus: verdict,
    ...groupsOf(trial),
    retries: earlier.length,
    ...(earlier.length === 0 ? {} : { retryAttempts: earlier }),
    flaky: isFlaky(trial),
    ...(verdict === 'passed'
      ? {}
      : { message: [...(tolerated === undefined ? [] : [`Tolerated: ${tolerated}.`]), ...said].join('\n'), trace: why }),
    ...defined({ filePath: place?.file, line: place?.line }),
    ...(last.report === '' ? {} : { attachments: [{ name: 'report', contentType: 'text/html', path: `${last.report}/index.html` }] }),
    ...(toolFailures.length === 0 ? {} : { stderr: toolFailures.map(toolFailureText) }),
    extra: { seed, ...defined({ repeat, usage }) },
  };
}

/** CTRF has no word for a run without a verdict. */
function refusedRun(refusal: RunRefusal): object {
  const { code, message } = refusal;
  return { name: refusedTest, status: 'failed', duration: 0, rawStatus: code, message, trace: refusalText(refusal) };
}

/** CTRF's word for what was planned and not executed. */
function pendingTest(trial: UnstartedTrial, placeOf: PlaceOf): object {
  const place = placeOf(trial.drillId);
  return {
    ...nameOf(trial),
    status: 'pending',
    duration: 0,
    rawStatus: 'not_started',
    ...groupsOf(trial),
    message: trial.tolerated === undefined ? neverStarted : `Tolerated: ${trial.tolerated}.\n${neverStarted}`,
    ...(place === undefined ? {} : { filePath: place.file, line: place.line }),
  };
}

/** One a drill, whatever its trials. */
function skippedTest({ reason, ...drill }: SkippedDrill, placeOf: PlaceOf): object {
  const place = placeOf(drill.drillId);
  return {
    ...nameOf({ ...drill, trial: 1, trialCount: 1 }),
    status: 'skipped',
    duration: 0,
    rawStatus: 'skipped',
    ...groupsOf(drill),
    message: reason,
    ...defined({ filePath: place?.file, line: place?.line }),
  };
}

function nameOf(trial: Pick<UnstartedTrial, 'drillId' | 'title' | 'trial' | 'trialCount'>): object {
  const { drillId, title } = trial;
  const name = title === undefined ? trialName(trial) : `${trialName(trial)}: ${title}`;
  return { name, testId: `${drillId}#${trial.trial}` };
}
function groupsOf({ targetId, drillId, tags }: Pick<UnstartedTrial, 'targetId' | 'drillId' | 'tags'>): object {
  return { suite: [targetId, drillId], ...(tags.length === 0 ? {} : { tags: [...tags] }) };
}

/** A trial whose failure its drill's gate allows is a flaky test in the words of CTRF: `rawStatus` says what it came to. */
function verdictOf({ verdict, tolerated }: TrialRecord): Verdict {
  return tolerated === undefined ? verdict : 'passed';
}
function isFlaky({ flaky, tolerated }: TrialRecord): boolean {
  return flaky || tolerated !== undefined;
}

/** CTRF has no word for undecided, and `other` never counts as passed. */
function outcomeOf({ verdict, startedAtMs, finishedAtMs }: AttemptRecord) {
  const status = verdict === 'inconclusive' ? 'other' : verdict;
  return { status, start: startedAtMs, stop: finishedAtMs, duration: Math.max(finishedAtMs - startedAtMs, 0) };
}
