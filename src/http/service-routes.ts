// The routes of the service itself: is it alive, is it ready, how is it doing, what does it offer. They tell nothing of any tenant. Figures
// are the operator's where others may reach the service; the rest needs no credential.
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { type NotReadyReason, notReadyReasons } from '../contract/hosted/readiness.js';
import { limits } from '../contract/limits.js';
import { docsPage } from './docs/docs-page.js';
import type { Metrics } from './metrics/metrics.js';
import { openApiDocument } from './openapi/document.js';
import { type OpenRoute, RawText, type RouteReply } from './router.js';
import type { ServerRequest } from './server.js';
import { type ServicePath, serviceTable } from './service-table.js';
import type { ServiceWarning } from './service-warning.js';
import { once, stamped, unchanging } from './unchanging.js';

export interface ServiceState {
  /** Why it cannot work just now; empty when it can. */
  troubles(): Promise<readonly NotReadyReason[]>;
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** What is not as safe as it could be. Default: nothing. */
  warnings?: readonly ServiceWarning[];
  /** Where tool code runs, and what bounds it; shown as it is. */
  toolCode?: object;
  /** Refuses a request for what is the operator's alone. Default: nobody is refused. */
  requireOperator?(request: ServerRequest): void;
  /** Refuses who asks too often. Default: nobody. */
  countStranger?(request: ServerRequest): void;
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
  const open = (path: ServicePath, answer: OpenRoute['run']): OpenRoute => {
    const { isCounted, isOperators } = serviceTable[path];
    const run: OpenRoute['run'] = (call) => {
      if (isCounted === true) countStranger(call.request);
      if (isOperators === true) requireOperator(call.request);
      return answer(call);
    };
    return { method: 'GET', path, id: path, auth: 'none', whileDraining: true, run };
  };
  const document = once(() => stamped(JSON.stringify(openApiDocument())));
  const page = once(() => {
    const { html, policy } = docsPage();
    return { ...stamped(html), policy };
  });
  return [
    open('/healthz', () => ({ status: 200, body: { status: 'ok' } })),
    open('/readyz', async () => readiness(await troubles(), { warnings, toolCode })),
    open('/metrics', async () => text(await metrics.text(), metrics.contentType)),
    open('/v1/openapi.json', ({ request }) => unchanging(request, document(), { 'content-type': 'application/json; charset=utf-8' })),
    open('/docs', ({ request }) => {
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
  const safety = { ...defined({ toolCode }), ...(warnings.length === 0 ? {} : { warnings }) };
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

function text(content: string | Uint8Array, type: string, headers: { [name: string]: string } = {}): RouteReply {
  return { status: 200, body: new RawText(content), headers: { 'content-type': type, 'content-disposition': 'inline', ...headers } };
}
