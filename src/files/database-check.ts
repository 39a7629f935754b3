// Looks at an LMDB data file before it is mapped: every page that its trees lead to lies in the file and holds together, so that no reading
// of it can end the process. It does not read what the entries say.
//   DATABASE-CHECK-1. What is read belongs to one commit. A writer may be at work meanwhile: what looks damaged counts only if no commit
//     came in between.
// A file may end before its last page: those behind the end are free, and nothing leads to them.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { limits } from '../contract/limits.js';
import { type Meta, metaBytes, metaPages, pageHeaderBytes, pageKinds, readMeta, type Tree } from './database-page.js';
import { tuning } from './tuning.js';

/** Above the root; a tree that is deeper than a fault allows has been refused by its meta page. */
interface Place {
  page: number;
  level: number;
}
const nodeBytes = 8;
const overflowRecordBytes = 24;
const bigData = 1;
const foreign = 'it holds entries of something else';

export interface DatabaseLook {
  /** False: the roots and the branches alone, some hundredth of the file. */
  leaves: boolean;
  /** The leaves of a file of any size. Default: of files of at most limits.databaseLeavesCheckedBytesMax. */
  anySize?: boolean;
  /** Whether a key may begin with this byte. Default: any. */
  beginsKey?(byte: number): boolean;
}

/** Why the file cannot be a database that is whole, or not the one that is looked for; undefined where it can. */
export function databaseFault(file: string, look: DatabaseLook): string | undefined {
  const descriptor = openSync(file, 'r');
  try {
    for (let tries = 1; ; tries++) {
      const meta = newestMeta(descriptor);
      if (typeof meta === 'string') return meta;
      const fault = new Walk(descriptor, meta, look).fault();
      if (fault === undefined) return undefined;
      const after = newestMeta(descriptor);
      if (typeof after === 'string' ? tries === tuning.checkTriesMax : after.transaction === meta.transaction) return fault;
      // A writer who is faster than the walk each time shows that the file works.
      if (tries === tuning.checkTriesMax) return undefined;
    }
  } finally {
    closeSync(descriptor);
  }
}

function newestMeta(descriptor: number): Meta | string {
  const { size } = fstatSync(descriptor);
  if (size === 0) return 'it is empty';
  const first = readMeta(bytesAt(descriptor, 0, metaBytes), 0);
  if (typeof first === 'string') return first;
  const second = readMeta(bytesAt(descriptor, first.pageBytes, metaBytes), 1);
  if (typeof second === 'string') return second;
  if (second.pageBytes !== first.pageBytes) return 'its head is broken';
  return first.transaction >= second.transaction ? first : second;
}

function bytesAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}

class Walk {
  readonly #descriptor: number;
  readonly #meta: Meta;
  readonly #leaves: boolean;
  readonly #beginsKey: (byte: number) => boolean;
  /** Whole pages in the file. */
  readonly #pages: number;
  readonly #seen: Uint8Array;
  readonly #page: Buffer;
  #counts = { branch: 0n, leaf: 0n, overflow: 0n, entries: 0n };

  constructor(descriptor: number, meta: Meta, { leaves, anySize = false, beginsKey = () => true }: DatabaseLook) {
    const { size } = fstatSync(descriptor);
    this.#descriptor = descriptor;
    this.#meta = meta;
    this.#pages = Math.floor(size / meta.pageBytes);
    this.#leaves = leaves && (anySize || size <= limits.databaseLeavesCheckedBytesMax);
    this.#beginsKey = beginsKey;
    this.#seen = new Uint8Array(Math.ceil(this.#pages / 8));
    this.#page = Buffer.alloc(meta.pageBytes);
  }

  fault(): string | undefined {
    const { lastPage, free, main } = this.#meta;
    if (lastPage + 1 - this.#pages > tuning.pagesBeyondMax) return 'it is cut short';
    return this.#treeFault(free, true) ?? this.#treeFault(main, false);
  }

  #treeFault(tree: Tree, isFree: boolean): string | undefined {
    if (tree.root === undefined) return undefined;
    this.#counts = { branch: 0n, leaf: 0n, overflow: 0n, entries: 0n };
    const open: Place[] = [{ page: tree.root, level: 1 }];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      const isLeaf = place.level === tree.depth;
      const fault =
        this.#take(place.page) ?? (isLeaf && !this.#leaves && !isFree ? undefined : this.#pageFault(place, { isLeaf, isFree, open }));
      if (fault !== undefined) return fault;
    }
    if (this.#leaves) return this.#countsFault(tree);
    return undefined;
  }

  #countsFault({ branchPages, leafPages, overflowPages, entries }: Tree): string | undefined {
    const { branch, leaf, overflow, entries: found } = this.#counts;
    const isRight = branch === branchPages && leaf === leafPages && overflow === overflowPages && found === entries;
    return isRight ? undefined : 'its pages do not add up';
  }

  /** A page is led to once. */
  #take(page: number): string | undefined {
    if (page > this.#meta.lastPage) return 'it points outside itself';
    if (page >= this.#pages) return 'it is cut short';
    const bit = 1 << (page & 7);
    if (page < metaPages || ((this.#seen[page >> 3] as number) & bit) !== 0) return 'its pages are mixed up';
    this.#seen[page >> 3]! |= bit;
    return undefined;
  }

  #pageFault({ page, level }: Place, { isLeaf, isFree, open }: { isLeaf: boolean; isFree: boolean; open: Place[] }): string | undefined {
    const bytes = this.#page;
    const contentBytes = bytes.length - pageHeaderBytes;
    if (readSync(this.#descriptor, bytes, 0, bytes.length, page * bytes.length) < bytes.length) return 'it is cut short';
    const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
    const kind = isLeaf ? pageKinds.leaf : pageKinds.branch;
    const where = `page ${page} is broken`;
    if (!this.#isHeadOf(bytes, page) || bytes.readUInt16LE(18) !== kind) return where;
    if ((lower & 1) !== 0 || lower > upper || upper > contentBytes || lower === 0) return where;
    this.#counts[isLeaf ? 'leaf' : 'branch'] += 1n;
    for (let slot = 0; slot < lower; slot += 2) {
      const node = bytes.readUInt16LE(pageHeaderBytes + slot);
      if (node < upper || node + nodeBytes > contentBytes) return where;
      const start = pageHeaderBytes + node;
      if (isLeaf) {
        const fault = this.#entryFault(bytes, start, isFree);
        if (fault !== undefined) return fault === 'node' ? where : fault;
      } else {
        const keyBytes = bytes.readUInt16LE(start + 6);
        if (node + nodeBytes + keyBytes > contentBytes) return where;
        // The first key of a branch is left out.
        if (!isFree && keyBytes > 0 && !this.#beginsKey(bytes[start + nodeBytes] as number)) return foreign;
        open.push({ page: bytes.readUInt32LE(start) + bytes.readUInt16LE(start + 4) * 2 ** 32, level: level + 1 });
      }
    }
    return undefined;
  }

  /** `node`: the entry itself does not hold together. */
  #entryFault(bytes: Buffer, start: number, isFree: boolean): string | undefined {
    const [size, flags, keyBytes] = [bytes.readUInt32LE(start), bytes.readUInt16LE(start + 4), bytes.readUInt16LE(start + 6)];
    const value = start + nodeBytes + keyBytes;
    this.#counts.entries += 1n;
    if ((flags & ~bigData) !== 0 || keyBytes === 0 || value > bytes.length || (isFree && keyBytes !== 8)) return 'node';
    if (!isFree && !this.#beginsKey(bytes[start + nodeBytes] as number)) return foreign;
    if ((flags & bigData) === 0) {
      if (value + size > bytes.length) return 'node';
      return isFree ? this.#freeListFault(bytes.subarray(value, value + size)) : undefined;
    }
    if (value + overflowRecordBytes > bytes.length) return 'node';
    const [page, pages] = [bytes.readBigUInt64LE(value), bytes.readBigUInt64LE(value + 16)];
    if (page >= 1n << 40n || pages !== BigInt(Math.ceil((pageHeaderBytes + size) / bytes.length))) return 'node';
    return this.#overflowFault(Number(page), Number(pages), isFree ? size : undefined);
  }

  /** `freeBytes`: what is in these pages is a list of free ones, of so many bytes. */
  #overflowFault(page: number, pages: number, freeBytes: number | undefined): string | undefined {
    this.#counts.overflow += BigInt(pages);
    for (let next = page; next < page + pages; next++) {
      const fault = this.#take(next);
      if (fault !== undefined) return fault;
    }
    const head = bytesAt(this.#descriptor, page * this.#meta.pageBytes, pageHeaderBytes + (freeBytes === undefined ? 0 : 8));
    const isRight = this.#isHeadOf(head, page) && (head.readUInt16LE(18) & 0xff) === pageKinds.overflow && head.readUInt32LE(20) === pages;
    if (!isRight) return `page ${page} is broken`;
    return freeBytes === undefined ? undefined : this.#freeListFault(head.subarray(pageHeaderBytes), freeBytes);
  }

  /** A page of a commit that has not been would be taken for one that a writer holds in memory. */
  #isHeadOf(bytes: Buffer, page: number): boolean {
    return bytes.readBigUInt64LE(0) === BigInt(page) && bytes.readBigUInt64LE(8) <= this.#meta.transaction;
  }

  #freeListFault(list: Buffer, bytes = list.length): string | undefined {
    return bytes >= 8 && list.readBigUInt64LE(0) <= BigInt(Math.floor(bytes / 8) - 1) ? undefined : 'its list of free pages is broken';
  }
}
