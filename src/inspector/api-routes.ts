// The API on the wire: each row of inspectorRoutes becomes a route that checks what arrives, asks once, and writes the reply.
import type { InspectorRouteId } from '../contract/inspector.js';
import { inspectorRoutes } from '../contract/inspector-routes.js';
import { inspectorValidators } from '../contract/inspector-validators.js';
import { requireValid } from '../http/require-valid.js';
import { RawText, type Route } from '../http/router.js';
import type { Api, ApiCall } from './api.js';
import { readParts } from './request-parts.js';

/** Of replies that are no JSON value. */
const mediaHeaders: { readonly [Id in InspectorRouteId]?: { [name: string]: string } } = {
  // Alone in an origin of its own, wherever it is opened.
  getReport: {
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': 'inline',
    'content-security-policy': "sandbox allow-scripts; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  },
  listEvents: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
};
const jsonText = { 'content-type': 'application/json; charset=utf-8', 'content-disposition': 'inline' };

export function apiRoutes(api: Api): Route<true>[] {
  return (Object.keys(inspectorRoutes) as InspectorRouteId[]).map((id) => apiRoute(api, id));
}

function apiRoute<Id extends InspectorRouteId>(api: Api, id: Id): Route<true> {
  const { method, path, status } = inspectorRoutes[id];
  const { body: validate } = inspectorValidators[id];
  const headers = mediaHeaders[id];
  return {
    id,
    method,
    path,
    auth: 'bearer',
    ...(validate === undefined ? {} : { body: { optional: true } }),
    begin: ({ request, path: values }) => {
      const parts = readParts(id, values, request.query);
      const { signal } = request;
      return async (sent) => {
        const body = validate === undefined ? undefined : requireValid(validate(sent ?? {}));
        if (id === 'listEvents' && request.method === 'HEAD') return { status, body: new RawText(''), headers: headers ?? {} };
        const reply = await api[id]({ ...parts, body, signal } as ApiCall<Id>);
        if (headers !== undefined) return { status, body: reply, headers };
        return reply instanceof RawText ? { status, body: reply, headers: jsonText } : { status, body: reply };
      };
    },
  };
}
