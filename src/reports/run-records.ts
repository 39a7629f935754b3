// What a run came to, trial by trial, for the documents about a whole run: of each attempt what they show, not its report.
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';
import { type AgentUsage, sumUsage, usageOf } from '../contract/run/agent-usage.js';
import type { AssertionLocation, Verdict } from '../contract/run/run.js';
import type { AttemptDetail, RunEvent, RunReport, SkippedDrill } from '../contract/run/run-events.js';
import type { ToolFailureReport } from '../contract/world/tool-failure.js';
import { counted } from '../text/counted.js';
import { anywhere, type CommandPlace } from './command-place.js';
import { agentWords, failedInteractions, findingsOf, headline, leftUndecided } from './findings.js';
import { gateText } from './gate-text.js';
import { plain } from './palette.js';
import { repeatCommand } from './repeat-command.js';
import type { RunRefusal } from './run-refusal.js';
import { whyLines } from './text-report.js';

export interface AttemptRecord {
  runId: string;
  attempt: number;
  verdict: Verdict;
  /** The report folder as the event named it; '' when there is none. */
  report: string;
  startedAtMs: number;
  finishedAtMs: number;
}
/** From the first start to the last end of all attempts, which run at the same time; undefined where there is none. */
export function hostSpan(trials: readonly TrialRecord[]): Pick<AttemptRecord, 'startedAtMs' | 'finishedAtMs'> | undefined {
  let [startedAtMs, finishedAtMs] = [Number.POSITIVE_INFINITY, 0];
  // One by one: a function takes no argument for each of very many.
  for (const attempt of trials.flatMap(({ attempts }) => attempts)) {
    startedAtMs = Math.min(startedAtMs, attempt.startedAtMs);
    finishedAtMs = Math.max(finishedAtMs, attempt.finishedAtMs);
  }
  return startedAtMs === Number.POSITIVE_INFINITY ? undefined : { startedAtMs, finishedAtMs };
}
/** A gate that did not pass, or what kept the attempt from running. */
export interface Reason {
  /** Absent: of the run itself. */
  assertionId?: string;
  message: string;
  location?: AssertionLocation;
}
/** A trial of the plan, started or not. */
interface PlannedTrial {
  drillId: string;
  title?: string;
  tags: readonly string[];
  targetId: string;
  trial: number;
  trialCount: number;
  /** It did not pass, and its drill did all the same: why. */
  tolerated?: string;
}
export interface TrialRecord extends PlannedTrial {
  seed: string;
  /** The command that plays it again, for who reads it anywhere. */
  repeat?: string;
  /** The same, as it starts from where the run was started. */
  repeatHere?: string;
  /** Of the last attempt. */
  verdict: Verdict;
  /** It passed, but not at first. */
  flaky: boolean;
  attempts: AttemptRecord[];
  /** What decided the verdict of the last attempt, in one line. */
  headline: string;
  /** Empty when it passed. */
  reasons: Reason[];
  /** All of it as text. */
  why: string;
  /** Of the last attempt. */
  toolFailures: readonly ToolFailureReport[];
  /** Of all its attempts, where an agent said it. */
  usage?: AgentUsage;
  engineVersion: string;
  buildHash: string;
}
/** A trial that the run ended before. */
export type UnstartedTrial = PlannedTrial;
/** What every format says of it. */
export const neverStarted = 'The run ended before it began; nothing of it ran.';
export type RunTotals = Omit<Extract<RunEvent, { event: 'summary' }>, 'event'>;

export class RunRecords {
  /** Host time; a command begins with its records. */
  readonly beganAtMs = Date.now();
  readonly #trials = new Map<string, TrialRecord>();
  readonly #unstarted: UnstartedTrial[] = [];
  readonly #skipped: SkippedDrill[] = [];
  #totals: RunTotals | undefined;
  #shard: string | undefined;
  #seed: string | undefined;
  #refusal: RunRefusal | undefined;
  #nothing: string | undefined;
  readonly #place: CommandPlace;

  /** `place`: where the run was started. */
  constructor({ place = anywhere }: { place?: CommandPlace } = {}) {
    this.#place = place;
  }

  take(event: RunEvent): void {
    if (event.event === 'plan') {
      this.#seed = event.seed;
      if (event.shard !== undefined) this.#shard = `${event.shard.index}/${event.shard.count}`;
    }
    if (event.event === 'skipped') this.#skipped.push(event);
    if (event.event === 'attempt' && event.detail !== undefined) this.#end(event, event.detail);
    if (event.event === 'drill') this.#close(event);
    if (event.event === 'summary') this.#totals = event;
  }

  /** The run ended with an error, whatever it had come to. */
  refuse(refusal: RunRefusal): void {
    this.#refusal = refusal;
  }

  /** There was nothing to run. `why`: in words, with which no sentence begins. */
  nothingToRun(why: string): void {
    this.#nothing = why;
  }

  /** Why not one trial was to run, in words; undefined where some were, or the run ended with an error. */
  get nothingRan(): string | undefined {
    if (this.#trials.size + this.#unstarted.length > 0 || this.#refusal !== undefined) return undefined;
    if (this.#skipped.length > 0) return `${counted(this.#skipped.length, 'drill')} skipped`;
    return this.#shard === undefined ? this.#nothing : `no drill falls to shard ${this.#shard}`;
  }
  /** In the order in which they first ended. */
  get trials(): readonly TrialRecord[] {
    return [...this.#trials.values()];
  }
  get unstarted(): readonly UnstartedTrial[] {
    return this.#unstarted;
  }
  get skipped(): readonly SkippedDrill[] {
    return this.#skipped;
  }
  get refusal(): RunRefusal | undefined {
    return this.#refusal;
  }
  /** Absent when the run ended with an error. */
  get totals(): RunTotals | undefined {
    return this.#totals;
  }
  /** Of the run: its trials derive theirs from it. */
  get seed(): string | undefined {
    return this.#seed;
  }
  /** `1/3` */
  get shard(): string | undefined {
    return this.#shard;
  }

  #close(event: Extract<RunEvent, { event: 'drill' }>): void {
    const tolerated = gateText(event);
    this.#unstarted.push(...unstartedTrials(event, tolerated));
    if (tolerated === undefined) return;
    for (const trial of this.#trials.values())
      if (trial.drillId === event.drillId && trial.verdict !== 'passed') trial.tolerated = tolerated;
  }

  #end(
    { runId, drillId, trial, attempt, verdict, report: folder }: Extract<RunEvent, { event: 'attempt' }>,
    { report, cited }: AttemptDetail,
  ): void {
    const key = `${trial} ${drillId}`;
    const { attempts: before = [], usage: usedBefore } = this.#trials.get(key) ?? {};
    const { startedAtMs, finishedAtMs, result } = report;
    const attempts = [...before, { runId, attempt, verdict, report: folder, startedAtMs, finishedAtMs }];
    const why = verdict === 'passed' ? '' : whyLines(report, cited, plain).join('\n').trimEnd();
    this.#trials.set(key, {
      drillId,
      ...defined({ title: report.drill.title }),
      tags: report.drill.tags,
      targetId: report.target.id,
      trial,
      trialCount: result.identity.trialCount,
      seed: result.identity.seed,
      ...defined({ repeat: repeatCommand(report), repeatHere: repeatCommand(report, this.#place) }),
      verdict,
      flaky: verdict === 'passed' && attempts.length > 1,
      attempts,
      headline: headline(report),
      reasons: verdict === 'passed' ? [] : reasonsOf(report, verdict),
      why: why.length > limits.recordWhyCharsMax ? `${why.slice(0, limits.recordWhyCharsMax)}\n…` : why,
      toolFailures: report.toolFailures ?? [],
      ...defined({ usage: sumUsage([usedBefore, usageOf(result)]) }),
      engineVersion: report.engineVersion,
      buildHash: result.identity.buildHash,
    });
  }
}

function unstartedTrials(
  { drillId, trialCount, notStarted }: Extract<RunEvent, { event: 'drill' }>,
  tolerated: string | undefined,
): UnstartedTrial[] {
  if (notStarted === undefined) return [];
  const { trials, ...about } = notStarted;
  const common = { drillId, trialCount, ...about, ...defined({ tolerated }) };
  return trials.map((trial) => ({ ...common, trial }));
}

function reasonsOf(report: RunReport, verdict: Verdict): Reason[] {
  const { failure } = report.result;
  const undecided = new Set(leftUndecided(report).map(({ assertion }) => assertion));
  const gates = findingsOf(report.result).filter(({ assertion }) => assertion.gate && !undecided.has(assertion));
  return [
    ...(verdict === report.result.verdict ? [] : [{ message: 'The report of this attempt could not be written.' }]),
    ...(failure === undefined ? [] : [{ message: `${failure.code}: ${failure.message}` }]),
    ...failedInteractions(report.result)
      .slice(0, limits.recordReasonsMax)
      .map(({ interactionId, targetResult }) => ({ message: `${interactionId}: ${agentWords({ targetResult })}` })),
    ...gates.slice(0, limits.recordReasonsMax).map(({ assertion: { assertionId, message, location } }) => ({
      assertionId,
      message,
      ...defined({ location }),
    })),
  ];
}

/** Why a trial did not pass, never empty: where nothing of it says, what its headline says. */
export function reasonsOrHeadline({ reasons, headline }: TrialRecord): Reason[] {
  return reasons.length > 0 ? reasons : [{ message: headline }];
}

/** Worst first: failed, undecided, flaky, the rest. */
export function byWeight(left: TrialRecord, right: TrialRecord): number {
  return weight(left) - weight(right);
}

function weight({ verdict, flaky, tolerated }: TrialRecord): number {
  if (tolerated !== undefined || flaky) return 2;
  return verdict === 'failed' ? 0 : verdict === 'inconclusive' ? 1 : 3;
}

/** `refund (trial 2 of 3)` */
export function trialName({ drillId, trial, trialCount }: Pick<TrialRecord, 'drillId' | 'trial' | 'trialCount'>): string {
  return trialCount > 1 ? `${drillId} (trial ${trial} of ${trialCount})` : drillId;
}
