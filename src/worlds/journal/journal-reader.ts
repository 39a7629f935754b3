// Stored chunks of a journal by sequence, through the segments of its chain. Decoded chunks are kept by a small cache that the
// worlds of a host share, so that reading page by page decodes a chunk once and an idle world holds none.
import { LruMap } from '../../collections/lru-map.js';
import { invariant } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { chunkKey, keyKinds, leavesKey, rangeOf, sequenceOfKey } from '../kv/keys.js';
import type { JournalSegment } from '../kv/world-head.js';
import type { KvWriter } from '../kv/writer.js';
import { tuning } from '../tuning.js';
import { cutDigests } from './evidence-leaves.js';
import { StoredChunk } from './journal-chunk.js';

export class ChunkCache {
  readonly #store: KvWriter;
  readonly #chunks = new LruMap<string, StoredChunk>({ entriesMax: tuning.decodedChunksMax });

  constructor(store: KvWriter) {
    this.#store = store;
  }

  /** KvWriter.decoded. */
  decoded<T>(decode: () => T): T {
    return this.#store.decoded('a journal', decode);
  }

  /** The chunk of `journal` that holds `sequence`. */
  find(journal: number, sequence: number): StoredChunk {
    for (const name of this.#chunks.keys()) {
      const chunk = this.#chunks.peek(name) as StoredChunk;
      if (sequence < chunk.firstSequence || sequence >= chunk.firstSequence + chunk.entryCount || name !== nameOf(journal, chunk)) continue;
      return this.#chunks.get(name) as StoredChunk;
    }
    const end = chunkKey(journal, sequence);
    // Who reads one chunk after the other asks for the first sequence of each.
    const stored = this.#store.get(end) ?? this.#store.last({ start: chunkKey(journal, 0), end })?.value;
    invariant(stored !== undefined, 'every sequence of a journal lies in a chunk');
    const chunk = this.decoded(() => new StoredChunk(stored));
    invariant(sequence < chunk.firstSequence + chunk.entryCount, 'chunks of a journal leave no gap');
    this.#chunks.set(nameOf(journal, chunk), chunk);
    return chunk;
  }

  /** Digests of the leading leaves of a chain, as far as they were stored. */
  storedLeaves(segments: readonly JournalSegment[]): Buffer[] {
    const leaves: (Buffer | undefined)[] = [];
    segments.forEach(([journal], index) => {
      const end = segments[index + 1]?.[1] ?? Number.POSITIVE_INFINITY;
      for (const { key, value } of this.#store.range({ start: leavesKey(journal, 0), end: rangeOf(keyKinds.leaves, journal).end })) {
        let leaf = sequenceOfKey(key);
        for (const digest of cutDigests(value)) {
          // What another journal of the chain holds beyond its part of it was overtaken by a reset.
          if ((leaf + 1) * limits.evidenceLeafEntries < end) leaves[leaf] = digest;
          leaf++;
        }
      }
    });
    // The list has holes where a run of digests was not stored.
    const whole: Buffer[] = [];
    for (const leaf of leaves) {
      if (leaf === undefined) break;
      whole.push(leaf);
    }
    return whole;
  }
}

export function segmentOf(segments: readonly JournalSegment[], sequence: number): number {
  for (let index = segments.length - 1; index >= 0; index--) {
    const [journal, from] = segments[index] as JournalSegment;
    if (from <= sequence) return journal;
  }
  throw new RangeError('sequences begin at 1');
}

const nameOf = (journal: number, chunk: StoredChunk): string => `${journal}/${chunk.firstSequence}`;
