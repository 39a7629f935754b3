// The access of one interaction to a world of a hosted service, as a target here is given it: the same places and the same words as in a
// local run. The service ends it when the interaction is handed in, and `revoke` before that.
import { RemoteWorld } from '../bindings/remote-world.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { AccessBundle, WorldMounts } from '../contract/hosted/sessions.js';
import { mcpUrlFor } from '../contract/run/mcp-tool-names.js';
import type { Binding, Target } from '../contract/run/target.js';
import type { BindingMounts } from '../contract/run/target-invocation.js';
import type { Access, DirectClient, Endpoint } from '../drills/ports/bindings-port.js';
import type { Remote } from './connection.js';

export function remoteAccess(
  { client, projectId }: Remote,
  bundle: AccessBundle,
  { target, ending }: { target: Pick<Target, 'bindings' | 'mcpToolNames' | 'httpMounts'>; ending: AbortSignal },
): Access {
  const { accessId, sessionId, credential: token, worldHttpUrl, worldHttpMounts, worldHttpKeyId, worldMcpUrl, worldCliUrl } = bundle;
  const urls = { http: worldHttpUrl, mcp: mcpUrlFor(worldMcpUrl, target), cli: worldCliUrl };
  const endpoints: { [B in keyof typeof urls]?: Endpoint } = {};
  const wanted: readonly Binding[] = target.bindings;
  for (const binding of ['http', 'mcp', 'cli'] as const) if (wanted.includes(binding)) endpoints[binding] = { url: urls[binding], token };
  if (endpoints.http !== undefined)
    Object.assign(endpoints.http, defined({ mounts: mountsFor(target, worldHttpMounts), keyId: worldHttpKeyId }));
  let revoked: Promise<void> | undefined;
  const direct = directly({ url: worldHttpUrl, token }, () => revoked !== undefined);
  return {
    endpoints,
    ...(wanted.includes('direct') ? { direct } : {}),
    // The service knows, and its result says so.
    observed: () => false,
    unanswered: () => undefined,
    revoke: () => {
      revoked ??= client
        .revokeSessionAccess({ path: { projectId, sessionId, accessId }, body: { confirm: accessId } }, { signal: ending })
        // It is over already, or the service has gone; what it was for is handed in next, which ends it, too.
        .then(
          () => {},
          () => {},
        );
      return revoked;
    },
  };
}

/** The service has refused the run where it has no host names for mounts, and the target wants them. */
function mountsFor({ httpMounts = 'path' }: Pick<Target, 'httpMounts'>, mounts: WorldMounts | undefined): BindingMounts | undefined {
  if (mounts === undefined) return undefined;
  const isByHost = httpMounts === 'host';
  return Object.fromEntries(Object.entries(mounts).map(([name, { url, hostUrl = url }]) => [name, { url: isByHost ? hostUrl : url }]));
}

function directly(endpoint: Endpoint, isRevoked: () => boolean): DirectClient {
  const world = new RemoteWorld(endpoint);
  const open = (): RemoteWorld => {
    if (isRevoked()) throw new ServiceError('control.UNAUTHENTICATED');
    return world;
  };
  return {
    tools: async () => (await open().catalog()).tools,
    call: async (call) => await open().call(call),
    wait: async (untilUs) => await open().wait(untilUs),
    receive: async () => {
      throw new ServiceError('control.NOT_FOUND', {
        message: 'An agent of a remote run receives no callbacks: its world is elsewhere. Register a receiver with the service.',
      });
    },
  };
}
