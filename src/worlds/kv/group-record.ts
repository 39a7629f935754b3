// A group record: the exact puts and removes of one or several transactions, in their order, counters, references, tombstones and sweeps
// included. So applying it runs no code of worlds, and the copy equals its owner key by key.
//   GROUP-RECORD-1. A record is decoded whole or refused (InvalidRecord), whatever its bytes are: its writer may have run hostile code.
//   GROUP-RECORD-2. No decoded change names a key that is not of worlds, or of what else its file holds, nor the file's position or tail.
// Bytes: version, form of the payload, nonce of the record before it, u32 length of the payload, payload. The payload is a row of changes:
// u16 length of the key, key, u32 length of the value + 1 (0: removed), value. Numbers are big-endian.
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { tuning } from '../tuning.js';
import { beginsWorldKey, keyKinds } from './keys.js';

export interface RecordedChange {
  key: Buffer;
  /** null: removed. */
  value: Buffer | null;
}
export interface GroupRecord {
  /** The nonce of the record before it: of another stream, or of another history of this one, it is another. */
  follows: Buffer;
  changes: RecordedChange[];
}
/** These bytes are no record, or not the one that follows. Nothing was changed. */
export class InvalidRecord extends Error {
  override name = 'InvalidRecord';
}

export const nonceBytes = 16;
const version = 1;
const forms = { plain: 0, brotli: 1 } as const;
const headBytes = 2 + nonceBytes + 4;
/** The longest key of an LMDB page. */
const keyBytesMax = 0x7ba;

const options = {
  params: { [constants.BROTLI_PARAM_QUALITY]: tuning.recordQuality, [constants.BROTLI_PARAM_LGWIN]: tuning.recordWindowBits },
};
const compressApart = promisify(brotliCompress);

/** The changes of one transaction as a part of a payload, after `before` bytes that the caller fills. */
export function encodeChanges(changes: readonly RecordedChange[], before = 0): Buffer {
  let length = before;
  for (const { key, value } of changes) length += 6 + key.length + (value?.length ?? 0);
  const bytes = Buffer.allocUnsafe(length);
  let at = before;
  for (const { key, value } of changes) {
    at = bytes.writeUInt16BE(key.length, at);
    at += key.copy(bytes, at);
    at = bytes.writeUInt32BE(value === null ? 0 : value.length + 1, at);
    if (value !== null) at += value.copy(bytes, at);
  }
  return bytes;
}

/** `parts`: of encodeChanges, in order. Large ones are compressed beside this thread. */
export async function encodeRecord(follows: Buffer, parts: readonly Buffer[]): Promise<Buffer> {
  const payload = Buffer.concat(parts);
  if (payload.length <= tuning.recordBytesInline) return encodeNow(follows, payload);
  return join(follows, payload, await compressApart(payload, options));
}
/** The same bytes, at once. */
export function encodeRecordNow(follows: Buffer, parts: readonly Buffer[]): Buffer {
  return encodeNow(follows, Buffer.concat(parts));
}

/** What is in the head of a record, of which nothing else is read: the nonce of the record before it. */
export function followedNonce(bytes: Buffer): Buffer {
  if (bytes.length < headBytes) throw new InvalidRecord('a record ends within its head');
  return bytes.subarray(2, 2 + nonceBytes);
}

function encodeNow(follows: Buffer, payload: Buffer): Buffer {
  return join(follows, payload, payload.length < tuning.compressedBytesMin ? undefined : brotliCompressSync(payload, options));
}

function join(follows: Buffer, payload: Buffer, compressed: Buffer | undefined): Buffer {
  const isSmaller = compressed !== undefined && compressed.length < payload.length;
  const head = Buffer.allocUnsafe(headBytes);
  head[0] = version;
  head[1] = isSmaller ? forms.brotli : forms.plain;
  follows.copy(head, 2);
  head.writeUInt32BE(payload.length, 2 + nonceBytes);
  return Buffer.concat([head, isSmaller ? compressed : payload]);
}

/** Whether a record may change a key that begins with this byte. */
export type OwnsKey = (byte: number) => boolean;

/** Throws InvalidRecord. The changes share the memory of `bytes` or of its payload. `ownsKey`: of another file than one of worlds. */
export function decodeRecord(bytes: Buffer, ownsKey: OwnsKey = ownsWorldKey): GroupRecord {
  const changes: RecordedChange[] = [];
  const payload = payloadIn(bytes);
  walkChanges(payload, ownsKey, (keyFrom, keyEnd, valueEnd) => {
    const value = payload.readUInt32BE(keyEnd) === 0 ? null : payload.subarray(keyEnd + 4, valueEnd);
    changes.push({ key: payload.subarray(keyFrom, keyEnd), value });
  });
  return { follows: followedNonce(bytes), changes };
}

/** Throws InvalidRecord where `decodeRecord` of worlds would. The nonce of the record before it. */
export function checkRecord(bytes: Buffer): Buffer {
  walkChanges(payloadIn(bytes), ownsWorldKey, () => {});
  return followedNonce(bytes);
}

function payloadIn(bytes: Buffer): Buffer {
  if (bytes.length < headBytes) throw new InvalidRecord('a record ends within its head');
  if (bytes[0] !== version) throw new InvalidRecord(`a record has version ${bytes[0]}`);
  const length = bytes.readUInt32BE(2 + nonceBytes);
  if (length > tuning.recordBytesMax) throw new InvalidRecord(`a record of ${length} bytes is too large`);
  const payload = payloadOf(bytes[1] as number, bytes.subarray(headBytes), length);
  if (payload.length !== length) throw new InvalidRecord(`a record has ${payload.length} bytes instead of ${length}`);
  return payload;
}

function payloadOf(form: number, stored: Buffer, length: number): Buffer {
  if (form === forms.plain) return stored;
  if (form !== forms.brotli) throw new InvalidRecord(`a record has form ${form}`);
  try {
    // One byte more than it says: what is longer is seen, and nothing grows beyond.
    return brotliDecompressSync(stored, { maxOutputLength: length + 1 });
  } catch (error) {
    throw new InvalidRecord('a record cannot be decompressed', { cause: error });
  }
}

/** A change's value stands between its length, behind the key, and `valueEnd`. */
function walkChanges(payload: Buffer, ownsKey: OwnsKey, visit: (keyFrom: number, keyEnd: number, valueEnd: number) => void): void {
  const end = payload.length;
  for (let at = 0; at < end; ) {
    const keyFrom = at + 2;
    const keyEnd = keyFrom > end ? Number.POSITIVE_INFINITY : keyFrom + payload.readUInt16BE(at);
    const valueFrom = keyEnd + 4;
    if (valueFrom > end) throw new InvalidRecord('a record ends within a change');
    const stored = payload.readUInt32BE(keyEnd);
    at = stored === 0 ? valueFrom : valueFrom + stored - 1;
    if (at > end) throw new InvalidRecord('a record ends within a change');
    requireOwnKey(payload[keyFrom] as number, keyEnd - keyFrom, ownsKey);
    visit(keyFrom, keyEnd, at);
  }
}

const ownsWorldKey: OwnsKey = (kind) => beginsWorldKey(kind) && kind !== keyKinds.position && kind !== keyKinds.tail;

function requireOwnKey(first: number, length: number, ownsKey: OwnsKey): void {
  if (length === 0 || length > keyBytesMax || !ownsKey(first))
    throw new InvalidRecord('a record names a key that is not of worlds, or of what else its file holds');
}
