// The agent bindings of one process: one loopback listener for all accesses, started when the first one needs it; the bearer tells them
// apart.
import { defined } from '../contract/defined.js';
import type { BindingsPort } from '../drills/ports/bindings-port.js';
import { requireLoopback } from '../http/guards.js';
import { createRouter, type RouteFailure } from '../http/router.js';
import type { HttpServer } from '../http/server.js';
import { startHttpServer } from '../http/start-server.js';
import { agentUrls, belowAddresses } from './access-address.js';
import { AccessTable, remoteBindings } from './access-table.js';
import type { AgentAccess } from './agent-access.js';
import { routesOfAgents } from './agent-routes.js';
import { wireRoutes } from './wire-routes.js';

export interface BindingsOptions {
  /** Default: the faster one that is there. */
  engine?: HttpServer['engine'];
  /** A bug met while answering an agent. Default: one JSON line on stderr. */
  onFailure?: (failure: RouteFailure) => void;
}

const loopback = '127.0.0.1';

export function createBindings(options: BindingsOptions = {}): BindingsPort {
  const accesses = new AccessTable(Date.now);
  let server: Promise<HttpServer> | undefined;
  const listen = (): Promise<HttpServer> => {
    server ??= startHttpServer({
      host: loopback,
      port: 0,
      ...defined({ engine: options.engine }),
      handler: belowAddresses(
        '',
        createRouter<AgentAccess>({
          routes: routesOfAgents,
          requireHost: requireLoopback,
          authenticate: (token) => accesses.holderOf(token),
          otherwise: wireRoutes(accesses),
          onFailure: options.onFailure ?? logFailure,
        }),
      ),
    });
    return server;
  };
  return {
    available: accesses.available,
    open: async (request) => {
      const isRemote = remoteBindings.some((binding) => request.bindings.includes(binding));
      const base = isRemote ? `http://${loopback}:${(await listen()).port}` : '';
      return await accesses.open(request, agentUrls(base));
    },
    close: async () => {
      await accesses.revokeAll();
      await (await server)?.close();
    },
  };
}

function logFailure({ correlationId, method, path, error }: RouteFailure): void {
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${JSON.stringify({ level: 'error', correlationId, method, path, stack })}\n`);
}
