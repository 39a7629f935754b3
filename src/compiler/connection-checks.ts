// What tools say of each other: whose events they subscribe to, which packages they are connected with, and which wire routes several
// have.
import { mountVariable, routeKey } from '../contract/world/wire-mounts.js';
import type { Diagnostics } from './diagnostics.js';
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
    const own = new Map<string, string>();
    for (const [index, route] of http.entries()) {
      const key = routeKey(route.method, route.path);
      const [before, other] = [own.get(key), routes.get(key)];
      const place = () => document.place(`/manifest/http/${index}/path`);
      if (before !== undefined)
        diagnostics.report('DY5010', place(), `${route.method} ${route.path} is a route of '${id}/${before}' already`);
      else if (other !== undefined)
        diagnostics.report('DY5022', place(), `${route.method} ${route.path} is a route of '${other}', too: only mounts answer it`, {
          suggestion: `Ask below /~${other} and /~${id}, or at the URLs of their mounts: ${mountVariable(other)}, ${mountVariable(id)}.`,
        });
      own.set(key, route.id);
    }
    for (const key of own.keys()) routes.set(key, id);
  }
}
