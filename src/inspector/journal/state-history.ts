// Which rows a journal changed, and when: with it the state right after any entry is a look-up, and no fold over what came before.
//   STATE-HISTORY-1. The entry that made a row what it is at n is the last one of that row's not after n: found by bisection.
// A space knows its rows at the start and, of each change, entry, row and kind. Values stay in the journal.
import { type Growing, growingBytes, growingIntegers } from '../../collections/growing.js';
import type { JsonObject } from '../../contract/json.js';
import type { StatePatch } from '../../contract/world/scenario.js';
import type { NamespaceView } from '../../contract/world/world-protocol.js';
import { compareTexts } from '../../text/compare-texts.js';

export type Change = 'insert' | 'update' | 'delete';
const [inserted, updated, deleted] = [0, 1, 2];
const changeNames: readonly Change[] = ['insert', 'update', 'delete'];
const changeCodes: { [change: string]: number } = { insert: inserted, update: updated, delete: deleted };

/** What a row is at a moment: as the start has it, or as an entry left it. */
export type RowAt = { rowId: string; value: JsonObject } | { rowId: string; sequence: number };

/** Rows after one, and not before an id. */
export interface RowsPart {
  afterRowId: string | undefined;
  from: string;
}
export interface HistorySpace {
  packageId: string;
  instanceId: string;
  namespace: string;
}

export class StateHistory {
  readonly #spaces = new Map<string, Space>();

  /** `start`: applied once, in order. */
  constructor(start: readonly StatePatch[]) {
    for (const patch of start) {
      const { packageId, instanceId = packageId, namespace, rowId } = patch;
      const space = this.#space({ packageId, instanceId, namespace });
      if (patch.action === 'upsert') space.start.set(rowId, patch.value);
      else space.start.delete(rowId);
    }
  }

  /** In the order of the journal. */
  add(name: HistorySpace, change: { rowId: string; sequence: number; change: string }): void {
    this.#space(name).add(change);
  }

  namespacesAt(sequence: number): NamespaceView[] {
    const views = [...this.#spaces.values()].map((space) => ({ ...space.name, rowCount: space.countAt(sequence) }));
    return views.filter(({ rowCount }) => rowCount > 0).sort(byName);
  }

  /** Rows in order of their ids. */
  *rowsAt(name: HistorySpace, sequence: number, part: RowsPart): Generator<RowAt> {
    const space = this.#spaces.get(keyOf(name));
    if (space !== undefined) yield* space.rowsAt(sequence, part);
  }

  /** Every change of one row, in order. */
  changesOf(name: HistorySpace, rowId: string): { sequence: number; change: Change }[] {
    return this.#spaces.get(keyOf(name))?.changesOf(rowId) ?? [];
  }

  #space(name: HistorySpace): Space {
    const key = keyOf(name);
    let space = this.#spaces.get(key);
    if (space === undefined) {
      space = new Space(name);
      this.#spaces.set(key, space);
    }
    return space;
  }
}

const keyOf = ({ packageId, instanceId, namespace }: HistorySpace): string => `${packageId}\n${instanceId}\n${namespace}`;
const byName = (left: HistorySpace, right: HistorySpace): number => compareTexts(keyOf(left), keyOf(right));

class Space {
  readonly name: HistorySpace;
  readonly start = new Map<string, JsonObject>();
  readonly #rowNumbers = new Map<string, number>();
  readonly #rowIds: string[] = [];
  // One value a change.
  readonly #sequences = growingIntegers();
  readonly #rows = growingIntegers();
  readonly #kinds = growingBytes();
  /** Rows there are after it, less those of the start. */
  readonly #balances = growingIntegers();
  #order: RowOrder | undefined;

  constructor(name: HistorySpace) {
    this.name = name;
  }

  add({ rowId, sequence, change }: { rowId: string; sequence: number; change: string }): void {
    let row = this.#rowNumbers.get(rowId);
    if (row === undefined) {
      row = this.#rowIds.push(rowId) - 1;
      this.#rowNumbers.set(rowId, row);
    }
    const kind = changeCodes[change] ?? updated;
    const before = this.#balances.length === 0 ? 0 : this.#balances.at(this.#balances.length - 1);
    this.#sequences.push(sequence);
    this.#rows.push(row);
    this.#kinds.push(kind);
    this.#balances.push(before + (kind === inserted ? 1 : kind === deleted ? -1 : 0));
    this.#order = undefined;
  }

  countAt(sequence: number): number {
    const changes = this.#sequences.firstNotBelow(sequence + 1);
    return this.start.size + (changes === 0 ? 0 : this.#balances.at(changes - 1));
  }

  changesOf(rowId: string): { sequence: number; change: Change }[] {
    this.#order ??= this.#ordered();
    const row = this.#rowNumbers.get(rowId);
    if (row === undefined) return [];
    return Array.from(this.#order.changesOf(row), (change) => ({
      sequence: this.#sequences.at(change),
      change: changeNames[this.#kinds.at(change)] as Change,
    }));
  }

  *rowsAt(sequence: number, { afterRowId, from }: RowsPart): Generator<RowAt> {
    this.#order ??= this.#ordered();
    const { rowIds, changesOf } = this.#order;
    const first = firstThat(rowIds, (rowId) => rowId >= from && (afterRowId === undefined || rowId > afterRowId));
    for (let index = first; index < rowIds.length; index++) {
      const rowId = rowIds[index] as string;
      const row = this.#rowNumbers.get(rowId);
      const change = row === undefined ? undefined : lastChange(this.#sequences, changesOf(row), sequence);
      if (change === undefined) {
        const value = this.start.get(rowId);
        if (value !== undefined) yield { rowId, value };
      } else if (this.#kinds.at(change) !== deleted) yield { rowId, sequence: this.#sequences.at(change) };
    }
  }

  /** Changes grouped by row: made when they are first asked for after the journal has grown. */
  #ordered(): RowOrder {
    const rows = this.#rows.values();
    const ends = new Int32Array(this.#rowIds.length + 1);
    for (const row of rows) (ends[row + 1] as number)++;
    for (let row = 0; row < this.#rowIds.length; row++) (ends[row + 1] as number) += ends[row] as number;
    const places = ends.slice();
    const changes = new Int32Array(rows.length);
    for (let change = 0; change < rows.length; change++) changes[(places[rows[change] as number] as number)++] = change;
    const rowIds = [...new Set([...this.start.keys(), ...this.#rowIds])].sort();
    return { rowIds, changesOf: (row) => changes.subarray(ends[row], ends[row + 1]) };
  }
}

interface RowOrder {
  rowIds: string[];
  changesOf(row: number): Int32Array;
}

function lastChange(sequences: Growing<Int32Array<ArrayBuffer>>, changes: Int32Array, sequence: number): number | undefined {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sequences.at(changes[middle] as number) <= sequence) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? undefined : changes[low - 1];
}

/** Of ids in order, of which those that fit are the last ones. */
function firstThat(rowIds: readonly string[], fits: (rowId: string) => boolean): number {
  let low = 0;
  let high = rowIds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fits(rowIds[middle] as string)) high = middle;
    else low = middle + 1;
  }
  return low;
}
