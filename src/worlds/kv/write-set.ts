// What one world adds in one commit: keys and values ready to be put, so that the transaction itself is short and runs no other code.
import { type keyKinds, tombstoneKey } from './keys.js';

const empty = Buffer.alloc(0);

/** The incarnation of a world and how many commits it has seen: a set is applied only to what its world was when it was made. */
export interface WorldVersion {
  readonly incarnation: number;
  readonly commits: number;
}

export class WriteSet {
  readonly worldId: string;
  /** What the store must hold; undefined: the world must not exist. */
  readonly expected: WorldVersion | undefined;
  /** Another set without which this one makes no sense: a fork's, of its parent. */
  requires: WriteSet | undefined;
  /** It deletes more than it writes: applied on a disk that is short of space, too. */
  freesSpace = false;
  readonly keys: Buffer[] = [];
  /** null removes. */
  readonly values: (Buffer | null)[] = [];
  /** Layer -> how many more (or fewer) heads and snapshots name it. A layer that nobody names is deleted. */
  readonly references = new Map<number, number>();
  #state: 'pending' | 'applied' | 'refused' = 'pending';
  readonly #onApplied: (() => void) | undefined;

  constructor(worldId: string, expected: WorldVersion | undefined, onApplied?: () => void) {
    this.worldId = worldId;
    this.expected = expected;
    this.#onApplied = onApplied;
  }

  get state(): 'pending' | 'applied' | 'refused' {
    return this.#state;
  }
  /** The store's, once. */
  settle(state: 'applied' | 'refused'): void {
    this.#state = state;
    if (state === 'applied') this.#onApplied?.();
  }

  /** Of all keys and values so far. */
  get bytes(): number {
    let bytes = 0;
    for (let index = 0; index < this.keys.length; index++) bytes += (this.keys[index] as Buffer).length + (this.values[index]?.length ?? 0);
    return bytes;
  }
  put(key: Buffer, value: Buffer): void {
    this.keys.push(key);
    this.values.push(value);
  }
  remove(key: Buffer): void {
    this.keys.push(key);
    this.values.push(null);
  }
  refer(layers: readonly number[], change: 1 | -1): void {
    for (const layer of layers) this.references.set(layer, (this.references.get(layer) ?? 0) + change);
  }
  /** Deletes later, in pieces, every key of the kind and id from `from` on. */
  doom(kind: (typeof keyKinds)['chunk' | 'leaves'], id: number, from: number): void {
    this.put(tombstoneKey(kind, id, from), empty);
  }
}
