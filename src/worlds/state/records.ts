// The synthetic state of one world: rows of packages through two layers, its own changes (with tombstones) over an immutable base.
// Owns the rows in memory and what is uncommitted. Every change drafts its state_change entry; a turn's changes can be undone.
//   RECORDS-1. `#undo` holds, for each change of the turn, what the row was before.
import type { JsonObject } from '../../contract/json.js';
import type { Journal } from '../journal/journal.js';
import { rowKey } from '../kv/keys.js';
import { compareNames, type SpaceName, spaceKey } from '../kv/space-name.js';
import type { SpaceRecord } from '../kv/world-head.js';
import type { WriteSet } from '../kv/write-set.js';
import { tuning } from '../tuning.js';
import type { Base, ParseRow } from './base.js';
import type { Layers } from './layers.js';
import { Row, Space } from './space.js';
import { namespaceDigest, placeOf, rowLinePrefix, SpaceDigests, stateDigest } from './state-hash.js';

export interface RowView {
  rowId: string;
  value: JsonObject;
}
export interface RowPage {
  /** Exclusive. */
  afterRowId?: string | undefined;
  limit: number;
}

const tombstone = Buffer.alloc(0);

interface Change {
  space: Space;
  row: Row;
  text: string | null;
  value: JsonObject | undefined;
  serial: number;
  textIndex: number;
}

export class Records {
  readonly #base: Base;
  readonly #layers: Layers;
  readonly #journal: Journal;
  readonly #parse: ParseRow;
  #spaces: Space[] = [];
  readonly #byName = new Map<string, Space>();
  readonly #undo: Change[] = [];
  #undoLength = 0;
  #cachedRows = 0;
  #cachedChars = 0;

  constructor(
    { base, layers, journal, parse }: { base: Base; layers: Layers; journal: Journal; parse: ParseRow },
    spaces: readonly SpaceRecord[],
  ) {
    this.#base = base;
    this.#layers = layers;
    this.#journal = journal;
    this.#parse = parse;
    this.load(spaces);
  }

  /** Starts over from what is stored. Spaces that callers hold are void. */
  load(spaces: readonly SpaceRecord[]): void {
    this.#spaces = [];
    this.#byName.clear();
    this.#undoLength = this.#cachedRows = this.#cachedChars = 0;
    spaces.forEach(([packageId, instanceId, namespace, count, stored], index) => {
      this.#addSpace(new Space({ packageId, instanceId, namespace }, index, this.#base.spaces[index], { count, isStored: stored === 1 }));
    });
  }

  /** Interned; made at first use. */
  space(packageId: string, instanceId: string, namespace: string): Space {
    const name = { packageId, instanceId, namespace };
    return (
      this.#byName.get(spaceKey(name)) ?? this.#addSpace(new Space(name, this.#spaces.length, undefined, { count: 0, isStored: false }))
    );
  }
  /** All that were named so far, empty ones included. */
  spaces(): readonly Space[] {
    return this.#spaces;
  }
  count(space: Space): number {
    return space.count;
  }

  /** Frozen. */
  get(space: Space, rowId: string): JsonObject | undefined {
    const row = space.rows.get(rowId) ?? (space.isStored ? this.#load(space, rowId) : undefined);
    if (row === undefined) return space.base?.value(rowId);
    const { text } = row;
    if (row.value === undefined && text !== null) row.value = this.#layers.decoded('a row', () => this.#parse(text));
    return row.value;
  }
  text(space: Space, rowId: string): string | undefined {
    const row = space.rows.get(rowId);
    const text = row === undefined ? this.#stored(space, rowId) : row.text;
    return text === undefined ? space.base?.text(rowId) : (text ?? undefined);
  }

  /** In UTF-16 order of rowId. */
  scan(space: Space, { afterRowId, limit }: RowPage): RowView[] {
    const order = this.#orderOf(space);
    let place = afterRowId === undefined ? 0 : placeOf(order, afterRowId);
    if (afterRowId !== undefined && order[place] === afterRowId) place++;
    const end = Math.min(order.length, place + limit);
    const rows: RowView[] = [];
    for (; place < end; place++) {
      const rowId = order[place] as string;
      rows.push({ rowId, value: this.get(space, rowId) as JsonObject });
    }
    return rows;
  }

  /** Drafts the entry, caused by journal.causeSequence. `value` is frozen, `text` its canonical JSON. */
  put(space: Space, rowId: string, value: JsonObject, text: string): void {
    const row = space.rows.get(rowId) ?? this.#admit(space, rowId);
    this.#remember(space, row);
    this.#journal.draftRowChange(space, row, text);
    if (row.text === null) space.changeMembership(rowId, true);
    this.#cachedChars += text.length - (row.text?.length ?? 0);
    row.text = text;
    row.value = value;
    this.#touch(space, row);
  }

  /** False, and no entry, where there is no such row. */
  delete(space: Space, rowId: string): boolean {
    const row = space.rows.get(rowId) ?? this.#admit(space, rowId);
    if (row.text === null) return false;
    this.#remember(space, row);
    this.#journal.draftRowChange(space, row, null);
    space.changeMembership(rowId, false);
    this.#cachedChars -= row.text.length;
    row.text = null;
    row.value = undefined;
    this.#touch(space, row);
    return true;
  }

  /** Sets a row without an entry: what a fold or a fork brings along. */
  restore(space: Space, rowId: string, text: string | null): void {
    const row = space.rows.get(rowId) ?? this.#admit(space, rowId);
    if ((row.text === null) !== (text === null)) space.changeMembership(rowId, text !== null);
    this.#cachedChars += (text?.length ?? 0) - (row.text?.length ?? 0);
    row.text = text;
    row.value = undefined;
    this.#touch(space, row);
  }

  /** Puts every row of the package back to what `origin` has, as state_change entries. */
  resetPackage(packageId: string, origin: Records): void {
    // By name: the order of first use is no part of what a world is, a query may change it.
    for (const space of [...this.#spaces].sort(compareNames)) {
      if (space.packageId !== packageId) continue;
      const before = origin.space(space.packageId, space.instanceId, space.namespace);
      for (const rowId of [...this.changedIds(space)].sort()) {
        const text = origin.text(before, rowId);
        if (text === this.text(space, rowId)) continue;
        if (text === undefined) this.delete(space, rowId);
        else this.put(space, rowId, origin.get(before, rowId) as JsonObject, text);
      }
    }
  }

  beginTurn(): void {
    this.#undoLength = 0;
  }
  rollback(): void {
    while (this.#undoLength > 0) {
      const { space, row, text, value, serial, textIndex } = this.#undo[--this.#undoLength] as Change;
      if ((row.text === null) !== (text === null)) space.changeMembership(row.id, text !== null);
      this.#cachedChars += (text?.length ?? 0) - (row.text?.length ?? 0);
      row.text = text;
      row.value = value;
      row.serial = serial;
      row.textIndex = textIndex;
    }
  }

  /** Puts the rows changed since the last take. */
  takeInto(set: WriteSet): void {
    if (this.#cachedRows > tuning.rowsCachedMax || this.#cachedChars > tuning.rowCharsCachedMax) this.#evict();
    for (const space of this.#spaces) {
      for (const row of space.dirty) {
        row.isDirty = false;
        const key = rowKey(this.#layers.top, space.index, row.id);
        if (row.text !== null) set.put(key, Buffer.from(row.text));
        else if (this.#isBelow(space, row.id)) set.put(key, tombstone);
        else set.remove(key);
      }
      if (space.dirty.length > 0) space.isStored = true;
      space.dirty = [];
    }
    // The kept objects would hold on to rows that are gone.
    this.#undo.length = this.#undoLength = 0;
  }
  spaceRecords(): SpaceRecord[] {
    return this.#spaces.map(({ packageId, instanceId, namespace, count, isStored }) => [
      packageId,
      instanceId,
      namespace,
      count,
      isStored ? 1 : 0,
    ]);
  }
  /** Nothing may be dirty. */
  dropCaches(): void {
    this.load(this.spaceRecords());
  }

  /** Ids of a space that differ, or may differ, from the base. */
  changedIds(space: Space): Set<string> {
    const ids = new Set<string>();
    for (const page of this.#changedIdPages(space)) for (const id of page) ids.add(id);
    return ids;
  }
  *#changedIdPages(space: Space): Generator<string[]> {
    if (space.isStored) yield* this.#layers.rowIdPages(space.index);
    yield space.dirty.map(({ id }) => id);
  }

  *stateHash(sliceOver: () => boolean): Generator<undefined, string> {
    const namespaces: (SpaceName & { digest: string })[] = [];
    for (const space of [...this.#spaces].sort(compareNames)) {
      if (space.count === 0) continue;
      const digests = yield* this.#digestsOf(space, sliceOver);
      const prefix = rowLinePrefix(space);
      while (digests.rehashOne(prefix, (id) => this.text(space, id) as string)) if (sliceOver()) yield;
      const { packageId, instanceId, namespace } = space;
      namespaces.push({ packageId, instanceId, namespace, digest: namespaceDigest(digests) });
    }
    return stateDigest(namespaces);
  }

  /** The base's, until something differs from it; else this world's own, updated with every changed row. */
  *#digestsOf(space: Space, sliceOver: () => boolean): Generator<undefined, SpaceDigests> {
    if (space.digests === undefined && space.base !== undefined && !space.isStored && space.dirty.length === 0) return space.base.digests;
    if (space.digests === undefined) {
      const digests = new SpaceDigests(space.base?.digests);
      for (const page of this.#changedIdPages(space)) {
        for (const id of page) {
          this.#judge(space, digests, id);
          if (sliceOver()) yield;
        }
      }
      space.digests = digests;
    }
    const { digests } = space;
    // What a query between two slices takes from the list is done.
    for (let id = space.stale.pop(); id !== undefined; id = space.stale.pop()) {
      this.#judge(space, digests, id);
      if (sliceOver()) yield;
    }
    return digests;
  }
  #judge(space: Space, digests: SpaceDigests, id: string): void {
    if (this.#isLive(space, id)) digests.admit(id);
    else digests.expel(id);
    const row = space.rows.get(id);
    if (row !== undefined) row.isStale = false;
  }

  #touch(space: Space, row: Row): void {
    if (!row.isDirty) {
      row.isDirty = true;
      space.dirty.push(row);
    }
    if (row.isStale || space.digests === undefined) return;
    row.isStale = true;
    if (space.stale.push(row.id) <= tuning.staleIdsMax) return;
    this.#forgetDigests(space);
  }
  #forgetDigests(space: Space): void {
    space.digests = undefined;
    space.stale = [];
    for (const row of space.rows.values()) row.isStale = false;
  }

  /** Objects are made once and used again: a turn's undo costs no garbage. */
  #remember(space: Space, row: Row): void {
    const change = this.#undo[this.#undoLength++];
    if (change === undefined)
      this.#undo.push({ space, row, text: row.text, value: row.value, serial: row.serial, textIndex: row.textIndex });
    else {
      change.space = space;
      change.row = row;
      change.text = row.text;
      change.value = row.value;
      change.serial = row.serial;
      change.textIndex = row.textIndex;
    }
  }

  /** Into the cache, from a layer; undefined where no layer knows it. */
  #load(space: Space, rowId: string): Row | undefined {
    const text = this.#layers.row(space.index, rowId);
    return text === undefined ? undefined : this.#keep(space, new Row(rowId, text));
  }
  /** Its text alone, kept while the cache is not full: a hash reads all rows and must not keep them. */
  #stored(space: Space, rowId: string): string | null | undefined {
    if (!space.isStored) return undefined;
    const text = this.#layers.row(space.index, rowId);
    const isKept = text !== undefined && this.#cachedRows < tuning.rowsCachedMax && this.#cachedChars < tuning.rowCharsCachedMax;
    if (isKept) this.#keep(space, new Row(rowId, text));
    return text;
  }
  /** Into the cache, wherever it is, even nowhere. */
  #admit(space: Space, rowId: string): Row {
    const stored = space.isStored ? this.#layers.row(space.index, rowId) : undefined;
    const row = new Row(rowId, stored === undefined ? (space.base?.text(rowId) ?? null) : stored);
    return this.#keep(space, row);
  }
  #keep(space: Space, row: Row): Row {
    space.rows.set(row.id, row);
    this.#cachedRows++;
    this.#cachedChars += row.text?.length ?? 0;
    return row;
  }
  #evict(): void {
    this.#cachedRows = this.#cachedChars = 0;
    for (const space of this.#spaces) {
      const kept = space.dirty;
      space.rows = new Map();
      for (const row of kept) this.#keep(space, row);
      space.setOrder(undefined, false);
    }
  }

  #isBelow(space: Space, rowId: string): boolean {
    return space.base?.has(rowId) === true || (space.isStored && this.#layers.hasBelow(space.index, rowId));
  }

  #orderOf(space: Space): readonly string[] {
    if (space.order !== undefined) return space.order;
    const base = space.base?.ids ?? [];
    const changed = this.changedIds(space);
    if (changed.size === 0) space.setOrder(base, false);
    else {
      const live = [...changed].filter((id) => this.#isLive(space, id)).sort();
      const ids = base.filter((id) => !changed.has(id));
      // Two sorted runs: the sort merges them in one pass.
      space.setOrder(ids.length === 0 ? live : ids.concat(live).sort(), true);
    }
    return space.order as unknown as readonly string[];
  }
  #isLive(space: Space, rowId: string): boolean {
    const row = space.rows.get(rowId);
    if (row !== undefined) return row.text !== null;
    return (space.isStored ? this.#layers.isLive(space.index, rowId) : undefined) ?? space.base?.has(rowId) === true;
  }

  #addSpace(space: Space): Space {
    this.#spaces.push(space);
    this.#byName.set(spaceKey(space), space);
    return space;
  }
}
