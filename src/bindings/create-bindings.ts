// The agent bindings of one process: one loopback listener for all accesses, started when the first one needs it; the bearer tells them
// apart. Mounts that want one have a port beside it.
import { defined } from '../contract/defined.js';
import type { AgentDialect } from '../contract/run/dialect.js';
import type { BindingsPort, OpenAccess } from '../drills/ports/bindings-port.js';
import { requireHost } from '../http/guards.js';
import type { RouteFailure } from '../http/route-failure.js';
import { createRouter } from '../http/router.js';
import type { HttpHandler, HttpServer } from '../http/server.js';
import { startHttpServer } from '../http/start-server.js';
import { type AgentUrls, agentUrls, belowAddresses, withAddress } from './access-address.js';
import { AccessTable, remoteBindings } from './access-table.js';
import type { AgentAccess } from './agent-access.js';
import { routesOfAgents, wordsFor } from './agent-routes.js';
import { CrossOrigin } from './cross-origin.js';
import { belowHosts, hostOfMount, MountListeners, mountOfHost } from './mount-listeners.js';
import { wireRoutes } from './wire-routes.js';

export interface BindingsOptions {
  /** Default: the faster one that is there. */
  engine?: HttpServer['engine'];
  /** A bug met while answering an agent. Default: one JSON line on stderr. */
  onFailure?: (failure: RouteFailure) => void;
  /** How its agents are spoken to. Default: Drillyard's own way. */
  dialect?: AgentDialect;
}

const loopback = '127.0.0.1';

export function createBindings(options: BindingsOptions = {}): BindingsPort {
  const { dialect } = options;
  const accesses = new AccessTable(Date.now, defined({ dialect }));
  const pages = new CrossOrigin(accesses);
  let server: Promise<HttpServer> | undefined;
  const openMount = (name: string): string | undefined => {
    const mount = mountOfHost(name);
    return mount !== undefined && accesses.hasMount(mount) ? mount : undefined;
  };
  const { onFailure = logFailure } = options;
  const handler = belowHosts(
    openMount,
    belowAddresses(
      '',
      createRouter<AgentAccess>({
        routes: routesOfAgents,
        requireHost: requireHost({ admits: (name) => openMount(name) !== undefined, admitsPage: pages.admits }),
        answered: pages.answered,
        authenticate: (token) => accesses.holderOf(token),
        ownerOf: ({ bytesOwner }) => bytesOwner,
        ownerNoun: 'world',
        otherwise: wireRoutes(accesses, { pages }),
        onFailure,
        ...(dialect === undefined ? {} : { refused: (envelope, request) => wordsFor(request, dialect).refused(envelope) }),
      }),
    ),
  );
  const start = (at: HttpHandler): Promise<HttpServer> =>
    startHttpServer({ host: loopback, port: 0, onFailure, ...defined({ engine: options.engine }), handler: at });
  const listeners = new MountListeners(start, handler);
  const urlsOf = async ({ bindings, httpMounts = 'path' }: OpenAccess): Promise<AgentUrls> => {
    if (!remoteBindings.some((binding) => bindings.includes(binding))) return agentUrls('');
    server ??= start(handler);
    const { port } = await server;
    const urls = agentUrls(`http://${loopback}:${port}`);
    if (httpMounts === 'path') return urls;
    const mountUrl = async (mount: string, address?: string) =>
      withAddress(
        httpMounts === 'host' ? `http://${hostOfMount(mount)}:${port}` : `http://${loopback}:${await listeners.portOf(mount)}`,
        address,
      );
    return { ...urls, mountUrl };
  };
  return {
    available: accesses.available,
    httpMounts: new Set(['path', 'host', 'port']),
    open: async (request) => await accesses.open(request, await urlsOf(request)),
    close: async () => {
      await accesses.revokeAll();
      await listeners.close();
      await (await server)?.close();
    },
  };
}

function logFailure({ correlationId, method, path, error }: RouteFailure): void {
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${JSON.stringify({ level: 'error', correlationId, method, path, stack })}\n`);
}
