// The snapshots of one world: copies of its head, found by id or by where they lie on its journal. The origin, with the empty id, is
// the first: what a whole reset goes back to.
import { invariant, ServiceError } from '../../contract/errors.js';
import { segmentOf } from '../journal/journal-reader.js';
import { keyKinds, snapshotIdOfKey, snapshotKey, snapshotRange } from '../kv/keys.js';
import type { KvView } from '../kv/view.js';
import { decodeHead, encodeHead, type JournalSegment, type WorldHead } from '../kv/world-head.js';
import type { WorldVersion, WriteSet } from '../kv/write-set.js';
import { layersOf } from './world-blobs.js';

export const originId = '';
/** Stands at the key of a snapshot that was deleted, so that its id is not minted again. */
const deleted = Buffer.alloc(0);

export class Snapshots {
  readonly #view: KvView;
  readonly #worldId: string;

  constructor(view: KvView, worldId: string) {
    this.#view = view;
    this.#worldId = worldId;
  }

  get(snapshotId: string): WorldHead | undefined {
    const bytes = this.#view.get(snapshotKey(this.#worldId, snapshotId));
    return bytes === undefined || bytes.length === 0 ? undefined : decodeHead(bytes);
  }
  /** Throws control.NOT_FOUND. */
  require(snapshotId: string): WorldHead {
    const head = this.get(snapshotId);
    if (head !== undefined) return head;
    throw new ServiceError('control.NOT_FOUND', { message: 'There is no such snapshot.', details: { snapshotId } });
  }
  /** All that were ever taken, but the origin: ids are counted by them. */
  ids(): string[] {
    return [...this.#view.keys(snapshotRange(this.#worldId))].map(snapshotIdOfKey).filter((snapshotId) => snapshotId !== originId);
  }
  put(set: WriteSet, snapshotId: string, head: WorldHead, version: WorldVersion): void {
    set.put(snapshotKey(this.#worldId, snapshotId), encodeHead(head, version));
    set.refer(layersOf(head), 1);
  }

  /** What only it kept goes with the commit. `live`: what the world continues with. */
  delete(set: WriteSet, snapshotId: string, live: { segments: readonly JournalSegment[]; sequence: number }): void {
    const head = this.get(snapshotId);
    invariant(head !== undefined && snapshotId !== originId, 'a snapshot that is deleted exists and is not the origin');
    const key = snapshotKey(this.#worldId, snapshotId);
    set.put(key, deleted);
    set.refer(layersOf(head), -1);
    const written = live.segments.at(-1)?.[0];
    for (const [journal, from] of this.abandoned(head.segments, live, snapshotId)) {
      if (journal === written) continue;
      set.doom(keyKinds.chunk, journal, from);
      if (from === 0) set.doom(keyKinds.leaves, journal, 0);
    }
  }

  /** What the world had stored when the last of its snapshots was taken; 0 without any. */
  storedBytes(): number {
    let most = 0;
    for (const { key, value } of this.#view.range(snapshotRange(this.#worldId))) {
      if (snapshotIdOfKey(key) !== originId && value.length > 0) most = Math.max(most, decodeHead(value).storedBytes ?? 0);
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

  /** Journals of a chain that is left, each from the first sequence that neither the new chain nor any snapshot (`without` one) reads. */
  abandoned(
    left: readonly JournalSegment[],
    next: { segments: readonly JournalSegment[]; sequence: number },
    without?: string,
  ): [journal: number, from: number][] {
    const needed = new Map<number, number>();
    for (const { segments, sequence } of [next, ...this.#heads(without)]) {
      segments.forEach(([journal], index) => {
        const through = (segments[index + 1]?.[1] ?? sequence + 1) - 1;
        needed.set(journal, Math.max(needed.get(journal) ?? 0, through));
      });
    }
    return left.map(([journal]) => [journal, needed.has(journal) ? (needed.get(journal) as number) + 1 : 0]);
  }

  *#heads(without?: string): Generator<WorldHead> {
    for (const { key, value } of this.#view.range(snapshotRange(this.#worldId))) {
      if (value.length > 0 && snapshotIdOfKey(key) !== without) yield decodeHead(value);
    }
  }
}

/** Whether a snapshot's journal is a prefix of a chain: journals are shared by prefix only, so its last entry decides. */
function isOn(head: WorldHead, segments: readonly JournalSegment[]): boolean {
  return head.sequence === 0 || segmentOf(head.segments, head.sequence) === segmentOf(segments, head.sequence);
}
