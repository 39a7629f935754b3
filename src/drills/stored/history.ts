// What stored reports say of each drill over time. A fold: reports in, in any order; of each only what is shown is kept.
//   DRILLS-HISTORY-1. Rates are of first attempts: a retry is made because the first did not pass, so counting it too would flatter, or
//     punish twice.
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import type { Verdict } from '../../contract/run/run.js';
import type { RunReport } from '../../contract/run/run-events.js';
import type { TrialStatistics } from '../../contract/trial-statistics.js';
import { headline } from '../../reports/findings.js';
import { compareTexts } from '../../text/compare-texts.js';
import { medianOf, trialStatistics } from '../plan/statistics.js';
import { inconsistentOf, inputsOf, type JudgedAttempt, passedAtRetryOf } from './flakiness.js';

export interface HistoryRun {
  runId: string;
  verdict: Verdict;
  startedAtMs: number;
  durationMs: number;
  seed: string;
  trial: number;
  attempt: number;
}
export interface DrillHistory {
  drillId: string;
  /** The id that its file gives, of a drill that was made of a case. */
  caseOf?: string;
  /** Attempts that have a report. */
  runs: number;
  passed: number;
  failed: number;
  inconclusive: number;
  /** Of first attempts; absent where only retries have reports. */
  statistics?: TrialStatistics;
  medianDurationMs: number;
  /** The newest, oldest of them first; at most limits.historyRunsShown. */
  latest: HistoryRun[];
  lastFailure?: HistoryRun & { reason: string };
  flaky?: Flakiness;
}
export interface Flakiness {
  /** Trials that passed at a later attempt: those attempts. */
  passedAtRetry: HistoryRun[];
  /** Inputs whose verdict went to and fro, with their runs in order of time. */
  inconsistent: { seed: string; runs: HistoryRun[] }[];
}

interface NotedRun extends HistoryRun, JudgedAttempt {
  /** Of a run that failed. */
  reason?: string;
}

export class History {
  readonly #drills = new Map<string, NotedRun[]>();
  readonly #caseOf = new Map<string, string>();

  add(report: RunReport): void {
    const { drillId } = report.result.identity;
    const runs = this.#drills.get(drillId) ?? [];
    this.#drills.set(drillId, runs);
    runs.push(noteOf(report));
    if (report.drill.caseOf !== undefined) this.#caseOf.set(drillId, report.drill.caseOf);
  }

  /** By id. */
  drills(): DrillHistory[] {
    const ids = [...this.#drills.keys()].sort();
    return ids.map((drillId) => ({
      ...historyOf(drillId, this.#drills.get(drillId)!.toSorted(byTime)),
      ...defined({ caseOf: this.#caseOf.get(drillId) }),
    }));
  }
}

function noteOf(report: RunReport): NotedRun {
  const { identity, verdict } = report.result;
  const { runId, seed, trial, attempt } = identity;
  return {
    runId,
    verdict,
    startedAtMs: report.startedAtMs,
    durationMs: Math.max(report.finishedAtMs - report.startedAtMs, 0),
    seed,
    trial,
    attempt,
    inputs: inputsOf(identity),
    ...(verdict === 'failed' ? { reason: headline(report) } : {}),
  };
}

function byTime(left: NotedRun, right: NotedRun): number {
  return left.startedAtMs - right.startedAtMs || compareTexts(left.runId, right.runId);
}

function historyOf(drillId: string, runs: readonly NotedRun[]): DrillHistory {
  const count = (wanted: Verdict): number => runs.filter(({ verdict }) => verdict === wanted).length;
  const first = runs.filter(({ attempt }) => attempt === 1);
  const failure = runs.findLast(({ verdict }) => verdict === 'failed');
  const flaky = flakinessOf(runs);
  return {
    drillId,
    runs: runs.length,
    passed: count('passed'),
    failed: count('failed'),
    inconclusive: count('inconclusive'),
    ...(first.length === 0
      ? {}
      : { statistics: trialStatistics({ trials: first.length, passed: first.filter(({ verdict }) => verdict === 'passed').length }) }),
    medianDurationMs: medianOf(runs.map(({ durationMs }) => durationMs)),
    latest: runs.slice(-limits.historyRunsShown).map(shown),
    ...(failure === undefined ? {} : { lastFailure: { ...shown(failure), reason: failure.reason ?? '' } }),
    ...defined({ flaky }),
  };
}

function flakinessOf(runs: readonly NotedRun[]): Flakiness | undefined {
  const passedAtRetry = passedAtRetryOf(runs);
  const inconsistent = inconsistentOf(runs);
  if (passedAtRetry.length === 0 && inconsistent.length === 0) return undefined;
  return {
    passedAtRetry: passedAtRetry.slice(-limits.historyRunsShown).map(shown),
    inconsistent: inconsistent
      .slice(0, limits.historyRunsShown)
      .map((same) => ({ seed: same[0]!.seed, runs: same.slice(-limits.historyRunsShown).map(shown) })),
  };
}

function shown({ inputs: _, reason: __, ...run }: NotedRun): HistoryRun {
  return run;
}
