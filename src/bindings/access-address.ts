// The address of an access: `~` and a random number, as the first segment below the base URL. It says which access a request is for where
// the request holds no credential. It is no credential itself: it opens only routes whose tool asks for none. A mount may follow it, or
// stand in its place (wire-mounts.ts).
import type { RemoteBinding } from '../contract/run/target.js';
import { agentRoutes } from '../contract/world/agent-routes.js';
import { addressShape, mountMark } from '../contract/world/wire-mounts.js';
import { RequestView } from '../http/request-view.js';
import type { HttpHandler, ServerRequest } from '../http/server.js';

/** Where an access is served. */
export interface AgentUrls {
  /** Only HTTP has wire routes, so only its URL may hold an address. */
  urlOf(binding: RemoteBinding, address?: string): string;
  mountUrl(mount: string, address?: string): string | Promise<string>;
  /** Where mounts have a host name beside that URL. */
  mountHostUrl?(mount: string, address?: string): string;
}

/** `mountOrigin`: the scheme, host and port of a mount that has a host name of its own. */
export function agentUrls(base: string, mountOrigin?: (mount: string) => string): AgentUrls {
  const mcpUrl = base + agentRoutes.mcp.path;
  return {
    ...(mountOrigin === undefined ? {} : { mountHostUrl: (mount, address) => withAddress(mountOrigin(mount), address) }),
    urlOf: (binding, address) => {
      if (binding === 'mcp') return mcpUrl;
      return binding === 'http' ? withAddress(base, address) : base;
    },
    mountUrl: (mount, address) => `${withAddress(base, address)}/${mountMark}${mount}`,
  };
}

export function withAddress(base: string, address: string | undefined): string {
  return address === undefined ? base : `${base}/${mountMark}${address}`;
}

/** Serves below `prefix/~<address>` what is served below `prefix`. */
export function belowAddresses(prefix: string, handler: HttpHandler): HttpHandler {
  return (request) => {
    const found = addressIn(request.path, prefix);
    return handler(found === undefined ? request : new AddressedRequest(request, prefix + found.rest, found.address));
  };
}

/** The address that a path below `prefix` begins with, and what follows; undefined where it begins with none. */
export function addressIn(path: string, prefix: string): { address: string; rest: string } | undefined {
  const begin = `${prefix}/${mountMark}`;
  if (!path.startsWith(begin)) return undefined;
  const end = path.indexOf('/', begin.length);
  const address = path.slice(begin.length, end < 0 ? undefined : end);
  return addressShape.test(address) ? { address, rest: end < 0 ? '/' : path.slice(end) } : undefined;
}

/** The path of a mount, of a request that came to a host name or a port of the mount's own. */
export function mountedPath(path: string, mount: string): string {
  const { address, rest } = addressIn(path, '') ?? { address: undefined, rest: path };
  return `${withAddress('', address)}/${mountMark}${mount}${rest}`;
}

/** Undefined where the request was sent to no address. */
export function addressOf(request: ServerRequest): string | undefined {
  return request instanceof AddressedRequest ? request.accessAddress : undefined;
}

class AddressedRequest extends RequestView {
  readonly accessAddress: string;
  readonly #path: string;

  constructor(request: ServerRequest, path: string, accessAddress: string) {
    super(request);
    this.#path = path;
    this.accessAddress = accessAddress;
  }

  override get path(): string {
    return this.#path;
  }
}
