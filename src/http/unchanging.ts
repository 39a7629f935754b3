// Replies that are the same for everybody until another version is installed: made once, and sent from the same memory. A copy for each
// reply is what a client that asks and does not read would cost.
import { sha256Digest } from '../contract/digest.js';
import { RawText, type RouteReply } from './router.js';
import type { ServerRequest } from './server.js';

export interface Stamped {
  bytes: Uint8Array;
  etag: string;
}
export function stamped(text: string): Stamped {
  return { bytes: Buffer.from(text), etag: `"${sha256Digest(text).slice('sha256:'.length, 'sha256:'.length + 32)}"` };
}

/** Caches keep it for a while, and then ask whether it is still so. */
export function unchanging({ headers: asked }: ServerRequest, { bytes, etag }: Stamped, headers: { [name: string]: string }): RouteReply {
  const kept = { etag, 'cache-control': 'public, max-age=300' };
  const known = (asked.get('if-none-match') ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  if (known) return { status: 304, body: new RawText(''), headers: { ...headers, ...kept } };
  return { status: 200, body: new RawText(bytes), headers: { 'content-disposition': 'inline', ...headers, ...kept } };
}

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
