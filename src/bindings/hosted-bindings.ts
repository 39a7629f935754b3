// The agent bindings of the hosted service: on its own listener, below /world, for every session and run. A world credential opens nothing
// above it, and a control credential nothing below.
import type { HttpMounts } from '../contract/run/target.js';
import type { BindingsPort } from '../drills/ports/bindings-port.js';
import { requireHost, requirePage } from '../http/guards.js';
import { createRouter, type RouterOptions } from '../http/router.js';
import type { HttpHandler } from '../http/server.js';
import { type MountNames, worldHosts } from '../http/site.js';
import { agentUrls, belowAddresses } from './access-address.js';
import { AccessTable } from './access-table.js';
import type { AgentAccess } from './agent-access.js';
import { type AgentLimitOptions, AgentLimits } from './agent-limits.js';
import { routesOfAgents } from './agent-routes.js';
import { announcedBindings } from './announced-access.js';
import { CrossOrigin } from './cross-origin.js';
import { openingForPages, reopening } from './reopened-access.js';
import { requireMounts } from './required-mounts.js';
import { wireRoutes } from './wire-routes.js';

export const hostedPrefix = '/world';

export interface HostedBindingsOptions extends Pick<RouterOptions<AgentAccess>, 'onFailure' | 'observers' | 'draining' | 'tracing'> {
  /** Where agents reach it: scheme, host and port, no slash at the end. */
  publicUrl: string;
  /** Nothing but worlds is served there. Default false. */
  isOwnOrigin?: boolean;
  /** How mounts are named there, where they have host names. Who serves those names does so with `belowHosts`. */
  mountNames?: MountNames;
  limits?: Omit<AgentLimitOptions, 'nowMs'>;
  nowMs(): number;
}
export interface HostedBindings extends BindingsPort {
  /** Of every path below `hostedPrefix`. */
  handler: HttpHandler;
  /** For who asks for accesses that are opened here when they are used. */
  readonly announced: BindingsPort;
}

export function createHostedBindings(options: HostedBindingsOptions): HostedBindings {
  const { publicUrl, isOwnOrigin = false, mountNames, limits, nowMs, ...router } = options;
  const accesses = new AccessTable(nowMs, { limits: new AgentLimits({ ...limits, nowMs }) });
  const urls = agentUrls(publicUrl + hostedPrefix, mountNames?.originOf);
  const place = { prefix: hostedPrefix, isShared: true, speaksForOrigin: isOwnOrigin };
  const pages = new CrossOrigin(accesses, place);
  const hosts = { ...worldHosts(publicUrl, mountNames), admitsPage: pages.admits };
  const httpMounts: ReadonlySet<HttpMounts> = new Set(mountNames === undefined ? ['path'] : ['path', 'host']);
  return {
    available: accesses.available,
    httpMounts,
    announced: announcedBindings(urls, httpMounts),
    handler: belowAddresses(
      hostedPrefix,
      openingForPages(
        accesses,
        createRouter<AgentAccess>({
          ...router,
          routes: routesOfAgents,
          prefix: hostedPrefix,
          requireHost: requireHost(hosts),
          requirePage: requirePage(hosts),
          answered: pages.answered,
          authenticate: (token) => accesses.holderOrReopened(token),
          ownerOf: ({ bytesOwner }) => bytesOwner,
          idsOf: ({ worldId: sessionId }) => ({ sessionId }),
          otherwise: reopening(accesses, wireRoutes(accesses, { ...place, pages })),
        }),
      ),
    ),
    open: async (request) => {
      requireMounts(request, httpMounts);
      return await accesses.open(request, () => urls);
    },
    recall: (stored) => accesses.recall(stored),
    close: () => accesses.revokeAll(),
  };
}
