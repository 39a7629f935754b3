// The end of a project: closed in the change that asks for it, and then carried to its end by one operation, over restarts. Nothing that
// is in it outlasts that but the audit trail, the operation and the claim of the request (project-parts.ts).
//   PROJECT-DELETION-1. From the acknowledgment on nothing begins in the project (dispatch.ts), no agent reaches a world of it (access.ts),
//     and no host of it starts (project-worlds.ts).
//   PROJECT-DELETION-2. Each step may be done again: after a crash at any moment the next incarnation finishes it.
//   PROJECT-DELETION-3. It goes in slices, and others are answered between them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { walkPages } from '../async/pages.js';
import { backoffMs, retry } from '../async/retry.js';
import { unlessAborted } from '../async/unless-aborted.js';
import { defined } from '../contract/defined.js';
import { isServiceError, ServiceError } from '../contract/errors.js';
import type { LongRunningOperation } from '../contract/hosted/operation.js';
import type { JsonObject } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { ChangeEndpoint } from './catalog/endpoint.js';
import { projectTable, requireProject } from './catalog/organization-records.js';
import { returnQuota } from './catalog/quotas.js';
import { sessionTable } from './catalog/session-records.js';
import type { Tenant } from './catalog/storage-use.js';
import type { Change, Page, View } from './catalog/tables.js';
import { requireConfirmation } from './catalog/versions.js';
import { hasEnded, newestAbout, operationTable } from './core/operation-records.js';
import { type OperationRecord, OperationSuspended, type Operations, type Runner } from './core/operations.js';
import type { ControlServices } from './core/services.js';
import { operationBackoff } from './core/with-retry.js';
import { partsOf, Slice } from './project-parts.js';
import { purgeBuildContent } from './purge.js';
import { closeSession } from './sessions/ending.js';

export function deleteProject(services: ControlServices): ChangeEndpoint<'deleteProject'> {
  return {
    kind: 'change',
    apply: (tx, { path, body, caller, idempotencyKey, requestHash, correlationId }) => {
      const { organizationId } = caller;
      const old = requireProject(tx, { ...path, organizationId });
      const { projectId } = old;
      requireConfirmation(projectId, body);
      requireNotUnderWay(newestAbout(tx, { organizationId, projectId, resourceId: projectId }));
      const resource = { type: 'project', id: projectId };
      const operation = services.operations.create(tx, {
        kind: 'project.delete',
        organizationId,
        projectId,
        lane: `project:${projectId}`,
        resource,
        input: {},
        idempotencyKey,
        requestHash,
        correlationId,
      });
      const nowMs = services.nowMs();
      const project = { ...old, deletionRequestedAtMs: nowMs, version: old.version + 1, updatedAtMs: nowMs };
      tx.put(projectTable, project);
      return { reply: { project, operation }, resource };
    },
  };
}

/** One that has failed may be asked for again. */
function requireNotUnderWay(operation: LongRunningOperation | undefined): void {
  if (operation === undefined || hasEnded(operation)) return;
  const { operationId } = operation;
  throw new ServiceError('control.STATE_CONFLICT', {
    message: 'The project is being deleted.',
    details: { state: 'deleting', operationId },
    operationId,
  });
}

/** Once it is decided it is always carried to its end. */
export function projectDeletionRunner(services: ControlServices): Runner {
  return {
    // It runs no tool code, so what ends while it runs is another's doing.
    startsMax: Number.POSITIVE_INFINITY,
    run: async ({ operation }, { leaving, progress }) => {
      const { organizationId, projectId } = operation;
      const place = { organizationId, projectId };
      const step = (work: () => Promise<void>): Promise<void> => carryOut(services, { projectId, leaving }, work);
      await step(() => closeSessions(services, place, leaving));
      await step(() => endOperations(services, operation, leaving));
      const removal = (work: () => Promise<void>): Promise<void> => step(() => services.removals.run(work, leaving));
      await removal(() => services.worlds.removeProject(projectId));
      let recordsRemoved = 0;
      const removed = (count: number): void => {
        recordsRemoved += count;
        progress({ ...resultOf(operation), recordsRemoved });
      };
      for (const part of partsOf(services, place)) {
        let isGone = false;
        while (!isGone) {
          await removal(async () => {
            await part.prepare?.();
            const slice = await services.catalog.change((tx) => {
              const one = new Slice(tx);
              isGone = part.remove(one);
              return one;
            });
            removed(slice.removed);
          });
        }
      }
      await step(() => purgeBuildContent(services));
      services.storageWatch.forget(projectId);
      return { state: 'succeeded', apply: (tx) => gone(tx, services, operation) };
    },
    onCancel: (_tx, { operation: { operationId } }) => {
      throw new ServiceError('control.STATE_CONFLICT', { message: 'The deletion of a project cannot be called off.', operationId });
    },
  };
}

/** What stands in the way is waited for, as long as this incarnation lasts. */
async function carryOut(
  { log, disk }: ControlServices,
  { projectId, leaving }: { projectId: string; leaving: AbortSignal },
  work: () => Promise<void>,
): Promise<void> {
  if (leaving.aborted) throw new OperationSuspended();
  const waitMs = (error: unknown, attempts: number): number => {
    if (isServiceError(error, 'control.STORAGE_FULL') && disk.release()) return 0;
    log.warn('a step of the deletion of a project failed and comes again', { projectId, err: error });
    return backoffMs(operationBackoff, attempts);
  };
  try {
    await retry({ isRetryable: (error) => !(error instanceof OperationSuspended), waitMs, signal: leaving }, work);
  } catch (error) {
    throw leaving.aborted ? new OperationSuspended() : error;
  }
}

/** Access and deliveries end with it. Their worlds go together, so no session has an operation for that. */
async function closeSessions(services: ControlServices, { projectId }: Tenant, leaving: AbortSignal): Promise<void> {
  const few: number = limits.sessionBatch;
  for (let count = few; count === few; ) {
    if (leaving.aborted) throw new OperationSuspended();
    count = await services.catalog.change((tx) => {
      const { records } = tx.list(sessionTable, { index: 'byProjectLive', prefix: [projectId], limit: few });
      for (const record of records) closeSession(tx, services, record);
      return records.length;
    });
  }
}

/** Asks everything in the project to stop, and waits until it has: nothing of it writes afterwards. */
async function endOperations({ catalog, operations }: ControlServices, own: LongRunningOperation, leaving: AbortSignal): Promise<void> {
  for (;;) {
    const left = await unended(catalog.view, own);
    if (left.length === 0) return;
    await catalog.change((tx) => {
      for (const operationId of left) stop(tx, operations, operationId);
    });
    const ended = Promise.all(left.map((operationId) => operations.whenEnded(operationId)));
    await unlessAborted(ended, leaving, () => new OperationSuspended());
  }
}

/** Some of those in the project. */
async function unended(view: View, { operationId, projectId }: LongRunningOperation): Promise<string[]> {
  const found: string[] = [];
  const limit = limits.purgeRecordsMax;
  const page = async (after: string | undefined) => {
    if (after !== undefined) await nextTurn();
    return view.list(operationTable, { index: 'unfinished', prefix: [], limit, ...defined({ after }) });
  };
  for await (const { records } of walkPages({ next: ({ next }: Page<OperationRecord>) => next }, page)) {
    for (const { operation } of records) {
      if (operation.projectId === projectId && operation.operationId !== operationId) found.push(operation.operationId);
    }
    if (found.length >= limit) break;
  }
  return found;
}

function stop(tx: Change, operations: Operations, operationId: string): void {
  try {
    operations.cancel(tx, operationId);
  } catch (error) {
    // It has ended meanwhile, or is one that is always carried to its end.
    if (!isServiceError(error, 'control.STATE_CONFLICT', 'control.NOT_FOUND')) throw error;
  }
}

function gone(tx: Change, { nowMs }: ControlServices, operation: LongRunningOperation): JsonObject {
  const { organizationId, projectId } = operation;
  tx.remove(projectTable, projectId);
  returnQuota(tx, { organizationId, name: 'projectsMax' });
  return { ...resultOf(operation), deletedAtMs: nowMs() };
}

const resultOf = ({ kind, projectId }: LongRunningOperation): JsonObject => ({ schemaVersion: 1, kind, projectId });
