// What tools say of each other: whose events they subscribe to, which packages they are connected with, and which wire routes several
// have.
import { areAmbiguous } from '../contract/world/route-template.js';
import { graphqlRoutes } from '../contract/world/tool-graphql.js';
import type { ToolHttpRoute } from '../contract/world/tool-manifest.js';
import { mountVariable, routeKey } from '../contract/world/wire-mounts.js';
import type { Diagnostics } from './diagnostics.js';
import type { ToolCatalog } from './tool-catalog.js';
import type { CompiledSource } from './tool-compile.js';

export function checkConnections(
  { diagnostics, catalog }: { diagnostics: Diagnostics; catalog: ToolCatalog },
  tools: readonly CompiledSource[],
): void {
  const routes = new KnownRoutes();
  for (const { compiled, document } of tools) {
    const { id, subscriptions, connections, http } = compiled.manifest;
    for (const [index, { event }] of subscriptions.entries()) {
      // Of its own events the manifest's check has spoken already.
      if (event.packageId !== id)
        catalog.find(
          'events',
          { packageId: event.packageId, id: event.eventId },
          { document, path: `/manifest/subscriptions/${index}/event` },
        );
    }
    for (const [index, { packageId }] of connections.entries()) {
      if (typeof packageId === 'string' && !catalog.has(packageId))
        diagnostics.report('DY3005', document.place(`/manifest/connections/${index}/packageId`), `there is no tool package '${packageId}'`);
    }
    const served = [
      ...http.map((route, index) => ({ id: route.id, method: route.method, path: route.path, at: `/manifest/http/${index}/path` })),
      ...graphqlRoutes(compiled.manifest).map(({ routeId, method, path }) => ({ id: routeId, method, path, at: '/manifest/graphql/path' })),
    ];
    const own = new KnownRoutes();
    for (const { at, ...route } of served) {
      const place = () => document.place(at);
      const [before, other] = [own.meets(route), routes.meets(route)];
      const { method, path } = route;
      if (before !== undefined)
        diagnostics.report('DY5010', place(), `${method} ${path} ${wordsOf(before, `${id}/${before.name}`, ' already')}`);
      else if (other !== undefined)
        diagnostics.report('DY5022', place(), `${method} ${path} ${wordsOf(other, other.name, ', too')}: only mounts answer it`, {
          suggestion: `Ask below /~${other.name} and /~${id}, or at the URLs of their mounts: ${mountVariable(other.name)}, ${mountVariable(id)}.`,
        });
      own.add(route.id, route);
    }
    for (const route of served) routes.add(id, route);
  }
}

interface Meeting {
  name: string;
  /** Of a route that is not the same and fits the same paths. */
  path?: string;
}
function wordsOf({ path }: Meeting, name: string, same: string): string {
  return path === undefined
    ? `is a route of '${name}'${same}`
    : `and '${name}' (${path}) fit the same paths, and neither goes before the other`;
}

type Template = Pick<ToolHttpRoute, 'method' | 'path'>;
/** The wire routes so far, of one package or of several. */
class KnownRoutes {
  readonly #names = new Map<string, string>();
  /** Those with a parameter that has affixes: only they can fit the paths of another without being the same. */
  readonly #affixed: (Template & { name: string })[] = [];

  /** Undefined where no other one answers what this one does. */
  meets({ method, path }: Template): Meeting | undefined {
    const same = this.#names.get(routeKey(method, path));
    if (same !== undefined) return { name: same };
    return this.#affixed.find((route) => route.method === method && areAmbiguous(route.path, path));
  }
  add(name: string, { method, path }: Template): void {
    const key = routeKey(method, path);
    if (!this.#names.has(key)) this.#names.set(key, name);
    if (/[^/]\{|\}[^/]/.test(path)) this.#affixed.push({ name, method, path });
  }
}
