// Where a service is reached: its control API at one origin, the worlds at another where `worldUrl` names one. What tools answer is of
// their makers, strangers perhaps, and a browser takes all of one origin for one author.
import { ServiceError } from '../contract/errors.js';
import { type HostRule, isLoopbackName, requireHost } from './guards.js';
import { mountAt } from './mount.js';
import type { HttpHandler, ServerRequest } from './server.js';
import type { ServiceWarning } from './service-warning.js';

export interface Site {
  /** Scheme, host and port, no slash at the end; so are all URLs here. */
  publicUrl: string;
  worldUrl: string | undefined;
  /** Mounts of worlds have host names below that of `worldUrl`. */
  hasMountHosts: boolean;
  /** Somebody on another machine may reach it, by itself or through a proxy. */
  isBeyondLoopback: boolean;
  /** It opens no port to other machines. */
  isListeningOnLoopback: boolean;
}

interface SiteAddresses extends Pick<Site, 'publicUrl' | 'worldUrl'> {
  /** Of the listener. */
  host: string;
  hasMountHosts?: boolean | undefined;
}
export function siteOf({ host, publicUrl, worldUrl, hasMountHosts = false }: SiteAddresses): Site {
  const hosts = [publicUrl, ...(worldUrl === undefined ? [] : [worldUrl])].map((url) => new URL(url).hostname);
  const isListeningOnLoopback = isLoopbackName(host);
  const isBeyondLoopback = !isListeningOnLoopback || !hosts.every(isLoopbackName);
  return { publicUrl, worldUrl, hasMountHosts, isListeningOnLoopback, isBeyondLoopback };
}

/** How mounts are named below the host name of worlds. */
export interface MountNames {
  /** Scheme, host and port. */
  originOf(mount: string): string;
  /** Of a host name in lower case; undefined where it names no mount. */
  mountOf(name: string): string | undefined;
}
/** Undefined where mounts have no host names. */
export function mountNamesOf({ worldUrl, hasMountHosts }: Pick<Site, 'worldUrl' | 'hasMountHosts'>): MountNames | undefined {
  if (worldUrl === undefined || !hasMountHosts) return undefined;
  const { protocol, host, hostname } = new URL(worldUrl);
  const suffix = `.${hostname}`;
  return {
    originOf: (mount) => `${protocol}//${mount}.${host}`,
    mountOf: (name) => {
      const mount = name.endsWith(suffix) ? name.slice(0, -suffix.length) : '';
      return mount === '' || mount.includes('.') ? undefined : mount;
    },
  };
}

/** The port that the service has to open for its worlds; undefined where a proxy, or the Host header alone, tells the two apart. */
export function worldPortOf(worldUrl: string | undefined, { port }: { port: number }): number | undefined {
  if (worldUrl === undefined || !worldUrl.startsWith('http://')) return undefined;
  const { port: named } = new URL(worldUrl);
  const wanted = named === '' ? 80 : Number(named);
  return wanted === port && wanted !== 0 ? undefined : wanted;
}

interface Handlers {
  /** Of every path below `prefix`. */
  worlds: HttpHandler;
  control: HttpHandler;
  prefix: string;
}

/**
 * The check of Host and Origin (guards.ts) of requests to the control API, and of those to worlds. `admitsPage`: where what pages of other
 * sites ask of worlds is for the owner of the world to refuse.
 */
export function siteGuards(site: Site, admitsPage: (request: ServerRequest) => boolean = () => false) {
  const { publicUrl, worldUrl, isListeningOnLoopback } = site;
  return {
    control: requireHost({ publicUrl, hosts: isListeningOnLoopback ? 'own' : 'any' }),
    worlds: requireHost({ ...worldHosts(worldUrl ?? publicUrl, mountNamesOf(site)), admitsPage }),
  };
}

/** Who is let in where worlds are served at `url`. */
export function worldHosts(url: string, names: MountNames | undefined): HostRule {
  return { publicUrl: url, pages: 'host', admits: (name) => names?.mountOf(name) !== undefined };
}

/** What answers at the main listener, and what at the one that worlds have alone. */
export function siteHandlers(site: Site, { worlds, control, prefix }: Handlers): { main: HttpHandler; worldsAlone: HttpHandler } {
  const { worldUrl, publicUrl } = site;
  if (worldUrl === undefined) return { main: mountAt(prefix, worlds, control), worldsAlone: worlds };
  const isWorldHost = hostTest(worldUrl, mountNamesOf(site));
  const worldsAlone = mountAt(prefix, worlds, () => elsewhere(publicUrl));
  const controlAlone = mountAt(prefix, () => elsewhere(worldUrl), control);
  return { main: (request) => (isWorldHost(request) ? worldsAlone(request) : controlAlone(request)), worldsAlone };
}

function hostTest(url: string, names: MountNames | undefined): (request: ServerRequest) => boolean {
  const { protocol, host } = new URL(url);
  return ({ headers }) => {
    const asked = headers.get('host');
    if (asked === undefined) return false;
    if (asked === host) return true;
    const text = `${protocol}//${asked}`;
    if (!URL.canParse(text)) return false;
    const found = new URL(text);
    return found.host === host || names?.mountOf(found.hostname) !== undefined;
  };
}

function elsewhere(url: string): never {
  throw new ServiceError('control.ORIGIN_REJECTED', {
    message: `This path is served at ${url}, and not here.`,
    details: { header: 'Host' },
  });
}

export function siteWarnings({ isBeyondLoopback, worldUrl }: Site): ServiceWarning[] {
  if (!isBeyondLoopback || worldUrl !== undefined) return [];
  return [
    {
      code: 'worlds_share_origin',
      message:
        'What tools answer comes from the origin of the control API. Give worlds a host name or port of their own with `--world-url`.',
    },
  ];
}
