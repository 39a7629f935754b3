// Digests one after another as bytes: a long run has hundreds of thousands, which as strings would fill a heap and could not be handed to
// another thread without a copy of each.
import { hash } from 'node:crypto';
import { tuning } from '../tuning.js';

export const digestBytes = 32;

/** As text of one character a byte. */
export function digestOf(said: string | Uint8Array): string {
  return hash('sha256', said, 'binary');
}

export class DigestColumn {
  #bytes: Buffer = Buffer.allocUnsafeSlow(tuning.digestsMin * digestBytes);
  #length = 0;

  push(digest: string): void {
    if (this.#length === this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(2 * this.#length);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#length += this.#bytes.write(digest, this.#length, digestBytes, 'latin1');
  }

  /** All of them, not to be changed any more. */
  values(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.buffer as ArrayBuffer, 0, this.#length);
  }
}

/** The digest at a place of a column's values. */
export function digestAt(values: Uint8Array, place: number): string {
  return Buffer.from(values.buffer, values.byteOffset + place * digestBytes, digestBytes).toString('latin1');
}
