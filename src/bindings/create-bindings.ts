// The agent bindings of one process: one loopback listener for all accesses, started when the first one needs it; the bearer tells them apart.

import type { Binding } from '../contract/target.js';
import type { Access, BindingsPort, Endpoint, OpenAccess } from '../drills/bindings-port.js';
import { requireLoopback, unauthenticated } from '../http/guards.js';
import { createRouter, type RouteFailure } from '../http/router.js';
import type { HttpServer } from '../http/server.js';
import { startHttpServer } from '../http/start-server.js';
import { AgentAccess } from './agent-access.js';
import { agentRoutes } from './agent-routes.js';
import { directClient } from './direct-client.js';
import { TokenTable } from './token-table.js';

export interface BindingsOptions {
  /** Default: the faster one that is there. */
  engine?: HttpServer['engine'];
  /** A bug met while answering an agent. Default: one JSON line on stderr. */
  onFailure?: (failure: RouteFailure) => void;
}

const remote = ['http', 'cli'] as const;
const loopback = '127.0.0.1';

export function createBindings(options: BindingsOptions = {}): BindingsPort {
  const tokens = new TokenTable<AgentAccess>();
  let server: Promise<HttpServer> | undefined;
  const listen = (): Promise<HttpServer> => {
    server ??= startHttpServer({
      host: loopback,
      port: 0,
      ...(options.engine === undefined ? {} : { engine: options.engine }),
      handler: createRouter<AgentAccess>({
        routes: agentRoutes,
        requireHost: requireLoopback,
        authenticate: (token) => liveHolder(tokens, token),
        onFailure: options.onFailure ?? logFailure,
      }),
    });
    return server;
  };
  return {
    available: new Set<Binding>(['direct', ...remote]),
    open: (request) => openAccess(request, tokens, listen),
    close: async () => {
      await Promise.all([...tokens.holders()].map((access) => access.revoke()));
      await (await server)?.close();
    },
  };
}

async function openAccess(request: OpenAccess, tokens: TokenTable<AgentAccess>, listen: () => Promise<HttpServer>): Promise<Access> {
  const { world, actorId, actorInstanceId, bindings } = request;
  const access = new AgentAccess(world, { actorId, ...(actorInstanceId === undefined ? {} : { actorInstanceId }) });
  const endpoints: { [binding in (typeof remote)[number]]?: Endpoint } = {};
  for (const binding of remote) {
    if (!bindings.includes(binding)) continue;
    const { port } = await listen();
    endpoints[binding] = { url: `http://${loopback}:${port}`, token: tokens.issue(access) };
  }
  return {
    endpoints,
    ...(bindings.includes('direct') ? { direct: directClient(access) } : {}),
    observed: () => access.used,
    revoke: async () => {
      const done = access.revoke();
      for (const endpoint of Object.values(endpoints)) tokens.forget(endpoint.token);
      await done;
    },
  };
}

function liveHolder(tokens: TokenTable<AgentAccess>, token: string): AgentAccess {
  const access = tokens.holderOf(token);
  if (access === undefined || access.revoked) throw unauthenticated();
  return access;
}

function logFailure({ correlationId, method, path, error }: RouteFailure): void {
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${JSON.stringify({ level: 'error', correlationId, method, path, stack })}\n`);
}
