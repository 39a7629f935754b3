// The agent bindings of the hosted service: on its own listener, below /world, for every session and run. A world credential opens nothing
// above it, and a control credential nothing below.

import { ServiceError } from '../contract/errors.js';
import type { BindingsPort } from '../drills/bindings-port.js';
import { createRouter, type RouterOptions } from '../http/router.js';
import type { HttpHandler, HttpRequest } from '../http/server.js';
import { agentUrls, belowAddresses } from './access-address.js';
import { AccessTable } from './access-table.js';
import type { AgentAccess } from './agent-access.js';
import { type AgentLimitOptions, AgentLimits } from './agent-limits.js';
import { agentRoutes } from './agent-routes.js';
import { wireRoutes } from './wire-routes.js';

export const hostedPrefix = '/world';

export interface HostedBindingsOptions extends Pick<RouterOptions<AgentAccess>, 'onFailure' | 'observers' | 'draining' | 'tracing'> {
  /** Where agents reach it: scheme, host and port, no slash at the end. */
  publicUrl: string;
  /** Nothing but worlds is served there. Default false. */
  isOwnOrigin?: boolean;
  limits?: Omit<AgentLimitOptions, 'nowMs'>;
  nowMs(): number;
}
export interface HostedBindings extends BindingsPort {
  /** Of every path below `hostedPrefix`. */
  handler: HttpHandler;
}

export function createHostedBindings({ publicUrl, isOwnOrigin = false, limits, nowMs, ...router }: HostedBindingsOptions): HostedBindings {
  const accesses = new AccessTable(nowMs, new AgentLimits({ ...limits, nowMs }));
  const base = publicUrl + hostedPrefix;
  return {
    available: accesses.available,
    handler: belowAddresses(
      hostedPrefix,
      createRouter<AgentAccess>({
        ...router,
        routes: agentRoutes,
        prefix: hostedPrefix,
        requireHost: requireServed(publicUrl),
        authenticate: (token) => accesses.holderOf(token),
        idsOf: ({ worldId: sessionId }) => ({ sessionId }),
        otherwise: wireRoutes(accesses, { prefix: hostedPrefix, isShared: true, speaksForOrigin: isOwnOrigin }),
      }),
    ),
    open: (request) => accesses.open(request, agentUrls(base)),
    close: () => accesses.revokeAll(),
  };
}

/**
 * The Host is the public one or loopback, and so is the Origin of a page, where there is one. A page of another site, and one that has made
 * its own name point here, learns so from its browser; programs send no Origin.
 */
export function requireServed(publicUrl: string): (request: HttpRequest) => void {
  const names = new Set(['localhost', '127.0.0.1', '[::1]', new URL(publicUrl).hostname]);
  const isServed = (url: string): boolean => {
    const host = URL.canParse(url) ? new URL(url) : undefined;
    return (
      host !== undefined && /^https?:$/.test(host.protocol) && names.has(host.hostname) && host.pathname === '/' && host.username === ''
    );
  };
  // Those who come send the same Host again and again, and reading it as a URL takes a twentieth of a call.
  let lastServed: string | undefined;
  return ({ headers }) => {
    const host = headers.get('host');
    if (host === undefined || (host !== lastServed && !isServed(`http://${host}`))) refuse('Host');
    lastServed = host;
    const origin = headers.get('origin');
    if (origin !== undefined && !isServed(origin)) refuse('Origin');
  };
}

function refuse(header: string): never {
  throw new ServiceError('control.ORIGIN_REJECTED', { message: `The ${header} header names another site.`, details: { header } });
}
