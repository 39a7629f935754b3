// Replies of a node as their bytes come on a kept connection. It reads what this repository's servers write. Anything else is a fault:
// then it is not known where on the connection something begins.
//   REPLY-PARSER-1. A reply ends where its length or its last chunk says, and nowhere else. One that says neither, or both, is a fault.
//   REPLY-PARSER-2. What is held is at most a head, a line of chunks, or a trailer; each is bounded.
import { limits } from '../contract/limits.js';

export interface ReplyHead {
  status: number;
  /** Name and value in turns, as they came. */
  rawHeaders: readonly string[];
  /** By lower-case name; of a name that came twice the first. */
  headers: ReadonlyMap<string, string>;
  /** Of the body, where the head says so. */
  length: number | undefined;
}
export interface ReplyReader {
  head(head: ReplyHead): void;
  piece(bytes: Uint8Array): void;
  /** The reply is whole. `isKept`: another request may follow on its connection. */
  end(isKept: boolean): void;
}

/** The bytes are no reply that this parser reads. */
export class ReplyFault extends Error {
  override name = 'ReplyFault';
}

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const statusShape = /^HTTP\/1\.1 ([1-9]\d\d)(?: [\t\x20-\x7e]*)?$/;
const nameShape = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Bytes above ASCII are passed on as they are. */
const valueShape = /^[\t\x20-\x7e\x80-\xff]*$/;
const lengthShape = /^\d{1,15}$/;
const chunkShape = /^([0-9A-Fa-f]{1,8})[\t ]*(?:;[\t\x20-\x7e]*)?$/;

/** Of one reply. */
export class ReplyParser {
  readonly #reader: ReplyReader;
  readonly #isHead: boolean;
  #state: 'head' | 'sized' | 'chunk' | 'chunk data' | 'chunk end' | 'trailer' | 'over' = 'head';
  #held: Buffer | undefined;
  /** Of the body, or of a chunk, still to come. */
  #left = 0;
  #isKept = true;

  /** `isHead`: it answers HEAD, so it has no body whatever its head says. */
  constructor(reader: ReplyReader, { isHead }: { isHead: boolean }) {
    this.#reader = reader;
    this.#isHead = isHead;
  }

  /** Throws ReplyFault. */
  push(bytes: Buffer): void {
    let rest = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = undefined;
    while (rest.length > 0) {
      // Nobody has asked for anything more.
      if (this.#state === 'over') throw new ReplyFault('something follows the reply');
      const taken = this.#take(rest);
      if (taken === 0) {
        if (rest.length > limits.ownerReplyHeaderBytesMax) throw new ReplyFault('a head is too long');
        this.#held = rest;
        return;
      }
      rest = rest.subarray(taken);
    }
  }

  /** How many of the bytes it has taken; 0 where it needs more than there are. */
  #take(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#takeHead(bytes);
      case 'sized':
      case 'chunk data':
        return this.#takeData(bytes);
      default:
        return this.#takeLine(bytes);
    }
  }

  #takeHead(bytes: Buffer): number {
    const end = bytes.indexOf(headEnd);
    if (end < 0) return 0;
    if (end > limits.ownerReplyHeaderBytesMax) throw new ReplyFault('a head is too long');
    const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
    const status = Number(statusShape.exec(first)?.[1]);
    if (Number.isNaN(status) || status === 101) throw new ReplyFault('its first line is none of a reply');
    // What comes before the reply says nothing of it.
    if (status >= 200) this.#begin(status, lines);
    return end + headEnd.length;
  }

  #begin(status: number, lines: readonly string[]): void {
    const rawHeaders: string[] = [];
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, Math.max(0, colon)), line.slice(colon + 1).trim()];
      if (!nameShape.test(name) || !valueShape.test(value)) throw new ReplyFault('a header is not well-formed');
      rawHeaders.push(name, value);
      const key = name.toLowerCase();
      if (!headers.has(key)) headers.set(key, value);
      else if (key === 'content-length' || key === 'transfer-encoding') throw new ReplyFault('a length is there twice');
    }
    if (headers.get('connection')?.toLowerCase() === 'close') this.#isKept = false;
    const [length, coding] = [headers.get('content-length'), headers.get('transfer-encoding')];
    if (length !== undefined && !lengthShape.test(length)) throw new ReplyFault('a length is no number');
    const size = length === undefined ? undefined : Number(length);
    const isBodiless = this.#isHead || status === 204 || status === 304;
    if (!isBodiless && (coding === undefined) === (length === undefined)) throw new ReplyFault('its end cannot be known');
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw new ReplyFault('a transfer coding is unknown');
    this.#left = isBodiless ? 0 : (size ?? 0);
    this.#state = !isBodiless && coding !== undefined ? 'chunk' : 'sized';
    this.#reader.head({ status, rawHeaders, headers, length: size });
    if (this.#state === 'sized' && this.#left === 0) this.#end();
  }

  #takeData(bytes: Buffer): number {
    const piece = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= piece.length;
    this.#reader.piece(piece);
    if (this.#left > 0) return piece.length;
    if (this.#state === 'sized') this.#end();
    else this.#state = 'chunk end';
    return piece.length;
  }

  /** Between two chunks, and behind the last. */
  #takeLine(bytes: Buffer): number {
    const end = bytes.indexOf(lineEnd);
    if (end < 0) return 0;
    const line = bytes.toString('latin1', 0, end);
    if (this.#state === 'chunk end') {
      if (line !== '') throw new ReplyFault('a chunk is longer than it says');
      this.#state = 'chunk';
    } else if (this.#state === 'chunk') {
      const size = chunkShape.exec(line)?.[1];
      if (size === undefined) throw new ReplyFault('the size of a chunk is no number');
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'chunk data';
    } else if (line === '') this.#end();
    return end + lineEnd.length;
  }

  #end(): void {
    this.#state = 'over';
    this.#reader.end(this.#isKept);
  }
}
