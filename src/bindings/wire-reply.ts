// From what tool code has encoded to the reply that a client gets.
import { fillBaseUrl } from '../contract/world/base-url.js';
import type { EncodedMessage } from '../contract/world/wire.js';
import { OwnBody, type RouteReply } from '../http/router.js';

const contentless = new Set([204, 205, 304]);

/** With the client's own base URL where the message names one. Bytes are sent as they are. */
export function replyOf(status: number, { headers: encoded, body }: EncodedMessage, baseUrl: string): RouteReply {
  const headers = Object.fromEntries(Object.entries(encoded).map(([name, value]) => [name, fillBaseUrl(value, baseUrl)]));
  if (body.kind === 'empty' || contentless.has(status)) return { status, headers, body: new OwnBody('') };
  const contentType = body.kind === 'json' ? 'application/json; charset=utf-8' : body.contentType;
  return {
    status,
    headers: { 'content-type': contentType, ...headers },
    body: new OwnBody(body.kind === 'bytes' ? Buffer.from(body.base64, 'base64') : fillBaseUrl(body.text, baseUrl)),
  };
}

/** Without what would let pages of other sites read this origin, or make browsers ask for a password and send it to all of it. */
export function withoutOrigin(headers: RouteReply['headers'] = {}): { [name: string]: string } {
  const kept = Object.entries(headers).filter(
    ([name, value]) => !name.startsWith('access-control-') && !(name === 'www-authenticate' && !/^bearer\b[^,]*$/i.test(value)),
  );
  return Object.fromEntries(kept);
}
