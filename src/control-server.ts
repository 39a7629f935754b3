// The control server: the control plane and the agent bindings behind one listener. Here they meet; none of them knows the other.
//   CONTROL-SERVER-1. A data directory has one server at a time.
//   CONTROL-SERVER-2. From the moment the server is to end, new work is answered 503, in the envelope, as long as the port answers.
//   CONTROL-SERVER-3. `close` resolves when nothing is left running, and everything acknowledged is on the disk.
// Before it is ready it answers 503 in the envelope, too.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { takeAll } from './async/take-all.js';
import { defined } from './contract/defined.js';
import { isServiceError, ServiceError } from './contract/errors.js';
import { newId } from './contract/ids.js';
import { limits } from './contract/limits.js';
import { isStoredDamage } from './contract/stored-damage.js';
import type { Bootstrap } from './control/bootstrap.js';
import { type ControlSettings, settingsDefaults } from './control/catalog/settings.js';
import { requireContainedBeyondLoopback, safestIsolation, type ToolCodeFacts, toolCodeFacts } from './control/core/containment.js';
import { releaseReserve } from './control/core/disk-reserve.js';
import { catalogAdvice, makeDataFolder } from './control/data-folder.js';
import type { ControlFigures } from './control/figures.js';
import { type ControlServerOptions, requireServerOptions } from './control-server-options.js';
import { type FolderLock, lockFolderOnceFree } from './files/folder-lock.js';
import { errorReply, jsonReply } from './http/envelope.js';
import { createMetrics } from './http/metrics/metrics.js';
import { openFilesWarnings } from './http/open-files.js';
import type { HttpHandler, HttpServer, HttpServerOptions } from './http/server.js';
import { createServiceLog, type ServiceLog } from './http/service-log.js';
import { notReadyError } from './http/service-routes.js';
import type { ServiceWarning } from './http/service-warning.js';
import { siteOf, siteWarnings, worldPortOf } from './http/site.js';
import { startHttpServer } from './http/start-server.js';
import { StrangerRate } from './http/stranger-rate.js';
import { behindProxies, TrustedProxies } from './http/trusted-proxies.js';
import type { ClusterStart } from './nodes/cluster-start.js';
import { type Incarnation, openIncarnation, type ServiceGround } from './service-incarnation.js';

export interface ControlServer {
  /** Where it listens: scheme, host and port, no slash at the end. */
  readonly baseUrl: string;
  readonly publicUrl: string;
  /** Where agents reach worlds; the same as `publicUrl` unless it was named. */
  readonly worldUrl: string;
  /** What is not as safe as it could be, also at /readyz. */
  readonly warnings: readonly ServiceWarning[];
  readonly engine: HttpServer['engine'];
  /** Where tool code runs, and what bounds it. */
  readonly toolCode: ToolCodeFacts;
  readonly organizationId: string;
  /** Of the example, which the first start makes; '' once that project was deleted. */
  readonly projectId: string;
  readonly environmentId: string;
  readonly buildHash: string;
  /** Of the first manager, until `credentialShown` was called once. */
  readonly credential?: string;
  credentialShown(): Promise<void>;
  /** Refuses new work with 503, finishes or persists what runs, closes every world. */
  close(): Promise<void>;
}

/** What answers while it starts, while it works, and while it ends. */
interface Phase {
  handler: HttpHandler;
  /** At the listener that worlds have alone, where there is one. */
  worldHandler: HttpHandler;
  draining: boolean;
}

export async function startControlServer(options: ControlServerOptions = {}): Promise<ControlServer> {
  requireServerOptions(options);
  return await start(options);
}

async function start(options: ControlServerOptions): Promise<ControlServer> {
  const { host = settingsDefaults.host, port = settingsDefaults.port, engine, stopGraceMs = settingsDefaults.stopGraceMs } = options;
  const proxies = new TrustedProxies(options.trustedProxies ?? []);
  const dataDirectory = resolve(options.dataDirectory ?? settingsDefaults.dataDirectory);
  makeDataFolder(dataDirectory);
  const lock = await lockFull(dataDirectory);
  const tracing = options.tracing === true ? (await import('./tracing/open-telemetry.js')).createTracing() : undefined;
  const log = createServiceLog({ level: settingsDefaults.logLevel, ...options.log, traceFields: tracing?.logFields });
  const starting = notReady('The service is starting.');
  const phase: Phase = { handler: starting, worldHandler: starting, draining: false };
  const servers: HttpServer[] = [];
  try {
    const shared = {
      host,
      engine,
      isForStrangers: mayBeReached(options, host),
      isProxy: proxies.has,
      onFailure: log.failure,
      ...options.connections,
    };
    const server = await listen({ ...shared, port, handler: (request) => phase.handler(request) });
    servers.push(server);
    const baseUrl = `http://${hostOf(host)}:${server.port}`;
    const settings = settingsOf(options, { dataDirectory, publicUrl: options.publicUrl ?? baseUrl });
    const worldPort = worldPortOf(options.worldUrl, server);
    if (worldPort !== undefined) servers.push(await listen({ ...shared, port: worldPort, handler: (asked) => phase.worldHandler(asked) }));
    const worldUrl = withPort(options.worldUrl, servers[1]);
    const site = siteOf({ host, publicUrl: settings.publicUrl, worldUrl, hasMountHosts: options.worldMountHosts });
    const openFiles = openFilesWarnings({ ...settings, ...options.connections, listeners: servers.length });
    const warnings = [...siteWarnings(site), ...(site.isBeyondLoopback ? server.warnings : []), ...openFiles];
    const toolCode = toolCodeFacts(settings.isolation);
    requireContainedBeyondLoopback(settings, site.isBeyondLoopback);
    let service: Service | undefined;
    const metrics = createMetrics(async () => await service?.figures());
    metrics.serverStarted(server.engine);
    const strangers = new StrangerRate(Date.now, options.strangerRate, metrics.strangerLimited);
    const ground: ServiceGround = {
      draining: () => phase.draining,
      ...{ log, site, warnings, toolCode, tracing, metrics, strangers },
      agents: options.agents,
    };
    const answer = ({ main, worldsAlone }: Pick<Incarnation, 'main' | 'worldsAlone'>): void => {
      phase.handler = withClients(proxies, options, strangers.bound(main));
      phase.worldHandler = withClients(proxies, options, strangers.bound(worldsAlone));
    };
    service = await openService(settings, ground, options);
    answer(service);
    const { markShown, secret, ...first } = service.first;
    let closing: Promise<void> | undefined;
    return {
      baseUrl,
      publicUrl: settings.publicUrl,
      worldUrl: worldUrl ?? settings.publicUrl,
      warnings,
      toolCode,
      engine: server.engine,
      ...first,
      ...defined({ credential: secret }),
      credentialShown: markShown,
      close: () => {
        closing ??= end({ phase, service, servers, stopGraceMs, log }).finally(() => lock.release());
        return closing;
      },
    };
  } catch (error) {
    for (const server of servers) await server.close();
    lock.release();
    throw startRefusal(error);
  }
}

/** What the start reads is of the catalog. */
function startRefusal(error: unknown): unknown {
  if (!isStoredDamage(error)) return error;
  return new ServiceError('control.DATA_DAMAGED', { message: `${(error as Error).message} ${catalogAdvice}`, cause: error });
}

/** A full disk has space for the lock where an earlier incarnation has kept some. */
async function lockFull(dataDirectory: string): Promise<FolderLock> {
  try {
    return await lockFolderOnceFree(dataDirectory);
  } catch (error) {
    if (!isServiceError(error, 'control.STORAGE_FULL') || !releaseReserve(dataDirectory)) throw error;
    return await lockFolderOnceFree(dataDirectory);
  }
}

/** By others than this machine: as far as is known before it listens. */
function mayBeReached({ publicUrl, worldUrl }: ControlServerOptions, host: string): boolean {
  return siteOf({ host, publicUrl: publicUrl ?? `http://${hostOf(host)}`, worldUrl }).isBeyondLoopback;
}

interface Listener extends HttpServerOptions {
  engine: HttpServer['engine'] | undefined;
  isForStrangers: boolean;
}
function listen({ engine, ...listener }: Listener): Promise<HttpServer> {
  return startHttpServer({ ...listener, ...defined({ engine }) });
}

/** The port that was free, where the URL named none. */
function withPort(url: string | undefined, server: HttpServer | undefined): string | undefined {
  if (url === undefined || server === undefined) return url;
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${hostname}:${server.port}`;
}

/** What serves behind the listener. */
interface Service extends Pick<Incarnation, 'main' | 'worldsAlone'> {
  first: Bootstrap;
  /** Undefined where the control plane is on another machine. */
  figures(): Promise<ControlFigures | undefined>;
  close(graceMs: number): Promise<void>;
}

function openService(settings: ControlSettings, ground: ServiceGround, { cluster, signal }: ControlServerOptions): Promise<Service> {
  return cluster === undefined ? openAlone(settings, ground) : openNode({ settings, ground, options: cluster, signal });
}

async function openAlone(settings: ControlSettings, ground: ServiceGround): Promise<Service> {
  const { control, ...handlers } = await openIncarnation(settings, ground);
  return { ...handlers, first: control.first, figures: () => control.figures(), close: (graceMs) => control.close(graceMs) };
}

/** Nothing of a cluster is loaded before. */
async function openNode(start: ClusterStart): Promise<Service> {
  const { startClusterNode } = await import('./nodes/cluster-start.js');
  return await startClusterNode(start);
}

/** Where no proxy is trusted, nothing stands in between. */
function withClients(proxies: TrustedProxies, options: Pick<ControlServerOptions, 'trustedProxies'>, handler: HttpHandler): HttpHandler {
  return (options.trustedProxies ?? []).length === 0 ? handler : behindProxies(proxies, handler);
}

interface Ending {
  phase: Phase;
  service: Service;
  servers: readonly HttpServer[];
  stopGraceMs: number;
  log: ServiceLog;
}
async function end({ phase, service, servers, stopGraceMs, log }: Ending): Promise<void> {
  phase.draining = true;
  await takeAll([() => service.close(stopGraceMs), () => Promise.all(servers.map((server) => server.close()))]);
  log.info('stopped');
  log.flush();
}

function settingsOf(
  options: ControlServerOptions,
  { dataDirectory, publicUrl }: { dataDirectory: string; publicUrl: string },
): ControlSettings {
  const { workers, isolation, trustToolCode, handlerTimeoutMs, durability, rate, quotas, identity, author, evidenceRetentionMs } = options;
  const {
    organizationRate,
    keyFile,
    rotateKey,
    allowLoopbackReceivers,
    receiverPorts,
    hostHeapMb,
    heldMsPerMinute,
    quarantine,
    retention,
  } = options;
  return {
    dataDirectory,
    publicUrl,
    workers: workers ?? Math.min(availableParallelism(), limits.workersDefaultMax),
    isolation: isolation ?? safestIsolation(),
    trustToolCode: trustToolCode ?? settingsDefaults.trustToolCode,
    handlerTimeoutMs: handlerTimeoutMs ?? settingsDefaults.handlerTimeoutMs,
    hostHeapMb: hostHeapMb ?? settingsDefaults.hostHeapMb,
    heldMsPerMinute: heldMsPerMinute ?? settingsDefaults.heldMsPerMinute,
    quarantine: { ...settingsDefaults.quarantine, ...quarantine },
    durability: durability ?? settingsDefaults.durability,
    rate: rate ?? settingsDefaults.rate,
    organizationRate: organizationRate ?? settingsDefaults.organizationRate,
    quotas: { ...settingsDefaults.quotas, ...quotas },
    evidenceRetentionMs: evidenceRetentionMs ?? settingsDefaults.evidenceRetentionMs,
    retention: { ...settingsDefaults.retention, ...retention },
    receiverPorts: receiverPorts ?? settingsDefaults.receiverPorts,
    allowLoopbackReceivers: allowLoopbackReceivers ?? settingsDefaults.allowLoopbackReceivers,
    ...defined({ identity, author }),
    ...(keyFile === undefined ? {} : { keyFile: resolve(keyFile) }),
    ...defined({ rotateKey }),
  };
}

/** As it stands in a URL. A wildcard is no address to ask; this machine is. */
function hostOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** It is alive, and that is all. */
function notReady(message: string): HttpHandler {
  return ({ path }) => {
    if (path === '/healthz') return jsonReply(200, { status: 'ok' }, newId('corr'));
    if (path === '/readyz') return errorReply(notReadyError(['starting']), newId('corr'));
    return errorReply(new ServiceError('control.UNAVAILABLE', { message, retryAfterMs: limits.unavailableRetryAfterMs }), newId('corr'));
  };
}
