// What refers to what in the catalog, once: retention removes nothing that is named here, and a verification reports every name without a
// record.
//   REFERENCES-1. A reference is to a record that somebody may still need through it. What is only history (who made a thing, what it began
//     with) is none.
//   REFERENCES-2. A part goes with its whole, in one change, so it does not keep it.
import { authoringTable, proposalTable, turnTable } from './authoring/authoring-records.js';
import { firstStartTable } from './bootstrap.js';
import { buildAttemptTable, buildContentTable, buildTable } from './builds/build-records.js';
import { environmentTable } from './builds/environment-records.js';
import { accessTable } from './catalog/access-records.js';
import { bearerTable, credentialTable, grantTable, memberTable, organizationTable, projectTable } from './catalog/organization-records.js';
import { sessionTable } from './catalog/session-records.js';
import type { Table } from './catalog/tables.js';
import { operationTable } from './core/operation-records.js';
import { quarantineTable } from './guard/quarantine-records.js';
import { callbackReceiverTable } from './organizations/callback-receiver-records.js';
import { attachmentTable } from './runs/attachment-records.js';
import { evidenceTable } from './runs/evidence-records.js';
import { activityTable, runResultTable, runTable, stepTable } from './runs/records.js';
import { snapshotTable } from './sessions/snapshot-records.js';
import { datasetRevisionTable, datasetTable } from './source/dataset-records.js';
import { dataChoicesTable, revisionKey, sourceDraftTable, sourceRevisionTable, toolSetupTable } from './source/source-records.js';

export interface RecordReference {
  /** The name of a table. */
  to: string;
  id: string;
  /** The record that refers is a part of the other. */
  isPart?: true;
}
interface ReferenceRule<Record> {
  table: Table<Record>;
  of(record: Record): (RecordReference | undefined)[];
}
export const referenceKey = ({ to, id }: Pick<RecordReference, 'to' | 'id'>): string => `${to} ${id}`;

function rule<Record>(table: Table<Record>, of: (record: Record) => (RecordReference | undefined)[]): ReferenceRule<unknown> {
  return { table, of } as ReferenceRule<unknown>;
}
function to<Record>(table: Table<Record>, id: string | undefined): RecordReference | undefined {
  return id === undefined ? undefined : { to: table.name, id };
}
function partOf<Record>(table: Table<Record>, id: string): RecordReference {
  return { to: table.name, id, isPart: true };
}
const toBuild = ({ projectId, buildHash }: { projectId: string; buildHash?: string | undefined }): RecordReference | undefined =>
  to(buildTable, buildHash === undefined ? undefined : `${projectId} ${buildHash}`);
const toCredential = (id: string): RecordReference | undefined => (id.startsWith('cred_') ? to(credentialTable, id) : undefined);
const toProject = ({ projectId }: { projectId: string }): RecordReference | undefined => to(projectTable, projectId);

/** What an operation that has not ended works on, by its `resourceType`. */
const workedOn: { readonly [resourceType: string]: Table<never> } = {
  session: sessionTable,
  'build-attempt': buildAttemptTable,
  authoringSession: authoringTable,
  run: runTable,
  project: projectTable,
};

const rules: readonly ReferenceRule<unknown>[] = [
  rule(memberTable, ({ member }) => [to(organizationTable, member.organizationId)]),
  rule(projectTable, ({ organizationId }) => [to(organizationTable, organizationId)]),
  // Who made a credential of an early version is found through the credential that made it (standing.ts).
  rule(credentialTable, ({ credential, secretHash, makerId }) => [
    to(organizationTable, credential.organizationId),
    secretHash === undefined && makerId === undefined ? toCredential(credential.createdBy) : undefined,
  ]),
  rule(bearerTable, ({ credentialId }) => [partOf(credentialTable, credentialId)]),
  // What a grant gives depends on who made it.
  rule(grantTable, (grant) => [
    toProject(grant),
    grant.subject.kind === 'credential' ? toCredential(grant.subject.id) : undefined,
    toCredential(grant.createdBy),
  ]),
  rule(callbackReceiverTable, (receiver) => [toProject(receiver)]),
  rule(firstStartTable, ({ projectId, environmentId, credentialId, buildHash, told }) => [
    to(projectTable, projectId),
    buildHash === undefined ? undefined : to(environmentTable, environmentId),
    projectId === undefined ? undefined : toBuild({ projectId, buildHash }),
    told ? undefined : toCredential(credentialId),
  ]),
  rule(environmentTable, (environment) => [toProject(environment), toBuild(environment)]),
  rule(buildTable, (build) => [toProject(build), to(buildContentTable, build.buildHash)]),
  rule(quarantineTable, (record) => [record.quarantine === undefined ? undefined : toBuild(record)]),
  rule(buildAttemptTable, ({ attempt, projectId }) => [
    to(sourceDraftTable, attempt.sourceDraftId),
    toBuild({ projectId, buildHash: attempt.buildHash }),
  ]),
  rule(toolSetupTable, (setup) => [toBuild(setup), to(sourceDraftTable, setup.sourceDraftId)]),
  rule(sourceRevisionTable, ({ sourceDraftId }) => [partOf(sourceDraftTable, sourceDraftId)]),
  rule(dataChoicesTable, ({ sourceDraftId, sourceRevision, selections }) => [
    partOf(sourceRevisionTable, revisionKey(sourceDraftId, sourceRevision)),
    ...selections.flatMap(({ datasetId, revision }) => [to(datasetTable, datasetId), to(datasetRevisionTable, `${datasetId}.${revision}`)]),
  ]),
  rule(datasetRevisionTable, ({ datasetId }) => [partOf(datasetTable, datasetId)]),
  rule(authoringTable, ({ session, base }) => [
    toProject(session),
    session.state === 'active' ? to(sourceDraftTable, base?.sourceDraftId) : undefined,
  ]),
  rule(turnTable, ({ authoringSessionId, proposalId }) => [partOf(authoringTable, authoringSessionId), to(proposalTable, proposalId)]),
  rule(proposalTable, ({ authoringSessionId }) => [partOf(authoringTable, authoringSessionId)]),
  rule(sessionTable, ({ session }) => [toBuild(session), to(environmentTable, session.environmentId)]),
  rule(accessTable, ({ access }) => [partOf(sessionTable, access.sessionId)]),
  rule(snapshotTable, ({ snapshot }) => [partOf(sessionTable, snapshot.sessionId)]),
  rule(runTable, ({ run }) => [toBuild(run), to(environmentTable, run.environmentId), to(evidenceTable, run.evidenceBundleId)]),
  rule(runResultTable, ({ hostedRunId }) => [partOf(runTable, hostedRunId)]),
  rule(stepTable, ({ hostedRunId }) => [partOf(runTable, hostedRunId)]),
  rule(activityTable, ({ hostedRunId }) => [partOf(runTable, hostedRunId)]),
  rule(attachmentTable, ({ attachment }) => [partOf(runTable, attachment.hostedRunId)]),
  rule(operationTable, ({ operation: { finishedAtMs, resourceType, resourceId } }) => [
    finishedAtMs === undefined && workedOn[resourceType] !== undefined ? { to: workedOn[resourceType].name, id: resourceId } : undefined,
  ]),
];
const rulesByTable = new Map(rules.map((one) => [one.table.name, one]));

/** The tables whose records refer to any. */
export const referringTables: readonly Table<unknown>[] = rules.map(({ table }) => table);

export function referencesOf(tableName: string, record: unknown): RecordReference[] {
  return (
    rulesByTable
      .get(tableName)
      ?.of(record)
      .filter((one) => one !== undefined) ?? []
  );
}
