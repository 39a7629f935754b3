// Holds the rows of a world, and of each of its snapshots, against its journal.
//   VERIFY-ROWS-1. Since the snapshot before, or the origin, rows are changed as the journal says and in no other way: a row whose bytes
//     are others, one that is gone, and a state_change whose row is another are each found. Layers that both share are not read again.
import { Journal } from './journal/journal.js';
import type { ChunkCache } from './journal/journal-reader.js';
import { rowIdOfKey, rowSpaceRange } from './kv/keys.js';
import { type SpaceName, spaceKey } from './kv/space-name.js';
import { KvView } from './kv/view.js';
import type { WorldHead } from './kv/world-head.js';
import type { KvWriter } from './kv/writer.js';
import type { Base } from './state/base.js';
import { type Fold, foldJournal } from './state/history.js';
import { Layers } from './state/layers.js';
import { Snapshots } from './state/snapshots.js';

export interface RowsOfWorld {
  worldId: string;
  head: WorldHead;
  base: Base;
}

/** A row of it that is not as its journal says; undefined where there is none. */
export function strayRow(store: KvWriter, cache: ChunkCache, { worldId, head, base }: RowsOfWorld): string | undefined {
  const view = new KvView(store);
  const snapshots = new Snapshots(view, worldId);
  const look = (at: WorldHead, start: WorldHead | undefined): string | undefined =>
    start === undefined ? 'has no origin' : new Comparison(view, { start, end: at, base }).stray(changesBetween(cache, start, at));
  const ofHead = look(head, snapshots.before(head.sequence, head));
  if (ofHead !== undefined) return ofHead;
  for (const id of snapshots.ids()) {
    const at = snapshots.get(id);
    const found = at && look(at, snapshots.before(at.sequence - 1, at));
    if (found !== undefined) return `${found} of its snapshot ${id}`;
  }
  return undefined;
}

function changesBetween(cache: ChunkCache, start: WorldHead, { tag, segments, sequence, transactions }: WorldHead): Fold {
  const journal = new Journal(cache, tag, { segments, sequence, transactions });
  const steps = foldJournal(journal, { after: start.sequence, to: sequence, rowsOnly: true }, () => false);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

class Comparison {
  readonly #view: KvView;
  readonly #base: Base;
  readonly #start: WorldHead;
  readonly #end: WorldHead;
  /** How many of the lowest layers are the same. */
  readonly #shared: number;

  constructor(view: KvView, { start, end, base }: { start: WorldHead; end: WorldHead; base: Base }) {
    this.#view = view;
    this.#base = base;
    this.#start = start;
    this.#end = end;
    const differs = end.layers.findIndex((layer, place) => start.layers[place] !== layer);
    this.#shared = differs === -1 ? end.layers.length : differs;
  }

  stray({ rows }: Fold): string | undefined {
    const names = new Map<string, SpaceName>([...rows.values()].map(({ name }) => [spaceKey(name), name]));
    for (const [packageId, instanceId, namespace] of [...this.#start.spaces, ...this.#end.spaces]) {
      const name = { packageId, instanceId, namespace };
      names.set(spaceKey(name), name);
    }
    for (const [key, name] of names) {
      const changed = rows.get(key)?.texts ?? new Map<string, string | null>();
      const [start, end] = [this.#spaceOf(this.#start, key), this.#spaceOf(this.#end, key)];
      for (const id of new Set([...changed.keys(), ...this.#idsOf(start), ...this.#idsOf(end)])) {
        const said = changed.get(id);
        if (this.#row(end, id) === (said === undefined ? this.#row(start, id) : said)) continue;
        return `has not the row ${JSON.stringify(id)} of ${name.packageId}/${name.namespace} that its journal says`;
      }
    }
    return undefined;
  }

  #spaceOf({ layers, spaces }: WorldHead, key: string): StoredSpace {
    const index = spaces.findIndex(([packageId, instanceId, namespace]) => spaceKey({ packageId, instanceId, namespace }) === key);
    return { index, layers: new Layers(this.#view, layers) };
  }

  /** Those in layers that are not shared. */
  *#idsOf({ index, layers }: StoredSpace): Generator<string> {
    if (index === -1) return;
    for (const layer of layers.chain.slice(this.#shared)) {
      for (const key of this.#view.keys(rowSpaceRange(layer, index))) yield rowIdOfKey(key);
    }
  }

  /** null: there is none. */
  #row({ index, layers }: StoredSpace, id: string): string | null {
    const stored = index === -1 ? undefined : layers.row(index, id);
    return stored === undefined ? (this.#base.spaces[index]?.text(id) ?? null) : stored;
  }
}

interface StoredSpace {
  /** -1: it has had no row. */
  index: number;
  layers: Layers;
}
