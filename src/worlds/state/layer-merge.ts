// Many layers as one: what a look-up through the chain finds, under the id of a new layer. Tombstones stay, for the base lies below.
import { layerKinds, rangeOf } from '../kv/keys.js';
import type { KvView } from '../kv/view.js';
import type { WriteSet } from '../kv/write-set.js';

export function mergeLayers(view: KvView, chain: readonly number[], merged: number, set: WriteSet): void {
  const found = new Map<string, { key: Buffer; value: Buffer }>();
  for (const layer of chain) {
    for (const kind of layerKinds) {
      for (const { key, value } of view.range(rangeOf(kind, layer))) {
        const own = Buffer.from(key);
        own.writeUInt32BE(merged, 1);
        // A later layer's value replaces the earlier one's.
        found.set(own.toString('latin1'), { key: own, value });
      }
    }
  }
  for (const { key, value } of found.values()) set.put(key, value);
}
