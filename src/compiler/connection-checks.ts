// What tools say of each other: whose events they subscribe to, which packages they are connected with, and which wire routes several
// have.
import { eachAmbiguousPair } from '../contract/world/ambiguous-routes.js';
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
  for (const { compiled, document } of tools) {
    const { id, subscriptions, connections } = compiled.manifest;
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
  }
  checkRoutes(diagnostics, tools);
}

function checkRoutes(diagnostics: Diagnostics, tools: readonly CompiledSource[]): void {
  const served = servedRoutes(tools);
  const earlier = earlierRoutes(served);
  for (const route of served) {
    const { tool, method, path, at } = route;
    const { id: packageId } = tool.compiled.manifest;
    const { own, other } = earlier.get(route) as Earlier;
    const place = () => tool.document.place(at);
    if (own !== undefined)
      diagnostics.report('DY5010', place(), `${method} ${path} ${wordsOf(route, own, `${packageId}/${own.id}`, ' already')}`);
    else if (other !== undefined) {
      const name = other.tool.compiled.manifest.id;
      diagnostics.report('DY5022', place(), `${method} ${path} ${wordsOf(route, other, name, ', too')}: only mounts answer it`, {
        suggestion: `Ask below /~${name} and /~${packageId}, or at the URLs of their mounts: ${mountVariable(name)}, ${mountVariable(packageId)}.`,
      });
    }
  }
}

interface ServedRoute extends Pick<ToolHttpRoute, 'id' | 'method' | 'path'> {
  tool: CompiledSource;
  /** JSON Pointer of its path. */
  at: string;
  /** Among those of all tools. */
  order: number;
}
function servedRoutes(tools: readonly CompiledSource[]): ServedRoute[] {
  const served = tools.flatMap((tool) => [
    ...tool.compiled.manifest.http.map(({ id, method, path }, index) => ({ tool, id, method, path, at: `/manifest/http/${index}/path` })),
    ...graphqlRoutes(tool.compiled.manifest).map(({ routeId: id, method, path }) => ({ tool, id, method, path, at: graphqlPath })),
  ]);
  return served.map((route, order) => ({ ...route, order }));
}
const graphqlPath = '/manifest/graphql/path';

/** The first route before another that answers what it does: of the same tool, and of another. */
interface Earlier {
  own?: ServedRoute;
  other?: ServedRoute;
}
/** One that is the same goes before one that is ambiguous. */
function earlierRoutes(served: readonly ServedRoute[]): ReadonlyMap<ServedRoute, Earlier> {
  const earlier = new Map(served.map((route): [ServedRoute, Earlier] => [route, {}]));
  eachAmbiguousPair(served, (one, other) => {
    const [first, later] = one.order < other.order ? [one, other] : [other, one];
    const known = earlier.get(later) as Earlier;
    const place = first.tool === later.tool ? 'own' : 'other';
    if (first.order < (known[place]?.order ?? Number.POSITIVE_INFINITY)) known[place] = first;
  });
  const same = new Map<string, Map<CompiledSource, ServedRoute>>();
  for (const route of served) {
    const key = routeKey(route.method, route.path);
    const firsts = same.get(key) ?? new Map<CompiledSource, ServedRoute>();
    same.set(key, firsts);
    const [first] = firsts.values();
    const own = firsts.get(route.tool);
    const known = earlier.get(route) as Earlier;
    if (own === undefined) firsts.set(route.tool, route);
    else known.own = own;
    if (first !== undefined && first.tool !== route.tool) known.other = first;
  }
  return earlier;
}

function wordsOf(route: ServedRoute, before: ServedRoute, name: string, same: string): string {
  return routeKey(route.method, route.path) === routeKey(before.method, before.path)
    ? `is a route of '${name}'${same}`
    : `and '${name}' (${before.path}) fit the same paths, and neither goes before the other`;
}
