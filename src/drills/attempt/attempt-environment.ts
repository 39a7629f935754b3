// What an attempt is played on: where its world comes from, who its agent is, what is kept of it as it goes. A local run makes a world for
// it and keeps nothing; a hosted run takes a session's world and keeps every step, so that another incarnation can continue
// (hosted-attempt.ts).
import type { CompiledBuild } from '../../contract/run/build.js';
import type { BindingEvidence, CheckpointResult, InteractionResult, RunError } from '../../contract/run/run.js';
import type { RunEvent, UnansweredRequests } from '../../contract/run/run-events.js';
import type { WorldRef } from '../../worlds/api.js';
import type { ExpressionJudge } from '../judge/evaluate-expression.js';
import type { ModuleJudge } from '../judge/module-judge.js';
import type { PlayableDrill } from '../plan/plan.js';
import type { PlannedInteraction } from '../plan/timeline.js';
import type { TargetRun } from '../targets/target-run.js';
import type { CapturedFile } from './capture.js';
import type { AttemptNumbers } from './run-setup.js';

export interface AttemptEnvironment {
  runId: string;
  build: CompiledBuild;
  planned: PlayableDrill;
  numbers: AttemptNumbers;
  /** Why nothing of it can be played. */
  refusal?: RunError;
  /** Where expressions are judged. Default: in this thread. */
  judgeExpression?: ExpressionJudge;
  /** Asks the modules of `custom` assertions. Default: they are not asked. */
  judgeModule?: ModuleJudge;
  /** Aborted when the run is cancelled. */
  signal: AbortSignal;
  onEvent: (event: RunEvent) => void;
  /** Given where others read the result: it then says of a bug only that there was one. */
  onBug?: (bug: unknown, correlationId: string) => void;
  /** The world with its budgets set: made, or taken as it stands. */
  open(): Promise<OpenedWorld>;
  agent(world: WorldRef, begun: AttemptStart): Agent;
  once: OnceGuard;
  progressStore?: ProgressStore;
  /** What was attached beside what the agent's work brought along. */
  attached?(): Promise<CapturedFile[]>;
}
export interface OpenedWorld {
  world: WorldRef;
  begun: AttemptStart;
  /** By an earlier incarnation. */
  played?: AttemptProgress;
  ended?: TimelineEnd;
}
export interface AttemptStart extends StepPosition {
  /** Of the last entry before the attempt; 1, the world's making, is the attempt's own. */
  evidenceSequence: number;
}
/** How the timeline ended: nothing is played after it. */
export interface TimelineEnd {
  cancelled: boolean;
  cutShort?: string;
  failure?: RunError;
}
/** Of the attempt's evidence. */
export function firstSequence({ evidenceSequence }: Pick<AttemptStart, 'evidenceSequence'>): number {
  return evidenceSequence <= 1 ? 1 : evidenceSequence + 1;
}

/** Who does the work of the interactions. */
export interface Agent {
  /** Never rejects for what the agent does: that is a status. When it resolves the agent has no access any more. */
  work(interaction: PlannedInteraction, started: StepStart): Promise<WorkResult>;
  release(): Promise<void>;
}
export interface WorkResult {
  run: TargetRun;
  bindingEvidence: BindingEvidence;
  unanswered?: UnansweredRequests | undefined;
}
export interface StepStart {
  virtualTimeUs: number;
  toolCallsAtStart: number;
}

/** Where a world stands between two steps, when nothing moves it but the attempt. */
export interface StepPosition {
  virtualTimeUs: number;
  toolCalls: { attempted: number; rejected: number };
  eventsProcessed: number;
}
/** One interaction as it was played. */
export interface PlayedStep {
  interaction: InteractionResult;
  checkpoint?: CheckpointResult;
  mark: StepPosition;
  /** What happened in the world meanwhile that ends the timeline. */
  stopped?: string;
}
/** Keeps a play as it goes, for another incarnation to continue with it. */
export interface ProgressStore {
  keep(step: PlayedStep): Promise<void>;
  /** Yields the end that stands: a cancellation may have come first. */
  end(ended: TimelineEnd): Promise<TimelineEnd>;
}
/** What has been played already. */
export interface AttemptProgress {
  steps: readonly PlayedStep[];
  /** Of the interaction after them. */
  started?: StepStart;
}
/** The key under which the world does a step of this attempt once, however often it is asked; nothing where no one asks twice. */
export type OnceGuard = (step: string) => { operationKey?: string };
