// One incarnation of the service on this machine: the control plane and the agent bindings as handlers of requests. A service alone has one
// until its process ends; a node of a cluster opens one when it becomes the leader, and ends it when it is that no more.
import type { AgentLimitOptions } from './bindings/agent-limits.js';
import { createHostedBindings, type HostedBindings, hostedPrefix } from './bindings/hosted-bindings.js';
import { belowHosts } from './bindings/mount-listeners.js';
import { defined } from './contract/defined.js';
import type { NotReadyReason } from './contract/hosted/readiness.js';
import type { Caller } from './control/catalog/endpoint.js';
import type { ControlSettings } from './control/catalog/settings.js';
import type { ToolCodeFacts } from './control/core/containment.js';
import { type Control, type OpenControl, openControl } from './control/open-control.js';
import { controlRoutes } from './http/control-routes.js';
import { bearerOf } from './http/guards.js';
import type { Metrics } from './http/metrics/metrics.js';
import { rateHeaders } from './http/rate-headers.js';
import { createRouter } from './http/router.js';
import type { HttpHandler, ServerRequest } from './http/server.js';
import type { ServiceLog } from './http/service-log.js';
import { probePaths, type ServiceState, serviceRoutes } from './http/service-routes.js';
import type { ServiceWarning } from './http/service-warning.js';
import { mountNamesOf, type Site, siteGuards, siteHandlers } from './http/site.js';
import type { StrangerRate } from './http/stranger-rate.js';
import type { Tracing } from './tracing/tracing.js';

/** What outlives an incarnation. */
export interface ServiceGround {
  draining(): boolean;
  log: ServiceLog;
  site: Site;
  warnings: readonly ServiceWarning[];
  toolCode: ToolCodeFacts;
  tracing: Tracing | undefined;
  metrics: Metrics;
  strangers: StrangerRate;
  agents: Omit<AgentLimitOptions, 'nowMs'> | undefined;
}
export interface Incarnation {
  control: Control;
  /** Of the control API alone. */
  handler: HttpHandler;
  /** At the main listener, and at the one that worlds have alone. */
  main: HttpHandler;
  worldsAlone: HttpHandler;
}
/** What a node of a cluster opens it with. Agents are answered beside it: `bindings` only say where. */
export type ClusterPorts = Pick<OpenControl, 'homes' | 'cluster' | 'catalog' | 'blobs' | 'spread' | 'bindings'>;

/** The bindings of agents as this service offers them. */
export function openBindings({ log, site, tracing, metrics, agents, draining }: ServiceGround): HostedBindings {
  const { publicUrl, worldUrl } = site;
  return createHostedBindings({
    ...{ draining, onFailure: log.failure, tracing },
    observers: [log.agentAccess, metrics],
    publicUrl: worldUrl ?? publicUrl,
    isOwnOrigin: worldUrl !== undefined,
    ...defined({ limits: agents, mountNames: mountNamesOf(site) }),
    nowMs: Date.now,
  });
}

/** A service alone. */
export async function openIncarnation(settings: ControlSettings, ground: ServiceGround): Promise<Incarnation> {
  const bindings = openBindings(ground);
  const opened = await openPlane(settings, ground, { bindings });
  const handlers = siteHandlers(ground.site, { worlds: bindings.handler, control: opened.handler, prefix: hostedPrefix });
  const { main, worldsAlone } = handlers;
  return { ...opened, main: atMountHosts(ground.site, main), worldsAlone: atMountHosts(ground.site, worldsAlone) };
}

/** Requests to host names of mounts are below their paths from here on. */
export function atMountHosts(site: Site, handler: HttpHandler): HttpHandler {
  const names = mountNamesOf(site);
  return names === undefined ? handler : belowHosts(names.mountOf, handler, hostedPrefix);
}

export async function openPlane(
  settings: ControlSettings,
  ground: ServiceGround,
  ports: ClusterPorts,
): Promise<Pick<Incarnation, 'control' | 'handler'>> {
  const { log, site, tracing, metrics, draining } = ground;
  const shared = { draining, onFailure: log.failure, tracing };
  const control = await openControl({ settings, log, meter: metrics.meter, tracing, ...ports });
  const { plane } = control;
  const troubles = async (): Promise<NotReadyReason[]> => (draining() ? ['shutting_down'] : await control.troubles());
  const handler = createRouter<Caller>({
    ...shared,
    observers: [log.access, metrics],
    routes: [
      ...controlRoutes(plane),
      ...serviceRoutes(
        serviceState(ground, { troubles, requireOperator: (request) => void plane.authenticateOperator(bearerOf(request)) }),
      ),
    ],
    requireHost: siteGuards(site).control,
    authenticate: (token, { route, correlationId, request }) => plane.authenticate(token, { route, correlationId, client: request }),
    headersOf: ({ rate }) => (rate === undefined ? {} : rateHeaders(rate.rate, rate.remaining)),
    ownerOf: ({ organizationId }) => organizationId,
    isTraced: ({ path }) => !probePaths.has(path),
    nameOf: (caller) => caller.credentialId || (caller.userId ?? ''),
  });
  return { control, handler };
}

/** What the routes of the service itself answer. The operator's are closed to others where those may reach the service. */
export function serviceState(
  { metrics, warnings, toolCode, strangers, site }: ServiceGround,
  { troubles, requireOperator }: { troubles: ServiceState['troubles']; requireOperator(request: ServerRequest): void },
): ServiceState {
  return { troubles, metrics, warnings, toolCode, countStranger: strangers.take, ...(site.isBeyondLoopback ? { requireOperator } : {}) };
}
