// Bytes of the world in one turn: those that its request has brought, and those that its handlers make.
import { limits } from '../../contract/limits.js';
import type { OfferedBlob } from '../../contract/world/wire.js';
import { ContextRefusal, type HandlerThrow } from '../../tools/loaded-tool.js';
import { type BlobBound, digestOfBytes } from '../state/world-blobs.js';
import type { WorldState } from '../state/world-state.js';

const said: { [bound in BlobBound]: string } = {
  blobBytesEachMax: `more than ${limits.blobBytesEachMax} bytes in one blob`,
  turnBlobBytesMax: `more than ${limits.turnBlobBytesMax} bytes of blobs in one turn`,
  worldBlobBytesMax: `the world keeps no more than ${limits.worldBlobBytesMax} bytes of blobs`,
};

/** What the arguments speak of becomes the world's; the fault where that is too much. */
export function takeOffered(
  { blobs, journal }: WorldState,
  offered: readonly OfferedBlob[],
  argumentsText: string,
): HandlerThrow | undefined {
  for (const { digest, base64 } of offered) {
    if (!argumentsText.includes(digest)) continue;
    const bound = blobs.put(digest, Buffer.from(base64, 'base64'), journal.sequence);
    if (bound !== undefined) return { kind: 'thrown', message: said[bound], detail: '', bound };
  }
  return undefined;
}

/** Of a handler's own, copied. Throws ContextRefusal: of what is too long, before anything of it is copied or hashed. */
export function putBlob(storage: WorldState, content: Uint8Array | string): { digest: string; length: number } {
  // A text has no fewer bytes than units.
  if (content.length > limits.blobBytesEachMax) throw new ContextRefusal(said.blobBytesEachMax, 'blobBytesEachMax');
  return keep(storage, typeof content === 'string' ? Buffer.from(content) : Buffer.from(content));
}

function keep({ blobs, journal }: WorldState, bytes: Buffer): { digest: string; length: number } {
  const digest = digestOfBytes(bytes);
  const bound = blobs.put(digest, bytes, journal.sequence);
  if (bound !== undefined) throw new ContextRefusal(said[bound], bound);
  return { digest, length: bytes.length };
}

/** Throws ContextRefusal where one of them is not there, or all are too many. */
export function joinBlobs(storage: WorldState, digests: readonly string[]): { digest: string; length: number } {
  let length = 0;
  for (const digest of digests) {
    const found = storage.blobs.length(digest);
    if (found === undefined) throw new ContextRefusal(`the world has no bytes ${digest}`);
    length += found;
    if (length > limits.blobBytesEachMax) throw new ContextRefusal(said.blobBytesEachMax, 'blobBytesEachMax');
  }
  return keep(storage, Buffer.concat(digests.map((digest) => storage.blobs.read(digest) as Buffer)));
}
