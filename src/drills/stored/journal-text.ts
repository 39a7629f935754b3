// A journal as its file has it: lines, of which each is an entry.
import type { EvidenceEntry } from '../../contract/world/evidence.js';

const newline = 10;

/** Chunks of whole lines, as text or in UTF-8. */
export type JournalChunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Pieces, cut at ends of lines. Only a line that goes from one piece into the next is copied. */
export async function* wholeLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const piece of pieces) {
    const [first, last] = [piece.indexOf(newline) + 1, piece.lastIndexOf(newline) + 1];
    if (last === 0) {
      begun.push(piece);
      continue;
    }
    const from = begun.length === 0 ? 0 : first;
    if (from > 0) yield Buffer.concat([...begun, piece.subarray(0, first)]);
    if (last > from) yield piece.subarray(from, last);
    begun = last < piece.length ? [piece.subarray(last)] : [];
  }
}

export async function* wholeTexts(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const lines of wholeLines(pieces)) yield lines.toString();
}

/** Begin and end of each line, without its newline. Throws where the last one has none: the chunk was cut inside a line. */
export function eachLine(bytes: Buffer, see: (start: number, end: number) => void): void {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start);
    if (end < 0) throw new Error('a chunk of a journal ends inside a line');
    see(start, end);
    start = end + 1;
  }
}

export function bytesOf(chunk: string | Uint8Array): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
export function textOf(chunk: string | Uint8Array): string {
  return typeof chunk === 'string' ? chunk : bytesOf(chunk).toString();
}

export async function* entriesIn(chunks: JournalChunks): AsyncGenerator<EvidenceEntry> {
  for await (const chunk of chunks) for (const line of linesOf(textOf(chunk))) yield JSON.parse(line) as EvidenceEntry;
}

function* linesOf(chunk: string): Generator<string> {
  for (let from = 0; from < chunk.length; ) {
    const end = chunk.indexOf('\n', from);
    yield chunk.slice(from, end);
    from = end + 1;
  }
}

/** The entries of these sequences; no line of another is parsed. */
export async function entriesAt(evidence: JournalChunks, sequences: ReadonlySet<number>): Promise<Map<number, EvidenceEntry>> {
  const found = new Map<number, EvidenceEntry>();
  if (sequences.size === 0) return found;
  const last = Math.max(...sequences);
  let sequence = 0;
  for await (const chunk of evidence) {
    const bytes = bytesOf(chunk);
    eachLine(bytes, (start, end) => {
      sequence += 1;
      if (sequences.has(sequence)) found.set(sequence, JSON.parse(bytes.toString('utf8', start, end)) as EvidenceEntry);
    });
    if (sequence >= last) break;
  }
  return found;
}
