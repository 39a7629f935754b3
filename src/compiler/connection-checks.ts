// What tools say of each other: whose events they subscribe to, which packages they are connected with, and that no two wire routes are
// one.
import { areAmbiguous, templateKey } from '../contract/world/route-template.js';
import type { ToolHttpRoute } from '../contract/world/tool-manifest.js';
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
    for (const [index, route] of http.entries()) {
      const clash = routes.add(`${id}/${route.id}`, route);
      if (clash !== undefined) diagnostics.report('DY5010', document.place(`/manifest/http/${index}/path`), clash);
    }
  }
}

/** The wire routes of the world so far. */
class KnownRoutes {
  readonly #names = new Map<string, string>();
  /** Those with a parameter that has affixes: only they can fit the paths of another without being the same. */
  readonly #affixed: (Pick<ToolHttpRoute, 'method' | 'path'> & { name: string })[] = [];

  /** What is wrong with another route beside them; undefined where nothing is, and then it is one of them. */
  add(name: string, { method, path }: ToolHttpRoute): string | undefined {
    const key = `${method} ${templateKey(path)}`;
    const same = this.#names.get(key);
    if (same !== undefined) return `${method} ${path} is a route of '${same}' already`;
    const like = this.#affixed.find((route) => route.method === method && areAmbiguous(route.path, path));
    if (like !== undefined)
      return `${method} ${path} and '${like.name}' (${like.path}) fit the same paths, and neither goes before the other`;
    this.#names.set(key, name);
    if (/[^/]\{|\}[^/]/.test(path)) this.#affixed.push({ name, method, path });
    return undefined;
  }
}
