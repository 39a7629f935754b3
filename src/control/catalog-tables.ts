// Every table of the catalog: what may lie in it.
import { authoringTable, proposalTable, turnTable } from './authoring/authoring-records.js';
import { firstStartTable } from './bootstrap.js';
import { buildAttemptTable, buildContentTable, buildTable } from './builds/build-records.js';
import { environmentTable } from './builds/environment-records.js';
import { accessTable } from './catalog/access-records.js';
import { auditTable } from './catalog/audit-records.js';
import { bearerTable, credentialTable, grantTable, memberTable, organizationTable, projectTable } from './catalog/organization-records.js';
import { counterTable } from './catalog/quotas.js';
import { sessionTable } from './catalog/session-records.js';
import { storageTable } from './catalog/storage-use.js';
import type { Table } from './catalog/tables.js';
import { claimTable } from './core/idempotency.js';
import { operationTable } from './core/operation-records.js';
import { keyNoteTable } from './core/server-key.js';
import { formatTable } from './data-format.js';
import { quarantineTable } from './guard/quarantine-records.js';
import { probeTable } from './health.js';
import { callbackReceiverTable } from './organizations/callback-receiver-records.js';
import { operatorTable } from './organizations/operator-token.js';
import { attachmentTable } from './runs/attachment-records.js';
import { evidenceTable } from './runs/evidence-records.js';
import { activityTable, runResultTable, runTable, stepTable } from './runs/records.js';
import { snapshotTable } from './sessions/snapshot-records.js';
import { datasetRevisionTable, datasetTable } from './source/dataset-records.js';
import { uploadTable } from './source/dataset-upload-records.js';
import { dataChoicesTable, sourceDraftTable, sourceRevisionTable, toolSetupTable } from './source/source-records.js';

const tables = [
  ...[organizationTable, memberTable, credentialTable, bearerTable, projectTable, grantTable, callbackReceiverTable],
  ...[sourceDraftTable, sourceRevisionTable, dataChoicesTable, toolSetupTable, datasetTable, datasetRevisionTable, uploadTable],
  ...[authoringTable, turnTable, proposalTable, buildAttemptTable, buildTable, buildContentTable, quarantineTable, environmentTable],
  ...[sessionTable, accessTable, snapshotTable, runTable, runResultTable, stepTable, activityTable, attachmentTable, evidenceTable],
  ...[operationTable, claimTable, auditTable, counterTable, storageTable, firstStartTable, keyNoteTable, operatorTable, probeTable],
  formatTable,
] as readonly unknown[] as readonly Table<unknown>[];

export const catalogTables: ReadonlyMap<string, Table<unknown>> = new Map(tables.map((table) => [table.name, table]));
