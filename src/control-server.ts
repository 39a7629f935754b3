// The control server: the control room and the agent bindings behind one listener. Here they meet; none of them knows the other.
//   S1. A data directory has one server at a time.
//   S2. From the first moment that the port answers, it answers in the envelope: 503 until the server is ready, and 503 to new work from the
//       moment it is to end.
//   S3. `close` resolves when nothing is left running, and everything acknowledged is on the disk.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { createHostedBindings, hostedPrefix } from './bindings/hosted-bindings.js';
import { ServiceError } from './contract/errors.js';
import { newId } from './contract/ids.js';
import { limits } from './contract/limits.js';
import { type Control, openControl } from './control/control.js';
import type { Caller } from './control/endpoint.js';
import { type ControlSettings, settingsDefaults, workersDefaultMax } from './control/settings.js';
import { lockFolder } from './files/folder-lock.js';
import { makeFolder } from './files/make-folder.js';
import { controlRoutes } from './http/control-routes.js';
import { errorReply, jsonReply } from './http/envelope.js';
import { requirePublicHost } from './http/guards.js';
import { createMetrics, type Metrics } from './http/metrics.js';
import { mountAt } from './http/mount.js';
import { createRouter } from './http/router.js';
import type { HttpHandler, HttpServer } from './http/server.js';
import { createServiceLog, type ServiceLog, type ServiceLogOptions } from './http/service-log.js';
import { serviceRoutes } from './http/service-routes.js';
import { startHttpServer } from './http/start-server.js';

/** Everything has a default (settingsDefaults). docs/hosting.md says what each is for. */
export interface ControlServerOptions extends Partial<Omit<ControlSettings, 'quotas'>> {
  host?: string;
  /** 0: any that is free. */
  port?: number;
  /** Default: uWebSockets.js where it loads, else node:http. */
  engine?: HttpServer['engine'];
  quotas?: Partial<ControlSettings['quotas']>;
  log?: ServiceLogOptions;
  /** How long `close` lets work finish before it is left to the next start. */
  stopGraceMs?: number;
}
export interface ControlServer {
  /** Where it listens: scheme, host and port, no slash at the end. */
  readonly baseUrl: string;
  readonly publicUrl: string;
  readonly engine: HttpServer['engine'];
  readonly organizationId: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** Of the example build. */
  readonly buildHash: string;
  /** Of the first manager, until `credentialTold` was called once. */
  readonly credential?: string;
  credentialTold(): Promise<void>;
  /** Refuses new work with 503, finishes or persists what runs, closes every world. */
  close(): Promise<void>;
}

/** What answers while it starts, while it works, and while it ends. */
interface Phase {
  handler: HttpHandler;
  draining: boolean;
}

export async function startControlServer(options: ControlServerOptions = {}): Promise<ControlServer> {
  const { host = settingsDefaults.host, port = settingsDefaults.port, engine, stopGraceMs = settingsDefaults.stopGraceMs } = options;
  const dataDirectory = resolve(options.dataDirectory ?? settingsDefaults.dataDirectory);
  makeFolder(dataDirectory);
  const lock = lockFolder(dataDirectory);
  const log = createServiceLog({ level: settingsDefaults.logLevel, ...options.log });
  const phase: Phase = { handler: notReady('The service is starting.'), draining: false };
  let server: HttpServer | undefined;
  try {
    server = await listen({ host, port, engine, handler: (request) => phase.handler(request) });
    const baseUrl = `http://${hostOf(host)}:${server.port}`;
    const settings = settingsOf(options, { dataDirectory, publicUrl: options.publicUrl ?? baseUrl });
    const control = await open(settings, { phase, log, engine: server.engine });
    const listening = server;
    const { told, secret, ...first } = control.first;
    let closing: Promise<void> | undefined;
    return {
      baseUrl,
      publicUrl: settings.publicUrl,
      engine: server.engine,
      ...first,
      ...(secret === undefined ? {} : { credential: secret }),
      credentialTold: told,
      close: () => {
        closing ??= end({ phase, control, server: listening, stopGraceMs, log }).finally(() => lock.release());
        return closing;
      },
    };
  } catch (error) {
    await server?.close();
    lock.release();
    throw error;
  }
}

interface Listener {
  host: string;
  port: number;
  engine: HttpServer['engine'] | undefined;
  handler: HttpHandler;
}
function listen({ host, port, engine, handler }: Listener): Promise<HttpServer> {
  return startHttpServer({ host, port, bodyBytesMax: limits.attachmentBytesMax, handler, ...(engine === undefined ? {} : { engine }) });
}

interface Ground {
  phase: Phase;
  log: ServiceLog;
  engine: HttpServer['engine'];
}

async function open(settings: ControlSettings, { phase, log, engine }: Ground): Promise<Control> {
  const { publicUrl } = settings;
  let control: Control | undefined;
  const metrics: Metrics = createMetrics(async () => (control as Control).figures());
  const shared = { draining: () => phase.draining, onFailure: log.failure };
  const bindings = createHostedBindings({ ...shared, observers: [log.agentAccess, metrics], publicUrl, nowMs: Date.now });
  control = await openControl({ settings, bindings, log });
  const { room } = control;
  const troubles = (): string[] => (phase.draining ? ['the service is shutting down'] : []);
  const handler = createRouter<Caller>({
    ...shared,
    observers: [log.access, metrics],
    routes: [...controlRoutes(room), ...serviceRoutes({ troubles, metrics })],
    requireHost: requirePublicHost(publicUrl),
    authenticate: (token) => room.authenticate(token),
    nameOf: (caller) => caller.credentialId || (caller.userId ?? ''),
  });
  metrics.serverStarted(engine);
  phase.handler = mountAt(hostedPrefix, bindings.handler, handler);
  return control;
}

interface Ending {
  phase: Phase;
  control: Control;
  server: HttpServer;
  stopGraceMs: number;
  log: ServiceLog;
}
async function end({ phase, control, server, stopGraceMs, log }: Ending): Promise<void> {
  phase.draining = true;
  await control.close(stopGraceMs);
  await server.close();
  log.info('stopped');
  log.flush();
}

function settingsOf(options: ControlServerOptions, { dataDirectory, publicUrl }: { dataDirectory: string; publicUrl: string }): ControlSettings {
  const { workers, isolation, handlerTimeoutMs, durability, rate, quotas, identity, author, evidenceRetentionMs, allowLoopbackReceivers } = options;
  return {
    dataDirectory,
    publicUrl,
    workers: workers ?? Math.min(availableParallelism(), workersDefaultMax),
    isolation: isolation ?? settingsDefaults.isolation,
    handlerTimeoutMs: handlerTimeoutMs ?? settingsDefaults.handlerTimeoutMs,
    durability: durability ?? settingsDefaults.durability,
    rate: rate ?? settingsDefaults.rate,
    quotas: { ...settingsDefaults.quotas, ...quotas },
    evidenceRetentionMs: evidenceRetentionMs ?? settingsDefaults.evidenceRetentionMs,
    allowLoopbackReceivers: allowLoopbackReceivers ?? settingsDefaults.allowLoopbackReceivers,
    ...(identity === undefined ? {} : { identity }),
    ...(author === undefined ? {} : { author }),
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
    return errorReply(new ServiceError('control.UNAVAILABLE', { message, retryAfterMs: limits.unavailableRetryAfterMs }), newId('corr'));
  };
}
