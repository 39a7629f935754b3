// A request for each operation of the document that the service would take, about resources that exist.
import type { EndpointId } from '../../src/contract/endpoints.js';
import type { ToolLibraryEntry } from '../../src/contract/hosted-source.js';
import type { Draft } from './mutations.js';
import { type DocumentedOperation, ruleOf } from './requests.js';
import { fillPath, type Tenants, worldFiles } from './tenants.js';
import { type Body, newKey } from './wire.js';

type Values = { readonly [name: string]: unknown };

export class Drafts {
  /** As the idle session has it now. */
  leaseGeneration = 1;
  readonly #tenants: Tenants;
  readonly #operations: ReadonlyMap<EndpointId, DocumentedOperation>;
  #entry: ToolLibraryEntry | undefined;
  /** What would be ended by the requests about it. */
  #expendable = { secret: '', credentialId: '' };

  constructor(tenants: Tenants, operations: ReadonlyMap<EndpointId, DocumentedOperation>) {
    this.#tenants = tenants;
    this.#operations = operations;
  }

  async prepare(): Promise<void> {
    const { client, ids } = this.#tenants;
    const path = { projectId: ids.projectId as string, libraryEntryId: ids.libraryEntryId as string };
    this.#entry = (await client.getToolLibraryEntry({ path })).entry;
    const { secret, credential } = await client.createCredential({ body: { name: 'expendable', role: 'viewer' } });
    this.#expendable = { secret, credentialId: credential.credentialId };
  }

  of(id: EndpointId): Draft {
    const { ids, idle, manager } = this.#tenants;
    const { method, path, unsafe } = ruleOf(id);
    const { requestBody, parameters = [] } = this.#operations.get(id) ?? {};
    const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    const values = this.#values();
    const required = parameters.filter((one) => one.in === 'query' && one.required).map((one) => one.name as string);
    return {
      method,
      // A run that begins would take the idle session from all others.
      path: fillPath(path, { ...ids, credentialId: this.#expendable.credentialId, ...(id === 'startRun' ? {} : { sessionId: idle.sessionId }) }),
      query: required.map((name) => [name, name === 'path' ? 'report.json' : String(values[name] ?? '1')]),
      headers: {
        authorization: `Bearer ${id === 'revokeAuthSession' ? this.#expendable.secret : manager}`,
        ...(unsafe ? { 'idempotency-key': newKey() } : {}),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      value: this.#bodies()[id] ?? aboutThem(media?.example, values),
      ...(type === 'application/octet-stream' ? { text: 'bytes' } : {}),
    };
  }

  /** By the name of the member, wherever it stands in an example. */
  #values(): Values {
    const { environmentId, buildHash, hostedSnapshotId, hostedRunId } = this.#tenants.ids;
    return {
      ...{ environmentId, buildHash, hostedSnapshotId, left: hostedRunId, right: hostedRunId },
      ...{ expectedLeaseGeneration: this.leaseGeneration, drillId: 'refund-happy-path', actorId: 'support-agent', atSequence: 1 },
      ...{ packageId: 'ticket-desk', namespace: 'tickets', faultId: 'rate-limited', instanceId: 'ticket-desk' },
    };
  }

  /** Where an example is about something that does not exist. */
  #bodies(): { readonly [Id in EndpointId]?: Body } {
    const { buildHash, credentialId, sourceDraftId } = this.#tenants.ids;
    const { libraryEntryId, packageArchiveDigest } = this.#entry as ToolLibraryEntry;
    const setup = {
      use: 'reusable',
      tools: [{ libraryEntryId, expectedPackageArchiveDigest: packageArchiveDigest, initialState: 'starter', instanceId: 'one' }],
    };
    return {
      createToolSetup: setup,
      validateToolSetup: setup,
      createSourceDraft: { name: 'one more', files: worldFiles('one-more-world') },
      createAuthoringSession: { author: 'manual', title: 'One more', base: { sourceDraftId, revision: 1 } },
      createDataset: { name: 'one more', buildHash, packageId: 'ticket-desk', collections: [{ namespace: 'tickets', records: [] }] },
      createDatasetRevision: { expectedVersion: 1, buildHash, collections: [] },
      createGrant: { subject: { kind: 'credential', id: credentialId }, role: 'viewer' },
      createBuild: {},
      resetSession: { expectedLeaseGeneration: this.leaseGeneration, packages: ['ticket-desk'] },
      extendSession: { expectedLeaseGeneration: this.leaseGeneration, expectedVersion: 1, ttlMs: 600_000 },
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
