// stateHash (docs/decisions/013): 256 buckets a namespace, so that a changed row costs one bucket and not the whole state.
//   STATE-HASH-1. A bucket's digest is the sha256 of its rows' lines ordered by rowId (UTF-16); 32 zero bytes where it is empty.
//   STATE-HASH-2. A namespace's digest is the sha256 of its 256 bucket digests; an empty namespace has none and no line.
import { createHash } from 'node:crypto';
import type { SpaceName } from '../kv/space-name.js';

const bucketCount = 0x100;
const digestBytes = 32;

/** By the first byte of sha256 of the rowId's UTF-8. */
function bucketOf(rowId: string): number {
  return createHash('sha256').update(rowId).digest()[0] as number;
}

/** A row's line is this, the rowId as JSON, `,"value":`, the row's canonical text, `}` and a newline. */
export function rowLinePrefix({ packageId, instanceId, namespace }: SpaceName): string {
  return `{"instanceId":${JSON.stringify(instanceId)},"namespace":${JSON.stringify(namespace)},"packageId":${JSON.stringify(packageId)},"rowId":`;
}

/** Members and digests of one namespace's buckets. */
export class SpaceDigests {
  /** Row ids by bucket, sorted; undefined where empty. Arrays are shared with the copy's origin until changed. */
  readonly #members: (readonly string[] | undefined)[];
  readonly #digests: Buffer;
  /** Buckets whose digest is of earlier rows. */
  readonly #dirty = new Set<number>();

  constructor(origin?: SpaceDigests) {
    this.#members = origin === undefined ? new Array(bucketCount).fill(undefined) : origin.#members.slice();
    this.#digests = origin === undefined ? Buffer.alloc(bucketCount * digestBytes) : Buffer.from(origin.#digests);
  }

  /** The row is new or changed. */
  admit(rowId: string): void {
    const bucket = bucketOf(rowId);
    this.#dirty.add(bucket);
    const members = this.#members[bucket] ?? [];
    const place = placeOf(members, rowId);
    if (members[place] !== rowId) this.#members[bucket] = [...members.slice(0, place), rowId, ...members.slice(place)];
  }
  /** The row is gone. */
  expel(rowId: string): void {
    const bucket = bucketOf(rowId);
    this.#dirty.add(bucket);
    this.#members[bucket] = this.#members[bucket]?.filter((member) => member !== rowId);
  }

  /** Makes one digest that is out of date; false when there is none. */
  rehashOne(prefix: string, textOf: (rowId: string) => string): boolean {
    for (const bucket of this.#dirty) {
      this.#rehash(bucket, prefix, textOf);
      this.#dirty.delete(bucket);
      return true;
    }
    return false;
  }

  #rehash(bucket: number, prefix: string, textOf: (rowId: string) => string): void {
    const members = this.#members[bucket];
    const at = bucket * digestBytes;
    if (members === undefined || members.length === 0) {
      this.#digests.fill(0, at, at + digestBytes);
      return;
    }
    let lines = '';
    for (const rowId of members) lines += `${prefix}${JSON.stringify(rowId)},"value":${textOf(rowId)}}\n`;
    createHash('sha256').update(lines).digest().copy(this.#digests, at);
  }

  /** All 256; nothing may be out of date. */
  get bytes(): Buffer {
    return this.#digests;
  }
}

/** STATE-HASH-2, in hex. */
export function namespaceDigest(digests: SpaceDigests): string {
  return createHash('sha256').update(digests.bytes).digest('hex');
}

/** `namespaces`: the non-empty ones, ordered by (packageId, instanceId, namespace). */
export function stateDigest(namespaces: readonly (SpaceName & { digest: string })[]): string {
  const hash = createHash('sha256');
  for (const { digest, instanceId, namespace, packageId } of namespaces)
    hash.update(`${JSON.stringify({ digest, instanceId, namespace, packageId })}\n`);
  return `sha256:${hash.digest('hex')}`;
}

/** Where `id` is, or belongs, in a sorted list. */
export function placeOf(sorted: readonly string[], id: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as string) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
