// The bytes of one world, by their digests: what its calls were sent and what its handlers made of them. They lie in layers of their own,
// of which the world writes one; snapshots and forks share them and see what was there at their place of the journal.
//   WORLD-BLOBS-1. A digest is stored once in a world, with the sequence of the journal at which it came; a fork or snapshot that shares
//     the layer up to an earlier sequence does not see it.
//   WORLD-BLOBS-2. What a turn has put goes with its rollback.
//   WORLD-BLOBS-3. Nothing is taken from a layer alone: it goes when no world and no snapshot names it any more.
import { createHash } from 'node:crypto';
import { limits } from '../../contract/limits.js';
import { blobKey, blobPieceKey, digestOfBlobKey, keyKinds, rangeOf } from '../kv/keys.js';
import type { KvView } from '../kv/view.js';
import type { BlobLayer, StoredBlobs } from '../kv/world-head.js';
import type { WriteSet } from '../kv/write-set.js';
import { tuning } from '../tuning.js';

interface FreshBlob {
  bytes: Buffer;
  sequence: number;
}
interface FoundBlob {
  layer: number;
  sequence: number;
  length: number;
}
/** What refuses bytes: the name of a bound. */
export type BlobBound = 'worldBlobBytesMax' | 'turnBlobBytesMax' | 'blobBytesEachMax';

/** Of a layer that its world still writes: up to anything. */
const open = Number.MAX_SAFE_INTEGER;
const headerBytes = 12;

export class WorldBlobs {
  readonly #view: KvView;
  readonly #allocate: () => number;
  #layers: readonly BlobLayer[] = [];
  #own: number | undefined;
  #bytes = 0;
  readonly #fresh = new Map<string, FreshBlob>();
  #turn: string[] = [];
  #turnBytes = 0;

  constructor(view: KvView, allocate: () => number, stored: StoredBlobs | undefined) {
    this.#view = view;
    this.#allocate = allocate;
    this.load(stored);
  }

  load(stored: StoredBlobs | undefined): void {
    this.#layers = stored?.layers ?? [];
    this.#own = stored?.own;
    this.#bytes = stored?.bytes ?? 0;
    this.#fresh.clear();
    this.beginTurn();
  }

  get hasFresh(): boolean {
    return this.#fresh.size > 0;
  }
  /** Of what the next commit will store. */
  get freshBytes(): number {
    let bytes = 0;
    for (const blob of this.#fresh.values()) bytes += blob.bytes.length;
    return bytes;
  }

  beginTurn(): void {
    if (this.#turn.length > 0) this.#turn = [];
    this.#turnBytes = 0;
  }
  rollback(): void {
    for (const digest of this.#turn) {
      this.#bytes -= (this.#fresh.get(digest) as FreshBlob).bytes.length;
      this.#fresh.delete(digest);
    }
    this.beginTurn();
  }

  length(digest: string): number | undefined {
    return this.#fresh.get(digest)?.bytes.length ?? this.#find(digest)?.length;
  }
  /** Bytes [from, from + length), of those that there are. The caller does not change them. */
  read(digest: string, { from = 0, length = open }: { from?: number; length?: number } = {}): Buffer | undefined {
    const fresh = this.#fresh.get(digest);
    if (fresh !== undefined) return fresh.bytes.subarray(from, Math.min(from + length, fresh.bytes.length));
    const found = this.#find(digest);
    if (found === undefined) return undefined;
    const end = Math.min(from + length, found.length);
    const pieces: Buffer[] = [];
    for (let piece = Math.floor(from / tuning.blobPieceBytes); piece * tuning.blobPieceBytes < end; piece++) {
      const start = piece * tuning.blobPieceBytes;
      const bytes = this.#view.get(blobPieceKey(found.layer, digest, piece)) as Buffer;
      pieces.push(bytes.subarray(Math.max(from - start, 0), Math.min(end - start, bytes.length)));
    }
    return Buffer.concat(pieces);
  }

  /** The bound that refuses it, where one does. `sequence`: of the turn's entries, so far. */
  put(digest: string, bytes: Buffer, sequence: number): BlobBound | undefined {
    if (bytes.length > limits.blobBytesEachMax) return 'blobBytesEachMax';
    this.#turnBytes += bytes.length;
    if (this.#turnBytes > limits.turnBlobBytesMax) return 'turnBlobBytesMax';
    if (this.length(digest) !== undefined) return undefined;
    if (this.#bytes + bytes.length > limits.worldBlobBytesMax) return 'worldBlobBytesMax';
    this.#add(digest, { bytes, sequence });
    this.#turn.push(digest);
    return undefined;
  }
  #add(digest: string, blob: FreshBlob): void {
    this.#fresh.set(digest, blob);
    this.#bytes += blob.bytes.length;
  }

  takeInto(set: WriteSet): void {
    if (this.#fresh.size === 0) return;
    const own = this.#ownLayer(set);
    for (const [digest, { bytes, sequence }] of this.#fresh) this.#store(set, own, digest, bytes, sequence);
    this.#fresh.clear();
    this.#turn = [];
  }

  /** What the head of the world says; the world still writes its own layer. */
  stored(): StoredBlobs | undefined {
    if (this.#own === undefined && this.#layers.length === 0) return undefined;
    return { layers: this.#layers, own: this.#own, bytes: this.#bytes };
  }
  /** As now, to be shared. Nothing may be fresh. */
  frozen(sequence: number): StoredBlobs | undefined {
    const layers = this.#layersAt(sequence);
    return layers && { layers, own: undefined, bytes: this.#bytes };
  }
  /** As at a place of the world's journal. Nothing may be fresh, and all of it has been shown to the view. */
  frozenAt(sequence: number): StoredBlobs | undefined {
    const layers = this.#layersAt(sequence);
    if (layers === undefined) return undefined;
    return { layers, own: undefined, bytes: [...this.#visible(layers).values()].reduce((sum, { length }) => sum + length, 0) };
  }
  #layersAt(sequence: number): BlobLayer[] | undefined {
    if (this.#own === undefined && this.#layers.length === 0) return undefined;
    const all = this.#own === undefined ? this.#layers : [...this.#layers, [this.#own, sequence, 1] as const];
    return all.map(([layer, upTo, isOwn]): BlobLayer => [layer, isOwn === 1 ? Math.min(upTo, sequence) : upTo, isOwn]);
  }

  /** All that a world at this head sees, into this one, which is of another data file. */
  copyFrom(view: KvView, stored: StoredBlobs | undefined): void {
    const other = new WorldBlobs(view, this.#allocate, stored);
    for (const digest of other.#visible(other.#chain()).keys()) this.#add(digest, { bytes: other.read(digest) as Buffer, sequence: 0 });
  }

  #chain(): readonly BlobLayer[] {
    return this.#own === undefined ? this.#layers : [...this.#layers, [this.#own, open, 1]];
  }
  #find(digest: string): FoundBlob | undefined {
    for (const [layer, upTo] of this.#chain()) {
      const header = this.#view.get(blobKey(layer, digest));
      if (header === undefined) continue;
      const found = { layer, ...readHeader(header) };
      if (found.sequence <= upTo) return found;
    }
    return undefined;
  }
  #visible(chain: readonly BlobLayer[]): Map<string, FoundBlob> {
    const found = new Map<string, FoundBlob>();
    for (const [layer, upTo] of chain) {
      for (const { key, value } of this.#view.range(rangeOf(keyKinds.blob, layer))) {
        const blob = { layer, ...readHeader(value) };
        if (blob.sequence <= upTo) found.set(digestOfBlobKey(key), blob);
      }
    }
    return found;
  }

  #ownLayer(set: WriteSet): number {
    if (this.#own !== undefined) return this.#own;
    const own = this.#allocate();
    set.refer([own], 1);
    if (this.#layers.length >= tuning.blobLayersMax) this.#merge(set, own);
    this.#own = own;
    return own;
  }
  /** What a long chain shows becomes this world's, so that a look-up stays short; those who share the chain keep it. */
  #merge(set: WriteSet, own: number): void {
    const isOwn = new Map(this.#layers.map(([layer, , own]) => [layer, own === 1]));
    for (const [digest, { layer, sequence }] of this.#visible(this.#layers))
      this.#store(set, own, digest, this.read(digest) as Buffer, isOwn.get(layer) === true ? sequence : 0);
    set.refer(
      this.#layers.map(([layer]) => layer),
      -1,
    );
    this.#layers = [];
  }
  #store(set: WriteSet, layer: number, digest: string, bytes: Buffer, sequence: number): void {
    const header = Buffer.allocUnsafe(headerBytes);
    header.writeUIntBE(sequence, 0, 6);
    header.writeUIntBE(bytes.length, 6, 6);
    set.put(blobKey(layer, digest), header);
    for (let from = 0, piece = 0; from < bytes.length; from += tuning.blobPieceBytes, piece++)
      set.put(blobPieceKey(layer, digest, piece), bytes.subarray(from, from + tuning.blobPieceBytes));
  }
}

/** All layers that a head names: those of rows, and those of bytes. */
export function layersOf({ layers, blobs }: { layers: readonly number[]; blobs?: StoredBlobs | undefined }): number[] {
  if (blobs === undefined) return [...layers];
  return [...layers, ...blobs.layers.map(([layer]) => layer), ...(blobs.own === undefined ? [] : [blobs.own])];
}

/** For a fork: its journal begins at 1 again. */
export function inherited(blobs: StoredBlobs | undefined): StoredBlobs | undefined {
  return blobs && { ...blobs, layers: blobs.layers.map(([layer, upTo]): BlobLayer => [layer, upTo, 0]) };
}

export function digestOfBytes(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function readHeader(header: Buffer): { sequence: number; length: number } {
  return { sequence: header.readUIntBE(0, 6), length: header.readUIntBE(6, 6) };
}
