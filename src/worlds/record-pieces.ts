// The pieces in which a host hands a record over, as the record.
//   RECORD-PIECES-1. A record is joined from its own pieces in their order and is no larger than a record may be; of anything else none is.
import { WrongAsk } from '../actors/ask-answers.js';
import type { RecordPiece } from './host-requests.js';
import type { StreamRecord } from './kv/stream-log.js';
import { tuning } from './tuning.js';

export class RecordPieces {
  #first: RecordPiece | undefined;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** The record that this piece ends. Throws WrongAsk for a piece that is not the next. The first of a record drops those before it. */
  join(piece: RecordPiece): StreamRecord | undefined {
    const { number, nonce, part, body, isLast } = piece;
    if (part === 0) {
      this.reset();
      this.#first = piece;
    }
    const isNext = this.#first?.number === number && part === this.#pieces.length && Buffer.from(nonce).equals(this.#first.nonce);
    this.#bytes += body.length;
    if (!isNext || this.#bytes > tuning.recordBytesMax + tuning.appendPieceBytes) throw new WrongAsk('it appended what is no record');
    this.#pieces.push(body);
    if (!isLast) return undefined;
    const record = { number, nonce: Buffer.from(nonce), body: joined(this.#pieces) };
    this.reset();
    return record;
  }

  reset(): void {
    this.#first = undefined;
    this.#pieces = [];
    this.#bytes = 0;
  }
}

/** Nobody changes a piece, so that one alone is no copy. */
function joined(pieces: readonly Uint8Array[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? Buffer.from(only.buffer, only.byteOffset, only.length) : Buffer.concat(pieces);
}
