// A body of any size as objects of one size, and what says which they are: a text that its owner keeps.
//   STORED-BODY-1. A body is given whole or its reading throws: each piece is compared with the digest that it was put with.
//   STORED-BODY-2. Each put has names of its own: no pieces are replaced or removed with those of another.
import { createHash, randomUUID } from 'node:crypto';
import { ServiceError } from '../../contract/errors.js';
import { piecesOf } from '../pieces.js';
import { tuning } from '../tuning.js';
import type { ObjectStore } from './object-store.js';

export interface StoredBody {
  version: 1;
  /** Before the number of each piece. */
  place: string;
  bytes: number;
  /** Of each piece, SHA-256 in hexadecimal. */
  pieces: string[];
}

/** Below `folder`, a name without a slash at its end. What it has put is removed where it fails. */
export async function putBody(objects: ObjectStore, folder: string, body: AsyncIterable<Buffer>): Promise<StoredBody> {
  const stored: StoredBody = { version: 1, place: `${folder}/${randomUUID()}`, bytes: 0, pieces: [] };
  try {
    for await (const piece of piecesOf(body, tuning.objectBytes)) {
      if (piece.length === 0 && stored.pieces.length > 0) break;
      stored.pieces.push(createHash('sha256').update(piece).digest('hex'));
      stored.bytes += piece.length;
      await objects.put(keyOf(stored, stored.pieces.length - 1), piece);
    }
    return stored;
  } catch (error) {
    await removeBody(objects, stored).catch(() => {});
    throw error;
  }
}

/** control.DATA_DAMAGED for a piece that is missing or another. */
export async function* readBody(objects: ObjectStore, stored: StoredBody): AsyncGenerator<Buffer> {
  for (const [part, digest] of stored.pieces.entries()) {
    const key = keyOf(stored, part);
    const piece = await objects.get(key);
    if (piece === undefined) throw damaged(key, 'it is missing');
    if (createHash('sha256').update(piece).digest('hex') !== digest) throw damaged(key, 'its bytes are not those that were put');
    if (piece.length > 0) yield piece;
  }
}

export async function removeBody(objects: ObjectStore, stored: StoredBody): Promise<void> {
  for (const part of stored.pieces.keys()) await objects.remove(keyOf(stored, part));
}

export const encodeBody = (stored: StoredBody): Buffer => Buffer.from(JSON.stringify(stored));
export const decodeBody = (text: Buffer): StoredBody => JSON.parse(text.toString()) as StoredBody;

const keyOf = ({ place }: StoredBody, part: number): string => `${place}/${part}`;

/** The place of the body that an object is a piece of. */
export const placeOf = (key: string): string => key.slice(0, key.lastIndexOf('/'));

function damaged(key: string, reason: string): ServiceError {
  return new ServiceError('control.DATA_DAMAGED', {
    message: `The object ${key} of the cluster's store is damaged: ${reason}.`,
    details: { path: key, reason },
  });
}
