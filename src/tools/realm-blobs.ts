// What handlers do with the bytes of the world. Evaluated inside the realm: the arrays that tool code gets are made there, and what it
// gives is copied before the host sees it.
import { limits } from '../contract/limits.js';
import type { ContextCalls } from './loaded-tool.js';
import { type Border, ContextError, frozen } from './realm-border.js';

const byteLength = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'byteLength')?.get as () => number;
type Made = ReturnType<ContextCalls['putBlob']>;

export function blobsOf({ calls, enter, failed, needs }: Border): object {
  const ask = <T>(work: () => T): T => {
    enter();
    try {
      return work();
    } catch (error) {
      throw failed(error);
    }
  };
  const read = (blob: unknown, range?: unknown): unknown => {
    const digest = digestOf(blob);
    const { from, length } = (range ?? {}) as { from?: unknown; length?: unknown };
    const start = from === undefined ? 0 : count(from, 'from');
    const size = length === undefined ? undefined : count(length, 'length');
    const found = ask(() => calls.readBlob(digest, start, size));
    if (found === undefined) return undefined;
    // Of this realm, with nothing of the host's on it.
    const own = new Uint8Array(Reflect.apply(byteLength, found, []));
    own.set(found);
    return own;
  };
  const text = (blob: unknown): unknown => {
    const digest = digestOf(blob);
    return ask(() => calls.readBlobText(digest));
  };
  const put = (content: unknown, contentType: unknown): unknown => {
    const type = mediaType(contentType);
    const copy = typeof content === 'string' ? content : bytesOf(content);
    return reference(
      ask(() => calls.putBlob(copy)),
      type,
    );
  };
  const concat = (blobs: unknown, contentType: unknown): unknown => {
    const type = mediaType(contentType);
    if (!Array.isArray(blobs)) throw new ContextError('concat takes a list of blobs');
    const digests: string[] = [];
    for (let index = 0; index < blobs.length; index++) digests.push(digestOf(blobs[index]));
    return reference(
      ask(() => calls.joinBlobs(digests)),
      type,
    );
  };
  return frozen({
    read: needs('state.read', read),
    text: needs('state.read', text),
    put: needs('state.write', put),
    concat: needs('state.write', concat),
  });
}

function reference({ digest, length }: Made, contentType: string): object {
  return Object.freeze({ digest, length, contentType });
}

function digestOf(blob: unknown): string {
  const digest = typeof blob === 'object' && blob !== null ? (blob as { digest?: unknown }).digest : blob;
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new ContextError('a blob is { digest, length, contentType }');
  return digest;
}
/** The author's object may be anything that looks like one; the copy is an array of bytes and nothing else. */
function bytesOf(content: unknown): Uint8Array {
  if (!(content instanceof Uint8Array)) throw new ContextError('the content of a blob is a Uint8Array or a string');
  Reflect.apply(byteLength, content, []);
  return new Uint8Array(content);
}
function mediaType(value: unknown): string {
  if (typeof value === 'string' && value.length <= limits.blobContentTypeCharsMax && /^[\x20-\x7e]+$/.test(value)) return value;
  throw new ContextError(`the content type of a blob is 1 to ${limits.blobContentTypeCharsMax} characters of visible ASCII`);
}
function count(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new ContextError(`${name} is an integer, 0 or more`);
  return value as number;
}
