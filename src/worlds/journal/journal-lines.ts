// Canonical lines from columns: RFC 8785 JSON of each entry, byte for byte canonicalJson(entry) and a newline, made from templates,
// because the shapes are fixed. They are bytes from the first: as texts, half of the time went into making V8's ropes flat.
import { evidenceKinds } from '../../contract/world/evidence.js';
import { tuning } from '../tuning.js';
import { type ChunkView, cell, cellsPerEntry, cellsPerTurn, changes, eventKind, stateChangeKind, turnCell } from './journal-columns.js';
import { type EventBytes, eventBytes, spaceBytes } from './journal-shapes.js';
import { LineBytes } from './line-bytes.js';

/** What lines are put together in, one piece at a time. */
const gathered = new LineBytes();
const segmented = new LineBytes();

/**
 * The lines of the entries `from` to `to` (inclusive, all in this chunk), each ended by a newline, in pieces whose bytes are good until
 * `write` returns; it asks for no lines itself. `each`: a piece a line, and no more of them once `write` says false.
 */
export function writeLines(
  chunk: ChunkView,
  tag: string,
  { from, to, each = false }: { from: number; to: number; each?: boolean },
  write: (piece: Buffer) => unknown,
): void {
  const { turnCells } = chunk;
  const lines = new Lines(chunk, tag);
  const pieceBytes = each ? 1 : tuning.linePieceBytes;
  gathered.clear();
  let first = chunk.firstSequence;
  for (let turn = 0; turn < chunk.turnCount && first <= to; turn++) {
    const size = turnCells[turn * cellsPerTurn + turnCell.entries] as number;
    if (first + size > from) {
      const last = Math.min(to, first + size - 1);
      for (let sequence = Math.max(from, first); sequence <= last; sequence++) {
        if (gathered.length >= pieceBytes) {
          if (write(gathered.view()) === false) return;
          gathered.clear();
        }
        lines.put(sequence, turn, sequence - first);
      }
    }
    first += size;
  }
  if (gathered.length > 0) write(gathered.view());
}

/** What stands between the members that vary. */
const text = {
  begin: Buffer.from('{'),
  beginCause: Buffer.from('{"causeSequence":'),
  cause: Buffer.from('"causeSequence":'),
  commaCause: Buffer.from(',"causeSequence":'),
  comma: Buffer.from(','),
  null: Buffer.from('null'),
  correlation: '"correlationId":"corr_',
  idEnd: Buffer.from('",'),
  error: Buffer.from('","error":'),
  scheduled: '"scheduledEventId":"pending_',
  scheduledFor: Buffer.from('","scheduledForUs":'),
  sequence: Buffer.from('"schemaVersion":1,"sequence":'),
  commaSequence: Buffer.from(',"schemaVersion":1,"sequence":'),
  transaction: '"transactionId":"txn_',
  index: Buffer.from('","transactionIndex":'),
  size: Buffer.from(',"transactionSize":'),
  time: Buffer.from('"virtualTimeUs":'),
  end: Buffer.from('}\n'),
  after: Buffer.from('{"after":'),
  before: Buffer.from(',"before":'),
};
const newline = 10;
const kindBytes = evidenceKinds.map((kind) => Buffer.from(`"kind":"${kind}",`));

/** From after a transaction's id to before its time, by the number of its entries and the index of one. */
const places: Buffer[] = [];
function putPlaceAndTime(index: number, size: number): void {
  if (size > tuning.placesKept) {
    putPlace(index, size);
    gathered.put(text.time);
    return;
  }
  const key = size * tuning.placesKept + index;
  places[key] ??= Buffer.from(`${text.index}${index}${text.size}${size},${text.time}`);
  gathered.put(places[key]);
}
function putPlace(index: number, size: number): void {
  gathered.put(text.index);
  gathered.putInteger(index);
  gathered.put(text.size);
  gathered.putInteger(size);
  gathered.put(text.comma);
}

/** An event's shape with what else never varies in a chunk. */
interface EventParts {
  readonly shape: EventBytes;
  /** After the payload, where it was scheduled. */
  readonly scheduled: Buffer;
  readonly transaction: Buffer;
}

/** Lines of one chunk. */
class Lines {
  readonly #chunk: ChunkView;
  readonly #tag: string;
  readonly #correlation: Buffer;
  readonly #commaCorrelation: Buffer;
  readonly #beginCorrelation: Buffer;
  readonly #transaction: Buffer;
  readonly #commaTransaction: Buffer;
  readonly #changes: readonly Buffer[];
  /** By shape. */
  readonly #events: EventParts[] = [];
  readonly #spaces: Buffer[] = [];

  constructor(chunk: ChunkView, tag: string) {
    this.#chunk = chunk;
    this.#tag = tag;
    const correlation = text.correlation + tag;
    this.#correlation = Buffer.from(correlation);
    this.#commaCorrelation = Buffer.from(`,${correlation}`);
    this.#beginCorrelation = Buffer.from(`{${correlation}`);
    this.#transaction = Buffer.from(text.transaction + tag);
    this.#commaTransaction = Buffer.from(`,${text.transaction}${tag}`);
    this.#changes = changes.map((change) => Buffer.from(`,"change":"${change}",${correlation}`));
  }

  /** `index`: of the entry in its turn. */
  put(sequence: number, turn: number, index: number): void {
    const chunk = this.#chunk;
    const place = (sequence - chunk.firstSequence) * cellsPerEntry;
    switch ((chunk.cells[place + cell.head] as number) & 15) {
      case stateChangeKind:
        this.#putStateChange(place, sequence, turn, index);
        break;
      case eventKind:
        this.#putEvent(place, sequence, turn, index);
        break;
      default:
        this.#putSegments(place, sequence, turn, index);
    }
    gathered.putInteger(chunk.times[turn] as number);
    gathered.put(text.end);
  }

  #putStateChange(place: number, sequence: number, turn: number, index: number): void {
    const chunk = this.#chunk;
    const { cells } = chunk;
    gathered.put(text.after);
    this.#putTextOrNull(cells[place + cell.text] as number);
    gathered.put(text.before);
    this.#putTextOrNull(cells[place + cell.second] as number);
    const back = cells[place + cell.cause] as number;
    if (back !== 0) {
      gathered.put(text.commaCause);
      gathered.putInteger(sequence - back);
    }
    gathered.put(this.#changes[(cells[place + cell.head] as number) >> 4] as Buffer);
    this.#putOrdinalOfCorrelation(turn);
    gathered.put(this.#spaceOf(cells[place + cell.shape] as number));
    chunk.putText(cells[place + cell.third] as number, gathered);
    gathered.put(text.commaSequence);
    gathered.putInteger(sequence);
    gathered.put(this.#commaTransaction);
    gathered.putOrdinal(chunk.firstTransaction + turn);
    putPlaceAndTime(index, this.#sizeOf(turn));
  }

  #putEvent(place: number, sequence: number, turn: number, index: number): void {
    const chunk = this.#chunk;
    const { cells } = chunk;
    const { shape, scheduled, transaction } = this.#eventOf(cells[place + cell.shape] as number);
    const back = cells[place + cell.cause] as number;
    if (back === 0) gathered.put(this.#beginCorrelation);
    else {
      gathered.put(text.beginCause);
      gathered.putInteger(sequence - back);
      gathered.put(this.#commaCorrelation);
    }
    this.#putOrdinalOfCorrelation(turn);
    const payload = cells[place + cell.text] as number;
    if ((cells[place + cell.head] as number) >> 4 === 0) gathered.put(shape.head);
    else {
      gathered.put(text.error);
      chunk.putText(payload + 1, gathered);
      gathered.put(shape.headAfterError);
    }
    chunk.putText(payload, gathered);
    const ordinal = cells[place + cell.third] as number;
    if (ordinal === -1) {
      gathered.put(shape.phase);
      gathered.put(text.sequence);
    } else {
      gathered.put(scheduled);
      gathered.putOrdinal(ordinal);
      gathered.put(text.scheduledFor);
      gathered.putInteger(chunk.numbers[cells[place + cell.second] as number] as number);
      gathered.put(text.commaSequence);
    }
    gathered.putInteger(sequence);
    gathered.put(transaction);
    gathered.putOrdinal(chunk.firstTransaction + turn);
    putPlaceAndTime(index, this.#sizeOf(turn));
  }

  /** Segments as entry-draft.ts cuts them. */
  #putSegments(place: number, sequence: number, turn: number, index: number): void {
    const { cells, firstTransaction } = this.#chunk;
    segmented.clear();
    this.#chunk.putText(cells[place + cell.text] as number, segmented);
    const bytes = segmented.view();
    const ends = segmentEnds(bytes);
    const back = cells[place + cell.cause] as number;
    gathered.put(text.begin);
    gathered.putFrom(bytes, 0, ends[0]);
    if (back !== 0) {
      gathered.put(text.cause);
      gathered.putInteger(sequence - back);
      gathered.put(text.comma);
    }
    gathered.putFrom(bytes, ends[0] + 1, ends[1]);
    gathered.put(this.#correlation);
    this.#putOrdinalOfCorrelation(turn);
    gathered.put(text.idEnd);
    gathered.putFrom(bytes, ends[1] + 1, ends[2]);
    gathered.put(kindBytes[(cells[place + cell.head] as number) & 15] as Buffer);
    gathered.putFrom(bytes, ends[2] + 1, ends[3]);
    gathered.put(text.sequence);
    gathered.putInteger(sequence);
    gathered.put(text.comma);
    gathered.putFrom(bytes, ends[3] + 1, ends[4]);
    gathered.put(this.#transaction);
    gathered.putOrdinal(firstTransaction + turn);
    putPlace(index, this.#sizeOf(turn));
    gathered.putFrom(bytes, ends[4] + 1, bytes.length);
    gathered.put(text.time);
  }

  #sizeOf(turn: number): number {
    return this.#chunk.turnCells[turn * cellsPerTurn + turnCell.entries] as number;
  }
  #putOrdinalOfCorrelation(turn: number): void {
    gathered.putOrdinal(this.#chunk.turnCells[turn * cellsPerTurn + turnCell.correlation] as number);
  }
  #putTextOrNull(index: number): void {
    if (index === -1) gathered.put(text.null);
    else this.#chunk.putText(index, gathered);
  }

  #spaceOf(shape: number): Buffer {
    this.#spaces[shape] ??= spaceBytes(this.#chunk.shape(shape));
    return this.#spaces[shape];
  }
  #eventOf(index: number): EventParts {
    const known = this.#events[index];
    if (known !== undefined) return known;
    const shape = eventBytes(this.#chunk.shape(index));
    const parts: EventParts = {
      shape,
      scheduled: Buffer.from(`${shape.phase}${text.scheduled}${this.#tag}`),
      transaction: Buffer.from(`,${shape.subscription}${text.transaction}${this.#tag}`),
    };
    this.#events[index] = parts;
    return parts;
  }
}

type SegmentEnds = [number, number, number, number, number];
/** Where all segments but the last end. */
function segmentEnds(bytes: Buffer): SegmentEnds {
  const ends: number[] = [];
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, end + 1)) ends.push(end);
  return ends as SegmentEnds;
}
