// Mounts: where the wire routes of one instance of one package are served alone, so that two packages may have the same route, and one
// package several accounts. A mount has a name, which stands in a path, in a host name, and in a variable of a target.
//   WIRE-MOUNTS-1. A name names one instance: ids have no two underscores together, so what is before `__` is the package.
import { eachAmbiguousPair } from './ambiguous-routes.js';
import { templateKey } from './route-template.js';
import type { WireRoute } from './wire.js';

/** Begins the first segment of a path below a mount, and that of an address. */
export const mountMark = '~';

export interface WireMount {
  name: string;
  packageId: string;
  instanceId: string;
}

/** `mail` of the package's own instance, `mail__work` of another. */
function mountName(packageId: string, instanceId: string): string {
  return instanceId === packageId ? packageId : `${packageId}__${instanceId}`;
}

/** Of every instance of every package that has routes, in the order of the routes. */
export function mountsOf(routes: readonly WireRoute[]): WireMount[] {
  const mounts = new Map<string, WireMount>();
  for (const { packageId, instances } of routes)
    for (const instanceId of instances) {
      const name = mountName(packageId, instanceId);
      mounts.set(name, { name, packageId, instanceId });
    }
  return [...mounts.values()];
}

/** `SERVICE_HTTP_URL_MAIL__WORK`. */
export function mountVariable(name: string): `SERVICE_HTTP_URL_${string}` {
  return `SERVICE_HTTP_URL_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** What two routes must differ in: names of parameters do not count. */
export function routeKey(method: string, path: string): string {
  return `${method} ${templateKey(path)}`;
}

/** Keys of the routes that several packages have, or that fit the same paths: the base URL alone does not say whose is meant. */
export function sharedKeys(routes: readonly Pick<WireRoute, 'packageId' | 'method' | 'path'>[]): ReadonlySet<string> {
  const owners = new Map<string, string>();
  const shared = new Set<string>();
  for (const { packageId, method, path } of routes) {
    const key = routeKey(method, path);
    if ((owners.get(key) ?? packageId) !== packageId) shared.add(key);
    owners.set(key, packageId);
  }
  const ambiguous = new Set<(typeof routes)[number]>();
  eachAmbiguousPair(routes, (one, other) => {
    if (one.packageId !== other.packageId) ambiguous.add(one).add(other);
  });
  for (const { method, path } of ambiguous) shared.add(routeKey(method, path));
  return shared;
}

/** What an address of an access looks like; no package with routes is called so. */
export const addressShape = /^[0-9a-f]{32}$/;
const mountShape = /^[a-z0-9_-]{1,194}$/;

/** The mount that the path below a base URL begins with, and what follows; undefined where it begins with none. */
export function mountIn(path: string): { mount: string; rest: string } | undefined {
  if (!path.startsWith(`/${mountMark}`)) return undefined;
  const end = path.indexOf('/', 2);
  const mount = path.slice(2, end < 0 ? undefined : end);
  if (addressShape.test(mount) || !mountShape.test(mount)) return undefined;
  return { mount, rest: end < 0 ? '/' : path.slice(end) };
}
