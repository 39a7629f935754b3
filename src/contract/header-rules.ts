// Which header fields a tool may not set: those of the connection, which are the server's and client's own; and, of replies, those that
// tell a browser or a proxy what to do with more than the reply, as everything else of the same origin would be meant too.

/** They speak of the connection or of the length. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** Name in lower case. Of requests and replies. */
export function isConnectionHeader(name: string): boolean {
  return connectionHeaders.has(name) || name.startsWith('proxy-') || name === 'x-correlation-id';
}

const originHeaders = new Set([
  'accept-ch',
  'access-control-allow-credentials',
  'activate-storage-access',
  'alt-svc',
  'clear-site-data',
  'content-security-policy',
  'content-security-policy-report-only',
  'critical-ch',
  'document-policy',
  'expect-ct',
  'feature-policy',
  'integrity-policy',
  'nel',
  'observe-browsing-topics',
  'origin-agent-cluster',
  'permissions-policy',
  'public-key-pins',
  'public-key-pins-report-only',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'sourcemap',
  'speculation-rules',
  'strict-transport-security',
  'supports-loading-mode',
  'timing-allow-origin',
  'use-as-dictionary',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-sourcemap',
  'x-xss-protection',
]);
/**
 * `x-accel-redirect` and its like make a proxy serve files and addresses of its own. `drillyard-...` is what the nodes of a cluster say to
 * each other (http/node-token.ts).
 */
const originFamilies = [
  'attribution-reporting-',
  'cross-origin-',
  'drillyard-',
  'sec-',
  'x-accel-',
  'x-sendfile',
  'x-lighttpd-',
  'x-litespeed-',
  'x-reproxy-',
];

/** Name in lower case. Of replies. */
export function isOriginHeader(name: string): boolean {
  return originHeaders.has(name) || originFamilies.some((family) => name.startsWith(family));
}

/** A URL of http or https, or one relative to the request's. Browsers leave out tabs before they look for a scheme. */
export function isWebLocation(value: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value.replaceAll('\t', '').trim())?.[1];
  return scheme === undefined || /^https?$/i.test(scheme);
}
