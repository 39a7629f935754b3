// One attempt of a drill in a session of a hosted service: the session made for it, the run played there with its target here, the evidence
// fetched. Same build, same setup, same seed, trial and attempt: the same world as a local run makes, and so the same hashes.
//   REMOTE-ATTEMPT-1. There is always a result, and it is reported.
//   REMOTE-ATTEMPT-2. The session is destroyed when the run has ended, and with it a run that has not.
import { resolve } from 'node:path';
import { pause } from '../async/pause.js';
import { ControlError, OperationError } from '../client/control-error.js';
import { ServiceError } from '../contract/errors.js';
import type { WorldSession } from '../contract/hosted/resources.js';
import type { RunPath } from '../contract/hosted/runs.js';
import { newId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import { localFolders } from '../contract/local-folders.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { HostedRun, RunError, RunResult } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';
import { timelineLength } from '../contract/run/timeline-length.js';
import type { AttemptContext } from '../drills/attempt/attempt-context.js';
import { attemptReport } from '../drills/attempt/attempt-report.js';
import { attemptResult } from '../drills/attempt/attempt-result.js';
import { Capture, type CaptureOutcome } from '../drills/attempt/capture.js';
import { type AttemptNumbers, runIdentity, runSetup } from '../drills/attempt/run-setup.js';
import type { AttemptRequest } from '../drills/local-attempt.js';
import type { RunDrillsOptions } from '../drills/plan/options.js';
import { runError, runErrorFrom } from '../drills/ports/run-error.js';
import {
  attemptStarted,
  type PlayedOut,
  type ReportedAttempt,
  type ReportWriting,
  tellReported,
  withPlace,
  writeReport,
} from '../drills/reported-attempt.js';
import type { TargetRunner } from '../drills/targets/target-run.js';
import type { Targets } from '../drills/targets/targets.js';
import type { Remote } from './connection.js';
import { workRemotely } from './remote-interaction.js';
import { fetchReport } from './remote-report.js';
import { refusalOf } from './service-url.js';

export interface RemoteStage extends Pick<AttemptContext, 'targets' | 'signal' | 'onEvent' | 'placeOfHandler' | 'invocation'> {
  remote: Remote;
  environmentId: string;
  /** As it compiles here. */
  build: CompiledBuild;
  /** As the service made it. */
  buildHash: string;
  targets: Targets;
  options: Pick<RunDrillsOptions, 'root' | 'reportDirectory'>;
  onNotice: (text: string) => void;
}

export function playRemotely(stage: RemoteStage, request: AttemptRequest): Promise<PlayedOut> {
  return new RemoteAttempt(stage, request).play();
}

class RemoteAttempt {
  readonly #stage: RemoteStage;
  readonly #request: AttemptRequest;
  readonly #numbers: AttemptNumbers;
  readonly #startedAtMs = Date.now();
  #runId: string | undefined;

  constructor(stage: RemoteStage, request: AttemptRequest) {
    this.#stage = stage;
    this.#request = request;
    const { planned, trial, attempt } = request;
    this.#numbers = { ...trial, trialCount: planned.trialCount, attempt, attemptLimit: planned.attemptLimit };
  }

  async play(): Promise<PlayedOut> {
    const { planned } = this.#request;
    try {
      const ended = planned.refusal === undefined ? await this.#playSession() : planned.refusal;
      if ('code' in ended) return await this.#withoutEvidence(ended);
      if (ended.result === undefined) return await this.#withoutEvidence(ended.failure ?? cancelled(`The run is ${ended.state}.`));
      return { verdict: ended.result.verdict, reported: this.#fetched(ended, ended.result) };
    } catch (error) {
      return await this.#withoutEvidence(this.#stage.signal.aborted ? cancelled('The run was cancelled.') : failureOf(error));
    }
  }

  /** The run as it ended. */
  async #playSession(): Promise<HostedRun | RunError> {
    const { remote, environmentId, buildHash, signal, onNotice } = this.#stage;
    const { client, projectId } = remote;
    const { planned } = this.#request;
    if (signal.aborted) return cancelled('The run was cancelled.');
    const timeoutMs = timeoutOf(this.#request);
    const { seed, trial, attempt } = this.#numbers;
    const ttlMs = timeoutMs + limits.remoteSessionSpareMs;
    const wanted = { projectId, environmentId, buildHash, drillId: planned.drill.id, seed, trial, attempt, ttlMs };
    let ended: HostedRun | undefined;
    try {
      await client.withSession(wanted, async (session) => {
        ended = await this.#playRun(session, timeoutMs);
      });
    } catch (error) {
      if (ended === undefined) throw error;
      onNotice(`A session of ${planned.drill.id} was not destroyed (${(error as Error).message}); it ends by itself.`);
    }
    return ended as HostedRun;
  }

  async #playRun({ sessionId, leaseGeneration }: WorldSession, timeoutMs: number): Promise<HostedRun> {
    const { remote, environmentId, onEvent, targets } = this.#stage;
    const { client, projectId } = remote;
    const { seed: _, ...position } = this.#numbers;
    const body = { expectedLeaseGeneration: leaseGeneration, ...position, timeoutMs };
    const { run } = await client.startRun({ path: { projectId, environmentId, sessionId }, body });
    this.#runId = run.request.runId;
    onEvent(attemptStarted(this.#request, this.#runId));
    const runner = targets.runnerFor(this.#request.planned.target);
    try {
      return await this.#follow({ projectId, hostedRunId: run.hostedRunId }, runner);
    } finally {
      await runner.release();
    }
  }

  /** Until it has ended: works on what awaits an agent, cancels it when this run is cancelled. The service ends it at its deadline. */
  async #follow(path: RunPath, runner: TargetRunner): Promise<HostedRun> {
    const { remote, signal } = this.#stage;
    let cancels = false;
    for (let waitMs: number = limits.remotePollFirstMs; ; waitMs = Math.min(limits.remotePollMsMax, waitMs * 1.5)) {
      const { run } = await remote.client.getRun({ path });
      if (run.finishedAtMs !== undefined) return run;
      if (signal.aborted && !cancels) cancels = await cancelRun(remote, path, run.revision);
      else if (run.pendingInteraction !== undefined && !signal.aborted) {
        await this.#interact(run, runner);
        waitMs = limits.remotePollFirstMs;
      }
      await pause(waitMs, signal.aborted ? undefined : signal);
    }
  }

  async #interact(run: HostedRun, runner: TargetRunner): Promise<void> {
    const { remote, signal, onEvent, onNotice } = this.#stage;
    const { planned } = this.#request;
    const { id: interactionId } = run.pendingInteraction!.interaction;
    const happened = { event: 'interaction', runId: run.request.runId, drillId: planned.drill.id, interactionId } as const;
    onEvent({ ...happened, phase: 'started' });
    const targetRun = await workRemotely({ remote, run, planned, runner, signal, onNotice });
    if (targetRun === undefined) return;
    const { status, error } = targetRun;
    onEvent({
      ...happened,
      phase: 'finished',
      status,
      ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    });
  }

  async #fetched({ evidenceBundleId, request: { runId } }: HostedRun, result: RunResult): Promise<ReportedAttempt> {
    const { remote, build, options } = this.#stage;
    const { root, reportDirectory = localFolders.reports } = options;
    if (reportDirectory === false) return this.#tell(this.#documentOf(result), noReport);
    const place = { evidenceBundleId, runId, reportDirectory: resolve(root, reportDirectory), root, build };
    const { document = this.#documentOf(result), written } = await fetchReport(remote, place);
    return this.#tell(document, written);
  }

  /** Of a run that came to nothing on the service: what is known here is written down as a local run writes it. */
  async #withoutEvidence(failure: RunError): Promise<PlayedOut> {
    const { planned } = this.#request;
    const { build, onEvent, options } = this.#stage;
    // Of a run that was begun and did not end, the service may still seal evidence under its id.
    const runId = newId('run');
    if (this.#runId === undefined) onEvent(attemptStarted(this.#request, runId));
    const { result, captured } = resultWithout(failure, {
      planned,
      identity: { ...runIdentity(build, planned, { runId: this.#runId ?? runId, numbers: this.#numbers }), worldInstanceId: '' },
      setup: runSetup(build, planned),
    });
    const document = this.#documentOf(result);
    const written = await writeReport(options, document, { captured });
    return { verdict: result.verdict, reported: Promise.resolve(this.#tell(document, written)) };
  }

  #documentOf(result: RunResult): RunReport {
    const { invocation } = this.#stage;
    const facts = { startedAtMs: this.#startedAtMs, finishedAtMs: Date.now(), invocation };
    return attemptReport(this.#request.planned, { result }, facts);
  }

  #tell(document: RunReport, written: ReportWriting): ReportedAttempt {
    const { toolFailures } = document;
    const { invocation } = this.#stage;
    const placed = toolFailures === undefined ? {} : { toolFailures: toolFailures.map((failure) => withPlace(failure, this.#stage)) };
    return tellReported(this.#stage.onEvent, this.#request, { ...document, ...placed, invocation }, written);
  }
}

const noReport: ReportWriting = { report: '', cited: [] };

/** Enough for every interaction to use all of its target's time. */
function timeoutOf({ planned: { drill, target } }: AttemptRequest): number {
  const work = timelineLength(drill.timeline) * target.timeoutMs + limits.remoteRunSpareMs;
  return Math.min(limits.remoteRunTimeoutMsMax, Math.max(limits.runTimeoutMs, work));
}

/** Whether it is asked for: a run that has changed since is read again. */
async function cancelRun({ client }: Remote, path: RunPath, expectedRevision: number): Promise<boolean> {
  try {
    await client.cancelRun({ path, body: { expectedRevision, reason: 'The run was cancelled where its agent is.' } });
    return true;
  } catch (error) {
    if (error instanceof ControlError && error.status === 409) return error.code === 'control.STATE_CONFLICT';
    throw error;
  }
}

function resultWithout(
  failure: RunError,
  parts: Pick<Parameters<typeof attemptResult>[0], 'planned' | 'identity' | 'setup'>,
): { result: RunResult; captured: CaptureOutcome } {
  return attemptResult({
    ...parts,
    interactions: [],
    checkpoints: [],
    capture: new Capture(parts.planned.drill.capture),
    status: failure.code === 'framework.CANCELLED' ? 'cancelled' : 'runner_failed',
    failure,
  });
}

const cancelled = (message: string): RunError => runError('framework.CANCELLED', message);

function failureOf(error: unknown): RunError {
  if (error instanceof ControlError) return runErrorFrom(refusalOf(error));
  if (error instanceof OperationError && error.operation.error !== undefined) return error.operation.error;
  if (error instanceof ServiceError || !(error instanceof Error)) return runErrorFrom(error);
  if (error instanceof TypeError && error.cause !== undefined) return runError('control.UNAVAILABLE', error.message, { retryable: true });
  return runErrorFrom(error);
}
