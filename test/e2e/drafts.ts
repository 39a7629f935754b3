// A request for each operation of the document that the service would take, about resources that exist.
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import type { ToolLibraryEntry } from '../../src/contract/hosted/source.js';
import type { Draft } from './mutations.js';
import type { Possessions } from './possessions.js';
import { type DocumentedOperation, ruleOf } from './requests.js';
import { fillPath, type Ids, idsIn, type Tenants, worldFiles } from './tenants.js';
import { type Body, newKey } from './wire.js';

/** What takes a session from all others, or may be its end. */
const ending = new Set<EndpointId>(['startRun', 'extendSession', 'destroySession']);
type Values = { readonly [name: string]: unknown };

export class Drafts {
  readonly #tenants: Tenants;
  readonly #seen: Possessions['seen'];
  readonly #operations: ReadonlyMap<EndpointId, DocumentedOperation>;
  #entry: ToolLibraryEntry | undefined;
  /** What would be ended by the requests about it. */
  #expendable = { secret: '', credentialId: '', sessionId: '' };

  constructor(tenants: Tenants, operations: ReadonlyMap<EndpointId, DocumentedOperation>, { seen }: Possessions) {
    this.#tenants = tenants;
    this.#seen = seen;
    this.#operations = operations;
  }

  async prepare(): Promise<void> {
    const { client, ids } = this.#tenants;
    const path = { projectId: ids.projectId as string, libraryEntryId: ids.libraryEntryId as string };
    this.#entry = (await client.getToolLibraryEntry({ path })).entry;
    const { secret, credential } = await client.createCredential({ body: { name: 'expendable', role: 'viewer' } });
    const body = { seed: '1', drillId: 'refund-happy-path' };
    const { session, operation } = await client.createSession({
      path: { projectId: path.projectId, environmentId: ids.environmentId as string },
      body,
    });
    await client.waitForOperation({ projectId: path.projectId, operationId: operation.operationId });
    this.#expendable = { secret: secret!, credentialId: credential.credentialId, sessionId: session.sessionId };
  }

  of(id: EndpointId): Draft {
    const { ids, idle, manager } = this.#tenants;
    const { method, path, unsafe } = ruleOf(id);
    const { requestBody, parameters = [] } = this.#operations.get(id) ?? {};
    const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    const { credentialId, sessionId } = this.#expendable;
    const { operator, third } = this.#tenants;
    const isOperators = ruleOf(id).authority === 'operator';
    const about: Ids = {
      ...ids,
      sessionId: ending.has(id) ? sessionId : idle.sessionId,
      // What an operator may do to an organization, it does to one that nobody else needs.
      ...(isOperators ? { organizationId: third.organizationId, credentialId: third.credentialId } : { credentialId }),
    };
    const bearer = isOperators ? operator : id === 'revokeAuthSession' ? this.#expendable.secret : manager;
    const values = this.#values(idsIn(path).map((name) => about[name] as string));
    const required = parameters.filter((one) => one.in === 'query' && one.required).map((one) => one.name as string);
    return {
      method,
      path: fillPath(path, about),
      query: required.map((name) => [name, name === 'path' ? 'report.json' : String(values[name] ?? '1')]),
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(unsafe ? { 'idempotency-key': newKey() } : {}),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      value: aboutThem(this.#bodies()[id] ?? media?.example, values),
      ...(type === 'application/octet-stream' ? { text: 'bytes' } : {}),
    };
  }

  /** By the name of the member, wherever it stands in an example. */
  #values(pathIds: readonly string[]): Values {
    const { version, leaseGeneration } = pathIds.map((id) => this.#seen.get(id)).findLast((one) => one !== undefined) ?? {
      version: 1,
      leaseGeneration: 1,
    };
    const { environmentId, buildHash, hostedSnapshotId, hostedRunId } = this.#tenants.ids;
    return {
      ...{ environmentId, buildHash, hostedSnapshotId, left: hostedRunId, right: hostedRunId },
      ...{
        expectedLeaseGeneration: leaseGeneration,
        expectedVersion: version,
        expectedRevision: version,
        drillId: 'refund-happy-path',
        actorId: 'support-agent',
        atSequence: 1,
      },
      ...{ packageId: 'ticket-desk', namespace: 'tickets', faultId: 'rate-limited', instanceId: 'ticket-desk' },
    };
  }

  /** Where an example is about something that does not exist. */
  #bodies(): { readonly [Id in EndpointId]?: Body } {
    const { buildHash, credentialId, sourceDraftId } = this.#tenants.ids;
    const { libraryEntryId, packageArchiveDigest } = this.#entry as ToolLibraryEntry;
    const setup = {
      use: 'reusable',
      tools: [{ libraryEntryId, expectedPackageArchiveDigest: packageArchiveDigest, initialState: 'starter' }],
    };
    return {
      createToolSetup: setup,
      validateToolSetup: setup,
      createSourceDraft: { name: 'one more', files: worldFiles('one-more-world') },
      createAuthoringSession: { author: 'manual', title: 'One more', base: { sourceDraftId, revision: 1 } },
      createDataset: { name: 'one more', buildHash, packageId: 'ticket-desk', collections: [] },
      createDatasetRevision: { expectedVersion: 1, buildHash, collections: [] },
      createGrant: { subject: { kind: 'credential', id: credentialId }, role: 'viewer' },
      createBuild: {},
      resetSession: { expectedLeaseGeneration: 1, packages: ['ticket-desk'] },
      extendSession: { expectedLeaseGeneration: 1, expectedVersion: 1, ttlMs: 600_000 },
    };
  }
}

function aboutThem(value: unknown, values: Values): unknown {
  if (Array.isArray(value)) return value.map((item) => aboutThem(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, Object.hasOwn(values, name) ? values[name] : aboutThem(member, values)]),
  );
}
