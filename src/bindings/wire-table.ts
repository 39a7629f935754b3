// The wire routes of one world, by method and path; and those of every world that has an access open, each set once.
import { limits } from '../contract/limits.js';
import type { RouteAuth } from '../contract/world/tool-manifest.js';
import type { RefusalKind } from '../contract/world/tool-wire.js';
import type { WireRoute } from '../contract/world/wire.js';
import { type PathSearch, PathTable } from '../http/path-table.js';

export class WireTable {
  readonly #paths: PathTable<WireRoute>;
  /** The packages of its routes, each with the refusals that it words. */
  readonly #packages: ReadonlyMap<string, readonly RefusalKind[]>;
  readonly #routes: readonly WireRoute[];
  /** Where its routes want their credential, each place once. */
  readonly places: ReadonlyMap<string, RouteAuth>;
  /** Some route needs no credential, so its access has to be known by the address. */
  readonly needsAddress: boolean;

  constructor(routes: readonly WireRoute[]) {
    this.#routes = routes;
    this.#paths = new PathTable(routes);
    this.#packages = new Map(routes.map(({ packageId, worded = [] }) => [packageId, worded]));
    this.places = new Map(routes.map(({ auth }) => [JSON.stringify(auth), auth]));
    this.needsAddress = routes.some(({ auth }) => auth.kind === 'none');
  }

  words(packageId: string, kind: RefusalKind): boolean {
    return this.#packages.get(packageId)?.includes(kind) === true;
  }
  /** Of any method. */
  firstFitting(path: string): WireRoute | undefined {
    for (const route of this.#paths.fitting(path)) return route;
    return undefined;
  }
  /** Of a path that no route has: the only package, or the one whose routes share the most of its beginning. */
  nearestPackage(path: string): string | undefined {
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

  /** HEAD finds what GET would. */
  find(method: string, path: string): PathSearch<WireRoute> {
    return this.#paths.find(method === 'HEAD' ? 'GET' : method, path);
  }
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
