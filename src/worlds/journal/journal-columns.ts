// The open chunk of a journal: drafted entries as columns, the form in which they are stored. Nothing is an object per entry, and a
// turn that fails is undone by setting the counts back. Why: docs/decisions/003.
//   JOURNAL-COLUMNS-1. A text's index never changes; -1 is no text. Shapes survive a rollback: one too many does no harm.
// `cells` holds 6 numbers an entry, `turnCells` 3 a turn; their meaning stands here once, for the writer and the readers.
import { tuning } from '../tuning.js';
import type { LineBytes } from './line-bytes.js';

export const stateChangeKind = 1;
export const eventKind = 2;
export const changes = ['insert', 'update', 'delete'] as const;

export const cellsPerEntry = 6;
/**
 * [0] kind, above it (bits 4 and up) the change of a state_change, or 1 for an event with an error.
 * state_change: [1] shape of the space, [2] after, [3] before, [4] rowId as JSON. event: [1] shape, [2] payload (the error's text
 * follows it), [3] place in `numbers` of scheduledForUs, [4] scheduling ordinal, -1 for none. Others: [2] segments (entry-draft.ts).
 * [5] how far back the cause lies; 0: none.
 */
export const cell = { head: 0, shape: 1, text: 2, second: 3, third: 4, cause: 5 } as const;
export const cellsPerTurn = 3;
export const turnCell = { entries: 0, correlation: 1, side: 2 } as const;

/** What never varies about many entries; its text is in the chunk once. */
export interface JournalShape {
  readonly shapeText: string;
  /** Of the columns that `shapeIndex` is of. */
  shapeSerial: number;
  shapeIndex: number;
}
/** What the journal must know of a row so that neither its id nor its text is written twice in a chunk. */
export interface JournalRow {
  readonly id: string;
  text: string | null;
  /** Of the columns that `idIndex`, and `textIndex` where `text` is not null, are of. */
  serial: number;
  idIndex: number;
  textIndex: number;
}
/** Read access to a chunk, open or stored. */
export interface ChunkView {
  readonly firstSequence: number;
  readonly firstTransaction: number;
  readonly entryCount: number;
  readonly turnCount: number;
  readonly cells: Int32Array;
  readonly turnCells: Int32Array;
  readonly times: Float64Array;
  readonly numbers: ArrayLike<number>;
  text(index: number): string;
  putText(index: number, into: LineBytes): void;
  shape(index: number): string;
}

let serials = 0;

export class Columns implements ChunkView {
  serial = 0;
  firstSequence = 0;
  firstTransaction = 0;
  entryCount = 0;
  turnCount = 0;
  cells = new Int32Array(cellsPerEntry * tuning.columnEntriesMin);
  turnCells = new Int32Array(cellsPerTurn * tuning.columnEntriesMin);
  times = new Float64Array(tuning.columnEntriesMin);
  texts: string[] = [];
  numbers: number[] = [];
  shapes: string[] = [];
  /** Of all texts. */
  chars = 0;
  #markChars = 0;
  #markEntries = 0;
  #markTexts = 0;
  #markNumbers = 0;

  open(firstSequence: number, firstTransaction: number): void {
    this.serial = ++serials;
    this.firstSequence = firstSequence;
    this.firstTransaction = firstTransaction;
    this.entryCount = this.turnCount = this.chars = 0;
    this.texts = [];
    this.numbers = [];
    this.shapes = [];
    this.mark();
  }

  text(index: number): string {
    return this.texts[index] as string;
  }
  putText(index: number, into: LineBytes): void {
    into.putText(this.texts[index] as string);
  }
  shape(index: number): string {
    return this.shapes[index] as string;
  }

  mark(): void {
    this.#markEntries = this.entryCount;
    this.#markChars = this.chars;
    this.#markTexts = this.texts.length;
    this.#markNumbers = this.numbers.length;
  }
  rollback(): void {
    this.entryCount = this.#markEntries;
    this.chars = this.#markChars;
    this.texts.length = this.#markTexts;
    this.numbers.length = this.#markNumbers;
  }
  get turnEntries(): number {
    return this.entryCount - this.#markEntries;
  }

  addText(text: string): number {
    this.chars += text.length;
    return this.texts.push(text) - 1;
  }
  shapeOf(shape: JournalShape): number {
    if (shape.shapeSerial !== this.serial) {
      shape.shapeSerial = this.serial;
      shape.shapeIndex = this.shapes.push(shape.shapeText) - 1;
    }
    return shape.shapeIndex;
  }

  addEntry(head: number, shape: number, text: number, second: number, third: number, cause: number): void {
    let at = this.entryCount++ * cellsPerEntry;
    if (at === this.cells.length) this.cells = grown(this.cells);
    const { cells } = this;
    cells[at++] = head;
    cells[at++] = shape;
    cells[at++] = text;
    cells[at++] = second;
    cells[at++] = third;
    cells[at] = cause;
  }

  addRowChange(shape: JournalShape, row: JournalRow, after: string | null, cause: number): void {
    const before = row.text;
    let beforeIndex = -1;
    if (row.serial !== this.serial) {
      row.serial = this.serial;
      row.idIndex = this.addText(JSON.stringify(row.id));
      if (before !== null) beforeIndex = this.addText(before);
    } else if (before !== null) beforeIndex = row.textIndex;
    const change = before === null ? 0 : after === null ? 2 : 1;
    row.textIndex = after === null ? -1 : this.addText(after);
    this.addEntry(stateChangeKind | (change << 4), this.shapeOf(shape), row.textIndex, beforeIndex, row.idIndex, cause);
  }

  endTurn(virtualTimeUs: number, correlationOrdinal: number, side: string | undefined): void {
    const turn = this.turnCount++;
    let at = turn * cellsPerTurn;
    if (at === this.turnCells.length) this.turnCells = grown(this.turnCells);
    if (turn === this.times.length) this.times = grownTimes(this.times);
    this.times[turn] = virtualTimeUs;
    this.turnCells[at++] = this.turnEntries;
    this.turnCells[at++] = correlationOrdinal;
    this.turnCells[at] = side === undefined ? -1 : this.addText(side);
    this.mark();
  }
}

// Columns are lent from journal to journal: a world that writes nothing holds none. Few need to be large, but all worlds of a tick may be
// writing a little at once, and typed arrays are dear to make.
const smallCells = cellsPerEntry * tuning.smallColumnEntries;
const spares: Columns[] = [];
const largeSpares: Columns[] = [];

export function borrowColumns(firstSequence: number, firstTransaction: number): Columns {
  const columns = spares.pop() ?? largeSpares.pop() ?? new Columns();
  columns.open(firstSequence, firstTransaction);
  return columns;
}
export function returnColumns(columns: Columns): void {
  columns.open(0, 0);
  const isSmall = columns.cells.length <= smallCells;
  const pool = isSmall ? spares : largeSpares;
  if (pool.length < (isSmall ? tuning.spareColumnsMax : tuning.largeSpareColumnsMax)) pool.push(columns);
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
function grownTimes(array: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(array.length * 2);
  larger.set(array);
  return larger;
}
