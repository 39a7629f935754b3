// One incarnation of the service on this machine: the control plane and the agent bindings as handlers of requests. A service alone has one
// until its process ends; a node of a cluster opens one when it becomes the leader, and ends it when it is that no more.
import type { AgentLimitOptions } from './bindings/agent-limits.js';
import { createHostedBindings, hostedPrefix } from './bindings/hosted-bindings.js';
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
import { type Site, siteGuards, siteHandlers } from './http/site.js';
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
  /** At the main listener, and at the one that worlds have alone. */
  main: HttpHandler;
  worldsAlone: HttpHandler;
}
/** What a node of a cluster opens it with. */
export type ClusterPorts = Pick<OpenControl, 'homes' | 'cluster' | 'catalog' | 'blobs'>;

export async function openIncarnation(settings: ControlSettings, ground: ServiceGround, ports: ClusterPorts = {}): Promise<Incarnation> {
  const { log, site, tracing, metrics, agents, draining } = ground;
  const { publicUrl, worldUrl } = site;
  const shared = { draining, onFailure: log.failure, tracing };
  const bindings = createHostedBindings({
    ...shared,
    observers: [log.agentAccess, metrics],
    publicUrl: worldUrl ?? publicUrl,
    isOwnOrigin: worldUrl !== undefined,
    ...defined({ limits: agents }),
    nowMs: Date.now,
  });
  const control = await openControl({ settings, bindings, log, meter: metrics.meter, tracing, ...ports });
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
    authenticate: (token, { route, correlationId, request }) =>
      plane.authenticate(token, { route, correlationId, clientAddress: request.address }),
    headersOf: ({ rate }) => (rate === undefined ? {} : rateHeaders(rate.rate, rate.remaining)),
    ownerOf: ({ organizationId }) => organizationId,
    isTraced: ({ path }) => !probePaths.has(path),
    nameOf: (caller) => caller.credentialId || (caller.userId ?? ''),
  });
  return { control, ...siteHandlers(site, { worlds: bindings.handler, control: handler, prefix: hostedPrefix }) };
}

/** What the routes of the service itself answer. The operator's are closed to others where those may reach the service. */
export function serviceState(
  { metrics, warnings, toolCode, strangers, site }: ServiceGround,
  { troubles, requireOperator }: { troubles: ServiceState['troubles']; requireOperator(request: ServerRequest): void },
): ServiceState {
  return { troubles, metrics, warnings, toolCode, countStranger: strangers.take, ...(site.isBeyondLoopback ? { requireOperator } : {}) };
}
