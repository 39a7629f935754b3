// The very first start: an organization, a project, an environment with the example build and a manager credential, so that a machine
// without an identity provider can be used at once.
//   BOOTSTRAP-1. A crash at any moment: the next start continues where this one stopped, with the same ids.
//   BOOTSTRAP-2. Until somebody says that the secret was shown, each start makes another and gives it out; then never again.
import { defined } from '../contract/defined.js';
import type { Environment } from '../contract/hosted/source.js';
import { newId } from '../contract/ids.js';
import { environmentTable } from './builds/environment-records.js';
import { credentialTable, organizationTable, projectTable } from './catalog/organization-records.js';
import { takeQuota } from './catalog/quotas.js';
import { type Change, defineTable, type View } from './catalog/tables.js';
import type { ControlServices } from './core/services.js';
import { issueCredential, renewSecret } from './organizations/credential-issue.js';

export interface FirstStart {
  name: 'first';
  organizationId: string;
  /** The project that was made, its environment, and the build once there is one; absent when the project was deleted. */
  projectId?: string;
  environmentId?: string;
  buildHash?: string;
  credentialId: string;
  told: boolean;
}
export const firstStartTable = defineTable<FirstStart>({ name: 'first-start', idOf: ({ name }) => name, indexes: {} });

export interface Bootstrap {
  organizationId: string;
  /** '' once the project was deleted. */
  projectId: string;
  environmentId: string;
  buildHash: string;
  /** Of the manager credential; only until `markShown`. */
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

/**
 * What the first start has made, for a node that has a copy of the catalog alone; undefined until it is done. Until the example is built
 * its project has no build.
 */
export function firstStartOf(view: View): Pick<Bootstrap, 'organizationId' | 'projectId' | 'environmentId' | 'buildHash'> | undefined {
  const first = view.get(firstStartTable, 'first');
  if (first === undefined || (first.projectId !== undefined && first.buildHash === undefined)) return undefined;
  const { organizationId, projectId = '', environmentId = '', buildHash = '' } = first;
  return { organizationId, projectId, environmentId, buildHash };
}

export async function bootstrap(services: ControlServices, publish: PublishExample): Promise<Bootstrap> {
  const { catalog } = services;
  const first = await catalog.change((tx) => tx.get(firstStartTable, 'first') ?? begin(tx, services));
  const { organizationId, credentialId, told: wasShown } = first;
  const example = await exampleOf(services, first, publish);
  const secret = wasShown ? undefined : await catalog.change((tx) => renewSecret(tx, tx.get(credentialTable, credentialId)!));
  return {
    organizationId,
    ...example,
    ...defined({ secret }),
    markShown: () => catalog.change((tx) => tx.put(firstStartTable, { ...(tx.get(firstStartTable, 'first') ?? first), told: true })),
  };
}

type Example = Required<Pick<FirstStart, 'projectId' | 'environmentId' | 'buildHash'>>;
async function exampleOf(services: ControlServices, first: FirstStart, publish: PublishExample): Promise<Example> {
  const { organizationId, projectId, environmentId, credentialId, buildHash: known } = first;
  if (projectId === undefined || environmentId === undefined) return { projectId: '', environmentId: '', buildHash: '' };
  const buildHash = known ?? (await publish(services, { organizationId, projectId, createdBy: credentialId })).buildHash;
  const example = { projectId, environmentId, buildHash };
  if (known === undefined) await services.catalog.change((tx) => finish(tx, { ...first, ...example }, services.nowMs()));
  return example;
}

/** The example goes with its project. */
export function forgetExample(tx: Change, projectId: string): void {
  const { projectId: known, environmentId: _, buildHash: __, ...first } = tx.get(firstStartTable, 'first') ?? {};
  if (known === projectId) tx.put(firstStartTable, first as FirstStart);
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

function finish(tx: Change, first: FirstStart & Example, nowMs: number): void {
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
