// The snapshots of one world: copies of its head, found by id or by where they lie on its journal. The origin, with the empty id, is
// the first: what a whole reset goes back to.
import { segmentOf } from '../journal/journal-reader.js';
import { snapshotIdOfKey, snapshotKey, snapshotRange } from '../kv/keys.js';
import type { KvView } from '../kv/view.js';
import { decodeHead, encodeHead, type JournalSegment, type WorldHead } from '../kv/world-head.js';
import type { WorldVersion, WriteSet } from '../kv/write-set.js';

export const originId = '';

export class Snapshots {
  readonly #view: KvView;
  readonly #worldId: string;

  constructor(view: KvView, worldId: string) {
    this.#view = view;
    this.#worldId = worldId;
  }

  get(snapshotId: string): WorldHead | undefined {
    const bytes = this.#view.get(snapshotKey(this.#worldId, snapshotId));
    return bytes === undefined ? undefined : decodeHead(bytes);
  }
  /** All but the origin. */
  ids(): string[] {
    return [...this.#view.keys(snapshotRange(this.#worldId))].map(snapshotIdOfKey).filter((snapshotId) => snapshotId !== originId);
  }
  put(set: WriteSet, snapshotId: string, head: WorldHead, version: WorldVersion): void {
    set.put(snapshotKey(this.#worldId, snapshotId), encodeHead(head, version));
    set.refer(head.layers, 1);
  }

  /** What the world had stored when the last of its snapshots was taken; 0 without any. */
  storedBytes(): number {
    let most = 0;
    for (const { key, value } of this.#view.range(snapshotRange(this.#worldId))) {
      if (snapshotIdOfKey(key) !== originId) most = Math.max(most, decodeHead(value).storedBytes ?? 0);
    }
    return most;
  }

  /** The latest one of a journal at or below a sequence. The origin lies below everything that can be asked for. */
  before(sequence: number, journal: { segments: readonly JournalSegment[]; sequence: number }): WorldHead | undefined {
    let best: WorldHead | undefined;
    for (const head of this.#heads()) {
      if (head.sequence > Math.min(sequence, journal.sequence) || !isOn(head, journal.segments)) continue;
      if (best === undefined || head.sequence >= best.sequence) best = head;
    }
    return best ?? this.get(originId);
  }

  /** Journals of a chain that is left, each from the first sequence that neither the new chain nor any snapshot reads. */
  abandoned(
    left: readonly JournalSegment[],
    next: { segments: readonly JournalSegment[]; sequence: number },
  ): [journal: number, from: number][] {
    const needed = new Map<number, number>();
    for (const { segments, sequence } of [next, ...this.#heads()]) {
      segments.forEach(([journal], index) => {
        const through = (segments[index + 1]?.[1] ?? sequence + 1) - 1;
        needed.set(journal, Math.max(needed.get(journal) ?? 0, through));
      });
    }
    return left.map(([journal]) => [journal, needed.has(journal) ? (needed.get(journal) as number) + 1 : 0]);
  }

  *#heads(): Generator<WorldHead> {
    for (const { value } of this.#view.range(snapshotRange(this.#worldId))) yield decodeHead(value);
  }
}

/** Whether a snapshot's journal is a prefix of a chain: journals are shared by prefix only, so its last entry decides. */
function isOn(head: WorldHead, segments: readonly JournalSegment[]): boolean {
  return head.sequence === 0 || segmentOf(head.segments, head.sequence) === segmentOf(segments, head.sequence);
}
