// The paths of the service itself as rows: what is asked before they answer, and what the OpenAPI document says of them, follow from these.

/** A path that is in no table of an API, and needs no credential of it. */
export interface OpenPathRule {
  operationId: string;
  summary: string;
  description?: string;
  media: 'application/json' | 'text/html' | 'text/plain';
  /** The same until another version is installed: `If-None-Match` is answered. */
  isUnchanging?: true;
}
export interface ServiceRule extends OpenPathRule {
  /** An address may ask only so often. */
  isCounted?: true;
  /** Beyond loopback it wants the operator's token. */
  isOperators?: true;
}

export type ServicePath = '/healthz' | '/readyz' | '/metrics' | '/v1/openapi.json' | '/docs';
export const serviceTable: { readonly [_ in ServicePath]: ServiceRule } = {
  '/healthz': { operationId: 'getHealth', summary: 'Whether the process answers', media: 'application/json' },
  '/readyz': { operationId: 'getReadiness', summary: 'Whether it takes work', media: 'application/json' },
  '/metrics': {
    operationId: 'getMetrics',
    summary: 'Figures for Prometheus',
    description: "Beyond loopback the operator's token is wanted.",
    media: 'text/plain',
    ...{ isCounted: true, isOperators: true },
  },
  '/v1/openapi.json': {
    operationId: 'getOpenApi',
    summary: 'This document',
    media: 'application/json',
    ...{ isUnchanging: true, isCounted: true },
  },
  '/docs': { operationId: 'getDocs', summary: 'This document as a page', media: 'text/html', ...{ isUnchanging: true, isCounted: true } },
};
