// What happens while drills run, in order: consumed by live reporters and printed by `run --json` (docs/cli.md).
import type { HostMs, Seed } from '../primitives.js';
import type { TrialStatistics } from '../trial-statistics.js';
import type { ToolFailureReport } from '../world/tool-failure.js';
import type { AgentUsage } from './agent-usage.js';
import type { Trials } from './drill.js';
import type { RunError, RunResult, RunStatus, Verdict } from './run.js';
import type { Transcript } from './transcript.js';

export type RunEvent =
  | {
      event: 'plan';
      invocationId: string;
      runs: number;
      /** Those that run. */
      drills: number;
      /** Drills that were chosen and do not run, where there are any. */
      skipped?: number;
      concurrency: number;
      seed: string;
      shard?: { index: number; count: number };
    }
  | ({ event: 'skipped' } & SkippedDrill)
  | {
      event: 'attempt_started';
      runId: string;
      drillId: string;
      title?: string;
      trial: number;
      trialCount: number;
      attempt: number;
      attemptLimit: number;
    }
  | {
      event: 'interaction';
      runId: string;
      drillId: string;
      interactionId: string;
      phase: 'started' | 'finished';
      status?: string;
      error?: { code: string; message: string };
    }
  | {
      event: 'attempt';
      runId: string;
      drillId: string;
      trial: number;
      attempt: number;
      status: RunStatus;
      verdict: Verdict;
      stateHash: string;
      evidenceHash: string;
      trajectoryHash: string;
      /** The report folder, relative to the root; '' when none was written. */
      report: string;
      /** What its agent said it used, where it did. */
      usage?: AgentUsage;
      /** Tool code that broke, where any did. */
      toolFailures?: ToolFailureReport[];
      /** Why its report could not be written, fetched or believed, where it could not: a sealed verdict of `passed` does not count then. */
      reportError?: RunError;
      /** For reporters in the same process; `run --json` leaves it out. */
      detail?: AttemptDetail;
    }
  | {
      event: 'drill';
      drillId: string;
      verdict: Verdict;
      trialsPassed: number;
      trialCount: number;
      /** A trial passed, but not at its first attempt. */
      flaky?: true;
      /** Of the first attempts of several trials. */
      statistics?: TrialStatistics;
      /** Of all its attempts, where an agent said it. */
      usage?: AgentUsage;
      /** Absent where every trial began. */
      notStarted?: TrialsNotStarted;
    }
  | {
      event: 'summary';
      verdict: Verdict;
      passed: number;
      failed: number;
      inconclusive: number;
      /** Drills that were chosen and did not run, as they say, where there are any. */
      skipped?: number;
      /** The drills that are flaky, where there are any. */
      flaky?: string[];
      /** Trials of which no attempt began, where there are any; a drill that lacks them for its gate is inconclusive. */
      notStarted?: number;
      /** Of all attempts, where an agent said it. */
      usage?: AgentUsage;
      /** Why it ended before all of its attempts were started: a full disk. */
      endedEarly?: { code: string; message: string };
    };

/** A drill that was chosen and says that it does not run. */
export interface SkippedDrill {
  drillId: string;
  title?: string;
  /** Why, in the words of the drill. */
  reason: string;
  tags: string[];
  targetId: string;
}

/** Trials of a drill that the run ended before, and what reporters say of them. */
export interface TrialsNotStarted {
  trials: number[];
  title?: string;
  tags: string[];
  targetId: string;
}

export interface AttemptDetail {
  report: RunReport;
  /** The entries that assertions which did not pass refer to, each as one line of text: what `writeRunReport` returns. */
  cited: CitedEntry[];
  /** Absent where nothing in the journal leads to what went wrong. */
  story?: StoryLine[];
}
export interface CitedEntry {
  sequence: number;
  text: string;
}
/** One line of the story of a failure, in the order in which things happened. */
export interface StoryLine {
  role: 'fault' | 'got' | 'next' | 'call' | 'rows' | 'agent' | 'assertion';
  text: string;
  /** The entry that it is about. */
  sequence?: number;
  /** Of the last line, where it is an assertion. */
  assertionId?: string;
}
/** What a fault of a tool means, in the words of its manifest. */
export interface FaultMeaning {
  packageId: string;
  faultId: string;
  description: string;
}

/** The report document of one attempt: `report.json`. `run.json` is its `result`. */
export interface RunReport {
  schemaVersion: 1;
  runId: string;
  /**
   * `caseOf`: the id that its file gives, of a drill that was made of a case. `require`: the gate over its trials, where it was asked
   * whether that holds.
   */
  drill: { id: string; title?: string; tags: string[]; caseOf?: string; require?: NonNullable<Trials['require']> };
  target: { id: string; kind: string };
  result: RunResult;
  /** Host time, for people; no hash depends on it. */
  startedAtMs: HostMs;
  finishedAtMs: HostMs;
  engineVersion: string;
  /** Absent in reports of earlier versions, and of hosted runs that nobody here asked for. */
  invocation?: RunInvocation;
  /**
   * Why the timeline ended before its time: what was then judged as undecided (docs/drills.md). Absent when it was played to its horizon.
   */
  cutShort?: string;
  /** Tool code that broke, whatever the verdict. Absent when none did. */
  toolFailures?: ToolFailureReport[];
  /** Of the faults that its world began with. Absent where no manifest describes one. */
  faultMeanings?: FaultMeaning[];
  /** What clients asked and no wire route answered, where there was any. Of the host: it is no evidence, and no hash depends on it. */
  unanswered?: UnansweredRequests;
  /**
   * What the agent said while it worked: its messages, and its log where the drill keeps that. Of the host: it is no evidence, and no hash
   * depends on it.
   */
  transcript?: Transcript;
}
/** The command, or the request, that made a run. Of the host: it is no evidence, and no hash depends on it. */
export interface RunInvocation {
  /** `inv_...`: one for all runs of the command. */
  id: string;
  /** The seed of the run, of which that of each trial is derived: with drill and trial it makes the same run again. */
  seed: Seed;
}
export interface UnansweredRequests {
  /** In the order in which each was first asked. `path` is without its query, and without what may be a credential. */
  requests: { method: string; path: string; status: number; times: number }[];
  /** Further ones that are not listed. */
  left: number;
}
