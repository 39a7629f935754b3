// Accesses that another process, or another part of this one, opens when they are used: what who asked for one gets.
import { randomBytes } from 'node:crypto';
import { defined } from '../contract/defined.js';
import { requirePathMounts } from '../contract/run/http-mounts.js';
import type { Access, BindingsPort, OpenAccess } from '../drills/ports/bindings-port.js';
import { agentUrls } from './access-address.js';
import { endpointsOf, remoteBindings } from './access-table.js';
import { WireTable } from './wire-table.js';

/** `base`: below which agents reach worlds. What it opens ends nowhere but in the records of who asked. */
export function announcedBindings(base: string): BindingsPort {
  return {
    available: new Set(remoteBindings),
    open: (request) => announce(request, base),
    close: async () => {},
  };
}

async function announce(request: OpenAccess, base: string): Promise<Access> {
  requirePathMounts(request);
  const { world, bindings, token = randomBytes(32).toString('base64url') } = request;
  const routes = bindings.includes('http') ? await world.query({ kind: 'routes' }) : [];
  const wires = routes.length === 0 ? undefined : new WireTable(routes);
  const address = wires?.needsAddress === true ? (request.address ?? randomBytes(16).toString('hex')) : undefined;
  return {
    endpoints: await endpointsOf(request, { urls: agentUrls(base), wires, address, tokenOf: () => token }),
    ...defined({ address }),
    observed: () => false,
    unanswered: () => undefined,
    revoke: async () => {},
  };
}
