// What has happened so far in a run, from its events: which attempts run, what each trial came to, what is to be explained in the end.
import { limits } from '../contract/limits.js';
import type { Verdict } from '../contract/run/run.js';
import type { AttemptDetail, RunEvent } from '../contract/run/run-events.js';
import type { ToolFailureReport } from '../contract/world/tool-failure.js';
import { gateText } from './gate-text.js';

type EventOf<E extends RunEvent['event']> = Extract<RunEvent, { event: E }>;

export interface RunningAttempt {
  drillId: string;
  /** `trial 2 of 3, attempt 2`; empty for the first attempt of the only trial. */
  which: string;
  interactionId: string | null;
  elapsedMs: number;
}
export interface DrillProgress {
  /** From the start of its first attempt to the end of its last. */
  durationMs: number;
  /** A trial passed only after an attempt that did not. */
  flaky: boolean;
}
export interface NotPassedReason {
  detail: AttemptDetail;
  /** The report folder; '' when there is none. */
  folder: string;
}
interface Running {
  started: EventOf<'attempt_started'>;
  atMs: number;
  interactionId: string | null;
}
/** Of a trial that has ended, by its last attempt. */
interface TrialEnd {
  drillId: string;
  verdict: Verdict;
  reason: NotPassedReason | null;
}

export class RunProgress {
  readonly #nowMs: () => number;
  #beganMs: number;
  readonly #running = new Map<string, Running>();
  readonly #drills = new Map<string, DrillProgress & { beganMs: number }>();
  readonly #trials = new Map<string, TrialEnd>();
  /** Of drills that passed without all of their trials: why. */
  readonly #tolerated = new Map<string, string>();
  /** By tool and handler: the first failure of each, and in how many runs it failed. */
  readonly #toolFailures = new Map<string, { failure: ToolFailureReport; runs: number }>();
  #reasonCount = 0;
  #planned = 0;
  #longestName = 0;
  #reportFolder: string | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#beganMs = nowMs();
  }

  take(event: RunEvent): void {
    if (event.event === 'plan') this.#begin(event);
    else if (event.event === 'attempt_started') this.#start(event);
    else if (event.event === 'interaction') this.#interact(event);
    else if (event.event === 'attempt') this.#end(event);
    else if (event.event === 'drill') this.#close(event);
  }

  get running(): RunningAttempt[] {
    return [...this.#running.values()].map(({ started, atMs, interactionId }) => {
      const { drillId, trial, trialCount, attempt } = started;
      const parts = [...(trialCount > 1 ? [`trial ${trial} of ${trialCount}`] : []), ...(attempt > 1 ? [`attempt ${attempt}`] : [])];
      return { drillId, which: parts.join(', '), interactionId, elapsedMs: this.#nowMs() - atMs };
    });
  }

  get planned(): number {
    return this.#planned;
  }

  /** Trials by the verdict of their last attempt. */
  tallies(): { [V in Verdict]: number } {
    const tallies = { passed: 0, failed: 0, inconclusive: 0 };
    for (const { verdict } of this.#trials.values()) tallies[verdict]++;
    return tallies;
  }

  get toolFailures(): readonly { failure: ToolFailureReport; runs: number }[] {
    return [...this.#toolFailures.values()];
  }

  get elapsedMs(): number {
    return this.#nowMs() - this.#beganMs;
  }

  get longestName(): number {
    return this.#longestName;
  }

  /** The folder that holds the reports, from the last one written. */
  get reportFolder(): string | null {
    return this.#reportFolder;
  }

  drill(drillId: string): DrillProgress {
    return this.#drills.get(drillId) ?? { durationMs: 0, flaky: false };
  }

  /**
   * Of the trials that did not pass, in the order in which they ended; and how many more there were. `tolerated`: of drills that passed
   * without them.
   */
  reasons(): { kept: NotPassedReason[]; left: number; tolerated: { drillId: string; why: string }[] } {
    const trials = [...this.#trials.values()].filter(({ verdict, drillId }) => verdict !== 'passed' && !this.#tolerated.has(drillId));
    const kept = trials.flatMap(({ reason }) => reason ?? []);
    return { kept, left: trials.length - kept.length, tolerated: [...this.#tolerated].map(([drillId, why]) => ({ drillId, why })) };
  }

  /** One reporter may receive several runs, one after another: each is counted and timed for itself. */
  #begin({ runs }: EventOf<'plan'>): void {
    for (const counted of [this.#running, this.#drills, this.#trials, this.#tolerated, this.#toolFailures]) counted.clear();
    this.#beganMs = this.#nowMs();
    this.#reasonCount = 0;
    this.#planned = runs;
    this.#longestName = 0;
    this.#reportFolder = null;
  }

  #start(event: EventOf<'attempt_started'>): void {
    this.#running.set(event.runId, { started: event, atMs: this.#nowMs(), interactionId: null });
    this.#longestName = Math.max(this.#longestName, event.drillId.length);
    if (!this.#drills.has(event.drillId)) this.#drills.set(event.drillId, { durationMs: 0, flaky: false, beganMs: this.#nowMs() });
    this.#forget(trialKey(event));
  }

  #interact({ runId, interactionId, phase }: EventOf<'interaction'>): void {
    const running = this.#running.get(runId);
    if (running !== undefined) running.interactionId = phase === 'started' ? interactionId : null;
  }

  #end(event: EventOf<'attempt'>): void {
    const { runId, drillId, attempt, verdict, report, detail } = event;
    this.#running.delete(runId);
    for (const failure of event.toolFailures ?? []) this.#noteToolFailure(failure);
    const drill = this.#drills.get(drillId);
    if (drill !== undefined) {
      drill.durationMs = this.#nowMs() - drill.beganMs;
      drill.flaky ||= verdict === 'passed' && attempt > 1;
    }
    if (report !== '') this.#reportFolder = report.replace(/[\\/][^\\/]*$/, '');
    const explained = verdict !== 'passed' && detail !== undefined && this.#reasonCount < limits.terminalReasonsMax;
    if (explained) this.#reasonCount++;
    this.#trials.set(trialKey(event), { drillId, verdict, reason: explained ? { detail, folder: report } : null });
  }

  #noteToolFailure(failure: ToolFailureReport): void {
    const key = `${failure.packageId} ${failure.kind} ${failure.handlerId}`;
    const known = this.#toolFailures.get(key);
    if (known !== undefined) known.runs += 1;
    else if (this.#toolFailures.size < limits.reportListItemsMax) this.#toolFailures.set(key, { failure, runs: 1 });
  }

  /** What is not explained leaves its place to others. */
  #close(event: EventOf<'drill'>): void {
    const why = gateText(event);
    if (why === undefined) return;
    this.#tolerated.set(event.drillId, why);
    for (const trial of this.#trials.values()) {
      if (trial.drillId !== event.drillId || trial.reason === null) continue;
      trial.reason = null;
      this.#reasonCount--;
    }
  }

  /** A further attempt takes the place of the one before. */
  #forget(key: string): void {
    if (this.#trials.get(key)?.reason) this.#reasonCount--;
    this.#trials.delete(key);
  }
}

function trialKey({ drillId, trial }: { drillId: string; trial: number }): string {
  return `${trial} ${drillId}`;
}
