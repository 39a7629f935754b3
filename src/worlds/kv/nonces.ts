// Nonces of records, drawn many at once: to ask the system for 16 bytes takes longer than all else of them.
//   NONCES-1. Each is 16 random bytes that were never given before.
import { randomFillSync } from 'node:crypto';
import { tuning } from '../tuning.js';
import { nonceBytes } from './group-record.js';

export class Nonces {
  readonly #drawn = Buffer.alloc(tuning.noncesDrawnAtOnce * nonceBytes);
  #left = 0;

  mint(): Buffer {
    if (this.#left === 0) {
      randomFillSync(this.#drawn);
      this.#left = tuning.noncesDrawnAtOnce;
    }
    this.#left -= 1;
    return Buffer.from(this.#drawn.subarray(this.#left * nonceBytes, (this.#left + 1) * nonceBytes));
  }
}
