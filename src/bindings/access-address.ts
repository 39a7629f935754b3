// The address of an access: `~` and a random number, as the first segment below the base URL. It says which access a request is for where
// the request holds no credential. It is no credential itself: it opens only routes whose tool asks for none.
import { agentRoutes } from '../contract/world/agent-routes.js';
import { RequestView } from '../http/request-view.js';
import type { HttpHandler, ServerRequest } from '../http/server.js';
import type { RemoteBinding } from './access-table.js';

export const addressMark = '~';

/** Where each binding of an access is served; only HTTP has wire routes, so only its URL may hold an address. */
export function agentUrls(base: string): (binding: RemoteBinding, address?: string) => string {
  return (binding, address) => {
    if (binding === 'mcp') return base + agentRoutes.mcp.path;
    return binding === 'http' && address !== undefined ? `${base}/${addressMark}${address}` : base;
  };
}

/** Serves below `prefix/~<address>` what is served below `prefix`. */
export function belowAddresses(prefix: string, handler: HttpHandler): HttpHandler {
  const begin = `${prefix}/${addressMark}`;
  return (request) => {
    if (!request.path.startsWith(begin)) return handler(request);
    const end = request.path.indexOf('/', begin.length);
    const address = request.path.slice(begin.length, end < 0 ? undefined : end);
    return handler(new AddressedRequest(request, prefix + (end < 0 ? '/' : request.path.slice(end)), address));
  };
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
