// From what tool code has encoded to the reply that a client gets: whole, or piece by piece where it is a stream of events.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fillBaseUrl } from '../contract/world/base-url.js';
import type { EncodedMessage } from '../contract/world/wire.js';
import { OwnBody, type RouteReply } from '../http/router.js';

const contentless = new Set([204, 205, 304]);
/** As of every body that is somebody else's and comes from our origin (http/envelope.ts). */
const streamHeaders = { 'content-security-policy': "sandbox; default-src 'none'" };

/** With the client's own base URL where the message names one. Bytes are sent as they are. */
export function replyOf(status: number, { headers: encoded, body }: EncodedMessage, baseUrl: string): RouteReply {
  const headers = Object.fromEntries(Object.entries(encoded).map(([name, value]) => [name, fillBaseUrl(value, baseUrl)]));
  if (body.kind === 'empty' || contentless.has(status)) return { status, headers, body: new OwnBody('') };
  if (body.kind === 'events') {
    const typed = { 'content-type': 'text/event-stream; charset=utf-8', ...headers, ...streamHeaders };
    return { status, headers: typed, body: new EventPieces(body, baseUrl) };
  }
  const contentType = body.kind === 'json' ? 'application/json; charset=utf-8' : body.contentType;
  return {
    status,
    headers: { 'content-type': contentType, ...headers },
    body: new OwnBody(body.kind === 'bytes' ? Buffer.from(body.base64, 'base64') : fillBaseUrl(body.text, baseUrl)),
  };
}

/** All of its events are there before the first one leaves. */
class EventPieces implements AsyncIterable<string> {
  readonly #body: EventsBody;
  readonly #baseUrl: string;

  constructor(body: EventsBody, baseUrl: string) {
    this.#body = body;
    this.#baseUrl = baseUrl;
  }

  get heldBytes(): number {
    return this.#body.texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
  }

  /** A stream that is cut ends its connection where its end would be: the client sees that it is not whole. */
  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const { texts, isCut } = this.#body;
    for (const text of texts) yield fillBaseUrl(text, this.#baseUrl);
    if (isCut !== true) return;
    // What was written has left this process.
    await nextTurn();
    throw new Error('the stream is cut here');
  }
}
type EventsBody = Extract<EncodedMessage['body'], { kind: 'events' }>;

/** Bytes that a reply keeps in memory until it has left. */
export function heldBytesOf({ body }: RouteReply): number {
  if (body instanceof EventPieces) return body.heldBytes;
  return body instanceof OwnBody ? Buffer.byteLength(body.content) : 0;
}

/** Without what would let pages of other sites read this origin, or make browsers ask for a password and send it to all of it. */
export function withoutOrigin(headers: RouteReply['headers'] = {}): { [name: string]: string } {
  const kept = Object.entries(headers).filter(
    ([name, value]) => !name.startsWith('access-control-') && !(name === 'www-authenticate' && !/^bearer\b[^,]*$/i.test(value)),
  );
  return Object.fromEntries(kept);
}
