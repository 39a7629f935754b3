// The wire routes of one world, by mount, method and path; and those of every world that has an access open, each set once.
import { limits } from '../contract/limits.js';
import type { RouteAuth } from '../contract/world/tool-manifest.js';
import type { RefusalKind } from '../contract/world/tool-wire.js';
import type { WireRoute } from '../contract/world/wire.js';
import { mountsOf, routeKey, sharedKeys, type WireMount } from '../contract/world/wire-mounts.js';
import { type PathMatch, PathTable } from '../http/path-table.js';
import { commonHeaderName } from '../http/start-server.js';

/** What lies at a path. `shared`: routes of several packages, whose mounts alone answer. */
export type WireSearch =
  | (PathMatch<WireRoute> & { instanceId: string | undefined })
  | { kind: 'unknown' }
  | { kind: 'method'; methods: string[] }
  | { kind: 'shared'; mounts: string[] };

interface PackageRoutes {
  paths: PathTable<WireRoute>;
  isAddressed: boolean;
  /** The refusals that it words. */
  worded: readonly RefusalKind[];
  /** For which paths; undefined: for all. */
  wordedBelow: readonly string[] | undefined;
}

export class WireTable {
  /** Without a mount; of routes that several packages have it holds one. */
  readonly #base: PathTable<WireRoute>;
  readonly #shared: ReadonlySet<string>;
  readonly #packages = new Map<string, PackageRoutes>();
  readonly #mounts: ReadonlyMap<string, WireMount>;
  readonly #routes: readonly WireRoute[];
  /** Where its routes want their credential, each place once. */
  readonly places: ReadonlyMap<string, RouteAuth>;
  /** Some route needs no credential, so its access has to be known by the address. */
  readonly needsAddress: boolean;
  /** So is it, or some route lets in pages of other sites, whose browsers ask before they send a credential. */
  readonly isAddressed: boolean;
  /** Some route takes signed requests, so who has an access has to know its key. */
  readonly takesSignatures: boolean;
  /** Some route is sent a header that not every server takes. */
  readonly hasRareHeaderName: boolean;

  constructor(routes: readonly WireRoute[]) {
    this.#routes = routes;
    this.#shared = sharedKeys(routes);
    this.#base = new PathTable([...new Map(routes.map((route) => [keyOf(route), route])).values()]);
    for (const packageId of new Set(routes.map((route) => route.packageId))) {
      const own = routes.filter((route) => route.packageId === packageId);
      this.#packages.set(packageId, {
        paths: new PathTable(own),
        isAddressed: own.some(wantsAddress),
        worded: own[0]?.worded ?? [],
        wordedBelow: own[0]?.wordedBelow,
      });
    }
    this.#mounts = new Map(mountsOf(routes).map((mount) => [mount.name, mount]));
    this.places = new Map(routes.flatMap(({ auths }) => auths.map((auth) => [JSON.stringify(auth), auth] as const)));
    this.needsAddress = routes.some((route) => isAt(route, 'none'));
    this.isAddressed = routes.some(wantsAddress);
    this.takesSignatures = routes.some((route) => isAt(route, 'sigv4'));
    this.hasRareHeaderName = routes.some((route) => headerNamesOf(route).some((name) => !commonHeaderName.test(name)));
  }

  /** Whether a package words a refusal of a request to this path, which is below the mount. */
  words(packageId: string, kind: RefusalKind, path: string): boolean {
    const { worded = [], wordedBelow } = this.#packages.get(packageId) ?? {};
    return worded.includes(kind) && (wordedBelow === undefined || wordedBelow.some((begin) => isBelow(path, begin)));
  }
  /** Of any method. */
  firstFitting(path: string, mount?: string): WireRoute | undefined {
    const paths = mount === undefined ? this.#base : this.#pathsAt(mount);
    for (const route of paths?.fitting(path) ?? []) return route;
    return undefined;
  }
  /** Of a path that no route has: the mount's, the only package, or the one whose routes share the most of its beginning. */
  nearestPackage(path: string, mount?: string): string | undefined {
    if (mount !== undefined) return this.#mounts.get(mount)?.packageId;
    const [only] = this.#packages.keys();
    if (this.#packages.size === 1) return only;
    const segments = path.split('/');
    let most = 0;
    const nearest = new Set<string>();
    for (const { packageId, path: template } of this.#routes) {
      const own = template.split('/');
      const differing = own.findIndex((segment, place) => segment !== segments[place]);
      // The empty text before the first slash is shared by all.
      const shared = (differing < 0 ? own.length : differing) - 1;
      if (shared > most) nearest.clear();
      most = Math.max(most, shared);
      if (shared === most && shared > 0) nearest.add(packageId);
    }
    return nearest.size === 1 ? [...nearest][0] : undefined;
  }

  /** In the order of the routes; `isAddressed`, for the routes of its package. */
  get mounts(): (WireMount & { isAddressed: boolean })[] {
    return [...this.#mounts.values()].map((mount) => {
      return { ...mount, isAddressed: this.#packages.get(mount.packageId)?.isAddressed === true };
    });
  }
  hasMount(name: string): boolean {
    return this.#mounts.has(name);
  }

  /** HEAD finds what GET would. `mount`: a name; undefined for the base URL. */
  find(asked: string, path: string, mount?: string): WireSearch {
    const method = asked === 'HEAD' ? 'GET' : asked;
    if (mount !== undefined) return this.#findMounted(method, path, mount);
    const found = this.#base.find(method, path);
    if (found.kind !== 'match') return found;
    if (this.#shared.has(keyOf(found.route))) return { kind: 'shared', mounts: this.#mountsWith(method, path) };
    return { ...found, instanceId: undefined };
  }

  #findMounted(method: string, path: string, name: string): WireSearch {
    const mount = this.#mounts.get(name);
    const found = this.#pathsAt(name)?.find(method, path);
    if (found === undefined || mount === undefined) return { kind: 'unknown' };
    return found.kind === 'match' ? { ...found, instanceId: mount.instanceId } : found;
  }

  #mountsWith(method: string, path: string): string[] {
    return [...this.#mounts.keys()].filter((name) => this.#pathsAt(name)?.find(method, path).kind === 'match');
  }

  #pathsAt(mount: string): PathTable<WireRoute> | undefined {
    return this.#packages.get(this.#mounts.get(mount)?.packageId ?? '')?.paths;
  }
}

const isBelow = (path: string, begin: string): boolean => path === begin || path.startsWith(`${begin}/`);

/** Its credential may be at a place of this kind. */
export function isAt({ auths }: WireRoute, kind: RouteAuth['kind']): boolean {
  return auths.some((auth) => auth.kind === kind);
}

function wantsAddress(route: WireRoute): boolean {
  return isAt(route, 'none') || route.cors !== undefined;
}

function headerNamesOf({ auths, cors }: WireRoute): string[] {
  return [...auths.flatMap((auth) => (auth.kind === 'header' ? [auth.name] : [])), ...(cors?.headers ?? [])];
}

function keyOf({ method, path }: WireRoute): string {
  return routeKey(method, path);
}

interface SharedTable {
  table: WireTable;
  uses: number;
}

/**
 * Worlds of one build have the same routes, and there may be many of them. Some tables that nobody uses any more are kept, so that a
 * request that comes too late gets that answer, and not that there was never such a route.
 */
export class WireTables {
  readonly #known = new Map<string, SharedTable>();
  /** Those of all tables; undefined when one came or went since they were asked for. */
  #places: ReadonlyMap<string, RouteAuth> | undefined;

  /** Undefined where there are no routes. A caller that gets a table returns it. */
  take(routes: readonly WireRoute[]): { table: WireTable; release: () => void } | undefined {
    if (routes.length === 0) return undefined;
    const key = JSON.stringify(routes);
    const shared = this.#known.get(key) ?? this.#add(key, routes);
    shared.uses += 1;
    const release = (): void => {
      shared.uses -= 1;
      this.#forgetSome();
    };
    return { table: shared.table, release };
  }

  places(): Iterable<RouteAuth> {
    this.#places ??= new Map([...this.tables()].flatMap(({ places }) => [...places]));
    return this.#places.values();
  }

  hasMount(name: string): boolean {
    for (const { table, uses } of this.#known.values()) if (uses > 0 && table.hasMount(name)) return true;
    return false;
  }

  *tables(): Generator<WireTable> {
    for (const { table } of this.#known.values()) yield table;
  }

  #add(key: string, routes: readonly WireRoute[]): SharedTable {
    const shared = { table: new WireTable(routes), uses: 0 };
    this.#known.set(key, shared);
    this.#places = undefined;
    return shared;
  }

  /** The oldest of those that nobody uses. */
  #forgetSome(): void {
    for (const [key, { uses }] of this.#known) {
      if (this.#known.size <= limits.wireTablesKeptMax) return;
      if (uses > 0) continue;
      this.#known.delete(key);
      this.#places = undefined;
    }
  }
}
