// What a codec has encoded as the reply of a route: whole, or piece by piece where it is a stream of events.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EncodedMessage } from '../contract/world/wire.js';
import { OwnBody, type RouteReply } from '../http/router.js';

const contentless = new Set([204, 205, 304]);
/** As of every body that is somebody else's and comes from our origin (http/envelope.ts). */
const streamHeaders = { 'content-security-policy': "sandbox; default-src 'none'" };

export function wireReply(status: number, { headers, body }: EncodedMessage): RouteReply {
  if (body.kind === 'empty' || contentless.has(status)) return { status, headers, body: new OwnBody('') };
  if (body.kind === 'events')
    return { status, headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers, ...streamHeaders }, body: pieces(body) };
  const contentType = body.kind === 'json' ? 'application/json; charset=utf-8' : body.contentType;
  return {
    status,
    headers: { 'content-type': contentType, ...headers },
    body: new OwnBody(body.kind === 'bytes' ? Buffer.from(body.base64, 'base64') : body.text),
  };
}

/** A stream that is cut ends its connection where its end would be: the client sees that it is not whole. */
async function* pieces({ texts, isCut }: Extract<EncodedMessage['body'], { kind: 'events' }>): AsyncGenerator<string> {
  for (const text of texts) yield text;
  if (isCut !== true) return;
  // What was written has left this process.
  await nextTurn();
  throw new Error('the stream is cut here');
}
