// What one world adds in one commit: keys and values ready to be put, so that the transaction itself is short and runs no other code.
import { doomedKey, layerKinds, type keyKinds } from './keys.js';

const empty = Buffer.alloc(0);

export class WriteSet {
  readonly worldId: string;
  readonly incarnation: number;
  /** `create` is refused where the world exists, `change` where a later incarnation has fenced this one. */
  readonly intent: 'create' | 'change';
  readonly keys: Buffer[] = [];
  /** null removes. */
  readonly values: (Buffer | null)[] = [];
  /** Layer -> how many more (or fewer) heads and snapshots name it. A layer that nobody names is deleted. */
  readonly references = new Map<number, number>();
  #state: 'pending' | 'applied' | 'refused' = 'pending';
  readonly #onApplied: (() => void) | undefined;

  constructor(world: { worldId: string; incarnation: number }, intent: 'create' | 'change', onApplied?: () => void) {
    this.worldId = world.worldId;
    this.incarnation = world.incarnation;
    this.intent = intent;
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
    this.put(doomedKey(kind, id, from), empty);
  }

  get size(): number {
    return this.keys.length + this.references.size;
  }
}

/** What the store puts when nobody names a layer any more. */
export function doomedLayerKeys(layer: number): Buffer[] {
  return layerKinds.map((kind) => doomedKey(kind, layer, 0));
}
