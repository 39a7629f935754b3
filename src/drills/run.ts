// One run of a plan: its trials in lanes, retries, verdicts, and what ends it early. How one attempt is played, its `play` says: in a world
// here (reported-attempt.ts), or in the session of a hosted service.
import { resolve } from 'node:path';
import { defined } from '../contract/defined.js';
import { newId } from '../contract/ids.js';
import { localFolders } from '../contract/local-folders.js';
import { type AgentUsage, sumUsage, usageOf } from '../contract/run/agent-usage.js';
import type { Drill } from '../contract/run/drill.js';
import type { RunError, Verdict } from '../contract/run/run.js';
import type { RunEvent, RunInvocation, SkippedDrill, TrialsNotStarted } from '../contract/run/run-events.js';
import type { TrialStatistics } from '../contract/trial-statistics.js';
import { writeUnstarted } from '../reports/unstarted-trials.js';
import { forEachInLanes, type Rest } from './lanes.js';
import type { AttemptRequest } from './local-attempt.js';
import type { RunDrillsOptions } from './plan/options.js';
import type { Plan } from './plan/plan.js';
import type { Shard } from './plan/shard.js';
import { drillVerdict, firstAttemptStatistics, overallVerdict, trialVerdict } from './plan/trials.js';
import { runError, saysDiskFull } from './ports/run-error.js';
import type { PlayedOut, ReportedAttempt } from './reported-attempt.js';

export interface TrialOutcome {
  trial: number;
  seed: string;
  verdict: Verdict;
  /** It passed, but not at the first attempt. */
  flaky: boolean;
  attempts: ReportedAttempt[];
}
export interface DrillOutcome {
  drillId: string;
  title?: string;
  verdict: Verdict;
  /** A trial passed, but not at its first attempt. */
  flaky: boolean;
  /** Of the first attempts of several trials: absent for a drill of one trial, and where none was started. */
  statistics?: TrialStatistics;
  /** Of all its attempts, where an agent said it. */
  usage?: AgentUsage;
  trials: TrialOutcome[];
}
/** What a run of drills came to. */
export interface BuildRunResult {
  schemaVersion: 1;
  /** `inv_...`: in the report of each of its runs. */
  invocationId: string;
  buildHash: string;
  suiteId?: string;
  seed: string;
  shard?: Shard;
  verdict: Verdict;
  /** Drills. */
  passed: number;
  failed: number;
  inconclusive: number;
  cancelled: boolean;
  /** Of all attempts, where an agent said it. */
  usage?: AgentUsage;
  /** Drills that were chosen and say that they do not run; they count in no verdict. */
  skipped: SkippedDrill[];
  /** A full disk: no further attempts were started, and what did not run counts as inconclusive. Which folder it is, and what to do. */
  endedEarly?: RunError;
  drills: DrillOutcome[];
}

/** What its attempts are played with. */
export interface RunStage {
  invocation: RunInvocation;
  signal: AbortSignal;
  onEvent: (event: RunEvent) => void;
  /** Never rejects for what goes wrong in an attempt: that is its result. */
  play(request: AttemptRequest): Promise<PlayedOut>;
}

/** A new one, for all runs of a plan. */
export function newInvocation({ seed }: Pick<Plan, 'seed'>): RunInvocation {
  return { id: newId('inv'), seed };
}

/** Tells of the plan, and of what is skipped, before anything runs. */
export function announcePlan(
  { drills, skipped, concurrency, seed, shard }: Plan,
  { invocation, onEvent }: Pick<RunStage, 'invocation' | 'onEvent'>,
): void {
  const runs = plannedRuns({ drills });
  onEvent({
    event: 'plan',
    invocationId: invocation.id,
    runs,
    drills: drills.length,
    ...(skipped.length === 0 ? {} : { skipped: skipped.length }),
    concurrency,
    seed,
    ...defined({ shard }),
  });
  for (const drill of skipped) onEvent({ event: 'skipped', ...skippedDrill(drill) });
}

export function skippedDrill({ id, title, skip = '', tags, targetId }: Drill): SkippedDrill {
  return { drillId: id, ...defined({ title }), reason: skip, tags, targetId };
}

export function plannedRuns({ drills }: Pick<Plan, 'drills'>): number {
  return drills.reduce((sum, { trials }) => sum + trials.length, 0);
}

type RunOptions = Pick<RunDrillsOptions, 'root' | 'runDirectory' | 'reportDirectory' | 'stopOnFailure'>;

export class Run {
  readonly #plan: Plan;
  readonly #options: RunOptions;
  readonly #stage: RunStage;
  readonly #drills: DrillOutcome[];
  /** By drill, how many have not ended. */
  readonly #openTrials: number[];
  #stopped = false;
  #endedEarly: RunError | undefined;

  constructor(plan: Plan, options: RunOptions, stage: RunStage) {
    this.#plan = plan;
    this.#options = options;
    this.#stage = stage;
    this.#openTrials = plan.drills.map(({ trials }) => trials.length);
    this.#drills = plan.drills.map(({ drill, trials }) => ({
      drillId: drill.id,
      ...defined({ title: drill.title }),
      verdict: 'inconclusive',
      flaky: false,
      trials: trials.map(({ trial, seed }) => ({ trial, seed, verdict: 'inconclusive', flaky: false, attempts: [] })),
    }));
  }

  async play(): Promise<BuildRunResult> {
    const { drills, concurrency } = this.#plan;
    const jobs = drills.flatMap((planned, drillIndex) => planned.trials.map((_, trialIndex) => ({ drillIndex, trialIndex })));
    await forEachInLanes(jobs, { lanesMax: concurrency }, (job, lane) => this.#playTrial(job, lane));
    this.#noteUnstarted();
    return this.#summary();
  }

  #noteUnstarted(): void {
    const { root, reportDirectory = localFolders.reports } = this.#options;
    const notStarted = this.#drills
      .map((drill) => ({ drillId: drill.drillId, trials: trialsLeft(drill) }))
      .filter(({ trials }) => trials.length > 0);
    if (reportDirectory !== false && notStarted.length > 0)
      writeUnstarted(resolve(root, reportDirectory), { ...this.#stage.invocation, notStarted });
  }

  async #playTrial({ drillIndex, trialIndex }: { drillIndex: number; trialIndex: number }, lane: number): Promise<Rest> {
    const planned = this.#plan.drills[drillIndex]!;
    const outcome = this.#drills[drillIndex]!.trials[trialIndex]!;
    const { signal } = this.#stage;
    for (let attempt = 1; attempt <= planned.attemptLimit && !signal.aborted && !this.#stopped; attempt++) {
      const request = { planned, trial: planned.trials[trialIndex]!, attempt, host: lane };
      const { verdict, reported } = await this.#stage.play(request);
      const reports = reported.then((played) => {
        outcome.attempts.push(played);
        this.#endOnFullDisk(played);
      });
      // Of several lanes each continues while its last report is written; one alone reports a trial before it begins the next.
      if (attempt === planned.attemptLimit && this.#plan.concurrency > 1) {
        outcome.verdict = verdict;
        this.#stopAfter(drillIndex);
        return { rest: reports.then(() => this.#closeTrial(drillIndex, outcome)) };
      }
      await reports;
      if (outcome.attempts.at(-1)?.verdict === 'passed') break;
    }
    this.#closeTrial(drillIndex, outcome);
    return undefined;
  }

  #closeTrial(drillIndex: number, outcome: TrialOutcome): void {
    Object.assign(outcome, trialVerdict(outcome.attempts.map(({ verdict }) => verdict)));
    this.#stopAfter(drillIndex);
    this.#openTrials[drillIndex]! -= 1;
    if (this.#openTrials[drillIndex] === 0) this.#closeDrill(drillIndex);
  }

  #endOnFullDisk({ result: { failure }, reportError }: ReportedAttempt): void {
    const full = [failure, reportError].find((error) => error !== undefined && saysDiskFull(error));
    if (full === undefined || this.#endedEarly !== undefined) return;
    this.#stopped = true;
    const { root, runDirectory = localFolders.runs } = this.#options;
    const place = full.details.path ?? resolve(root, runDirectory);
    const message = `The disk is full at ${place}. No further attempts were started; what was acknowledged before is kept. Free some space and run again.`;
    this.#endedEarly = runError('control.STORAGE_FULL', message, { retryable: true, details: { path: place } });
  }

  /** A failed trial that the gate of its drill allows for stops nothing. */
  #stopAfter(drillIndex: number): void {
    if (this.#options.stopOnFailure === true && this.#verdictOf(drillIndex) === 'failed') this.#stopped = true;
  }

  /** A trial that has not ended is inconclusive. */
  #verdictOf(drillIndex: number): Verdict {
    const verdicts = this.#drills[drillIndex]!.trials.map(({ verdict }) => verdict);
    return drillVerdict(verdicts, this.#plan.drills[drillIndex]!.require);
  }

  #closeDrill(drillIndex: number): void {
    const outcome = this.#drills[drillIndex]!;
    const { drill } = this.#plan.drills[drillIndex]!;
    outcome.verdict = this.#verdictOf(drillIndex);
    outcome.flaky = outcome.trials.some(({ flaky }) => flaky);
    const statistics = firstAttemptStatistics(outcome.trials.map(({ attempts }) => attempts[0]?.verdict));
    if (statistics !== undefined) outcome.statistics = statistics;
    const usage = sumUsage(outcome.trials.flatMap(({ attempts }) => attempts.map(({ result }) => usageOf(result))));
    if (usage !== undefined) outcome.usage = usage;
    this.#stage.onEvent({
      event: 'drill',
      drillId: drill.id,
      verdict: outcome.verdict,
      trialsPassed: outcome.trials.filter(({ verdict }) => verdict === 'passed').length,
      trialCount: outcome.trials.length,
      ...(outcome.flaky ? { flaky: true as const } : {}),
      ...defined({ statistics, usage }),
      ...notStarted(drill, outcome),
    });
  }

  #ending(): Pick<Extract<RunEvent, { event: 'summary' }>, 'endedEarly'> {
    if (this.#endedEarly === undefined) return {};
    const { code, message } = this.#endedEarly;
    return { endedEarly: { code, message } };
  }

  #summary(): BuildRunResult {
    const { buildHash, suiteId, seed, shard, skipped } = this.#plan;
    const count = (wanted: Verdict): number => this.#drills.filter(({ verdict }) => verdict === wanted).length;
    const totals = {
      verdict: overallVerdict(this.#drills.map(({ verdict }) => verdict)),
      passed: count('passed'),
      failed: count('failed'),
      inconclusive: count('inconclusive'),
    };
    const flaky = this.#drills.filter((drill) => drill.flaky).map(({ drillId }) => drillId);
    const left = this.#drills.flatMap(trialsLeft).length;
    const usage = sumUsage(this.#drills.map((drill) => drill.usage));
    const event: RunEvent = {
      event: 'summary',
      ...totals,
      ...(skipped.length === 0 ? {} : { skipped: skipped.length }),
      ...(flaky.length === 0 ? {} : { flaky }),
      ...(left === 0 ? {} : { notStarted: left }),
      ...defined({ usage }),
      ...this.#ending(),
    };
    this.#stage.onEvent(event);
    return {
      schemaVersion: 1,
      invocationId: this.#stage.invocation.id,
      buildHash,
      ...defined({ suiteId }),
      seed,
      ...defined({ shard }),
      ...totals,
      skipped: skipped.map(skippedDrill),
      cancelled: this.#stage.signal.aborted,
      ...defined({ usage, endedEarly: this.#endedEarly }),
      drills: this.#drills,
    };
  }
}

function trialsLeft({ trials }: DrillOutcome): number[] {
  return trials.filter(({ attempts }) => attempts.length === 0).map(({ trial }) => trial);
}

function notStarted({ title, tags, targetId }: Drill, outcome: DrillOutcome): { notStarted?: TrialsNotStarted } {
  const trials = trialsLeft(outcome);
  return trials.length === 0 ? {} : { notStarted: { trials, ...defined({ title }), tags, targetId } };
}
