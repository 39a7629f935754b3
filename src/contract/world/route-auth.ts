// The places at which a route takes its credential.
import type { RouteAuth, ToolHttpRoute } from './tool-manifest.js';

/** In the order in which they are looked at. */
export function authsOf({ auth }: Pick<ToolHttpRoute, 'auth'>): readonly RouteAuth[] {
  return Array.isArray(auth) ? auth : [auth as RouteAuth];
}
