// Where a data file stands in its stream: stored forms of the position and of the tail, and how a copy is opened beside the log.
//   STREAM-POSITION-1. A copy is served as it is only when its newest record is the newest of the log; a record of the tail is appended
//     only behind the very record that it follows. Where neither can be shown, the copy is made again or stays closed.
import { encodeRecordNow, nonceBytes } from './group-record.js';
import { keyKinds, positionKey, rangeOfKind, readTailKey } from './keys.js';
import type { StreamPosition, StreamRecord } from './stream-log.js';

const numberBytes = 6;
/** Before the changes in a part of the tail: the nonce of its record, and of the record before. */
export const tailHeadBytes = 2 * nonceBytes;
export const streamStart: StreamPosition = { number: 0, nonce: Buffer.alloc(nonceBytes) };

interface Entries {
  get(key: Buffer): Buffer | undefined;
  range(range: { start: Buffer; end: Buffer }): Iterable<{ key: Buffer; value: Buffer }>;
}
/** A record that the log may not have. */
export interface TailRecord extends StreamRecord {
  /** The nonce of the record before it. */
  readonly follows: Buffer;
}

export function encodePosition({ number, nonce }: StreamPosition): Buffer {
  const bytes = Buffer.allocUnsafe(numberBytes + nonceBytes);
  bytes.writeUIntBE(number, 0, numberBytes);
  nonce.copy(bytes, numberBytes);
  return bytes;
}

/** Undefined of a file that never had a record. */
export function readPosition(file: Pick<Entries, 'get'>): StreamPosition | undefined {
  const bytes = file.get(positionKey);
  return bytes && { number: bytes.readUIntBE(0, numberBytes), nonce: bytes.subarray(numberBytes) };
}

/** Records of the tail in order, the last one at the position of the file. Those before the first are in the log. */
export function readTail(file: Entries): TailRecord[] {
  const records = new Map<number, { nonce: Buffer; follows: Buffer; parts: Buffer[] }>();
  for (const { key, value } of file.range(rangeOfKind(keyKinds.tail))) {
    const { number } = readTailKey(key);
    const [nonce, follows] = [value.subarray(0, nonceBytes), value.subarray(nonceBytes, tailHeadBytes)];
    const record = records.get(number) ?? { nonce, follows, parts: [] };
    record.parts.push(value.subarray(tailHeadBytes));
    records.set(number, record);
  }
  return [...records].map(([number, { nonce, follows, parts }]) => ({ number, nonce, follows, body: encodeRecordNow(follows, parts) }));
}

/** A copy and what the log says of its place. */
export interface CopyFacts {
  position: StreamPosition;
  tail: readonly Pick<TailRecord, 'number' | 'nonce' | 'follows'>[];
  /** The operating system has not started since the file was made: nothing of it can be torn (src/files/boot-mark.ts). */
  isSameBoot: boolean;
  log: {
    /** The number of the last record of the stream; 0: none. */
    end: number;
    /** Of the record at the lesser of `end` and the position; undefined where it can no longer be read. */
    nonce: Buffer | undefined;
  };
}
/**
 * `continue`: serve it. `catch_up`: replay what is above. `append_tail`: append the records of the tail that are above the end of the log,
 * then serve it. `restore`: make it again, from a snapshot and the log. `log_went_back`: the log has lost what it had acknowledged; the
 * copy is the last witness and stays closed.
 */
export type CopyOpening = 'continue' | 'catch_up' | 'append_tail' | 'restore' | 'log_went_back';

export function openingOf({ position, tail, isSameBoot, log }: CopyFacts): CopyOpening {
  // It was not flushed: it may be torn, and its position may be wrong.
  if (!isSameBoot) return 'restore';
  if (position.number <= log.end) return openingWithin({ position, tail, log });
  const next = tail.find(({ number }) => number === log.end + 1);
  if (next === undefined) return 'log_went_back';
  if (log.end === 0) return 'append_tail';
  if (log.nonce === undefined) return 'restore';
  if (log.nonce.equals(next.follows)) return 'append_tail';
  // Another owner's record stands where one of the tail was to stand, which nobody was answered for; or in place of one that was.
  return tail.some(({ number }) => number === log.end) ? 'restore' : 'log_went_back';
}

function openingWithin({ position, tail, log }: Omit<CopyFacts, 'isSameBoot'>): CopyOpening {
  const isAtEnd = position.number === log.end;
  if (position.number === 0) return isAtEnd ? 'continue' : 'catch_up';
  if (log.nonce === undefined) return 'restore';
  if (log.nonce.equals(position.nonce)) return isAtEnd ? 'continue' : 'catch_up';
  return tail.some(({ number }) => number === position.number) ? 'restore' : 'log_went_back';
}
