// The headers of replies: as components of a document, and as the references of responses to them.
import type { JsonObject } from '../../contract/json.js';

const described = {
  'X-Correlation-Id': { description: 'Names this request in the log.', schema: { type: 'string' } },
  'Idempotent-Replayed': { description: 'Present in a replay.', schema: { const: 'true' } },
  'Retry-After': { description: 'Seconds, where the envelope has retryAfterMs.', schema: { type: 'integer', minimum: 1 } },
  'Content-Disposition': { description: 'Always an attachment.', schema: { type: 'string' } },
  'RateLimit-Policy': {
    description: 'Where a rate was counted: requests at once, and the seconds in which they come back.',
    schema: { type: 'string' },
    example: '"default";q=2000;w=2',
  },
  RateLimit: {
    description: 'Where a rate was counted: requests that are left, and the seconds until all of them are there again.',
    schema: { type: 'string' },
    example: '"default";r=1999;t=1',
  },
  'WWW-Authenticate': { description: 'The scheme of the credential that is wanted: Bearer.', schema: { type: 'string' } },
  ETag: { description: 'For If-None-Match.', schema: { type: 'string' } },
  Allow: { description: 'The methods that the path answers to.', schema: { type: 'string' }, example: 'GET, HEAD' },
} as const;
export type HeaderName = keyof typeof described;

const refOf = (name: string): string => `#/components/headers/${name.replaceAll('-', '')}`;

export function responseHeaders(...names: HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: refOf(name) }]));
}
/** Of a caller whose rate is counted. */
export const rateHeaderNames = ['RateLimit-Policy', 'RateLimit'] as const;

/** Those that these parts of a document refer to. */
export function headerComponents(parts: JsonObject): JsonObject {
  const text = JSON.stringify(parts);
  const named = Object.entries(described).filter(([name]) => text.includes(`"${refOf(name)}"`));
  return Object.fromEntries(named.map(([name, header]) => [refOf(name).split('/')[3] as string, header]));
}
