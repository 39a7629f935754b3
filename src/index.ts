// The public list of the package. Here drills get their bindings: the modules themselves do not know each other.
import { createBindings } from './bindings/create-bindings.js';
import type { ControlServer } from './control-server.js';
import type { ControlServerOptions } from './control-server-options.js';
import type { AgentDesk, AgentDeskOptions } from './desk/agent-desk.js';
import type { RunDrillsOptions } from './drills/plan/options.js';
import type { Plan } from './drills/plan/plan.js';
import {
  type PlanDrillsOptions,
  planDrills as planDrillsWith,
  type RunDrillsResult,
  runDrills as runDrillsWith,
} from './drills/run-drills.js';
import type { ForkedRun, ForkRunOptions } from './fork-run.js';
import type { LocalInspector, LocalInspectorOptions } from './inspector/start-inspector.js';
import type { PushSourceOptions, PushSourceResult } from './remote/push-source.js';
import type { RemoteRunOptions } from './remote/run-remote.js';

/** Compiles the repository at `root` and runs its drills: worlds below `.service/runs`, reports below `.service/reports`. */
export function runDrills(options: RunDrillsOptions): Promise<RunDrillsResult> {
  return runDrillsWith(options, createBindings);
}

/**
 * The same drills with their worlds in a hosted service: the source is pushed, targets run here, and the sealed evidence is fetched and
 * checked.
 */
export async function runDrillsRemotely(options: RemoteRunOptions): Promise<RunDrillsResult> {
  const { runDrillsRemotely: run } = await import('./remote/run-remote.js');
  return await run(options);
}

/** Sends what the compiler reads of the repository at `root` to a project of a hosted service, and waits for its build. */
export async function pushSource(options: PushSourceOptions): Promise<PushSourceResult> {
  const { pushSource: push } = await import('./remote/push-source.js');
  return await push(options);
}

/** What `runDrills` would run with the same choice, with every seed; runs nothing. */
export function planDrills(options: PlanDrillsOptions): Promise<Plan> {
  return planDrillsWith(options, createBindings().available);
}

/** Where an agent in a process of its own fetches interactions and hands in results: `runDrills({ agent: desk.agent })`. */
export async function startAgentDesk(options: AgentDeskOptions = {}): Promise<AgentDesk> {
  const { startAgentDesk: start } = await import('./desk/agent-desk.js');
  return await start(options);
}

/** Serves the hosted control API, and worlds to agents. Loaded when it is asked for: nobody else needs what it stands on. */
export async function startControlServer(options: ControlServerOptions = {}): Promise<ControlServer> {
  const { startControlServer: start } = await import('./control-server.js');
  return await start(options);
}

/** Serves the local inspector of the repository at `root`: its API and its web app, on loopback, to holders of the token. */
export async function startLocalInspector(options: LocalInspectorOptions = {}): Promise<LocalInspector> {
  const { startInspector } = await import('./inspector/start-inspector.js');
  return await startInspector(options);
}
/** The same, by the name that says what it serves. */
export function startLocalSimulationServer(options: LocalInspectorOptions & { root: string }): Promise<LocalInspector> {
  return startLocalInspector(options);
}

/** A world as a stored run stood after one of its entries. */
export async function forkRun(options: ForkRunOptions): Promise<ForkedRun> {
  const { forkRun: fork } = await import('./fork-run.js');
  return await fork(options);
}

export type { CallbackReceivers, ReceiverTarget } from './callbacks/receivers.js';
export type { ErrorCode, ErrorEnvelope, Issue } from './contract/errors.js';
export { ServiceError } from './contract/errors.js';
export type { RunComparison } from './contract/hosted/runs.js';
export type { JsonObject, JsonValue } from './contract/json.js';
export type { CompleteRequest, ConnectedInvocation, PendingAnswer } from './contract/run/agent-desk.js';
export type { AgentUsage } from './contract/run/agent-usage.js';
export type { CompiledBuild, Diagnostic } from './contract/run/build.js';
export type { DrillInput } from './contract/run/drill.js';
export type { JudgeContext, JudgedRun, JudgeModule } from './contract/run/judge.js';
export type { JudgeAnswer } from './contract/run/judge-answer.js';
export type { RecordedFile, Recording, RecordingPin } from './contract/run/recording.js';
export type { AssertionResult, RunError, RunResult, RunStatus, Verdict } from './contract/run/run.js';
export type { RunEvent, RunReport, SkippedDrill } from './contract/run/run-events.js';
export { ExternalResult as HandedIn, type TargetCompletion } from './contract/run/target-completion.js';
export type { TargetContext, TargetInvocation, TargetModule, TargetWorld } from './contract/run/target-invocation.js';
export type { AgentMessage, MessageRole, Transcript, TranscriptLine } from './contract/run/transcript.js';
export type { EvidenceEntry, ToolOutcome } from './contract/world/evidence.js';
export type { AdvanceResult, CallResult, ToolCatalogItem, WorldPosition } from './contract/world/world-protocol.js';
export type { ControlServer } from './control-server.js';
export type { ControlServerOptions } from './control-server-options.js';
export type { AgentDesk, AgentDeskOptions } from './desk/agent-desk.js';
export type { CheckReportsOptions, CheckReportsResult } from './drills/check-reports.js';
export { checkReports } from './drills/check-reports.js';
export type { RunDrillsOptions, Selection } from './drills/plan/options.js';
export type { Plan, PlannedDrill, PlannedTrial } from './drills/plan/plan.js';
export type { Shard } from './drills/plan/shard.js';
export { type RecordRunOptions, recordRun } from './drills/record-run.js';
export type { ReplayReportOptions, ReplayReportResult } from './drills/replay-report.js';
export { replayReport } from './drills/replay-report.js';
export type { ReportedAttempt } from './drills/reported-attempt.js';
export type { DrillOutcome, TrialOutcome } from './drills/run.js';
export type { PlanDrillsOptions, RunDrillsResult } from './drills/run-drills.js';
export { SourceInvalidError } from './drills/source-invalid.js';
export type { ChangedAssertion, CheckedReport } from './drills/stored/check-report.js';
export type { CheckedDrill } from './drills/stored/checked-trials.js';
export { type ComparableRun, compareGivenRuns as compareRuns } from './drills/stored/compare-given.js';
export type { ComparedRun } from './drills/stored/compare-runs.js';
export type { DrillHistory, HistoryRun } from './drills/stored/history.js';
export type { DrillHistories, ReadHistoryOptions } from './drills/stored/read-history.js';
export { readHistory } from './drills/stored/read-history.js';
export type { ReplayDifference } from './drills/stored/replay.js';
export type { RowAt, RowDifference, StoredRun } from './drills/stored/stored-run.js';
export { openStoredRun } from './drills/stored/stored-run.js';
export type { TypeCheck, ValidateOptions, ValidateResult } from './drills/validate-repository.js';
export { validateRepository } from './drills/validate-repository.js';
export type { ForkedRun, ForkRunOptions } from './fork-run.js';
export type { LocalInspector, LocalInspectorOptions } from './inspector/start-inspector.js';
export type { ActorCall, LocalWorld, LocalWorldOptions, StateSpace } from './local-world.js';
export { createLocalWorld } from './local-world.js';
export type { RemoteOptions } from './remote/connection.js';
export type { PushedDataset } from './remote/push-dataset.js';
export type { PushedSource, PushSourceOptions, PushSourceResult } from './remote/push-source.js';
export type { RemoteRunOptions } from './remote/run-remote.js';
export type { ReportVerification } from './reports/verify-report.js';
export { verifyReport } from './reports/verify-report.js';
export { defineTool, defineToolBehavior, ToolFailure } from './tools/sdk.js';
export type { WorldRef } from './worlds/api.js';
