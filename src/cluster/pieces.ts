// A body of any size in stored pieces of one size, whatever the pieces were in which it came: the same bytes are the same pieces.
import { tuning } from './tuning.js';

/** At least one piece; all but the last are full. */
export async function* piecesOf(body: AsyncIterable<Buffer>, pieceBytes: number = tuning.pieceBytes): AsyncGenerator<Buffer> {
  let kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    for (let from = 0; from < chunk.length; ) {
      const taken = chunk.subarray(from, from + pieceBytes - bytes);
      kept.push(taken);
      bytes += taken.length;
      from += taken.length;
      if (bytes < pieceBytes) continue;
      yield Buffer.concat(kept);
      kept = [];
      bytes = 0;
    }
  }
  // Also an empty last piece: a reader knows the end by a piece that is not full.
  yield Buffer.concat(kept);
}

/** Until a piece that is not full; `ask` gives the piece of a number, or throws where it is missing. */
export async function* readPieces(ask: (part: number) => Promise<Buffer>): AsyncGenerator<Buffer> {
  for (let part = 0; ; part++) {
    const piece = await ask(part);
    if (piece.length > 0) yield piece;
    if (piece.length < tuning.pieceBytes) return;
  }
}
