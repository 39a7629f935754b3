// Bytes of one request, as it hands them to a world: named by their digests, each once.
import { type BlobReference, blobContentType } from '../contract/world/blob-reference.js';
import type { OfferedBlob } from '../contract/world/wire.js';

export class OfferedBlobs {
  readonly #blobs = new Map<string, OfferedBlob>();

  async add(bytes: Uint8Array, contentType: string | undefined): Promise<BlobReference> {
    // Beside this thread.
    const hash = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
    const digest = `sha256:${Buffer.from(hash).toString('hex')}`;
    if (!this.#blobs.has(digest))
      this.#blobs.set(digest, { digest, base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') });
    return { digest, length: bytes.byteLength, contentType: blobContentType(contentType) };
  }
  list(): OfferedBlob[] {
    return [...this.#blobs.values()];
  }
}
