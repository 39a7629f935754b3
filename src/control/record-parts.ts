// What goes with a record when it goes for good, by any hand: its parts, and the storage that they were counted as. Some at a time;
// true when none is left, and the record itself may go.
import { limits } from '../contract/limits.js';
import { type AuthoringRecord, proposalTable, recordsOwner, turnTable } from './authoring/authoring-records.js';
import { buildTable } from './builds/build-records.js';
import { noteStorage, type Tenant } from './catalog/storage-use.js';
import type { Change, Table } from './catalog/tables.js';
import { attachmentTable } from './runs/attachment-records.js';
import { evidenceTable } from './runs/evidence-records.js';
import { activityTable, type RunRecord, runResultTable, stepTable } from './runs/records.js';
import { datasetRevisionId, datasetRevisionTable } from './source/dataset-records.js';
import { dataChoicesTable, revisionKey, sourceRevisionTable } from './source/source-records.js';

const limit = limits.purgeRecordsMax;

export function removeConversationParts(tx: Change, { session }: AuthoringRecord): boolean {
  const { authoringSessionId } = session;
  const { records, next } = tx.list(turnTable, { index: 'bySession', prefix: [authoringSessionId], limit });
  for (const { turnId, proposalId } of records) {
    if (proposalId !== undefined) tx.remove(proposalTable, proposalId);
    tx.remove(turnTable, turnId);
  }
  return (
    next === undefined && returnStorage(tx, authoringSessionId, session) && returnStorage(tx, recordsOwner(authoringSessionId), session)
  );
}

export function removeSetupParts(tx: Change, setup: Tenant & { setupId: string }): boolean {
  return returnStorage(tx, setup.setupId, setup);
}

export function removeDraftParts(
  tx: Change,
  { sourceDraftId, currentRevision, ...draft }: Tenant & { sourceDraftId: string; currentRevision: number },
): boolean {
  const areGone = removeRevisions(currentRevision, (revision) => {
    const id = revisionKey(sourceDraftId, revision);
    const isThere = tx.get(sourceRevisionTable, id) !== undefined;
    tx.remove(dataChoicesTable, id);
    tx.remove(sourceRevisionTable, id);
    return isThere;
  });
  return areGone && returnStorage(tx, sourceDraftId, draft);
}

export function removeDatasetParts(
  tx: Change,
  { datasetId, currentRevision, ...dataset }: Tenant & { datasetId: string; currentRevision: number },
): boolean {
  return removeRevisions(currentRevision, (revision) => {
    const id = datasetRevisionId({ datasetId, revision });
    const isThere = tx.get(datasetRevisionTable, id) !== undefined;
    tx.remove(datasetRevisionTable, id);
    return returnStorage(tx, id, dataset) && isThere;
  });
}

export function removeBuildParts(tx: Change, build: Tenant & { buildHash: string }): boolean {
  return returnStorage(tx, buildTable.idOf(build as Parameters<typeof buildTable.idOf>[0]), build);
}

/** Its bundle is a record of it, and must have no folder any more. */
export function removeRunParts(tx: Change, { run }: RunRecord): boolean {
  const { hostedRunId, evidenceBundleId } = run;
  for (const table of [activityTable, attachmentTable, stepTable] as Table<unknown>[]) {
    const { records, next } = tx.list(table, { index: 'byRun', prefix: [hostedRunId], limit });
    for (const one of records) tx.remove(table, table.idOf(one));
    if (next !== undefined) return false;
  }
  tx.remove(runResultTable, hostedRunId);
  tx.remove(evidenceTable, evidenceBundleId);
  return returnStorage(tx, hostedRunId, run) && returnStorage(tx, evidenceBundleId, run);
}

/** Returns all that it was counted as. Always true: nothing is left of it. */
function returnStorage(tx: Change, ownerId: string, { organizationId, projectId }: Tenant): true {
  noteStorage(tx, { ownerId, organizationId, projectId, bytes: 0 });
  return true;
}

/** The last first, so that those that are left are the first ones. */
function removeRevisions(currentRevision: number, remove: (revision: number) => boolean): boolean {
  let removed = 0;
  for (let revision = currentRevision; revision > 0; revision--) {
    if (removed === limit) return false;
    if (remove(revision)) removed++;
  }
  return true;
}
