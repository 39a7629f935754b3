// The coordinator of a hosted run: the runner of `drill.run`. It plays the attempt in the session's world, step by step as agents hand in
// their interactions, then seals the evidence. After a crash the next incarnation's coordinator begins again, and every step is there once.
import { mkdir, rm } from 'node:fs/promises';
import { backoffMs, type RetryPolicy, retry } from '../../async/retry.js';
import { defined } from '../../contract/defined.js';
import { isServiceError, ServiceError } from '../../contract/errors.js';
import { Attempt } from '../../drills/attempt/attempt.js';
import { attemptReport, writeAttemptReport } from '../../drills/attempt/attempt-report.js';
import { type HostedPart, hostedEnvironment } from '../../drills/attempt/hosted-attempt.js';
import { Interruption } from '../../drills/attempt/interruption.js';
import { type AttemptNumbers, runIdentity } from '../../drills/attempt/run-setup.js';
import { playableDrill } from '../../drills/plan/plan.js';
import { manifestDigestOf } from '../../drills/stored/sealed-report.js';
import { isDiskFull } from '../../files/disk-full.js';
import { folderBytes } from '../../files/folder-bytes.js';
import { inSpan, type OpenSpan } from '../../tracing/tracing.js';
import { loadBuild } from '../builds/build-records.js';
import { requireRecord } from '../catalog/session-records.js';
import { type Ending, OperationSuspended, type Runner, type RunnerContext } from '../core/operations.js';
import type { ControlServices } from '../core/services.js';
import { operationBackoff, withRetry } from '../core/with-retry.js';
import { requireUsable } from '../sessions/states.js';
import { RunAttemptStore } from './attempt-store.js';
import { askToCancel } from './cancel.js';
import { putRun, resumeRun } from './changes.js';
import { endBeforeStart, endLost, endPlayed, type SealedEvidence } from './ending.js';
import { bundleFolder } from './evidence-records.js';
import { type RunRecord, runTable } from './records.js';

export function runRunner(services: ControlServices): Runner {
  return {
    run: async ({ operation }, context) => {
      const { resourceId: hostedRunId } = operation;
      try {
        const attributes = { 'drillyard.run.id': hostedRunId };
        return await inSpan(services.tracing, { name: 'run', attributes }, (span) =>
          coordinate(services, hostedRunId, { ...context, span }),
        );
      } catch (error) {
        if (context.leaving.aborted) throw new OperationSuspended();
        throw error instanceof Interruption ? error.cause : error;
      }
    },
    onFailure: (tx, record, error) => endLost(tx, services, record, error),
    onCancel: (tx, record) => endBeforeStart(tx, services, record),
  };
}

async function coordinate(
  services: ControlServices,
  hostedRunId: string,
  context: RunnerContext & { span: OpenSpan | undefined },
): Promise<Ending> {
  const record = await writeWithRetry(services, context.leaving, () => takeUp(services, hostedRunId));
  const { part, store } = await partOf(services, record, context.leaving);
  context.span?.set({ 'drillyard.session.id': record.run.sessionId, 'drillyard.drill.id': record.run.request.drillId });
  const cancelled = cancellation(services, record, context);
  try {
    const environment = hostedEnvironment({
      ...part,
      store,
      httpMounts: services.bindings.httpMounts,
      signal: cancelled.signal,
      onBug: (err, correlationId) => reportBug(services, hostedRunId, { err, correlationId }),
    });
    const played = await new Attempt(environment).play();
    const report = attemptReport(part.planned, played, { startedAtMs: record.run.createdAtMs, finishedAtMs: services.nowMs() });
    const folder = bundleFolder(services.settings.dataDirectory, record.run.evidenceBundleId);
    const written = await writeWithRetry(services, context.leaving, async () => {
      // An earlier incarnation may have come as far as this.
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      const { folder: reportFolder } = await writeAttemptReport(folder, report, played);
      const manifestDigest = await manifestDigestOf(reportFolder);
      const archive = await services.bundles?.keep({ folder: reportFolder, manifestDigest });
      return { manifestDigest, ...defined({ archive }), bytes: await folderBytes(folder) };
    });
    const sealed: SealedEvidence = { result: report.result, ...written };
    const { status, verdict } = report.result;
    context.span?.set({ 'drillyard.run.state': status, 'drillyard.run.verdict': verdict });
    const state = status === 'cancelled' ? 'cancelled' : 'succeeded';
    return { state, apply: (tx) => endPlayed(tx, services, store.mine(tx), sealed) };
  } finally {
    cancelled.end();
  }
}

function reportBug({ log }: ControlServices, hostedRunId: string, bug: { err: unknown; correlationId: string }): void {
  log.error('a bug met in a run', { hostedRunId, ...bug });
}

/** Fences its earlier coordinator. */
function takeUp({ catalog, nowMs }: ControlServices, hostedRunId: string): Promise<RunRecord> {
  return catalog.change((tx) => {
    const record = tx.get(runTable, hostedRunId);
    if (record === undefined) throw new Error(`there is no record of run ${hostedRunId}`);
    const taken = resumeRun(record, nowMs());
    // The lease may have moved on with the crash that brought this incarnation about.
    const { leaseGeneration } = requireRecord(tx, record.run.sessionId).session;
    const isTakeover = record.run.coordination?.state === 'running';
    const happening = isTakeover
      ? { kind: 'coordinator_taken_over' as const, details: { generation: taken.run.coordination!.generation } }
      : undefined;
    return putRun(tx, { ...taken, run: { ...taken.run, leaseGeneration } }, nowMs(), happening);
  });
}

async function partOf(
  services: ControlServices,
  record: RunRecord,
  leaving: AbortSignal,
): Promise<{ part: Omit<HostedPart, 'httpMounts' | 'store' | 'signal' | 'onBug'>; store: RunAttemptStore }> {
  const { hostedRunId, sessionId, request } = record.run;
  const { runId, drillId, ...rest } = request;
  const numbers: AttemptNumbers = rest;
  requireUsable(requireRecord(services.catalog.view, sessionId), services.nowMs());
  const build = await loadBuild(services, record.run);
  const planned = playableDrill(build, drillId);
  if (planned === undefined) throw new ServiceError('control.STATE_CONFLICT', { message: `The build has no drill "${drillId}".` });
  const world = withRetry(await services.sessionMemory.world(sessionId), leaving);
  const identity = (worldInstanceId: string) => ({ ...runIdentity(build, planned, { runId, numbers }), worldInstanceId });
  const judgeExpression = services.judge.judgeFor(record.run.projectId);
  return {
    part: { hostedRunId, runId, build, planned, numbers, world, judgeExpression },
    store: new RunAttemptStore(services, { record, identity, leaving }),
  };
}

/** The operation's signal as the attempt may see it: only once the run itself says so durably, however long the disk takes. */
function cancellation(services: ControlServices, { run: { hostedRunId, termination } }: RunRecord, { signal, leaving }: RunnerContext) {
  const cancelled = new AbortController();
  const over = new AbortController();
  const quiet = AbortSignal.any([leaving, over.signal]);
  const policy: RetryPolicy = {
    // Played already: there is nothing to cancel.
    isRetryable: (error) => !isServiceError(error, 'control.STATE_CONFLICT'),
    waitMs: (error, attempts) => {
      services.log.warn('a run was not cancelled yet', { hostedRunId, error: String(error) });
      return backoffMs(operationBackoff, attempts);
    },
    signal: quiet,
  };
  const ask = async (): Promise<void> => {
    const attempt = async (): Promise<void> => {
      if (quiet.aborted) return;
      await askToCancel(services, hostedRunId, 'The operation was cancelled.');
      cancelled.abort();
    };
    await retry(policy, attempt).catch(() => {});
  };
  if (termination !== undefined) cancelled.abort();
  else if (signal.aborted) void ask();
  else signal.addEventListener('abort', () => void ask(), { once: true, signal: over.signal });
  return { signal: cancelled.signal, end: () => over.abort() };
}

/** A full disk is waited for, and what several machines share where it cannot be reached. */
async function writeWithRetry<T>(services: ControlServices, leaving: AbortSignal, write: () => Promise<T>): Promise<T> {
  const policy: RetryPolicy = {
    isRetryable: (error) => isPassing(error) || isDiskFull(error, services.settings.dataDirectory),
    waitMs: (_, attempts) => backoffMs(operationBackoff, attempts),
    signal: leaving,
  };
  return await retry(policy, write);
}
const isPassing = (error: unknown): boolean => isServiceError(error, 'control.STORAGE_FULL', 'control.UNAVAILABLE');
