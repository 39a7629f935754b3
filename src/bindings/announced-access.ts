// Accesses that another process, or another part of this one, opens when they are used: what who asked for one gets.
import { randomBytes } from 'node:crypto';
import { defined } from '../contract/defined.js';
import type { Access, BindingsPort, OpenAccess } from '../drills/ports/bindings-port.js';
import type { AgentUrls } from './access-address.js';
import { endpointsOf, remoteBindings } from './access-table.js';
import { requireMounts } from './required-mounts.js';
import { WireTable } from './wire-table.js';

/** `urls`: where agents reach worlds. What it opens ends nowhere but in the records of who asked. */
export function announcedBindings(urls: AgentUrls, httpMounts: BindingsPort['httpMounts']): BindingsPort {
  return {
    available: new Set(remoteBindings),
    httpMounts,
    open: async (request) => {
      requireMounts(request, httpMounts);
      return await announce(request, urls);
    },
    close: async () => {},
  };
}

async function announce(request: OpenAccess, urls: AgentUrls): Promise<Access> {
  const { world, bindings, token = randomBytes(32).toString('base64url') } = request;
  const routes = bindings.includes('http') ? await world.query({ kind: 'routes' }) : [];
  const wires = routes.length === 0 ? undefined : new WireTable(routes);
  const address = wires?.isAddressed === true ? (request.address ?? randomBytes(16).toString('hex')) : undefined;
  return {
    endpoints: await endpointsOf(request, { urls, wires, address, tokenOf: () => token }),
    ...defined({ address }),
    observed: () => false,
    unanswered: () => undefined,
    revoke: async () => {},
  };
}
