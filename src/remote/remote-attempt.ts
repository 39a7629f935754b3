// One attempt of a drill in a session of a hosted service: the session made for it, the run played there with its target here, the evidence
// fetched. Same build, same setup, same seed, trial and attempt: the same world as a local run makes, and so the same hashes.
//   REMOTE-ATTEMPT-1. There is always a result, and it is reported.
//   REMOTE-ATTEMPT-2. The session is destroyed when the run has ended, and with it a run that has not.
//   REMOTE-ATTEMPT-3. Once it is cancelled, a service that is slow or silent holds it up no longer than a bound.
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
import type { HostedRun, RunError, RunIdentity, RunResult } from '../contract/run/run.js';
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
import { type AskedIdentity, OtherRun, otherIdentity, requireAskedRun } from './remote-identity.js';
import { RemoteInteraction } from './remote-interaction.js';
import { fetchReport } from './remote-report.js';
import { refusalOf } from './service-url.js';

export interface RemoteStage extends Pick<AttemptContext, 'targets' | 'signal' | 'onEvent' | 'placeOfHandler' | 'invocation'> {
  remote: Remote;
  environmentId: string;
  /** As it compiles here. */
  build: CompiledBuild;
  /** As the service made it. */
  buildHash: string;
  /** Of what is still asked of the service once `signal` has been aborted. */
  ending: AbortSignal;
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
  readonly #asked: Omit<AskedIdentity, 'runId'>;
  /** The run as it began. */
  #started: HostedRun | undefined;

  constructor(stage: RemoteStage, request: AttemptRequest) {
    this.#stage = stage;
    this.#request = request;
    const { planned, trial, attempt } = request;
    this.#numbers = { ...trial, trialCount: planned.trialCount, attempt, attemptLimit: planned.attemptLimit };
    const { runId: _, ...identity } = runIdentity(stage.build, planned, { runId: '', numbers: this.#numbers });
    this.#asked = { ...identity, buildHash: stage.buildHash };
  }

  async play(): Promise<PlayedOut> {
    const { planned } = this.#request;
    try {
      const ended = planned.refusal === undefined ? await this.#playSession() : planned.refusal;
      if ('code' in ended) return await this.#withoutEvidence(ended);
      const { result } = ended;
      if (result === undefined) return await this.#withoutEvidence(ended.failure ?? cancelled(`The run is ${ended.state}.`));
      const other = this.#otherThanAsked(result.identity);
      if (other !== undefined) return await this.#withoutEvidence(other);
      return { verdict: result.verdict, reported: this.#fetched(ended, result).catch((error: unknown) => this.#reportedWithout(error)) };
    } catch (error) {
      return await this.#withoutEvidence(this.#stage.signal.aborted ? cancelled('The run was cancelled.') : failureOf(error));
    }
  }

  #otherThanAsked(identity: RunIdentity | undefined): RunError | undefined {
    const { build, buildHash } = this.#stage;
    const asked = { ...this.#asked, runId: this.#started?.request.runId ?? '' };
    return otherIdentity(identity, asked, { isSameBuild: buildHash === build.buildHash });
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
    const work = async (session: WorldSession): Promise<void> => {
      ended = await this.#playRun(session, timeoutMs);
    };
    try {
      await client.withSession(wanted, work, { signal });
    } catch (error) {
      if (ended === undefined) throw error;
      onNotice(`A session of ${planned.drill.id} was not destroyed (${(error as Error).message}); it ends by itself.`);
    }
    return ended as HostedRun;
  }

  async #playRun({ sessionId, leaseGeneration }: WorldSession, timeoutMs: number): Promise<HostedRun> {
    const { remote, environmentId, onEvent, targets, signal } = this.#stage;
    const { client, projectId } = remote;
    const { seed: _, ...position } = this.#numbers;
    const body = { expectedLeaseGeneration: leaseGeneration, ...position, timeoutMs };
    const { run } = await client.startRun({ path: { projectId, environmentId, sessionId }, body }, { signal });
    requireAskedRun(run, this.#asked);
    this.#started = run;
    onEvent(attemptStarted(this.#request, run.request.runId));
    const runner = targets.runnerFor(this.#request.planned.target);
    try {
      return await this.#follow(run, runner);
    } finally {
      await runner.release();
    }
  }

  /** Until it has ended: works on what awaits an agent, cancels it when this run is cancelled. The service ends it at its deadline. */
  async #follow(started: HostedRun, runner: TargetRunner): Promise<HostedRun> {
    const { remote, signal, ending } = this.#stage;
    const path = { projectId: remote.projectId, hostedRunId: started.hostedRunId };
    const interactions = new Map<string, RemoteInteraction>();
    let cancels = false;
    for (let waitMs: number = limits.remotePollFirstMs; ; waitMs = Math.min(limits.remotePollMsMax, waitMs * 1.5)) {
      const run = await this.#look(path);
      // Cancelled while it looked.
      if (run === undefined) continue;
      requireAskedRun(run, this.#asked, started);
      if (run.finishedAtMs !== undefined) return run;
      if (signal.aborted && !cancels) cancels = await cancelRun(remote, path, { expectedRevision: run.revision, signal: ending });
      else if (run.pendingInteraction !== undefined && !signal.aborted) {
        if (await this.#interact(run, interactions, runner)) waitMs = limits.remotePollFirstMs;
      }
      await pause(waitMs, signal.aborted ? ending : signal);
    }
  }

  async #look(path: RunPath): Promise<HostedRun | undefined> {
    const { remote, signal, ending } = this.#stage;
    const isEnding = signal.aborted;
    try {
      return (await remote.client.getRun({ path }, { signal: isEnding ? ending : signal })).run;
    } catch (error) {
      if (signal.aborted && !isEnding) return undefined;
      throw error;
    }
  }

  /** Whether the service has taken its result. */
  async #interact(run: HostedRun, interactions: Map<string, RemoteInteraction>, runner: TargetRunner): Promise<boolean> {
    const { remote, signal, ending, onEvent, onNotice } = this.#stage;
    const { planned } = this.#request;
    const { id: interactionId } = run.pendingInteraction!.interaction;
    const happened = { event: 'interaction', runId: run.request.runId, drillId: planned.drill.id, interactionId } as const;
    let interaction = interactions.get(interactionId);
    if (interaction === undefined) {
      interaction = new RemoteInteraction({ remote, planned, runner, signal, ending, onNotice }, run);
      interactions.set(interactionId, interaction);
      onEvent({ ...happened, phase: 'started' });
    }
    try {
      const hasPlayed = await interaction.play(run);
      try {
        return await interaction.handIn(run);
      } finally {
        // As the run has it: the service may have refused its result.
        if (hasPlayed) onEvent({ ...happened, phase: 'finished', ...statusOf(interaction) });
      }
    } catch (error) {
      // The run is cancelled next.
      if (signal.aborted) return false;
      throw error;
    }
  }

  async #fetched({ evidenceBundleId, request: { runId } }: HostedRun, result: RunResult): Promise<ReportedAttempt> {
    const { remote, build, options, ending } = this.#stage;
    const { root, reportDirectory = localFolders.reports } = options;
    if (reportDirectory === false) return this.#tell(this.#documentOf(result), noReport);
    const { document = this.#documentOf(result), written } = await fetchReport(remote, {
      ...{ evidenceBundleId, runId, reportDirectory: resolve(root, reportDirectory), root, build, verdict: result.verdict },
      refuse: (identity) => this.#otherThanAsked(identity),
      signal: ending,
    });
    return this.#tell(document, written);
  }

  async #reportedWithout(error: unknown): Promise<ReportedAttempt> {
    const { reported } = await this.#withoutEvidence(failureOf(error));
    return await reported;
  }

  /** Of a run that came to nothing on the service: what is known here is written down as a local run writes it. */
  async #withoutEvidence(failure: RunError): Promise<PlayedOut> {
    const { planned } = this.#request;
    const { build, onEvent, options } = this.#stage;
    // Of a run that was begun and did not end, the service may still seal evidence under its id.
    const runId = this.#started?.request.runId ?? newId('run');
    if (this.#started === undefined) onEvent(attemptStarted(this.#request, runId));
    const { result, captured } = resultWithout(failure, {
      planned,
      identity: { ...runIdentity(build, planned, { runId, numbers: this.#numbers }), worldInstanceId: '' },
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

function statusOf({ ended: { status, error } }: RemoteInteraction): { status: string; error?: { code: string; message: string } } {
  return { status, ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }) };
}

/** Enough for every interaction to use all of its target's time. */
function timeoutOf({ planned: { drill, target } }: AttemptRequest): number {
  const work = timelineLength(drill.timeline) * target.timeoutMs + limits.remoteRunSpareMs;
  return Math.min(limits.remoteRunTimeoutMsMax, Math.max(limits.runTimeoutMs, work));
}

/** Whether it is asked for: a run that has changed since is read again. */
async function cancelRun(
  { client }: Remote,
  path: RunPath,
  { expectedRevision, signal }: { expectedRevision: number; signal: AbortSignal },
): Promise<boolean> {
  try {
    await client.cancelRun({ path, body: { expectedRevision, reason: 'The run was cancelled where its agent is.' } }, { signal });
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
  if (error instanceof OtherRun) return error.error;
  if (error instanceof OperationError) return failureOfOperation(error);
  if (error instanceof ServiceError || !(error instanceof Error)) return runErrorFrom(error);
  if (error instanceof TypeError && error.cause !== undefined) return runError('control.UNAVAILABLE', error.message, { retryable: true });
  return runErrorFrom(error);
}

/** An error of a run keeps its code; its words are a service's. */
function failureOfOperation({ message: words, operation }: OperationError): RunError {
  const { code, message = words, retryable, issues, details } = (operation.error ?? {}) as Partial<RunError>;
  if (typeof code !== 'string' || !/^(framework|world|tool|target|assertion|reporter|control)\.[A-Z][A-Z0-9_]*$/.test(code))
    return runError('control.UNAVAILABLE', words);
  const more = { ...(Array.isArray(issues) ? { issues } : {}), ...(typeof details === 'object' ? { details } : {}) };
  return runError(code as `control.${string}`, String(message), { retryable: retryable === true, ...more });
}
