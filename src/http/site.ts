// Where a service is reached: its control API at one origin, the worlds at another where `worldUrl` names one. What tools answer is of
// their makers, strangers perhaps, and a browser takes all of one origin for one author.
import { ServiceError } from '../contract/errors.js';
import { isLoopbackName, requireHost } from './guards.js';
import { mountAt } from './mount.js';
import type { HttpHandler, ServerRequest } from './server.js';
import type { ServiceWarning } from './service-warning.js';

export interface Site {
  /** Scheme, host and port, no slash at the end; so are all URLs here. */
  publicUrl: string;
  worldUrl: string | undefined;
  /** Somebody on another machine may reach it, by itself or through a proxy. */
  isBeyondLoopback: boolean;
  /** It opens no port to other machines. */
  isListeningOnLoopback: boolean;
}

export function siteOf({ host, publicUrl, worldUrl }: { host: string; publicUrl: string; worldUrl: string | undefined }): Site {
  const hosts = [publicUrl, ...(worldUrl === undefined ? [] : [worldUrl])].map((url) => new URL(url).hostname);
  const isListeningOnLoopback = isLoopbackName(host);
  return { publicUrl, worldUrl, isListeningOnLoopback, isBeyondLoopback: !isListeningOnLoopback || !hosts.every(isLoopbackName) };
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

/** The check of Host and Origin (guards.ts) of requests to the control API, and of those to worlds. */
export function siteGuards({ publicUrl, worldUrl, isListeningOnLoopback }: Site) {
  return {
    control: requireHost({ publicUrl, hosts: isListeningOnLoopback ? 'own' : 'any' }),
    worlds: requireHost({ publicUrl: worldUrl ?? publicUrl, pages: 'host' }),
  };
}

/** What answers at the main listener, and what at the one that worlds have alone. */
export function siteHandlers(site: Site, { worlds, control, prefix }: Handlers): { main: HttpHandler; worldsAlone: HttpHandler } {
  const { worldUrl, publicUrl } = site;
  if (worldUrl === undefined) return { main: mountAt(prefix, worlds, control), worldsAlone: worlds };
  const isWorldHost = hostTest(worldUrl);
  const worldsAlone = mountAt(prefix, worlds, () => elsewhere(publicUrl));
  const controlAlone = mountAt(prefix, () => elsewhere(worldUrl), control);
  return { main: (request) => (isWorldHost(request) ? worldsAlone(request) : controlAlone(request)), worldsAlone };
}

function hostTest(url: string): (request: ServerRequest) => boolean {
  const { protocol, host } = new URL(url);
  return ({ headers }) => {
    const asked = headers.get('host');
    if (asked === undefined) return false;
    if (asked === host) return true;
    const text = `${protocol}//${asked}`;
    return URL.canParse(text) && new URL(text).host === host;
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
