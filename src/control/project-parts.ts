// What belongs to a project, kind by kind, in the order in which it goes: what refers before what is referred to, so that a catalog is
// whole after each change. The operation of its deletion, the claim of that request and the audit trail stay.
//   PROJECT-PARTS-1. After all parts no record of the catalog but those names the project.
//   PROJECT-PARTS-2. The change that removes a part returns what the part counted as.
import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../contract/limits.js';
import { authoringTable } from './authoring/authoring-records.js';
import { forgetExample } from './bootstrap.js';
import { buildAttemptTable, buildTable } from './builds/build-records.js';
import { environmentTable } from './builds/environment-records.js';
import { endAccesses } from './catalog/access-records.js';
import { grantTable } from './catalog/organization-records.js';
import { returnQuota } from './catalog/quotas.js';
import { sessionTable } from './catalog/session-records.js';
import { noteStorage, type Tenant } from './catalog/storage-use.js';
import type { Change, KeyPart, Page, Table } from './catalog/tables.js';
import { claimTable } from './core/idempotency.js';
import { operationTable } from './core/operation-records.js';
import type { ControlServices } from './core/services.js';
import { quarantineTable } from './guard/quarantine-records.js';
import { callbackReceiverTable } from './organizations/callback-receiver-records.js';
import { forEveryRecord } from './purge.js';
import {
  removeBuildParts,
  removeConversationParts,
  removeDatasetParts,
  removeDraftParts,
  removeRunParts,
  removeSetupParts,
} from './record-parts.js';
import { bundleFolder } from './runs/evidence-records.js';
import { runTable } from './runs/records.js';
import { endSnapshot, snapshotTable } from './sessions/snapshot-records.js';
import { datasetTable } from './source/dataset-records.js';
import { uploadTable } from './source/dataset-upload-records.js';
import { sourceDraftTable, toolSetupTable } from './source/source-records.js';

export interface Part {
  /** What lies outside of the catalog, or has to be looked for: before each slice. */
  prepare?(): Promise<void>;
  /** False while some may be left. */
  remove(slice: Slice): boolean;
}

/** What one change removes: no more than it may, and what the last record of it takes with it. */
export class Slice {
  readonly tx: Change;
  #removed = 0;

  constructor(tx: Change) {
    const remove: Change['remove'] = (table, id) => {
      tx.remove(table, id);
      this.#removed += 1;
    };
    this.tx = {
      get: (table, id) => tx.get(table, id),
      list: (table, request) => tx.list(table, request),
      count: (table, place) => tx.count(table, place),
      scan: (table, page) => tx.scan(table, page),
      lastId: (table) => tx.lastId(table),
      put: (table, record) => tx.put(table, record),
      remove,
      get hasWritten() {
        return tx.hasWritten;
      },
      afterCommit: (follow) => tx.afterCommit(follow),
    };
  }

  get removed(): number {
    return this.#removed;
  }
  get left(): number {
    return Math.max(0, limits.projectRecordsPerChange - this.#removed);
  }

  /** All records at a place of an index. `withIt`: removes what goes with one; false: some of that is left, and the record stays so far. */
  clear<Record>(
    table: Table<Record>,
    place: { index: string; prefix: readonly KeyPart[] },
    withIt: (tx: Change, record: Record) => boolean = () => true,
  ): boolean {
    return this.#clear(table, this.tx.list(table, { ...place, limit: this.left + 1 }), withIt);
  }

  /** All records whose id begins so. */
  clearIds<Record>(table: Table<Record>, idPrefix: string, withIt: (tx: Change, record: Record) => boolean = () => true): boolean {
    return this.#clear(table, this.tx.scan(table, { idPrefix, limit: this.left + 1 }), withIt);
  }

  #clear<Record>(table: Table<Record>, { records, next }: Page<Record>, withIt: (tx: Change, record: Record) => boolean): boolean {
    for (const record of records) {
      if (this.left === 0 || !withIt(this.tx, record)) return false;
      this.tx.remove(table, table.idOf(record));
    }
    return next === undefined;
  }
}

export function partsOf(services: ControlServices, place: Tenant): readonly Part[] {
  const { projectId } = place;
  const byProject = { index: 'byProject', prefix: [projectId] };
  return [
    { remove: ({ tx }) => forgetExampleIn(tx, projectId) },
    runs(services, projectId),
    {
      remove: (slice) =>
        slice.clear(snapshotTable, byProject, (tx, record) => {
          endSnapshot(tx, record);
          return true;
        }),
    },
    sessions(services, place),
    { remove: (slice) => slice.clear(toolSetupTable, byProject, removeSetupParts) },
    {
      remove: (slice) =>
        slice.clearIds(quarantineTable, `${projectId} `, (tx, record) => {
          services.guard.quarantines.forget(tx, record);
          return true;
        }),
    },
    { remove: (slice) => slice.clear(environmentTable, byProject) },
    ...sources(services, place),
    { remove: (slice) => slice.clear(datasetTable, byProject, (tx, record) => goes(tx, record, 'datasetsMax', removeDatasetParts)) },
    { remove: (slice) => slice.clear(uploadTable, byProject) },
    { remove: (slice) => slice.clear(callbackReceiverTable, byProject) },
    { remove: (slice) => clearOperations(slice, place) },
    { remove: (slice) => clearClaims(slice, place) },
    // The last: until then who was given the project sees how far its deletion is.
    { remove: (slice) => slice.clear(grantTable, byProject) },
  ];
}

function forgetExampleIn(tx: Change, projectId: string): true {
  forgetExample(tx, projectId);
  return true;
}

/** With their evidence, whose folders go before any record of them. */
function runs({ catalog, settings, runMemory }: ControlServices, projectId: string): Part {
  const place = { index: 'byProject', prefix: [projectId] };
  return {
    prepare: async () => {
      const { records } = catalog.view.list(runTable, { ...place, limit: limits.projectRecordsPerChange + 1 });
      for (const { run } of records) {
        await rm(bundleFolder(settings.dataDirectory, run.evidenceBundleId), { recursive: true, force: true });
      }
    },
    remove: (slice) =>
      slice.clear(runTable, place, (tx, record) => {
        tx.afterCommit(() => runMemory.forget(record.run.hostedRunId));
        return removeRunParts(tx, record);
      }),
  };
}

/** Their worlds are gone by now. */
function sessions({ sessionMemory }: ControlServices, place: Tenant): Part {
  return {
    remove: (slice) =>
      slice.clear(sessionTable, { index: 'byProject', prefix: [place.projectId] }, (tx, { session: { sessionId } }) => {
        noteStorage(tx, { ownerId: sessionId, ...place, bytes: 0 });
        endAccesses(tx, sessionId);
        tx.afterCommit(() => sessionMemory.forget(sessionId));
        return true;
      }),
  };
}

/** Conversations, drafts and what was built of them. */
function sources(services: ControlServices, { projectId }: Tenant): Part[] {
  const { view } = services.catalog;
  const byProject = { index: 'byProject', prefix: [projectId] };
  const attemptsOf = (sourceDraftId: string) => ({ index: 'byRevision', prefix: [sourceDraftId] });
  const draftIds = once(() => draftIdsOf(services, projectId));
  return [
    { remove: (slice) => slice.clear(authoringTable, byProject, removeConversationParts) },
    ofEach(draftIds, {
      isGone: (id) => view.list(buildAttemptTable, { ...attemptsOf(id), limit: 1 }).records.length === 0,
      remove: (slice, id) => slice.clear(buildAttemptTable, attemptsOf(id)),
    }),
    { remove: (slice) => slice.clear(buildTable, byProject, removeBuildParts) },
    ofEach(draftIds, {
      isGone: (id) => view.get(sourceDraftTable, id) === undefined,
      remove: ({ tx }, id) => {
        const draft = tx.get(sourceDraftTable, id);
        if (draft !== undefined && !goes(tx, draft, 'sourceDraftsMax', removeDraftParts)) return false;
        tx.remove(sourceDraftTable, id);
        return true;
      },
    }),
  ];
}

/** Deleted drafts stand in no index of their project. */
async function draftIdsOf({ catalog }: ControlServices, projectId: string): Promise<string[]> {
  const found: string[] = [];
  await forEveryRecord(catalog.view, sourceDraftTable, (draft) => {
    if (draft.projectId === projectId) found.push(draft.sourceDraftId);
  });
  return found;
}

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= find();
    return found;
  };
}

interface OfEach {
  /** On the disk: what was removed and not committed is asked again. */
  isGone(id: string): boolean;
  /** False: the slice is full. */
  remove(slice: Slice, id: string): boolean;
}
/** What goes id by id: a slice looks at no more of them than it may remove records. */
function ofEach(idsOf: () => Promise<readonly string[]>, { isGone, remove }: OfEach): Part {
  let ids: readonly string[] = [];
  let next = 0;
  return {
    prepare: async () => {
      ids = await idsOf();
      for (; next < ids.length && isGone(ids[next] as string); next++) if (next % limits.purgeRecordsMax === 0) await nextTurn();
    },
    remove: (slice) => {
      const some = ids.slice(next, next + limits.projectRecordsPerChange);
      return some.every((id) => slice.left > 0 && remove(slice, id)) && next + some.length === ids.length;
    },
  };
}

type Counted = Tenant & { state: string };
/** One that counts for a quota for as long as it is available. */
function goes<Record extends Counted>(
  tx: Change,
  record: Record,
  name: 'sourceDraftsMax' | 'datasetsMax',
  removeParts: (tx: Change, record: Record) => boolean,
): boolean {
  if (!removeParts(tx, record)) return false;
  if (record.state === 'available') returnQuota(tx, { organizationId: record.organizationId, name });
  return true;
}

/** All have ended, but the one that does this. */
function clearOperations(slice: Slice, { organizationId, projectId }: Tenant): boolean {
  const { records, next } = slice.tx.list(operationTable, {
    index: 'byProject',
    prefix: [organizationId, projectId],
    limit: limits.projectRecordsPerChange,
  });
  for (const { operation } of records) if (operation.finishedAtMs !== undefined) slice.tx.remove(operationTable, operation.operationId);
  return next === undefined;
}

/** That of the deletion itself is kept for as long as any. */
function clearClaims(slice: Slice, { organizationId, projectId }: Tenant): boolean {
  const ofProject = `${organizationId} ${projectId} `;
  const { records, next } = slice.tx.scan(claimTable, { idPrefix: ofProject, limit: limits.projectRecordsPerChange });
  const over = records.filter(({ claimId }) => !claimId.startsWith(`${ofProject}deleteProject `));
  for (const { claimId } of over) slice.tx.remove(claimTable, claimId);
  return next === undefined || over.length === 0;
}
