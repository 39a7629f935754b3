// The pages of an LMDB data file, format 2 on a 64-bit machine of low byte first: as much of mdb.c as it takes to make an empty file, and
// to see that a file can be mapped and read. LMDB believes what it reads: a number out of place is a signal that ends the process.
import { tuning } from './tuning.js';

export const pageHeaderBytes = 24;
export const metaPages = 2;
const magic = 0xbeefc0de;
const formatVersion = 2;
const noPage = 0xffff_ffff_ffff_ffffn;
const integerKeys = 8;
const mapBytesAtFirst = 0x20000n;

export const pageKinds = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;

/** One tree: the free pages, or the entries. */
export interface Tree {
  depth: number;
  branchPages: bigint;
  leafPages: bigint;
  overflowPages: bigint;
  entries: bigint;
  /** Undefined: it is empty. */
  root: number | undefined;
}
export interface Meta {
  pageBytes: number;
  free: Tree;
  main: Tree;
  lastPage: number;
  transaction: bigint;
}

const at = { flags: 18, magic: 24, version: 28, mapBytes: 40, free: 48, main: 96, lastPage: 144, transaction: 152 };
const inTree = { pageBytes: 0, flags: 4, depth: 6, branchPages: 8, leafPages: 16, overflowPages: 24, entries: 32, root: 40 };
/** Of a meta page, as much as is read. */
export const metaBytes = at.transaction + 8;

/** What a meta page says; a text where it is none. */
export function readMeta(page: Buffer, index: number): Meta | string {
  if (page.length < metaBytes) return 'it ends within its first pages';
  if (page.readUInt16LE(at.flags) !== pageKinds.meta || page.readUInt32LE(at.magic) !== magic) return 'it is not a database of this kind';
  if ((page.readUInt16LE(at.version) & 0xffff) !== formatVersion) return 'it is of another version of the database';
  const pageBytes = page.readUInt32LE(at.free + inTree.pageBytes);
  const [lastPage, transaction] = [page.readBigUInt64LE(at.lastPage), page.readBigUInt64LE(at.transaction)];
  const [free, main] = [readTree(page, at.free), readTree(page, at.main)];
  const isSane =
    page.readBigUInt64LE(0) === BigInt(index) &&
    pageBytes >= 512 &&
    pageBytes <= 65536 &&
    (pageBytes & (pageBytes - 1)) === 0 &&
    lastPage >= 1n &&
    lastPage < 1n << 40n &&
    (transaction === 0n || Number(transaction & 1n) === index) &&
    free !== undefined &&
    main !== undefined;
  return isSane ? { pageBytes, free, main, lastPage: Number(lastPage), transaction } : 'its head is broken';
}

function readTree(page: Buffer, offset: number): Tree | undefined {
  const count = (place: number): bigint => page.readBigUInt64LE(offset + place);
  const depth = page.readUInt16LE(offset + inTree.depth);
  const root = count(inTree.root);
  if ((root === noPage) !== (depth === 0) || depth > 32 || (root !== noPage && root >= 1n << 40n)) return undefined;
  const [branchPages, leafPages, overflowPages] = [count(inTree.branchPages), count(inTree.leafPages), count(inTree.overflowPages)];
  return { depth, branchPages, leafPages, overflowPages, entries: count(inTree.entries), root: root === noPage ? undefined : Number(root) };
}

/** The whole file of a database without an entry. */
export function emptyDatabase(): Buffer {
  const bytes = Buffer.alloc(metaPages * tuning.madePageBytes);
  for (let index = 0; index < metaPages; index++) {
    const page = bytes.subarray(index * tuning.madePageBytes);
    page.writeBigUInt64LE(BigInt(index), 0);
    page.writeUInt16LE(pageKinds.meta, at.flags);
    page.writeUInt32LE(magic, at.magic);
    page.writeUInt32LE(formatVersion, at.version);
    page.writeBigUInt64LE(mapBytesAtFirst, at.mapBytes);
    page.writeUInt32LE(tuning.madePageBytes, at.free + inTree.pageBytes);
    page.writeUInt16LE(integerKeys, at.free + inTree.flags);
    page.writeBigUInt64LE(noPage, at.free + inTree.root);
    page.writeBigUInt64LE(noPage, at.main + inTree.root);
    page.writeBigUInt64LE(BigInt(metaPages - 1), at.lastPage);
  }
  return bytes;
}
