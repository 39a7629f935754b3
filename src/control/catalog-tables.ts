// Every table of the catalog: what may lie in it.
import { auditTable } from './audit-records.js';
import { authoringTable, proposalTable, turnTable } from './authoring-records.js';
import { firstStartTable } from './bootstrap.js';
import { buildAttemptTable, buildContentTable, buildTable } from './build-records.js';
import { callbackReceiverTable } from './callback-receiver-records.js';
import { datasetRevisionTable, datasetTable } from './dataset-records.js';
import { environmentTable } from './environment-records.js';
import { evidenceTable } from './evidence-records.js';
import { probeTable } from './health.js';
import { claimTable } from './idempotency.js';
import { operationTable } from './operation-records.js';
import { operatorTable } from './operator-token.js';
import { bearerTable, credentialTable, grantTable, memberTable, organizationTable, projectTable } from './organization-records.js';
import { quarantineTable } from './quarantine-records.js';
import { counterTable } from './quotas.js';
import { attachmentTable } from './run-attachment-records.js';
import { activityTable, runResultTable, runTable, stepTable } from './run-records.js';
import { keyNoteTable } from './server-key.js';
import { sessionTable } from './session-records.js';
import { snapshotTable } from './snapshot-records.js';
import { dataChoicesTable, sourceDraftTable, sourceRevisionTable, toolSetupTable } from './source-records.js';
import { storageTable } from './storage-use.js';
import type { Table } from './tables.js';

const tables = [
  ...[organizationTable, memberTable, credentialTable, bearerTable, projectTable, grantTable, callbackReceiverTable],
  ...[sourceDraftTable, sourceRevisionTable, dataChoicesTable, toolSetupTable, datasetTable, datasetRevisionTable],
  ...[authoringTable, turnTable, proposalTable, buildAttemptTable, buildTable, buildContentTable, quarantineTable, environmentTable],
  ...[sessionTable, snapshotTable, runTable, runResultTable, stepTable, activityTable, attachmentTable, evidenceTable],
  ...[operationTable, claimTable, auditTable, counterTable, storageTable, firstStartTable, keyNoteTable, operatorTable, probeTable],
] as readonly unknown[] as readonly Table<unknown>[];

export const catalogTables: ReadonlyMap<string, Table<unknown>> = new Map(tables.map((table) => [table.name, table]));
