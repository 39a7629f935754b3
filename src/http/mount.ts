// Several routers on one server, each with its own routes, callers and checks.
import type { HttpHandler } from './server.js';

/** What lies below `prefix` (as `/world`) goes to `handler`, everything else to `rest`. The path is not changed on its way. */
export function mountAt(prefix: string, handler: HttpHandler, rest: HttpHandler): HttpHandler {
  const below = `${prefix}/`;
  return (request) => (request.path.startsWith(below) || request.path === prefix ? handler(request) : rest(request));
}
