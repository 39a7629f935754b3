// The one pass over a journal's lines on their way to disk: bytes out, the selection for the projections aside.
import { invariant } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import type { EvidenceSelection } from './evidence-view.js';

export type EvidenceLines = AsyncIterable<string> | Iterable<string>;

/** Yields the lines' bytes as they are; every entry passes through `selection`. Chunks must consist of whole lines. */
export async function* evidenceBytes(chunks: EvidenceLines, selection: EvidenceSelection): AsyncGenerator<Uint8Array> {
  let piece = '';
  for await (const chunk of chunks) {
    appendLines(chunk, selection);
    piece += chunk;
    if (piece.length < limits.evidencePieceChars) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  if (piece !== '') yield Buffer.from(piece);
}

function appendLines(chunk: string, selection: EvidenceSelection): void {
  for (let from = 0; from < chunk.length; ) {
    const end = chunk.indexOf('\n', from);
    invariant(end >= 0, 'evidence comes in whole lines');
    selection.append(JSON.parse(chunk.slice(from, end)) as EvidenceEntry, end - from);
    from = end + 1;
  }
}
