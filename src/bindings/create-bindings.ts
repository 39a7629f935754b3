// The agent bindings of one process: one loopback listener for all accesses, started when the first one needs it; the bearer tells them
// apart. Mounts that want one have a port beside it. Worlds whose routes are sent headers that not every server takes have a listener on
// node:http.
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
import type { WireTable } from './wire-table.js';

export interface BindingsOptions {
  /** Default: the faster one that is there and takes the headers of the routes. */
  engine?: HttpServer['engine'];
  /** A bug met while answering an agent. Default: one JSON line on stderr. */
  onFailure?: (failure: RouteFailure) => void;
  /** How its agents are spoken to. Default: Drillyard's own way. */
  dialect?: AgentDialect;
}

const loopback = '127.0.0.1';

/** Of one server: at the base URL, and at ports of mounts. */
interface Listeners {
  server: Promise<HttpServer>;
  mounts: MountListeners;
}

export function createBindings(options: BindingsOptions = {}): BindingsPort {
  const { dialect } = options;
  const accesses = new AccessTable(Date.now, defined({ dialect }));
  const pages = new CrossOrigin(accesses);
  const listening = new Map<HttpServer['engine'] | undefined, Listeners>();
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
  const listenersFor = (wires: WireTable | undefined): Listeners => {
    const engine = options.engine ?? (wires?.hasRareHeaderName === true ? 'node:http' : undefined);
    const known = listening.get(engine);
    if (known !== undefined) return known;
    const start = (at: HttpHandler): Promise<HttpServer> =>
      startHttpServer({ host: loopback, port: 0, onFailure, ...defined({ engine }), handler: at });
    const made = { server: start(handler), mounts: new MountListeners(start, handler) };
    listening.set(engine, made);
    return made;
  };
  const urlsOf = async ({ bindings, httpMounts = 'path' }: OpenAccess, wires: WireTable | undefined): Promise<AgentUrls> => {
    if (!remoteBindings.some((binding) => bindings.includes(binding))) return agentUrls('');
    const { server, mounts } = listenersFor(wires);
    const { port } = await server;
    const urls = agentUrls(`http://${loopback}:${port}`);
    if (httpMounts === 'path') return urls;
    const mountUrl = async (mount: string, address?: string) =>
      withAddress(
        httpMounts === 'host' ? `http://${hostOfMount(mount)}:${port}` : `http://${loopback}:${await mounts.portOf(mount)}`,
        address,
      );
    return { ...urls, mountUrl };
  };
  return {
    available: accesses.available,
    httpMounts: new Set(['path', 'host', 'port']),
    open: (request) => accesses.open(request, (wires) => urlsOf(request, wires)),
    close: async () => {
      await accesses.revokeAll();
      for (const { server, mounts } of listening.values()) {
        await mounts.close();
        await (await server).close();
      }
    },
  };
}

function logFailure({ correlationId, method, path, error }: RouteFailure): void {
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${JSON.stringify({ level: 'error', correlationId, method, path, stack })}\n`);
}
