// The routes of the service itself: is it alive, is it ready, how is it doing, what does it offer. They need no credential and tell nothing
// of any tenant.
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { docsPage } from './docs/docs-page.js';
import type { Metrics } from './metrics.js';
import { openApiDocument } from './openapi/document.js';
import { type OpenRoute, RawText, type RouteReply } from './router.js';

export interface ServiceState {
  /** Why it cannot work just now; empty when it can. */
  troubles(): string[] | Promise<string[]>;
  metrics: Pick<Metrics, 'text' | 'contentType'>;
}

export function serviceRoutes({ troubles, metrics }: ServiceState): OpenRoute[] {
  const open = (path: string, run: OpenRoute['run'], whileDraining = true): OpenRoute => {
    return { method: 'GET', path, id: path, auth: 'none', whileDraining, run };
  };
  let document: string | undefined;
  return [
    open('/healthz', () => ({ status: 200, body: { status: 'ok' } })),
    open('/readyz', async () => readiness(await troubles())),
    open('/metrics', async () => text(await metrics.text(), metrics.contentType)),
    open('/v1/openapi.json', () => {
      document ??= JSON.stringify(openApiDocument());
      return text(document, 'application/json; charset=utf-8');
    }),
    open('/docs', () => {
      const { html, policy } = docsPage();
      return text(html, 'text/html; charset=utf-8', { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });
    }),
  ];
}

function readiness(found: string[]): RouteReply {
  if (found.length === 0) return { status: 200, body: { status: 'ready' } };
  throw new ServiceError('control.UNAVAILABLE', { message: `Not ready: ${found.join('; ')}.`, retryAfterMs: limits.unavailableRetryAfterMs });
}

function text(content: string, type: string, headers: { [name: string]: string } = {}): RouteReply {
  return { status: 200, body: new RawText(content), headers: { 'content-type': type, 'content-disposition': 'inline', ...headers } };
}
