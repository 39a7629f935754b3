// The routes of the service itself: is it alive, is it ready, how is it doing, what does it offer. They tell nothing of any tenant. Figures
// are the operator's where others may reach the service; the rest needs no credential.
import { sha256Digest } from '../contract/digest.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { type NotReadyReason, notReadyReasons } from '../contract/readiness.js';
import { docsPage } from './docs/docs-page.js';
import type { Metrics } from './metrics/metrics.js';
import { openApiDocument } from './openapi/document.js';
import { type OpenRoute, RawText, type RouteReply } from './router.js';
import type { HttpRequest } from './server.js';
import type { ServiceWarning } from './service-warning.js';

export interface ServiceState {
  /** Why it cannot work just now; empty when it can. */
  troubles(): Promise<readonly NotReadyReason[]>;
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** What is not as safe as it could be. Default: nothing. */
  warnings?: readonly ServiceWarning[];
  /** Where tool code runs, and what bounds it; shown as it is. */
  toolCode?: object;
  /** Refuses a request for what is the operator's alone. Default: nobody is refused. */
  requireOperator?(request: HttpRequest): void;
  /** Refuses who asks too often. Default: nobody. */
  countStranger?(request: HttpRequest): void;
}

/** What machines ask every few seconds. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function serviceRoutes({
  troubles,
  metrics,
  warnings = [],
  toolCode,
  requireOperator = () => {},
  countStranger = () => {},
}: ServiceState): OpenRoute[] {
  const open = (path: string, run: OpenRoute['run'], whileDraining = true): OpenRoute => {
    return { method: 'GET', path, id: path, auth: 'none', whileDraining, run };
  };
  // Made once and sent to everybody from the same memory: a copy for each reply is what a client that asks and does not read would cost.
  const document = once(() => stamped(JSON.stringify(openApiDocument())));
  const page = once(() => {
    const { html, policy } = docsPage();
    return { ...stamped(html), policy };
  });
  return [
    open('/healthz', () => ({ status: 200, body: { status: 'ok' } })),
    open('/readyz', async () => readiness(await troubles(), { warnings, toolCode })),
    open('/metrics', async ({ request }) => {
      countStranger(request);
      requireOperator(request);
      return text(await metrics.text(), metrics.contentType);
    }),
    open('/v1/openapi.json', ({ request }) => {
      countStranger(request);
      return unchanging(request, document(), { 'content-type': 'application/json; charset=utf-8' });
    }),
    open('/docs', ({ request }) => {
      countStranger(request);
      const { policy, ...html } = page();
      const own = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' };
      return unchanging(request, html, { 'content-type': 'text/html; charset=utf-8', ...own });
    }),
  ];
}

/** `warnings` is there where there are some. */
function readiness(
  found: readonly NotReadyReason[],
  { warnings, toolCode }: { warnings: readonly ServiceWarning[]; toolCode: object | undefined },
): RouteReply {
  const safety = { ...(toolCode === undefined ? {} : { toolCode }), ...(warnings.length === 0 ? {} : { warnings }) };
  if (found.length === 0) return { status: 200, body: { status: 'ready', ...safety } };
  throw notReadyError(found);
}

/** Anybody who asks gets it: no path, and nothing of any tenant. */
export function notReadyError(reasons: readonly NotReadyReason[]): ServiceError {
  return new ServiceError('control.UNAVAILABLE', {
    message: `Not ready: ${reasons.map((reason) => notReadyReasons[reason]).join('; ')}.`,
    details: { reasons: [...reasons] },
    retryAfterMs: limits.unavailableRetryAfterMs,
  });
}

interface Stamped {
  bytes: Uint8Array;
  etag: string;
}
function stamped(text: string): Stamped {
  return { bytes: Buffer.from(text), etag: `"${sha256Digest(text).slice('sha256:'.length, 'sha256:'.length + 32)}"` };
}

/** The same for everybody until another version is installed: caches keep it for a while, and then ask whether it is still so. */
function unchanging({ headers: asked }: HttpRequest, { bytes, etag }: Stamped, headers: { [name: string]: string }): RouteReply {
  const kept = { etag, 'cache-control': 'public, max-age=300' };
  const known = (asked.get('if-none-match') ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  if (known) return { status: 304, body: new RawText(''), headers: { ...headers, ...kept } };
  return { status: 200, body: new RawText(bytes), headers: { 'content-disposition': 'inline', ...headers, ...kept } };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function text(content: string | Uint8Array, type: string, headers: { [name: string]: string } = {}): RouteReply {
  return { status: 200, body: new RawText(content), headers: { 'content-type': type, 'content-disposition': 'inline', ...headers } };
}
