// Mounts by host name and by port. Both become a path, so that whatever is behind knows mounts by their paths alone. Ports belong to a
// listener that this machine alone reaches.
//   MOUNT-LISTENERS-1. Where a listener is this machine's alone, host names are let in for the mounts of accesses that are open, and no
//     others.
//   MOUNT-LISTENERS-2. A port serves one mount, of every access that has it: the credential tells them apart, as it does at the base URL.
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { RequestView } from '../http/request-view.js';
import type { HttpHandler, HttpServer, ServerRequest } from '../http/server.js';
import { mountedPath } from './access-address.js';

const suffix = '.localhost';

export function hostOfMount(mount: string): string {
  return mount + suffix;
}
/** Of a host name in lower case. */
export function mountOfHost(name: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}

/** Serves what was sent to the host name of a mount below the mount's path, which begins with `prefix`. */
export function belowHosts(mountOf: (name: string) => string | undefined, handler: HttpHandler, prefix = ''): HttpHandler {
  return (request) => {
    const [name = ''] = (request.headers.get('host') ?? '').toLowerCase().split(':', 1);
    const mount = mountOf(name);
    return handler(mount === undefined ? request : new MountedRequest(request, mount, prefix));
  };
}

/** Whether the client has sent it to the host name or the port of a mount. */
export function isAtOwnMount(request: ServerRequest): boolean {
  return MountedRequest.isAmong(request);
}

class MountedRequest extends RequestView {
  readonly #path: string;

  static isAmong(request: ServerRequest): boolean {
    return RequestView.isIn(request, MountedRequest);
  }

  constructor(request: ServerRequest, mount: string, prefix: string) {
    super(request);
    this.#path = prefix + mountedPath(request.path, mount);
  }

  override get path(): string {
    return this.#path;
  }
}

/** The listeners of mounts that have a port of their own. They are open until all are closed. */
export class MountListeners {
  readonly #ports = new Map<string, Promise<HttpServer>>();
  readonly #start: (handler: HttpHandler) => Promise<HttpServer>;
  readonly #handler: HttpHandler;

  /** `start` opens a listener at any port that is free. */
  constructor(start: (handler: HttpHandler) => Promise<HttpServer>, handler: HttpHandler) {
    this.#start = start;
    this.#handler = handler;
  }

  /** control.QUOTA_EXCEEDED where as many mounts have one as may. */
  async portOf(mount: string): Promise<number> {
    let listener = this.#ports.get(mount);
    if (listener === undefined) {
      if (this.#ports.size >= limits.mountPortsMax)
        throw new ServiceError('control.QUOTA_EXCEEDED', { message: `${limits.mountPortsMax} mounts have a port; more cannot.` });
      listener = this.#start((request) => this.#handler(new MountedRequest(request, mount, '')));
      this.#ports.set(mount, listener);
      listener.catch(() => this.#ports.delete(mount));
    }
    return (await listener).port;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#ports.values()].map(async (listener) => await (await listener).close()));
  }
}
