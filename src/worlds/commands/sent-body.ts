// The body of a reply as it leaves the world: bytes in place of what names them, and of events those that the caller gets.
import { limits } from '../../contract/limits.js';
import type { BlobBody, DraftedMessage, EncodedMessage } from '../../contract/world/wire.js';
import type { Simulation } from '../turn/simulation.js';

type Body = EncodedMessage['body'];

/** A text says what is wrong with it. */
export function sentBody(
  simulation: Simulation,
  body: DraftedMessage['body'],
  { streams, cutAfter }: { streams: boolean; cutAfter: number | undefined },
): Body | string {
  if (streams !== (body.kind === 'events'))
    return streams ? 'decode said that the reply streams, and encode gives no events' : 'encode gives events, and decode did not say so';
  if (body.kind === 'blob') return blobBytes(simulation, body);
  if (body.kind !== 'events' || cutAfter === undefined) return body;
  return { kind: 'events', texts: body.texts.slice(0, cutAfter), isCut: true };
}

function blobBytes({ storage }: Simulation, { digest, from, length, contentType }: BlobBody): Body | string {
  const all = storage.blobs.length(digest);
  if (all === undefined) return `the world has no bytes ${digest}`;
  const size = Math.max(Math.min(length ?? all, all - from), 0);
  if (size > limits.blobReplyBytesMax) return `the range has ${size} bytes; ${limits.blobReplyBytesMax} are the most of one reply`;
  const bytes = storage.blobs.read(digest, { from, length: size }) as Buffer;
  return { kind: 'bytes', base64: bytes.toString('base64'), contentType };
}
