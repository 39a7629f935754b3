// Run requests: asked for, played one after another through runDrills, followed, cancelled. Nothing is decided here about how a drill runs.
import type { CallbackReceivers } from '../callbacks/receivers.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { seedOf } from '../contract/fresh-seed.js';
import { newId } from '../contract/ids.js';
import type { ActiveRun, InspectorStartRunRequest, RequestedRun, RunRequest } from '../contract/inspector/runs.js';
import { limits } from '../contract/limits.js';
import type { RunEvent } from '../contract/run/run-events.js';
import type { TargetModule } from '../contract/run/target-invocation.js';
import type { TranscriptLine } from '../contract/run/transcript.js';
import type { RunDrillsOptions } from '../drills/plan/options.js';
import type { OpenBindings } from '../drills/ports/bindings-port.js';
import { type RunDrillsResult, runDrills } from '../drills/run-drills.js';
import { repetitionOf } from '../drills/stored/repetition.js';
import { findingsOf } from '../reports/findings.js';
import { type ChosenRuns, chooseRuns } from './chosen-runs.js';
import type { EventHub } from './event-hub.js';
import type { ProjectSource } from './project-source.js';

export interface RunQueueOptions {
  root: string;
  config?: string;
  runDirectory: string;
  reportDirectory: string;
  agent?: TargetModule;
  callbackReceivers?: CallbackReceivers;
  project: ProjectSource;
  hub: EventHub;
  openBindings: OpenBindings;
}
export type LiveWorld = Parameters<NonNullable<RunDrillsOptions['onWorld']>>[1];

interface Job {
  request: RunRequest;
  choice: ChosenRuns;
  abort: AbortController;
}
interface Live {
  run: ActiveRun;
  world?: LiveWorld;
  /** What its agent has said; the attempt bounds it. */
  said: TranscriptLine[];
}

export class RunQueue {
  readonly #options: RunQueueOptions;
  /** In the order in which they were asked for. */
  readonly #jobs = new Map<string, Job>();
  readonly #live = new Map<string, Live>();
  #running: Promise<void> | undefined;
  /** Of the attempt that ended last. */
  #buildHash: string | undefined;
  #closed = false;

  constructor(options: RunQueueOptions) {
    this.#options = options;
  }

  /** Something runs, or waits to. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  async start(asked: InspectorStartRunRequest): Promise<RunRequest> {
    this.#requireKnown(asked);
    const choice = await chooseRuns(asked, this.#options.reportDirectory);
    if (this.#closed) throw new ServiceError('control.UNAVAILABLE', { message: 'The inspector is closing.' });
    const waiting = [...this.#jobs.values()].filter(({ request }) => request.state === 'queued').length;
    if (waiting >= limits.inspectorRequestsWaitingMax)
      throw new ServiceError('control.QUOTA_EXCEEDED', {
        message: 'Too many run requests wait.',
        retryAfterMs: limits.unavailableRetryAfterMs,
      });
    const request: RunRequest = {
      requestId: newId('request'),
      state: 'queued',
      asked,
      ...(choice.options.drills === undefined ? {} : { drillIds: [...choice.options.drills] }),
      createdAtMs: Date.now(),
      cancelAsked: false,
      runs: [],
      runsTotal: 0,
      drills: [],
    };
    this.#jobs.set(request.requestId, { request, choice, abort: new AbortController() });
    this.#forgetOld();
    this.#tell(request);
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return request;
  }

  list(): RunRequest[] {
    return [...this.#jobs.values()].map(({ request }) => request).reverse();
  }

  get(requestId: string): RunRequest {
    return this.#job(requestId).request;
  }

  /** Cancelling what has ended changes nothing. */
  cancel(requestId: string): RunRequest {
    const { request, abort } = this.#job(requestId);
    if (request.finishedAtMs !== undefined || request.cancelAsked) return request;
    request.cancelAsked = true;
    abort.abort();
    if (request.state === 'queued') this.#finish(request, 'cancelled');
    else this.#tell(request);
    return request;
  }

  active(): ActiveRun[] {
    return [...this.#live.values()].map(({ run }) => run);
  }

  /** Of an attempt that runs now; undefined while it has no world yet. */
  worldOf(runId: string): LiveWorld | undefined {
    return this.#live.get(runId)?.world;
  }
  saidIn(runId: string): readonly TranscriptLine[] {
    return this.#live.get(runId)?.said ?? [];
  }
  activeRun(runId: string): ActiveRun | undefined {
    return this.#live.get(runId)?.run;
  }

  /** Cancels everything, and resolves when nothing runs. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { request } of this.#jobs.values()) this.cancel(request.requestId);
    await this.#running;
  }

  #requireKnown({ drillId, suiteId }: InspectorStartRunRequest): void {
    const { drills, suites } = this.#options.project.build();
    if (drillId !== undefined && !drills.some(({ drill: { id, caseOf } }) => id === drillId || caseOf === drillId))
      throw unknown('drill', drillId);
    if (suiteId !== undefined && !suites.some(({ id }) => id === suiteId)) throw unknown('suite', suiteId);
  }

  #job(requestId: string): Job {
    const job = this.#jobs.get(requestId);
    if (job === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such run request.' });
    return job;
  }

  async #work(): Promise<void> {
    // A request that comes while the last one ends is taken up too.
    await Promise.resolve();
    for (let job = this.#next(); job !== undefined; job = this.#next()) await this.#run(job);
  }
  #next(): Job | undefined {
    return [...this.#jobs.values()].find(({ request }) => request.state === 'queued');
  }

  async #run(job: Job): Promise<void> {
    const { request } = job;
    const { untilFailed = 1 } = request.asked;
    request.state = 'running';
    request.startedAtMs = Date.now();
    this.#tell(request);
    try {
      let ended = false;
      for (let round = 1; round <= untilFailed && !ended; round++) {
        if (request.asked.untilFailed !== undefined) Object.assign(request, { round, drills: [] });
        const { cancelled, verdict } = await this.#playOnce(job);
        if (this.#buildHash !== undefined) await this.#refresh(this.#buildHash);
        ended = cancelled || verdict !== 'passed';
        if (ended || round === untilFailed) this.#finish(request, cancelled ? 'cancelled' : 'finished');
      }
    } catch (error) {
      request.failure = failureOf(error);
      if (request.failure.code === 'control.SOURCE_INVALID') await this.#refresh(undefined);
      this.#finish(request, 'failed');
    }
    for (const [runId, { run }] of this.#live) if (run.requestId === request.requestId) this.#live.delete(runId);
  }

  /** A run compiles what is there: where that is other source than the project knows, the project is loaded again. */
  async #refresh(buildHash: string | undefined): Promise<void> {
    const { project } = this.#options;
    if (buildHash === undefined || project.isOutdated(buildHash)) await project.refresh().catch(() => undefined);
  }

  async #playOnce({ request, choice, abort }: Job): Promise<RunDrillsResult> {
    const { root, config, runDirectory, reportDirectory, agent, callbackReceivers, openBindings } = this.#options;
    const { seed = choice.options.seed, trials, trial, retries, concurrency } = request.asked;
    const options = {
      ...choice.options,
      config,
      runDirectory,
      reportDirectory,
      agent,
      callbackReceivers,
      seed: seedOf(seed),
      trials,
      trial,
      retries,
      concurrency,
      signal: abort.signal,
      onWorld: (runId: string, world: LiveWorld) => this.#meet(runId, world),
      onSaid: (runId: string, line: TranscriptLine) => this.#live.get(runId)?.said.push(line),
      onEvent: (event: RunEvent) => this.#hear(request, event, choice),
    };
    return await runDrills({ root, ...(defined(options) as Omit<RunDrillsOptions, 'root'>) }, openBindings);
  }

  #meet(runId: string, world: LiveWorld): void {
    const live = this.#live.get(runId);
    if (live !== undefined) live.world = world;
  }

  #hear(request: RunRequest, event: RunEvent, choice: ChosenRuns): void {
    switch (event.event) {
      case 'plan':
        request.plan = {
          invocationId: event.invocationId,
          runs: event.runs,
          drills: event.drills,
          concurrency: event.concurrency,
          seed: event.seed,
        };
        this.#tell(request);
        return;
      case 'skipped':
        return;
      case 'attempt_started':
        this.#begin(request, event);
        return;
      case 'interaction':
        this.#interaction(event);
        return;
      case 'attempt':
        this.#end(request, event, choice);
        return;
      case 'drill': {
        const { drillId, verdict, trialsPassed, trialCount, flaky, statistics } = event;
        request.drills.push({ drillId, verdict, trialsPassed, trialCount, ...defined({ flaky, statistics }) });
        this.#tell(request);
        return;
      }
      case 'summary': {
        const { verdict, passed, failed, inconclusive, skipped } = event;
        const sum = (of: 'trialsPassed' | 'trialCount'): number => request.drills.reduce((total, drill) => total + drill[of], 0);
        const trials = { trialsPassed: sum('trialsPassed'), trials: sum('trialCount') };
        request.summary = { verdict, passed, failed, inconclusive, ...defined({ skipped }), ...trials };
        return;
      }
      default:
        event satisfies never;
    }
  }

  #begin(request: RunRequest, { event: _, ...begun }: Extract<RunEvent, { event: 'attempt_started' }>): void {
    const run: ActiveRun = { ...begun, requestId: request.requestId, startedAtMs: Date.now(), interactionsFinished: 0 };
    this.#live.set(run.runId, { run, said: [] });
    request.runs.push({ runId: run.runId, drillId: run.drillId, trial: run.trial, attempt: run.attempt, state: 'running' });
    request.runsTotal++;
    if (request.runs.length > limits.inspectorRequestRunsShown) request.runs.shift();
    this.#options.hub.publish({ type: 'run', phase: 'started', run });
    this.#tell(request);
  }

  #interaction({ runId, interactionId, phase }: Extract<RunEvent, { event: 'interaction' }>): void {
    const live = this.#live.get(runId);
    if (live === undefined) return;
    if (phase === 'started') live.run.interactionId = interactionId;
    else {
      delete live.run.interactionId;
      live.run.interactionsFinished++;
    }
    this.#options.hub.publish({ type: 'run', phase: 'progress', run: live.run });
  }

  #end(
    request: RunRequest,
    { runId, status, verdict, report, trajectoryHash, detail }: Extract<RunEvent, { event: 'attempt' }>,
    { repeated }: ChosenRuns,
  ): void {
    this.#live.delete(runId);
    this.#buildHash = detail?.report.result.identity.buildHash ?? this.#buildHash;
    const run = request.runs.find((one) => one.runId === runId);
    if (run === undefined) return;
    const findings = detail === undefined ? [] : findingsOf(detail.report.result);
    const failed = findings.slice(0, limits.inspectorFindingsShown).map(({ assertion }) => assertion);
    const finished: RequestedRun = {
      ...run,
      state: 'finished',
      status,
      verdict,
      trajectoryHash,
      ...(repeated === undefined || detail === undefined ? {} : { repetition: repetitionOf(repeated, detail.report.result) }),
      reported: report !== '',
      failedAssertions: failed.map(({ assertionId, status: found, message }) => ({ assertionId, status: found, message })),
    };
    Object.assign(run, finished);
    this.#options.hub.publish({ type: 'run', phase: 'finished', run: { ...finished, requestId: request.requestId } });
    this.#tell(request);
  }

  #finish(request: RunRequest, state: RunRequest['state']): void {
    request.state = state;
    request.finishedAtMs = Date.now();
    this.#tell(request);
  }

  #tell(request: RunRequest): void {
    // A message a step of a request of thousands of runs: each tells the latest of them.
    const runs = request.runs.slice(-limits.inspectorEventRunsMax);
    this.#options.hub.publish({ type: 'run-request', request: { ...request, runs } });
  }

  #forgetOld(): void {
    for (const [requestId, { request }] of this.#jobs) {
      if (this.#jobs.size <= limits.inspectorRequestsKeptMax) return;
      if (request.finishedAtMs !== undefined) this.#jobs.delete(requestId);
    }
  }
}

function unknown(what: string, id: string): ServiceError {
  return new ServiceError('control.NOT_FOUND', { message: `There is no ${what} "${id}".`, details: { [`${what}Id`]: id } });
}

/** A refusal says why; a bug does not tell its insides. */
function failureOf(error: unknown): NonNullable<RunRequest['failure']> {
  if (!(error instanceof ServiceError)) return { code: 'control.INTERNAL', message: 'The run ended with an internal error.' };
  const { issues, details } = error.extra;
  return {
    code: error.code,
    message: error.message,
    ...defined({ issues, details }),
  };
}
