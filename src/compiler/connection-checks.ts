// What tools say of each other: whose events they subscribe to, which packages they are connected with, and that no two wire routes are
// one.
import { graphqlRoutes } from '../contract/world/tool-graphql.js';
import type { Diagnostics } from './diagnostics.js';
import { routeKey } from './route-checks.js';
import type { ToolCatalog } from './tool-catalog.js';
import type { CompiledSource } from './tool-compile.js';

export function checkConnections(
  { diagnostics, catalog }: { diagnostics: Diagnostics; catalog: ToolCatalog },
  tools: readonly CompiledSource[],
): void {
  const routes = new Map<string, string>();
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
    for (const { at, ...route } of served) {
      const key = routeKey(route.method, route.path);
      const before = routes.get(key);
      if (before !== undefined)
        diagnostics.report('DY5010', document.place(at), `${route.method} ${route.path} is a route of '${before}' already`);
      else routes.set(key, `${id}/${route.id}`);
    }
  }
}
