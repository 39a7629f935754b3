// A tool file and its manifest: what may be left out is put in, and what every package of the other runner answers on its routes.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { ReadShape } from '../contract/run/dialect.js';
import { present, ShapeReader } from './members.js';
import { tuning } from './tuning.js';

export function readToolFile(file: JsonValue): ReadShape {
  const reader = new ShapeReader();
  if (!isJsonObject(file) || !isJsonObject(file.manifest)) return reader.done(file);
  const { manifest } = file;
  const http = reader.each(manifest, 'http', { path: '/manifest', read: (route) => readRoute(route) });
  const callbacks = reader.each(manifest, 'callbacks', { path: '/manifest', read: (callback) => readCallback(callback) });
  const hasRoutes = Array.isArray(http) && http.length > 0;
  const wire = hasRoutes && manifest.wire === undefined ? { refusals: { ...refusalStatuses } } : manifest.wire;
  return reader.done({ ...file, manifest: present({ ...manifest, http, callbacks, wire }) });
}

/** Of requests that become no call; the behavior's kit words them. */
const refusalStatuses: { readonly [kind: string]: number } = {
  unauthenticated: 401,
  not_found: 404,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  malformed: 400,
  too_large: 413,
  not_decoded: 500,
};

/** An operation that is not in the world is not found. */
function readRoute(route: JsonObject): JsonValue {
  const { response } = route;
  if (!isJsonObject(response) || !Array.isArray(response.errors)) return route;
  return { ...route, response: { ...response, errors: [...response.errors, { code: 'UNKNOWN_OPERATION', status: 404 }] } };
}

function readCallback(callback: JsonObject): JsonValue {
  return { retry: { delaysUs: [] }, timeoutMs: tuning.callbackTimeoutMs, ...callback };
}
