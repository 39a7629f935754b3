// Builds of source revisions: the attempt and its operation, and the runner that compiles, keeps, reads back and publishes.
//   BUILD-RUNNER-1. Compiling touches nothing but blobs, which are content addressed: an incarnation that runs it again does no harm.
//   BUILD-RUNNER-2. A build is published only after what was kept of it was read back and hashed again.
//   BUILD-RUNNER-3. The build, the attempt's end, the setup that asked for it and the operation's end are one change.
import { defined } from '../../contract/defined.js';
import type { LongRunningOperation } from '../../contract/hosted/operation.js';
import type { BuildAttempt } from '../../contract/hosted/source.js';
import { newId } from '../../contract/ids.js';
import type { JsonValue } from '../../contract/json.js';
import type { CompiledBuild, Diagnostic } from '../../contract/run/build.js';
import { diagnosticsOf, SourceInvalidError } from '../../drills/source-invalid.js';
import { inSpan } from '../../tracing/tracing.js';
import { requireStorage } from '../catalog/storage-use.js';
import type { Change } from '../catalog/tables.js';
import type { OperationRecord, Runner } from '../core/operations.js';
import type { CompileReply, ControlServices } from '../core/services.js';
import { chosenContent } from '../source/chosen-rows.js';
import { dataChoicesTable, revisionKey, type SourceRevisionRecord, toolSetupTable } from '../source/source-records.js';
import { clearMaterialized, loadTree, withMaterialized } from '../source/source-trees.js';
import { movedAttempt } from './attempt-states.js';
import { type BuildAttemptRecord, buildAttemptTable, type OwnContent, putBuild } from './build-records.js';

export interface BuildOrder {
  revision: SourceRevisionRecord;
  setupId?: string;
  /** The request that orders it. */
  call: { idempotencyKey: string; requestHash: string; correlationId: string };
}

/** Records an attempt and the operation that carries it out. Data chosen for the revision later is not in it. */
export function orderBuild(
  tx: Change,
  services: ControlServices,
  { revision: record, setupId, call }: BuildOrder,
): { attempt: BuildAttempt; operation: LongRunningOperation } {
  const { organizationId, projectId, sourceDraftId, revision, sourceDigest } = record;
  const { idempotencyKey, requestHash, correlationId } = call;
  const { operations, nowMs } = services;
  requireStorage(tx, services, { organizationId, projectId });
  const attemptId = newId('attempt');
  const operation = operations.create(tx, {
    kind: 'build.compile',
    organizationId,
    projectId,
    lane: `build:${projectId}`,
    resource: { type: 'build-attempt', id: attemptId },
    input: {},
    idempotencyKey,
    requestHash,
    correlationId,
  });
  const attempt: BuildAttempt = {
    schemaVersion: 1,
    attemptId,
    operationId: operation.operationId,
    sourceDraftId,
    sourceRevision: revision,
    sourceDigest,
    state: 'queued',
    diagnostics: [],
    createdAtMs: nowMs(),
  };
  const withChoices = tx.get(dataChoicesTable, revisionKey(sourceDraftId, revision)) !== undefined;
  tx.put(buildAttemptTable, { attempt, organizationId, projectId, withChoices, ...defined({ setupId }) });
  return { attempt, operation };
}

export function defineBuildRunners(services: ControlServices): void {
  // Before anything is extracted in this incarnation.
  const cleared = clearMaterialized(services.settings.dataDirectory);
  services.operations.define('build.compile', buildRunner(services, cleared));
}

function buildRunner(services: ControlServices, cleared: Promise<void>): Runner {
  const { catalog, nowMs } = services;
  const end = (tx: Change, record: OperationRecord, state: 'failed' | 'cancelled', diagnostics: Diagnostic[] = []): JsonValue => {
    const found = requireAttempt(tx, record);
    const attempt = movedAttempt(found.attempt, state, { diagnostics, finishedAtMs: nowMs() });
    tx.put(buildAttemptTable, { ...found, attempt });
    return { attempt } as unknown as JsonValue;
  };
  return {
    run: async (record, { signal, progress }) => {
      const reached = async (state: 'compiling' | 'verifying'): Promise<BuildAttemptRecord> => {
        const found = await catalog.change((tx) => reach(tx, record, state));
        progress({ attempt: found.attempt } as unknown as JsonValue);
        return found;
      };
      await cleared;
      try {
        const attributes = { 'drillyard.build_attempt.id': record.operation.resourceId };
        return await inSpan(services.tracing, { name: 'build', attributes }, async (span) => {
          const { compiled, diagnostics } = await compileAttempt(services, await reached('compiling'), signal);
          if (compiled === undefined) throw new SourceInvalidError(diagnostics);
          await reached('verifying');
          const content = await keepAndVerify(services, compiled, record.operation.projectId);
          signal.throwIfAborted();
          span?.set({ 'drillyard.build.hash': compiled.summary.buildHash });
          const publish = { summary: compiled.summary, content, diagnostics, nowMs: nowMs() };
          return {
            state: 'succeeded' as const,
            apply: (tx: Change) => ({ attempt: published(tx, record, publish) }) as unknown as JsonValue,
          };
        });
      } catch (error) {
        if (signal.aborted) return { state: 'cancelled', apply: (tx) => end(tx, record, 'cancelled') };
        throw error;
      }
    },
    onFailure: (tx, record, error) => void end(tx, record, 'failed', diagnosticsOf(error)),
    onCancel: (tx, record) => void end(tx, record, 'cancelled'),
  };
}

function requireAttempt(tx: Change, { operation }: OperationRecord): BuildAttemptRecord {
  const found = tx.get(buildAttemptTable, operation.resourceId);
  if (found === undefined) throw new Error(`there is no build attempt ${operation.resourceId}`);
  return found;
}

/** An earlier incarnation may have come further: what is reported of an attempt never goes back. */
function reach(tx: Change, record: OperationRecord, state: 'compiling' | 'verifying'): BuildAttemptRecord {
  const found = requireAttempt(tx, record);
  if (found.attempt.state === state || found.attempt.state === 'verifying') return found;
  const next = { ...found, attempt: movedAttempt(found.attempt, state) };
  tx.put(buildAttemptTable, next);
  return next;
}

async function compileAttempt(
  services: ControlServices,
  { attempt, withChoices, projectId }: BuildAttemptRecord,
  signal: AbortSignal,
): Promise<CompileReply> {
  const { blobs, catalog, compiler } = services;
  const made = withChoices ? catalog.view.get(dataChoicesTable, revisionKey(attempt.sourceDraftId, attempt.sourceRevision)) : undefined;
  const choices = made === undefined ? {} : { choices: () => chosenContent(services, made) };
  const tree = await loadTree(attempt.sourceDigest, blobs);
  return withMaterialized(services, tree, signal, (root) => compiler.compile({ root, projectId, signal, ...choices }));
}

type Compilation = NonNullable<CompileReply['compiled']>;

/** The view is not verified: no other project is shown it. */
export async function keepAndVerify(
  { blobs, compiler }: ControlServices,
  { summary, build, view }: Compilation,
  projectId?: string,
): Promise<OwnContent> {
  const [kept, shown] = await Promise.all([blobs.put(build), blobs.put(view)]);
  if (!(await compiler.verify(summary, await blobs.get(kept), projectId)))
    throw new Error(`what was kept of build ${summary.buildHash} is another build`);
  return { build: kept, view: shown, bytes: build.length + view.length };
}

function published(
  tx: Change,
  record: OperationRecord,
  {
    summary,
    content,
    diagnostics,
    nowMs,
  }: { summary: Compilation['summary']; content: OwnContent; diagnostics: Diagnostic[]; nowMs: number },
): BuildAttempt {
  const found = requireAttempt(tx, record);
  const { organizationId, projectId, setupId } = found;
  const { sourceDraftId, sourceRevision: revision, sourceDigest } = found.attempt;
  const { buildHash }: Pick<CompiledBuild, 'buildHash'> = summary;
  putBuild(tx, { organizationId, projectId, summary, content, source: { sourceDraftId, revision, sourceDigest }, nowMs });
  const setup = setupId === undefined ? undefined : tx.get(toolSetupTable, setupId);
  if (setup !== undefined) tx.put(toolSetupTable, { ...setup, buildHash });
  const attempt = movedAttempt(found.attempt, 'succeeded', { buildHash, diagnostics, finishedAtMs: nowMs });
  tx.put(buildAttemptTable, { ...found, attempt });
  return attempt;
}
