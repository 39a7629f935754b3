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

/** Lines one after another; those taken since `keepFrom` can be taken again. */
export class JournalLines {
  readonly #chunks: AsyncIterator<string> | Iterator<string>;
  /** From the first line that is kept. */
  #text = '';
  #next = 0;

  constructor(chunks: AsyncIterable<string> | Iterable<string>) {
    this.#chunks = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  }

  /** Undefined where `more` may have some. */
  peek(): string | undefined {
    const end = this.#text.indexOf('\n', this.#next);
    return end < 0 ? undefined : this.#text.slice(this.#next, end);
  }
  async peekMore(): Promise<string | undefined> {
    return (await this.more()) ? this.peek() : undefined;
  }
  take(): string | undefined {
    const line = this.peek();
    if (line !== undefined) this.#next += line.length + 1;
    return line;
  }
  keepFrom(): void {
    this.#kept = this.#next;
  }
  goBack(): void {
    this.#next = this.#kept;
  }
  #kept = 0;

  /** False at the end. */
  async more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done === true) return false;
    this.#text = this.#text.slice(this.#kept) + value;
    this.#next -= this.#kept;
    this.#kept = 0;
    return true;
  }
}
