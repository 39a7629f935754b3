// The span of a request, by the conventions of OpenTelemetry for HTTP servers. Paths, queries and addresses of clients are left out: a path
// may hold ids of tenants, and of wire routes a credential.
import type { Tracing } from '../tracing/tracing.js';
import { knownMethods } from './known-methods.js';
import type { HttpReply, ServerRequest } from './server.js';

/** What is known of a request when it has its reply. */
export interface RequestFacts {
  readonly correlationId: string;
  /** The route's id, and its path with names in braces; undefined where there is no such route. */
  readonly route: string | undefined;
  readonly template: string | undefined;
  /** Of an error reply. */
  readonly code: string | undefined;
}

/** `facts` fills while the request is answered. */
export function inRequestSpan(
  tracing: Tracing,
  { method: sent, headers }: ServerRequest,
  { facts, answer }: { facts: RequestFacts; answer: () => Promise<HttpReply> },
): Promise<HttpReply> {
  const method = knownMethods.has(sent) ? sent : '_OTHER';
  const start = { name: method, kind: 'server', attributes: { 'http.request.method': method }, parent: { headers } } as const;
  return tracing.span(start, async (span) => {
    const reply = await answer();
    const { template, route, code, correlationId } = facts;
    if (template !== undefined) span.rename(`${method} ${template}`);
    span.set({
      'http.route': template,
      'http.response.status_code': reply.status,
      'drillyard.route': route,
      'drillyard.error.code': code,
      'drillyard.correlation_id': correlationId,
    });
    if (reply.status >= 500) span.fail(code ?? String(reply.status));
    return reply;
  });
}
