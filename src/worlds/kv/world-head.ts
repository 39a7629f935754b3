// The head of a world: one small value, rewritten by every commit, from which everything else of the world is found.
// A snapshot is a copy of a head under another key: layers below the top are never written again, so sharing them is safe.
import { Packr } from 'msgpackr';
import { invariant } from '../../contract/errors.js';
import type { WorldVersion } from './write-set.js';

/**
 * Journal ids by the sequence from which each one holds the entries: a reset to a snapshot keeps the prefix of the journal it was taken
 * from.
 */
export type JournalSegment = readonly [journal: number, fromSequence: number];
/** packageId, instanceId, namespace, live rows, 1 if any layer holds rows of it. The place in the list is the space's index. */
export type SpaceRecord = readonly [packageId: string, instanceId: string, namespace: string, rows: number, stored: 0 | 1];

/**
 * A layer of bytes and the sequence up to which they are seen; 1 where that is one of this world's own journal, 0 where it is of the
 * journal of a fork's parent.
 */
export type BlobLayer = readonly [layer: number, upTo: number, isOwn: 0 | 1];
export interface StoredBlobs {
  layers: readonly BlobLayer[];
  /** The one that the world writes; never in a snapshot. */
  own: number | undefined;
  /** Of all that is seen. */
  bytes: number;
}

export interface WorldHead {
  programKey: string;
  tag: string;
  /** Bottom to top; the last one is this world's own and is written, unless the head is a snapshot. */
  layers: readonly number[];
  /** The top layer holds something. */
  topUsed: boolean;
  segments: readonly JournalSegment[];
  sequence: number;
  transactions: number;
  spaces: readonly SpaceRecord[];
  nextOrdinal: number;
  /** Events below it came from a fork's parent, whose journal their causes are in. */
  firstOwnOrdinal: number;
  /** (atUs, ordinal) of the last event that fired: nothing at or below it is pending. */
  watermark: readonly [atUs: number, ordinal: number];
  /** Queue pages or receipts were ever written: worlds without them look nowhere. */
  hasQueue: boolean;
  hasReceipts: boolean;
  /** JSON of side values of turns without entries, which go with the next turn that has some; '' for none. */
  carriedSide: string;
  /** Of the next callback delivery; 1: there never was one, so nothing is looked for. */
  nextDelivery: number;
  /** The owner's. */
  meta: object;
  /** What the commits of this world, and of those it was forked from, have added; undefined in heads of before it was counted. */
  storedBytes?: number;
  /** Undefined where there never were any. */
  blobs?: StoredBlobs | undefined;
}

const packr = new Packr({ useRecords: false, moreTypes: true, int64AsType: 'number' });
const version = 2;
const members = [
  'programKey',
  'tag',
  'layers',
  'topUsed',
  'segments',
  'sequence',
  'transactions',
  'spaces',
  'nextOrdinal',
  'firstOwnOrdinal',
  'watermark',
  'hasQueue',
  'hasReceipts',
  'carriedSide',
  'nextDelivery',
  'meta',
  'storedBytes',
  'blobs',
] as const satisfies readonly (keyof WorldHead)[];

/** Bytes: f64 incarnation, f64 commits, then msgpack. The store reads the first two in every commit and nothing else. */
const versionBytes = 16;

export function encodeHead(head: WorldHead, { incarnation, commits }: WorldVersion): Buffer {
  const values: unknown[] = [version];
  for (const member of members) values.push(head[member]);
  const packed = packr.pack(values);
  const bytes = Buffer.allocUnsafe(versionBytes + packed.length);
  bytes.writeDoubleLE(incarnation, 0);
  bytes.writeDoubleLE(commits, 8);
  packed.copy(bytes, versionBytes);
  return bytes;
}

export function headVersion(bytes: Buffer): WorldVersion {
  return { incarnation: bytes.readDoubleLE(0), commits: bytes.readDoubleLE(8) };
}
export function decodeHead(bytes: Buffer): WorldHead {
  const [found, ...values] = packr.unpack(bytes.subarray(versionBytes)) as unknown[];
  invariant(found === version, 'a world head is of this version');
  return Object.fromEntries(members.map((member, index) => [member, values[index]])) as unknown as WorldHead;
}
