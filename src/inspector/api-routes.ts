// The API on the wire: each row of inspectorRoutes becomes a route that checks what arrives, asks once, and writes the reply.
import type { InspectorRouteId } from '../contract/inspector/inspector.js';
import { type InspectorRule, inspectorRoutes } from '../contract/inspector/routes.js';
import { inspectorContract } from '../contract/validate/inspector-validators.js';
import { eventStreamHeaders } from '../http/event-stream.js';
import { RawText, type Route } from '../http/router.js';
import { type RouteApi, type RowWork, rowReply, tableRoutes } from '../http/table-routes.js';
import type { Api, ApiCall } from './api.js';

/** Of text that is no JSON. */
const mediaHeaders: { readonly [Id in InspectorRouteId]?: { [name: string]: string } } = {
  // Alone in an origin of its own, wherever it is opened.
  getReport: {
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': 'inline',
    'content-security-policy': "sandbox allow-scripts; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  },
  listEvents: eventStreamHeaders,
};
const jsonText = { 'content-type': 'application/json; charset=utf-8', 'content-disposition': 'inline' };

export const localApi: RouteApi<InspectorRouteId, InspectorRule> = { table: inspectorRoutes, contract: inspectorContract };

export function apiRoutes(api: Api): Route<true>[] {
  return tableRoutes(localApi, { accessOf: () => ({ auth: 'bearer' }), workOf: (id, rule) => workOf(api, id, rule) });
}

function workOf<Id extends InspectorRouteId>(api: Api, id: Id, rule: InspectorRule): RowWork<true> {
  const status = rule.success;
  const headers = mediaHeaders[id];
  return ({ request, path, query }) =>
    async (body) => {
      if (id === 'listEvents' && request.method === 'HEAD') return { status, body: new RawText(''), headers: headers ?? {} };
      const reply = await api[id]({ path, query, body, signal: request.signal } as ApiCall<Id>);
      if (headers !== undefined) return { status, body: reply, headers };
      return reply instanceof RawText ? { status, body: reply, headers: jsonText } : rowReply(rule, reply);
    };
}
