// Bytes as values have them: a reference. The bytes themselves lie in the world's store, under their digest, and in no evidence.
import { isJsonObject, type JsonValue } from '../json.js';
import { limits } from '../limits.js';
import type { Count, Sha256Digest } from '../primitives.js';

export interface BlobReference {
  digest: Sha256Digest;
  /** In bytes. */
  length: Count;
  /** What their sender says that they are; visible ASCII. */
  contentType: string;
}
const unknownContentType = 'application/octet-stream';
const digestShape = /^sha256:[0-9a-f]{64}$/;
const typeShape = /^[\x20-\x7e]+$/;

/** A media type as a reference may hold it. */
export function blobContentType(given: string | undefined): string {
  return given !== undefined && given.length <= limits.blobContentTypeCharsMax && typeShape.test(given) ? given : unknownContentType;
}

/** The digest of a reference, or of what is a digest alone; undefined for any other value. */
export function digestIn(value: JsonValue | undefined): Sha256Digest | undefined {
  const digest = isJsonObject(value) ? value.digest : value;
  return typeof digest === 'string' && digestShape.test(digest) ? digest : undefined;
}
