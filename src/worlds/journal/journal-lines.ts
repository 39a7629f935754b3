// Canonical lines from columns: RFC 8785 JSON of each entry, byte for byte canonicalJson(entry) and a newline, made from templates,
// because the shapes are fixed. Half of the time goes into making ropes flat, so what repeats in a chunk is flat and joined once.
import { limits } from '../../contract/limits.js';
import { evidenceKinds } from '../../contract/world/evidence.js';
import { ordinalText } from '../kv/minted-ids.js';
import { tuning } from '../tuning.js';
import { type ChunkView, cell, cellsPerEntry, cellsPerTurn, changes, eventKind, stateChangeKind, turnCell } from './journal-columns.js';
import { eventText, spaceText } from './journal-shapes.js';

/**
 * The lines of the entries `from` to `to` (inclusive, all in this chunk), each ended by a newline, in pieces. `each`: a piece a line, and
 * no more of them once `write` says false.
 */
export function writeLines(
  chunk: ChunkView,
  tag: string,
  { from, to, each = false }: { from: number; to: number; each?: boolean },
  write: (piece: string) => unknown,
): void {
  const { turnCells, times } = chunk;
  const lines = new Lines(chunk, tag);
  let piece = '';
  const entries = each ? 1 : tuning.linePieceEntries;
  let pieceEnd = from + entries;
  let first = chunk.firstSequence;
  for (let turn = 0; turn < chunk.turnCount && first <= to; turn++) {
    const at = turn * cellsPerTurn;
    const size = turnCells[at + turnCell.entries] as number;
    if (first + size > from) {
      lines.correlate(turnCells[at + turnCell.correlation] as number);
      const transaction = `"transactionId":"txn_${tag}${ordinalText(chunk.firstTransaction + turn)}","transactionIndex":`;
      const end = `,"transactionSize":${size},`;
      const time = `"virtualTimeUs":${times[turn]}}\n`;
      const last = Math.min(to, first + size - 1);
      for (let sequence = Math.max(from, first); sequence <= last; sequence++) {
        // By length too: rows may be large, and a text has an end.
        if (sequence === pieceEnd || piece.length >= limits.evidencePieceChars) {
          if (write(piece) === false) return;
          piece = '';
          pieceEnd = sequence + entries;
        }
        piece += lines.line(sequence, transaction + (sequence - first) + end, time);
      }
    }
    first += size;
  }
  if (piece !== '') write(piece);
}

const changeText = changes.map((change) => `"change":"${change}",`);

/** Lines of one chunk; the parts that entries of one correlation share are remembered by kind and shape. */
class Lines {
  readonly #chunk: ChunkView;
  readonly #tag: string;
  #ordinal = -1;
  #correlation = '';
  #parts: string[] = [];

  constructor(chunk: ChunkView, tag: string) {
    this.#chunk = chunk;
    this.#tag = tag;
  }

  correlate(ordinal: number): void {
    if (ordinal === this.#ordinal) return;
    this.#ordinal = ordinal;
    this.#correlation = `"correlationId":"corr_${this.#tag}${ordinalText(ordinal)}",`;
    this.#parts = [];
  }

  line(sequence: number, transaction: string, time: string): string {
    const chunk = this.#chunk;
    const { cells } = chunk;
    const place = (sequence - chunk.firstSequence) * cellsPerEntry;
    const head = cells[place + cell.head] as number;
    const back = cells[place + cell.cause] as number;
    const cause = back === 0 ? '' : `"causeSequence":${sequence - back},`;
    switch (head & 15) {
      case stateChangeKind: {
        const middle = this.#stateChange(cells[place + cell.shape] as number, head >> 4);
        const after = this.#textOrNull(cells[place + cell.text] as number);
        const before = this.#textOrNull(cells[place + cell.second] as number);
        const rowId = chunk.text(cells[place + cell.third] as number);
        return `{"after":${after},"before":${before},${cause}${middle}${rowId},"schemaVersion":1,"sequence":${sequence},${transaction}${time}`;
      }
      case eventKind:
        return this.#event(place, cause, sequence, transaction + time);
      default: {
        const segments = chunk.text(cells[place + cell.text] as number).split('\n');
        return `{${segments[0]}${cause}${segments[1]}${this.#correlation}${segments[2]}"kind":"${evidenceKinds[head & 15]}",${segments[3]}"schemaVersion":1,"sequence":${sequence},${segments[4]}${transaction}${segments[5]}${time}`;
      }
    }
  }

  #event(place: number, cause: string, sequence: number, end: string): string {
    const chunk = this.#chunk;
    const { cells } = chunk;
    const shapeIndex = cells[place + cell.shape] as number;
    const shape = eventText(chunk.shape(shapeIndex));
    const payload = cells[place + cell.text] as number;
    const hasError = (cells[place + cell.head] as number) >> 4 !== 0;
    const begin = hasError
      ? `${this.#correlation}"error":${chunk.text(payload + 1)},${shape.head}`
      : this.#eventHead(shapeIndex, shape.head);
    const ordinal = cells[place + cell.third] as number;
    const scheduled =
      ordinal === -1
        ? ''
        : `"scheduledEventId":"pending_${this.#tag}${ordinalText(ordinal)}","scheduledForUs":${chunk.numbers[cells[place + cell.second] as number]},`;
    return `{${cause}${begin}${chunk.text(payload)}${shape.phase}${scheduled}"schemaVersion":1,"sequence":${sequence},${shape.subscription}${end}`;
  }

  #stateChange(shape: number, change: number): string {
    const key = shape * 4 + change;
    this.#parts[key] ??= flat(`${changeText[change]}${this.#correlation}${spaceText(this.#chunk.shape(shape))}`);
    return this.#parts[key];
  }
  #eventHead(shape: number, head: string): string {
    const key = shape * 4 + 3;
    this.#parts[key] ??= flat(this.#correlation + head);
    return this.#parts[key];
  }

  #textOrNull(index: number): string {
    return index === -1 ? 'null' : this.#chunk.text(index);
  }
}

/** Looking at a character makes V8 join the parts of a string for good. */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}
