// What the authority matrix stands on: a service with three tenants and an identity provider, and what may be said of its refusals.
import assert from 'node:assert/strict';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import type { ToolLibraryEntry } from '../../src/contract/hosted/source.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import type { Role } from '../../src/contract/world/authority.js';
import type { IdentityProvider } from '../control/identity-provider.js';
import { Requests, servedDocument } from './requests.js';
import { clientOf } from './service.js';
import { type Ids, neverIds, type SmallProject, startTenants, type Tenants } from './tenants.js';
import type { Received } from './wire.js';

export function assertRefused(reply: Received, status: number, code: string, where: string): void {
  assert.equal(`${reply.status} ${reply.json?.code}`, `${status} ${code}`, where);
  assert.ok(validateErrorEnvelope(reply.json).ok, where);
  assert.equal(reply.headers['x-correlation-id'], reply.json?.correlationId, where);
}

export interface Ground extends Tenants {
  requests: Requests;
  never: Ids;
  credentialOf(role: Role | null, ttlMs?: number): Promise<{ credentialId: string; secret: string }>;
}
export async function startGround(engine: string, provider: IdentityProvider): Promise<Ground> {
  const oidc = ['--oidc-issuer', provider.issuer, '--oidc-audience', provider.audience, '--oidc-jwks-url', provider.jwksUrl];
  const server = ['--server', engine === 'node:http' ? 'node' : 'uws', '--trusted-proxy', '127.0.0.1'];
  const tenants = await startTenants({ flags: [...oidc, ...server] });
  assert.equal(tenants.service.ready.server, engine);
  // A member of the first organization: the provider's token makes it one.
  const token = await provider.token({ sub: 'bob', organization: tenants.ids.organizationId });
  const { credential } = await clientOf(tenants.service, token).exchangeIdentityToken({ body: {} });
  const ids = { ...tenants.ids, userId: credential.userId! };
  return {
    ...tenants,
    ids,
    requests: new Requests(tenants.service.ready.baseUrl, await servedDocument(tenants.service.ready.baseUrl)),
    never: neverIds(ids),
    credentialOf: async (role, ttlMs) => {
      const body = { name: 'test', role, ...(ttlMs === undefined ? {} : { ttlMs }) };
      const { credential, secret } = await tenants.client.createCredential({ body });
      return { credentialId: credential.credentialId, secret: secret! };
    },
  };
}

/** What the first organization has, as its manager sees it: by this a change would show. */
export async function possessions({ client, ids, foreign }: Tenants): Promise<unknown> {
  const path = { projectId: ids.projectId as string };
  const { items: audit } = await client.listAuditEvents({ query: { limit: 1 } });
  const run = (await client.getRun({ path: { ...path, hostedRunId: ids.hostedRunId as string } })).run;
  const { items: theirs } = await foreign.client.listAuditEvents({ query: { limit: 1 } });
  return {
    audit: audit[0]?.auditEventId,
    theirs: theirs[0]?.auditEventId,
    members: (await client.listMembers()).items,
    run: run.revision,
    sessions: (await client.listSessions({ path })).items.map(({ sessionId, version, state }) => [sessionId, version, state]),
    operations: (await client.listOperations({ path })).items.map(({ operationId, state }) => [operationId, state]),
    projects: (await client.listProjects()).items,
    grants: (await client.listGrants({ path })).items,
    environments: (await client.listEnvironments({ path })).items,
    drafts: (await client.listSourceDrafts({ path })).items,
    datasets: (await client.listDatasets({ path })).items,
    conversations: (await client.listAuthoringSessions({ path })).items,
    receivers: (await client.listCallbackReceivers({ path })).items,
  };
}

export function assertForbidden(reply: Received, required: string, where: string): void {
  assertRefused(reply, 403, 'control.FORBIDDEN', where);
  assert.deepEqual(reply.json?.details, { required }, where);
}
export const textIds = (ids: object): Ids =>
  Object.fromEntries(Object.entries(ids).filter(([, value]) => typeof value === 'string')) as Ids;

/** A well-formed body or query in the caller's own project that names something of `ids`. */
type Naming = [EndpointId, (ids: Ids, own: SmallProject, entry: ToolLibraryEntry) => { body?: unknown; query?: string }];
const digest = `sha256:${'0'.repeat(64)}`;
const lease = { expectedLeaseGeneration: 1 };
export const namingBodies: Naming[] = [
  ['createEnvironment', ({ buildHash }) => ({ body: { name: 'theirs', buildHash } })],
  ['promoteBuild', ({ buildHash }) => ({ body: { buildHash, expectedVersion: 1 } })],
  ['createSession', ({ buildHash }) => ({ body: { seed: '1', buildHash } })],
  ['createSession', ({ callbackReceiverBindingId }) => ({ body: { seed: '1', callbackReceiverBindingIds: [callbackReceiverBindingId] } })],
  ['createDataset', ({ buildHash }) => ({ body: { name: 'theirs', buildHash, packageId: 'payments', collections: [] } })],
  [
    'createToolSetup',
    ({ setupId }, _, { libraryEntryId, packageArchiveDigest }) => ({
      body: {
        use: 'reusable',
        tools: [{ libraryEntryId, expectedPackageArchiveDigest: packageArchiveDigest, initialState: 'empty' }],
        previousSetupId: setupId,
        expectedPreviousBuildHash: digest,
      },
    }),
  ],
  ['createAuthoringSession', ({ sourceDraftId }) => ({ body: { author: 'manual', base: { sourceDraftId, revision: 1 } } })],
  [
    'putSourceDatasets',
    ({ datasetId }, { sourceDigest }) => ({
      body: {
        sourceDigest,
        target: { kind: 'baseline' },
        selections: [{ packageId: 'payments', datasetId, revision: 1, digest, instanceId: 'payments' }],
      },
    }),
  ],
  ['resetSession', ({ hostedSnapshotId }) => ({ body: { ...lease, hostedSnapshotId } })],
  ['forkSession', ({ hostedSnapshotId }, { environmentId }) => ({ body: { ...lease, hostedSnapshotId, environmentId } })],
  ['forkSession', ({ environmentId }) => ({ body: { ...lease, environmentId } })],
  ['advanceTime', ({ environmentId }, { buildHash }) => ({ body: { ...lease, environmentId, buildHash, targetUs: 1, maxEvents: 1 } })],
  ['advanceTime', ({ buildHash }, { environmentId }) => ({ body: { ...lease, environmentId, buildHash, targetUs: 1, maxEvents: 1 } })],
  ['compareRuns', ({ hostedRunId }) => ({ query: `left=${hostedRunId}&right=${hostedRunId}` })],
  ['deleteGrant', ({ grantId }) => ({ body: { grantId, confirm: grantId } })],
];
