// The very first start: an organization, a project, an environment with the example build and a manager credential, so that a machine
// without an identity provider can be used at once.
//   BOOTSTRAP-1. A crash at any moment: the next start goes on where this one stopped, with the same ids.
//   BOOTSTRAP-2. Until somebody says that the secret was shown, each start makes another and gives it out; then never again.
import type { Environment } from '../contract/hosted/source.js';
import { newId } from '../contract/ids.js';
import { environmentTable } from './builds/environment-records.js';
import { credentialTable, organizationTable, projectTable } from './catalog/organization-records.js';
import { takeQuota } from './catalog/quotas.js';
import { type Change, defineTable } from './catalog/tables.js';
import type { ControlServices } from './core/services.js';
import { issueCredential, renewSecret } from './organizations/credential-issue.js';

export interface FirstStart {
  name: 'first';
  organizationId: string;
  projectId: string;
  environmentId: string;
  credentialId: string;
  /** Once the example is built and the environment made. */
  buildHash?: string;
  told: boolean;
}
export const firstStartTable = defineTable<FirstStart>({ name: 'first-start', idOf: ({ name }) => name, indexes: {} });

export interface Bootstrap {
  organizationId: string;
  projectId: string;
  environmentId: string;
  buildHash: string;
  /** Of the manager credential; only until `told`. */
  secret?: string;
  /** To be called when the secret was printed. */
  markShown(): Promise<void>;
}
export interface ExampleProject {
  organizationId: string;
  projectId: string;
  createdBy: string;
}
/** Makes the example build part of a project; done twice it is there once. */
export type PublishExample = (services: ControlServices, project: ExampleProject) => Promise<{ buildHash: string }>;

export async function bootstrap(services: ControlServices, publish: PublishExample): Promise<Bootstrap> {
  const { catalog } = services;
  const first = await catalog.change((tx) => tx.get(firstStartTable, 'first') ?? begin(tx, services));
  const { organizationId, projectId, environmentId, credentialId, told } = first;
  const buildHash = first.buildHash ?? (await publish(services, { organizationId, projectId, createdBy: credentialId })).buildHash;
  if (first.buildHash === undefined) await catalog.change((tx) => finish(tx, { ...first, buildHash }, services.nowMs()));
  const secret = told ? undefined : await catalog.change((tx) => renewSecret(tx, tx.get(credentialTable, credentialId)!));
  return {
    organizationId,
    projectId,
    environmentId,
    buildHash,
    ...(secret === undefined ? {} : { secret }),
    markShown: () => catalog.change((tx) => tx.put(firstStartTable, { ...first, buildHash, told: true })),
  };
}

function begin(tx: Change, services: ControlServices): FirstStart {
  const nowMs = services.nowMs();
  const organizationId = newId('org');
  tx.put(organizationTable, { organizationId, name: 'default', createdAtMs: nowMs });
  const { credential } = issueCredential(tx, services, {
    organizationId,
    name: 'first manager',
    role: 'manager',
    createdBy: 'first start',
  });
  const { credentialId } = credential;
  const projectId = newId('prj');
  takeQuota(tx, services, { organizationId, name: 'projectsMax' });
  tx.put(projectTable, {
    schemaVersion: 1,
    organizationId,
    projectId,
    name: 'default',
    version: 1,
    createdBy: credentialId,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  });
  const first: FirstStart = { name: 'first', organizationId, projectId, environmentId: newId('env'), credentialId, told: false };
  tx.put(firstStartTable, first);
  return first;
}

function finish(tx: Change, first: FirstStart & { buildHash: string }, nowMs: number): void {
  const { organizationId, projectId, environmentId, credentialId, buildHash } = first;
  const environment: Environment = {
    schemaVersion: 1,
    organizationId,
    projectId,
    environmentId,
    name: 'default',
    buildHash,
    state: 'active',
    version: 1,
    createdBy: credentialId,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  tx.put(environmentTable, environment);
  tx.put(firstStartTable, first);
}
