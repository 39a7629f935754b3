// Keys of a data file: one byte of kind, then big-endian numbers and names, so that byte order is the order wanted.
// Layers (rows, queue, receipts) and journals are named by u32 ids of one counter, so that no world's name is in every key.
import { createHash } from 'node:crypto';

export const keyKinds = {
  /** The id counter of layers and journals. */
  counter: 1,
  program: 2,
  base: 3,
  head: 4,
  snapshot: 5,
  /** Layer -> how many heads and snapshots name it. */
  references: 6,
  /** What is to be deleted, in pieces. */
  tombstone: 7,
  /** What a world answered under an operation key. */
  doneCommand: 8,
  /** Of a file with a log: its newest record. */
  position: 9,
  /** What the newest records hold, as long as the log may not have them. */
  tail: 10,
  row: 16,
  queuePage: 17,
  cancelled: 18,
  receipt: 19,
  delivery: 20,
  /** Bytes: what is known of them, and the pieces they lie in. */
  blob: 21,
  blobPiece: 22,
  chunk: 32,
  leaves: 33,
} as const;
type Kind = (typeof keyKinds)[keyof typeof keyKinds];
const kinds: ReadonlySet<number> = new Set(Object.values(keyKinds));
/** Whether a key of a file of worlds begins with this byte. */
export const beginsWorldKey = (byte: number): boolean => kinds.has(byte);
/** The kinds that belong to a layer, and go with it. */
export const layerKinds = [
  keyKinds.row,
  keyKinds.queuePage,
  keyKinds.cancelled,
  keyKinds.receipt,
  keyKinds.delivery,
  keyKinds.blob,
  keyKinds.blobPiece,
] as const;

export const counterKey = Buffer.from([keyKinds.counter]);
export const positionKey = Buffer.from([keyKinds.position]);

export const programRecordKey = (programKey: string): Buffer => named(keyKinds.program, programKey);
export const baseKey = (programKey: string): Buffer => named(keyKinds.base, programKey);
export const headKey = (worldId: string): Buffer => named(keyKinds.head, worldId);
/** World ids hold no NUL, so the snapshots of one world lie together. The origin has the empty id. */
export const snapshotKey = (worldId: string, snapshotId: string): Buffer => named(keyKinds.snapshot, `${worldId}\0${snapshotId}`);
export const referencesKey = (layer: number): Buffer => numbered(keyKinds.references, layer);

/** One part for each transaction of a record. */
export function tailKey(number: number, part: number): Buffer {
  const key = Buffer.allocUnsafe(11);
  key[0] = keyKinds.tail;
  key.writeUIntBE(number, 1, 6);
  key.writeUInt32BE(part, 7);
  return key;
}
export const readTailKey = (key: Buffer): { number: number; part: number } => ({ number: key.readUIntBE(1, 6), part: key.readUInt32BE(7) });

export function tombstoneKey(kind: Kind, id: number, from: number): Buffer {
  const key = Buffer.allocUnsafe(12);
  key[0] = keyKinds.tombstone;
  key[1] = kind;
  key.writeUInt32BE(id, 2);
  key.writeUIntBE(from, 6, 6);
  return key;
}
export function readTombstoneKey(key: Buffer): { start: Buffer; end: Buffer } {
  const kind = key[1] as Kind;
  const id = key.readUInt32BE(2);
  const from = key.readUIntBE(6, 6);
  return { start: from === 0 ? numbered(kind, id) : sequenced(kind, id, from), end: numbered(kind, id + 1) };
}

/** Row ids are written as UTF-16BE: byte order is then the order of code units, which scans and digests promise. */
export function rowKey(layer: number, space: number, rowId: string): Buffer {
  const key = Buffer.allocUnsafe(7 + rowId.length * 2);
  key[0] = keyKinds.row;
  key.writeUInt32BE(layer, 1);
  key.writeUInt16BE(space, 5);
  for (let index = 0, at = 7; index < rowId.length; index++, at += 2) key.writeUInt16BE(rowId.charCodeAt(index), at);
  return key;
}
export function rowSpaceRange(layer: number, space: number): { start: Buffer; end: Buffer } {
  const start = Buffer.allocUnsafe(7);
  start[0] = keyKinds.row;
  start.writeUInt32BE(layer, 1);
  start.writeUInt16BE(space, 5);
  return { start, end: after(start) };
}
export const rowIdOfKey = (key: Buffer): string => Buffer.from(key.subarray(7)).swap16().toString('utf16le');

export const queuePageKey = (layer: number, firstOrdinal: number): Buffer => sequenced(keyKinds.queuePage, layer, firstOrdinal);
export const cancelledKey = (layer: number, ordinal: number): Buffer => sequenced(keyKinds.cancelled, layer, ordinal);
export const chunkKey = (journal: number, firstSequence: number): Buffer => sequenced(keyKinds.chunk, journal, firstSequence);
export const leavesKey = (journal: number, firstLeaf: number): Buffer => sequenced(keyKinds.leaves, journal, firstLeaf);
export const deliveryKey = (layer: number, ordinal: number): Buffer => sequenced(keyKinds.delivery, layer, ordinal);
/** The number that ends a key of queue pages, cancels, deliveries, chunks and leaves. */
export const sequenceOfKey = (key: Buffer): number => key.readUIntBE(5, 6);

export function receiptKey(layer: number, packageId: string, key: string): Buffer {
  return Buffer.concat([receiptRange(layer, packageId).start, createHash('sha256').update(key).digest()]);
}
export function receiptRange(layer: number, packageId: string): { start: Buffer; end: Buffer } {
  const start = Buffer.concat([numbered(keyKinds.receipt, layer), Buffer.from(`${packageId}\0`)]);
  return { start, end: after(start) };
}

/** `digest`: `sha256:` and 64 hexadecimal digits. */
export const blobKey = (layer: number, digest: string): Buffer => Buffer.concat([numbered(keyKinds.blob, layer), digestBytes(digest)]);
export function blobPieceKey(layer: number, digest: string, piece: number): Buffer {
  const place = Buffer.allocUnsafe(4);
  place.writeUInt32BE(piece);
  return Buffer.concat([numbered(keyKinds.blobPiece, layer), digestBytes(digest), place]);
}
export const digestOfBlobKey = (key: Buffer): string => `sha256:${key.toString('hex', 5)}`;
const digestBytes = (digest: string): Buffer => Buffer.from(digest.slice('sha256:'.length), 'hex');

/** All keys of a kind under one layer or journal. */
export function rangeOf(kind: Kind, id: number): { start: Buffer; end: Buffer } {
  return { start: numbered(kind, id), end: numbered(kind, id + 1) };
}
export function rangeOfKind(kind: Kind): { start: Buffer; end: Buffer } {
  return { start: Buffer.from([kind]), end: Buffer.from([kind + 1]) };
}
export function snapshotRange(worldId: string): { start: Buffer; end: Buffer } {
  const start = snapshotKey(worldId, '');
  return { start, end: after(start) };
}
/** The key of a command may be any text, so a digest of it stands in the store's. */
export const doneCommandKey = (worldId: string, operationKey: string): Buffer =>
  named(keyKinds.doneCommand, `${worldId}\0${createHash('sha256').update(operationKey).digest('hex')}`);
export function doneCommandRange(worldId: string): { start: Buffer; end: Buffer } {
  const start = named(keyKinds.doneCommand, `${worldId}\0`);
  return { start, end: after(start) };
}
export const snapshotIdOfKey = (key: Buffer): string => key.subarray(key.indexOf(0) + 1).toString();

function named(kind: Kind, name: string): Buffer {
  const key = Buffer.allocUnsafe(1 + Buffer.byteLength(name));
  key[0] = kind;
  key.write(name, 1);
  return key;
}
function numbered(kind: Kind, id: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key[0] = kind;
  key.writeUInt32BE(id, 1);
  return key;
}
function sequenced(kind: Kind, id: number, sequence: number): Buffer {
  const key = Buffer.allocUnsafe(11);
  key[0] = kind;
  key.writeUInt32BE(id, 1);
  key.writeUIntBE(sequence, 5, 6);
  return key;
}
/** The least key above all keys that begin with `prefix` (whose last byte is not 255). */
function after(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  for (let at = end.length - 1; at >= 0; at--) {
    if ((end[at] as number) < 255) {
      end[at] = (end[at] as number) + 1;
      return end.subarray(0, at + 1);
    }
  }
  return end;
}
