// What makes a request malformed, whatever the server: the two parsers refuse different things, and what either hands over that the other
// would read in a way of its own is refused here, so that a request means the same to both and to every proxy before them. What a parser
// hides cannot be seen here: uws-probe.ts asks for that. A malformed request is answered 400 and ends its connection: where the next one
// begins is not known.
import { limits } from '../contract/limits.js';

/** A request line and its header fields as the parser gave them. */
export interface RequestHead {
  /** Path and query, undecoded. */
  target: string;
  /** By lower-case name, joined by ', '. */
  headers: ReadonlyMap<string, string>;
  /** The names of fields that came more than once. */
  repeated: ReadonlyMap<string, readonly string[]>;
  /** Fields, each as often as it came. */
  lines: number;
  /** Of names, values and target. */
  bytes: number;
  /** Some value holds something other than visible ASCII, spaces and tabs. */
  hasForeignBytes: boolean;
}

const targetShape = /^\/[\x21-\x7e]*$/;
const valueShape = /^[\t\x20-\x7e]*$/;

/** RFC 9110 5.5 lets a recipient treat other bytes as opaque; parsers decode them in ways of their own, and two values become one. */
export function isPlainValue(value: string): boolean {
  return valueShape.test(value);
}

/** What is wrong with it, as a sentence; undefined where nothing is. */
export function faultOf({ target, headers, repeated, lines, bytes, hasForeignBytes }: RequestHead): string | undefined {
  if (bytes > limits.headerBytesMax || lines > limits.headersMax) return 'There are too many headers, or they are too large.';
  if (!targetShape.test(target)) return 'The request target must be a path in visible ASCII.';
  if (!headers.has('host')) return 'There is no Host header.';
  if (hasForeignBytes) return 'The value of a header is not visible ASCII.';
  if (repeated.size > 0 && soleHeaders.some((name) => repeated.has(name)))
    return 'Host, Content-Length or Transfer-Encoding is there twice.';
  return lengthFault(headers);
}

const soleHeaders = ['host', 'content-length', 'transfer-encoding'] as const;

/** RFC 9112 6.3: where the length is in doubt, the message cannot be recovered from. */
function lengthFault(headers: ReadonlyMap<string, string>): string | undefined {
  const length = headers.get('content-length');
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return 'The Content-Length header is not one decimal number.';
  const coding = headers.get('transfer-encoding');
  if (coding === undefined) return undefined;
  if (length !== undefined) return 'Content-Length and Transfer-Encoding exclude each other.';
  return coding.toLowerCase() === 'chunked' ? undefined : 'The only transfer coding is chunked.';
}
