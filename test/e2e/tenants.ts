// A service with three organizations, the first of which has at least one of everything: what the tests that attack it hold.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../src/client/client.js';
import type { BuildAttempt, SourceDraft } from '../../src/contract/hosted/source.js';
import { clientOf, type ServiceInside, type StartOptions, startedDirectory, startInside } from './service.js';

/** A value for each name in a path of the endpoint table. */
export type Ids = { readonly [name: string]: string };
export interface Tenants<S = ServiceInside> {
  readonly service: S;
  readonly manager: string;
  readonly client: Client;
  /** Of the first organization and its first project: every resource exists. */
  readonly ids: Ids;
  /** Of the same project: a build of the world `small-world`, and a run that is sealed. */
  readonly also: { buildHash: string; hostedRunId: string };
  /** Beside the one of `ids`: a session whose world no run owns, and how its agent reaches it. */
  readonly idle: { sessionId: string; leaseGeneration: number; worldUrl: string; worldCredential: string };
  /** Another project of the first organization. */
  readonly second: SmallProject;
  /** Two other organizations, each with its manager and a project of its own. */
  readonly foreign: SmallProject & Tenant;
  readonly third: SmallProject & Tenant;
  /** The token of who runs the service. */
  readonly operator: string;
}
export interface Tenant {
  organizationId: string;
  /** A manager's. */
  credential: string;
  credentialId: string;
  client: Client;
}

/** A project with a build, an environment, a session of it, a dataset and a conversation. */
export interface SmallProject {
  projectId: string;
  environmentId: string;
  buildHash: string;
  sourceDraftId: string;
  sourceDigest: string;
  sessionId: string;
  authoringSessionId: string;
}

export async function startTenants(options: StartOptions = {}): Promise<Tenants> {
  return await startTenantsWith(startInside, options);
}

/** Of a service that is started so: in a process of its own, say. */
export async function startTenantsWith<S extends Pick<ServiceInside, 'ready'>>(
  start: (options: StartOptions) => Promise<S>,
  { flags = [], ...options }: StartOptions = {},
): Promise<Tenants<S>> {
  const dataDirectory = options.dataDirectory ?? (await startedDirectory());
  const unlimited = ['--rate-per-second', '1000000', '--rate-burst', '1000000', '--durability', 'committed'];
  const service = await start({ ...options, dataDirectory, flags: [...unlimited, ...flags] });
  const manager = service.ready.credential!;
  const client = clientOf(service, manager);
  const operator = readFileSync(join(dataDirectory, 'operator.token'), 'utf8').trim();
  const tenant = async (name: string): Promise<SmallProject & Tenant> => {
    const made = await newOrganization(service, operator, name);
    return { ...made, ...(await smallProject(made.client, `${name}-world`)) };
  };
  const [second, foreign, third] = await Promise.all([smallProject(client, 'second-world'), tenant('foreign'), tenant('third')]);
  return {
    service,
    manager,
    client,
    ...(await fill(client, service)),
    second,
    foreign,
    third,
    operator,
  };
}

/** As an operator makes one, with its first manager. */
async function newOrganization(service: Pick<ServiceInside, 'ready'>, operator: string, name: string): Promise<Tenant> {
  const client = clientOf(service, operator);
  const { organizationId } = (await client.createOrganization({ body: { name } })).organization;
  const { secret, credential } = await client.createOrganizationCredential({ path: { organizationId }, body: { name: 'its manager' } });
  return { organizationId, credential: secret!, credentialId: credential.credentialId, client: clientOf(service, secret!) };
}

async function smallProject(client: Client, world: string): Promise<SmallProject> {
  const { projectId } = (await client.createProject({ body: { name: world } })).project;
  const path = { projectId };
  const { buildHash, sourceDraft } = await builtWorld(client, projectId, world);
  const { environmentId } = (await client.createEnvironment({ path, body: { name: world, buildHash } })).environment;
  const made = await client.createSession({ path: { projectId, environmentId }, body: { seed: '7' } });
  await client.waitForOperation({ ...path, ...made.operation });
  const { authoringSessionId } = (await client.createAuthoringSession({ path, body: { author: 'manual' } })).session;
  const { sourceDraftId, sourceDigest } = sourceDraft;
  return { projectId, environmentId, buildHash, sourceDraftId, sourceDigest, sessionId: made.session.sessionId, authoringSessionId };
}

export async function builtWorld(
  client: Client,
  projectId: string,
  world: string,
): Promise<{ buildHash: string; sourceDraft: SourceDraft }> {
  const { sourceDraft } = await client.createSourceDraft({ path: { projectId }, body: { name: world, files: worldFiles(world) } });
  const { operation } = await client.createBuild({ path: { projectId, sourceDraftId: sourceDraft.sourceDraftId, revision: 1 }, body: {} });
  const { result } = await client.waitForOperation({ projectId, operationId: operation.operationId });
  return { buildHash: (result as unknown as { attempt: BuildAttempt }).attempt.buildHash!, sourceDraft };
}

export const worldFiles = (id: string) => [
  { path: 'drillyard.json', content: '{"schemaVersion": 1}' },
  { path: 'drillyard/world.yaml', content: `schemaVersion: 1\nid: ${id}\n` },
];

async function fill(client: Client, { ready }: Pick<ServiceInside, 'ready'>): Promise<Pick<Tenants, 'ids' | 'idle' | 'also'>> {
  const { organizationId, projectId, environmentId, buildHash } = ready;
  const at = { projectId };
  const ended = (operation: { operationId: string }) => client.waitForOperation({ ...at, ...operation });

  const { sourceDraft, buildHash: smallBuild } = await builtWorld(client, projectId, 'small-world');

  const entry = (await client.listToolLibrary({ path: at })).items.find(({ packageId }) => packageId === 'payments')!;
  const { setup, operation: setupBuild } = await client.createToolSetup({
    path: at,
    body: {
      use: 'reusable',
      tools: [{ libraryEntryId: entry.libraryEntryId, expectedPackageArchiveDigest: entry.packageArchiveDigest, initialState: 'starter' }],
    },
  });
  await ended(setupBuild);
  const { upload } = await client.createDatasetUpload({ path: at, body: { bytes: 2, hash: `sha256:${'0'.repeat(64)}` } });
  const { dataset } = await client.createDataset({
    path: at,
    body: { name: 'rows', buildHash, packageId: entry.packageId, collections: [] },
  });

  const authoring = await client.createAuthoringSession({ path: at, body: { author: 'manual', title: 'Talk' } });
  const conversation = { ...at, authoringSessionId: authoring.session.authoringSessionId };
  const changes = worldFiles('spoken-world').map((file) => ({ action: 'put' as const, ...file }));
  await ended((await client.createAuthoringTurn({ path: conversation, body: { expectedVersion: 1, prompt: 'next', changes } })).operation);
  const { currentProposalId } = (await client.getAuthoringSession({ path: conversation })).session;

  const session = async () => {
    const made = await client.createSession({
      path: { ...at, environmentId },
      body: { seed: '7', drillId: 'refund-happy-path', ttlMs: 3_600_000 },
    });
    await ended(made.operation);
    return (await client.getSession({ path: { ...at, sessionId: made.session.sessionId } })).session;
  };
  const [idle, owned, done] = [await session(), await session(), await session()];
  const snapshot = await client.createSnapshot({
    path: { ...at, sessionId: idle.sessionId },
    body: { expectedLeaseGeneration: idle.leaseGeneration },
  });
  await ended(snapshot.operation);
  const access = await client.createSessionAccess({
    path: { ...at, sessionId: idle.sessionId },
    body: { actorId: 'support-agent', ttlMs: 3_600_000 },
  });
  const running = await awaitingRun(client, { ...at, environmentId }, owned);
  const bytes = { kind: 'log' as const, name: 'log.txt', mediaType: 'text/plain', bytes: 0, hash: emptyHash };
  const begun = await client.beginAttachment({ path: { ...at, hostedRunId: running.hostedRunId }, body: bytes });
  const sealed = await sealedRun(client, { ...at, environmentId }, done);

  const receiver = await client.createCallbackReceiver({ path: at, body: { receiverId: 'hooks', origin: 'https://hooks.example.com' } });
  const { credential } = await client.createCredential({ body: { name: 'one more', role: null } });
  const subject = { kind: 'credential' as const, id: credential.credentialId };
  const { grant } = await client.createGrant({ path: at, body: { subject, role: 'viewer' } });
  return {
    ids: {
      organizationId,
      projectId,
      environmentId,
      buildHash,
      sourceDraftId: sourceDraft.sourceDraftId,
      revision: '1',
      setupId: setup.setupId,
      libraryEntryId: entry.libraryEntryId,
      datasetId: dataset.datasetId,
      uploadId: upload.uploadId,
      authoringSessionId: conversation.authoringSessionId,
      proposalId: currentProposalId!,
      sessionId: owned.sessionId,
      hostedSnapshotId: snapshot.snapshot.hostedSnapshotId,
      hostedRunId: running.hostedRunId,
      attachmentId: begun.attachment.attachmentId,
      accessId: access.access.accessId,
      evidenceBundleId: sealed.evidenceBundleId,
      callbackReceiverBindingId: receiver.callbackReceiver.callbackReceiverBindingId,
      operationId: snapshot.operation.operationId,
      credentialId: credential.credentialId,
      grantId: grant.grantId,
    },
    also: { buildHash: smallBuild, hostedRunId: sealed.hostedRunId },
    idle: {
      sessionId: idle.sessionId,
      leaseGeneration: idle.leaseGeneration,
      worldUrl: access.access.worldHttpUrl,
      worldCredential: access.access.credential,
    },
  };
}
const emptyHash = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

type Place = { projectId: string; environmentId: string };
type Leased = { sessionId: string; leaseGeneration: number };

async function awaitingRun(client: Client, place: Place, { sessionId, leaseGeneration }: Leased) {
  const body = { expectedLeaseGeneration: leaseGeneration, timeoutMs: 3_600_000 };
  const { run } = await client.startRun({ path: { ...place, sessionId }, body });
  return await runWhen(client, { projectId: place.projectId, hostedRunId: run.hostedRunId }, (now) => now.pendingInteraction !== undefined);
}

async function sealedRun(client: Client, place: Place, session: Leased) {
  const { hostedRunId, revision, pendingInteraction } = await awaitingRun(client, place, session);
  const path = { projectId: place.projectId, hostedRunId };
  const interactionId = pendingInteraction!.interaction.id;
  await client.completeInteraction({
    path,
    body: { interactionId, expectedRevision: revision, targetResult: { status: 'completed', attachments: [] } },
  });
  return await runWhen(client, path, ({ finishedAtMs }) => finishedAtMs !== undefined);
}

async function runWhen(client: Client, path: { projectId: string; hostedRunId: string }, isSo: (run: Run) => boolean): Promise<Run> {
  for (let looks = 0; looks < 2_000; looks++) {
    const { run } = await client.getRun({ path });
    if (isSo(run)) return run;
  }
  throw new Error('the run never came so far');
}
type Run = Awaited<ReturnType<Client['getRun']>>['run'];

/** As `ids`, of nothing that ever was: each differs from the real one and has its shape. */
export function neverIds(ids: Ids): Ids {
  return Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, shared.has(name) ? id : id.slice(0, -1) + (id.endsWith('7') ? '8' : '7')]),
  );
}
/** The same for everybody. */
const shared = new Set(['revision', 'libraryEntryId']);

export const idsIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
export const fillPath = (path: string, ids: Ids): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? `no-${name}`));
