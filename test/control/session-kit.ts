// A control plane with sessions, real worlds of the bank and the hosted bindings, without a socket.
import assert from 'node:assert/strict';
import { createHostedBindings, type HostedBindings } from '../../src/bindings/hosted-bindings.js';
import { jsonDigest } from '../../src/contract/digest.js';
import { type errorTable, ServiceError } from '../../src/contract/errors.js';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import type { WorldSession } from '../../src/contract/hosted/resources.js';
import type { AccessBundle, CreateSessionRequest } from '../../src/contract/hosted/sessions.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { WorldSetup } from '../../src/contract/world/scenario.js';
import { putBuild } from '../../src/control/builds/build-records.js';
import { environmentTable } from '../../src/control/builds/environment-records.js';
import { defineSessionRunners, sessionEndpoints } from '../../src/control/sessions/endpoints.js';
import { recoverSessions } from '../../src/control/sessions/expiry.js';
import { storedAccesses } from '../../src/control/sessions/open-access.js';
import { packBuild } from '../../src/control/tasks/build-pack.js';
import type { HttpReply, ServerRequest } from '../../src/http/server.js';
import { bankBuild, bankSetup } from '../worlds/bank-build.js';
import { type ControlKit, type ControlKitOptions, openControlKit, quietSettings } from './control-kit.js';

const rich: WorldSetup = { ...bankSetup, virtualTimeUs: 9_000 };
const hashed = (setup: WorldSetup) => ({ setup, setupHash: jsonDigest(setup as unknown as JsonValue) });
/** The bank with a scenario and a drill, both by the name `rich`, which start later. */
export const build = {
  ...bankBuild,
  scenarios: [{ scenario: { id: 'rich' }, ...hashed(rich) }],
  drills: [{ drill: { id: 'rich' }, ...hashed(rich) }],
} as unknown as CompiledBuild;
export const { buildHash } = build;

export interface SessionKit extends ControlKit {
  readonly environmentId: string;
  readonly bindings: HostedBindings;
  /** A session that is ready. */
  session(body?: Partial<CreateSessionRequest>): Promise<WorldSession>;
  ended(operation: LongRunningOperation): Promise<LongRunningOperation>;
  /** As `ended`, which must have succeeded; its result. */
  done(operation: LongRunningOperation): Promise<JsonObject>;
  get(sessionId: string): Promise<WorldSession>;
  access(sessionId: string): Promise<AccessBundle>;
  /** One request of an agent, below /world. */
  agent(
    credential: string,
    path: string,
    body?: JsonValue,
    headers?: { [name: string]: string },
  ): Promise<{ status: number; body: JsonObject }>;
  add(credential: string, amount: number): Promise<{ status: number; body: JsonObject }>;
  /** The same at other bindings than the kit's. */
  agentAt(bindings: Pick<HostedBindings, 'handler'>, credential: string, amount: number): Promise<{ status: number; body: JsonObject }>;
  evidence(sessionId: string): Promise<EvidenceEntry[]>;
  balance(sessionId: string, atSequence?: number): Promise<unknown>;
  /** What advance and faults name of their session. */
  fence(session: WorldSession): { environmentId: string; buildHash: string; expectedLeaseGeneration: number };
}

export async function openSessionKit(options: ControlKitOptions = {}): Promise<SessionKit> {
  const { clock = { nowMs: 1_750_000_000_000 } } = options;
  const bindings = createHostedBindings({
    publicUrl: quietSettings.publicUrl,
    nowMs: () => clock.nowMs,
    onFailure: ({ error }) => {
      throw error;
    },
  });
  const kit = await openControlKit({
    worlds: true,
    endpoints: sessionEndpoints,
    runners: defineSessionRunners,
    beforeResume: async (services) => {
      await recoverSessions(services);
      bindings.recall?.(storedAccesses(services));
    },
    ...options,
    clock,
    services: { bindings, ...options.services },
  });
  const environmentId = await publish(kit);
  const { services, call } = kit;
  const ended = (operation: LongRunningOperation): Promise<LongRunningOperation> => services.operations.whenEnded(operation.operationId);
  const done = async (operation: LongRunningOperation): Promise<JsonObject> => {
    const { state, result, error } = await ended(operation);
    assert.equal(state, 'succeeded', JSON.stringify(error));
    return result as JsonObject;
  };
  const get = async (sessionId: string): Promise<WorldSession> => (await call('getSession', { path: { sessionId } })).session;
  const askAt = async ({ handler }: Pick<HostedBindings, 'handler'>, request: ServerRequest) => {
    const reply = await handler(request);
    return { status: reply.status, body: JSON.parse(String((reply as HttpReply).body)) as JsonObject };
  };
  const agent: SessionKit['agent'] = (credential, path, body, headers = {}) => askAt(bindings, requestOf(credential, path, body, headers));
  const addition = (amount: number): [path: string, body: JsonValue] => [
    '/world/v1/operations/bank/add',
    { arguments: { account: 'main', amount } },
  ];
  return {
    ...kit,
    environmentId,
    bindings,
    session: async (body = {}) => {
      const { session, operation } = await call('createSession', { path: { environmentId }, body: { seed: '7', ...body } });
      await done(operation);
      return await get(session.sessionId);
    },
    ended,
    done,
    get,
    access: async (sessionId) => (await call('createSessionAccess', { path: { sessionId }, body: { actorId: 'clerk' } })).access,
    agent,
    add: (credential, amount) => agent(credential, ...addition(amount)),
    agentAt: (at, credential, amount) => askAt(at, requestOf(credential, ...addition(amount), {})),
    evidence: async (sessionId) => (await call('listEvidence', { path: { sessionId }, query: { limit: 500 } })).entries,
    balance: async (sessionId, atSequence) => {
      const at = atSequence === undefined ? {} : { atSequence };
      const { rows } = await call('listState', { path: { sessionId }, query: { packageId: 'bank', namespace: 'accounts', ...at } });
      return rows.find(({ rowId }) => rowId === 'main')?.value.balance;
    },
    fence: (session) => ({
      environmentId: session.environmentId,
      buildHash: session.buildHash,
      expectedLeaseGeneration: session.leaseGeneration,
    }),
  };
}

/** The bank's build in the kit's project, in the one environment there is. */
async function publish({ services, organizationId, projectId }: ControlKit): Promise<string> {
  const { catalog, blobs } = services;
  const content = { build: await blobs.put(packBuild(build)), view: await blobs.put(Buffer.from('{}')), bytes: 0 };
  const { packageLockHash, world } = build;
  const summary = { buildHash, packageLockHash, worldId: world.id, tools: [], scenarioIds: [], drillIds: [], targetIds: [], suiteIds: [] };
  return await catalog.change((tx) => {
    putBuild(tx, { organizationId, projectId, summary, content, nowMs: services.nowMs() });
    const [environment] = tx.list(environmentTable, { index: 'byProject', prefix: [projectId], limit: 1 }).records;
    assert.ok(environment);
    tx.put(environmentTable, { ...environment, buildHash });
    return environment.environmentId;
  });
}

function requestOf(credential: string, path: string, body: JsonValue | undefined, headers: { [name: string]: string }): ServerRequest {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const own = {
    host: '127.0.0.1:8787',
    authorization: `Bearer ${credential}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return {
    method: body === undefined ? 'GET' : 'POST',
    path,
    query: '',
    headers: new Map(Object.entries({ ...own, ...headers })),
    repeatedHeaders: new Map(),
    address: '127.0.0.1',
    signal: new AbortController().signal,
    body: async () => bytes,
  };
}

/** A refusal by its code, and with these details. */
export async function refuses(work: Promise<unknown>, code: keyof typeof errorTable, details: JsonObject = {}): Promise<ServiceError> {
  const error = await work.then(
    () => assert.fail(`not refused with ${code}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ServiceError, String(error instanceof Error ? error.stack : error));
  assert.equal(error.code, code, error.message);
  for (const [name, value] of Object.entries(details)) assert.deepEqual(error.extra.details?.[name], value, name);
  return error;
}
