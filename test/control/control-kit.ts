// A control plane without sockets, on a temporary folder: what the tests of this module hold. Time stands still unless a test moves it.
//   const kit = await openControlKit({ endpoints: (services) => ({ ...projectEndpoints(services) }) });
//   const { project } = await kit.call('createProject', { body: { name: 'one' } });
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointTable } from '../../src/contract/hosted/endpoint-table.js';
import type { EndpointId, EndpointInput, EndpointReply } from '../../src/contract/hosted/endpoints.js';
import { newId } from '../../src/contract/ids.js';
import type { Role } from '../../src/contract/world/authority.js';
import { bootstrap } from '../../src/control/bootstrap.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import type { ByteStream, Caller, ServedReply } from '../../src/control/catalog/endpoint.js';
import { Keyring } from '../../src/control/catalog/keyring.js';
import { organizationTable } from '../../src/control/catalog/organization-records.js';
import { type ControlSettings, settingsDefaults } from '../../src/control/catalog/settings.js';
import { ControlPlane } from '../../src/control/control-plane.js';
import { FileBlobs } from '../../src/control/core/blobs.js';
import { OperationEngine } from '../../src/control/core/operation-engine.js';
import type { ControlServices, ServicePorts, ServiceWorlds } from '../../src/control/core/services.js';
import type { Dispatch, Endpoints } from '../../src/control/dispatch.js';
import { WorldGuard } from '../../src/control/guard/world-guard.js';
import { silentMeter } from '../../src/control/memory/control-meter.js';
import { issueCredential } from '../../src/control/organizations/credential-issue.js';
import { withMemory } from '../../src/control/service-memory.js';
import { JudgeWorkers } from '../../src/control/tasks/judge-port.js';
import { openWorlds } from '../../src/worlds/worlds.js';

export interface ControlKitOptions {
  /** What is mounted. Default nothing. */
  endpoints?: (services: ControlServices) => Endpoints;
  /** Defines the runners of operations. */
  runners?: (services: ControlServices) => void;
  /** What an area does at the start of an incarnation, before operations continue. */
  beforeResume?: (services: ControlServices) => Promise<void>;
  /** Ports to use instead of the kit's, which refuse to be used: bindings, compiler. */
  services?: Partial<ControlServices>;
  settings?: Partial<ControlSettings>;
  /** Opens real worlds, on one thread. Default: the port refuses to be used. */
  worlds?: boolean;
  /** A folder of an earlier kit, to continue with. Default: a new one, removed at the end. */
  directory?: string;
  clock?: { nowMs: number };
}
/** The path may leave out `projectId`: the kit's. */
export type CallInput<Id extends EndpointId> = {
  [Part in keyof EndpointInput<Id> as EndpointInput<Id>[Part] extends undefined ? never : Part]?: Part extends 'path'
    ? Partial<EndpointInput<Id>[Part]>
    : EndpointInput<Id>[Part];
};
export interface CallOptions {
  /** Default: a new one. */
  key?: string;
  /** Default: the manager of the first organization. */
  caller?: Caller;
}
export interface ControlKit {
  readonly directory: string;
  readonly services: ControlServices;
  readonly plane: ControlPlane;
  readonly clock: { nowMs: number };
  /** What the disk does at the next flushes: `full` makes them fail. */
  readonly disk: { full: boolean };
  readonly organizationId: string;
  readonly projectId: string;
  /** A manager of the first organization. */
  readonly caller: Caller;
  readonly token: string;
  call<Id extends EndpointId>(id: Id, input?: CallInput<Id>, options?: CallOptions): Promise<EndpointReply<Id>>;
  dispatch<Id extends EndpointId>(id: Id, input?: CallInput<Id>, options?: CallOptions): Promise<Dispatch<Id>>;
  /** Another credential: of the first organization unless another is named. */
  callerWith(
    role: Role | null,
    options?: { organizationId?: string; ttlMs?: number },
  ): Promise<{ caller: Caller; token: string; credentialId: string }>;
  /** A tenant of its own, with a manager. */
  foreigner(): Promise<{ caller: Caller; organizationId: string }>;
  /** Ends this incarnation: gently by default, or as a crash does, at what is on the disk. The folder stays; open another kit on it. */
  end(how?: 'gently' | 'crash'): Promise<void>;
  /** Ends this incarnation and removes the folder. */
  close(): Promise<void>;
}

export const quietSettings: Omit<ControlSettings, 'dataDirectory'> = {
  publicUrl: 'http://127.0.0.1:8787',
  workers: 1,
  isolation: 'thread',
  trustToolCode: true,
  handlerTimeoutMs: 10_000,
  hostHeapMb: 512,
  heldMsPerMinute: 60_000,
  quarantine: { timeoutsMax: 5, hostEndsMax: 3 },
  durability: 'committed',
  rate: { perSecond: 1_000_000, burst: 1_000_000 },
  organizationRate: { perSecond: 1_000_000, burst: 1_000_000 },
  quotas: {
    ...{ sessionsLiveMax: 100, runsActiveMax: 100, sourceDraftsMax: 100, datasetsMax: 100, projectsMax: 100, credentialsMax: 100 },
    ...{ sessionBytesMax: 2 ** 40, projectBytesMax: 2 ** 40, organizationBytesMax: 2 ** 40 },
  },
  evidenceRetentionMs: 86_400_000,
  retention: settingsDefaults.retention,
  receiverPorts: [443, 8443],
  allowLoopbackReceivers: false,
};

export async function openControlKit(options: ControlKitOptions = {}): Promise<ControlKit> {
  const { endpoints = () => ({}), runners = () => {}, beforeResume = async () => {}, clock = { nowMs: 1_750_000_000_000 } } = options;
  const { directory = mkdtempSync(join(tmpdir(), 'drillyard-control-')) } = options;
  const disk = { full: false };
  const services = await openServices(options, { directory, clock, disk });
  runners(services);
  const plane = new ControlPlane(services, endpoints(services));
  const { organizationId, projectId, secret } = await bootstrap(services, async () => ({ buildHash: `sha256:${'0'.repeat(64)}` }));
  await beforeResume(services);
  plane.start();
  const caller = plane.authenticate(secret!);

  const dispatch: ControlKit['dispatch'] = (id, input = {}, { key = newId('corr'), caller: by = caller } = {}) => {
    const { path, query, body } = input as { path?: object; query?: object; body?: unknown };
    const hasProject = endpointTable[id].path.includes('{projectId}');
    const whole = { path: hasProject ? { projectId, ...path } : path, query: query ?? {}, body };
    return plane.dispatch(id, whole as EndpointInput<typeof id>, { caller: by, correlationId: newId('corr'), idempotencyKey: key });
  };
  const callerWith: ControlKit['callerWith'] = async (role, { organizationId: of = organizationId, ttlMs } = {}) => {
    const wanted = { organizationId: of, name: 'test', role, createdBy: 'test', ...(ttlMs === undefined ? {} : { ttlMs }) };
    const { credential, secret: token } = await services.catalog.change((tx) => issueCredential(tx, services, wanted));
    return { caller: plane.authenticate(token), token, credentialId: credential.credentialId };
  };
  const end: ControlKit['end'] = async (how = 'gently') => {
    if (how === 'crash') disk.full = true;
    if (how === 'crash') await services.operations.drain(0);
    else await plane.drain(5_000);
    if (options.worlds) await services.worlds.close();
    if (services.judge !== judge) await services.judge.close();
    await services.catalog.close();
  };
  return {
    directory,
    services,
    plane,
    clock,
    disk,
    organizationId,
    projectId,
    caller,
    token: secret!,
    call: async (id, input, how) => whole((await dispatch(id, input, how)).reply),
    dispatch,
    callerWith,
    foreigner: async () => {
      const other = newId('org');
      await services.catalog.change((tx) => tx.put(organizationTable, { organizationId: other, name: 'other', createdAtMs: clock.nowMs }));
      return { caller: (await callerWith('manager', { organizationId: other })).caller, organizationId: other };
    },
    end,
    close: async () => {
      await end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Bytes that come in pieces, together. */
async function whole<Id extends EndpointId>(reply: ServedReply<Id>): Promise<EndpointReply<Id>> {
  if (reply instanceof Uint8Array || !(Symbol.asyncIterator in reply)) return reply as EndpointReply<Id>;
  const pieces: Uint8Array[] = [];
  for await (const piece of reply as ByteStream) pieces.push(piece);
  return Buffer.concat(pieces) as unknown as EndpointReply<Id>;
}

/** Of all kits of a process: its thread starts with the first expression, loads what judges, and keeps no process alive. */
const judge = new JudgeWorkers({ workers: 1 });

type Ground = { directory: string; clock: { nowMs: number }; disk: { full: boolean } };

async function openServices(
  { services, settings, worlds }: ControlKitOptions,
  { directory, clock, disk }: Ground,
): Promise<ControlServices> {
  mkdirSync(directory, { recursive: true });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const nowMs = (): number => clock.nowMs;
  let blobs: FileBlobs | undefined;
  const onCommit = (): void => {
    if (disk.full) throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' });
  };
  const catalog = new Catalog({ directory: join(directory, 'catalog'), onCommit });
  const all = { dataDirectory: directory, ...quietSettings, ...settings };
  const guard = new WorldGuard({ settings: all, catalog, nowMs, log });
  const ports: ServicePorts = {
    settings: all,
    guard,
    catalog,
    keyring: Keyring.open({ dataDirectory: directory, nowMs }),
    operations: new OperationEngine({ catalog, nowMs, log, retryMs: 1, onSpent: (tx, { lane }) => guard.spent(tx, lane) }),
    worlds: worlds ? await openRealWorlds(directory, (settings?.quotas ?? quietSettings.quotas).sessionBytesMax) : absent('worlds'),
    compiler: absent('compiler'),
    judge,
    // Its folders are many, and most tests keep no bytes.
    get blobs() {
      blobs ??= new FileBlobs(directory);
      return blobs;
    },
    disk: {
      ...{ refusal: () => undefined, release: () => false, restore: () => {} },
      figures: () => ({ freeBytes: 0, keptBytes: 0, reserveBytes: 0 }),
    },
    meter: silentMeter,
    bindings: absent('bindings'),
    nowMs,
    log,
    ...services,
  };
  return withMemory(ports, services);
}

async function openRealWorlds(directory: string, storedBytesMax: number): Promise<ServiceWorlds> {
  const worlds = await openWorlds({
    directory: join(directory, 'worlds'),
    layout: 'shared',
    durability: 'committed',
    hosts: 1,
    isolation: 'thread',
    storedBytesMax,
  });
  // The worlds of a project lie beside all others here.
  return Object.assign(worlds, { removeProject: async () => {}, copyProject: async () => {} });
}

/** A port that a test has not brought. */
function absent<Port extends object>(name: string): Port {
  return new Proxy({} as Port, {
    get: (_, member) => {
      throw new Error(`this test has no ${name}: ${String(member)}`);
    },
  });
}
