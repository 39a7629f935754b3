// A journal as its file has it: lines, of which each is an entry.
import type { EvidenceEntry } from '../../contract/world/evidence.js';

/** The text of pieces, cut at ends of lines. */
export async function* wholeLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = bytes.lastIndexOf(10) + 1;
    rest = bytes.subarray(end);
    if (end > 0) yield bytes.toString('utf8', 0, end);
  }
}

/** Of chunks of whole lines. */
export async function* entriesIn(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<EvidenceEntry> {
  for await (const chunk of chunks) for (const line of linesOf(chunk)) yield JSON.parse(line) as EvidenceEntry;
}

export function* linesOf(chunk: string): Generator<string> {
  for (let from = 0; from < chunk.length; ) {
    const end = chunk.indexOf('\n', from);
    yield chunk.slice(from, end);
    from = end + 1;
  }
}

/** The entries of these sequences; no line of another is parsed. */
export async function entriesAt(
  evidence: AsyncIterable<string> | Iterable<string>,
  sequences: ReadonlySet<number>,
): Promise<Map<number, EvidenceEntry>> {
  const found = new Map<number, EvidenceEntry>();
  if (sequences.size === 0) return found;
  const last = Math.max(...sequences);
  let sequence = 0;
  for await (const chunk of evidence) {
    for (const line of linesOf(chunk)) {
      sequence += 1;
      if (sequences.has(sequence)) found.set(sequence, JSON.parse(line) as EvidenceEntry);
    }
    if (sequence >= last) break;
  }
  return found;
}
