// Canonical lines from columns: RFC 8785 JSON of each entry, byte for byte canonicalJson(entry) and a newline, made from templates,
// because the shapes are fixed. They are bytes from the first: as texts, half of the time went into making V8's ropes flat.
import { evidenceKinds } from '../../contract/world/evidence.js';
import { type MintedPrefix, ordinalText, writeOrdinal } from '../kv/minted-ids.js';
import { tuning } from '../tuning.js';
import { type ChunkView, cell, cellsPerEntry, cellsPerTurn, changes, eventKind, stateChangeKind, turnCell } from './journal-columns.js';
import { type EventTexts, eventTexts, rememberShape, spaceText } from './journal-shapes.js';
import { LineBytes } from './line-bytes.js';

/** What lines are put together in, one piece at a time. Who throws leaves something in it. */
const gathered = new LineBytes();
const segmented = new LineBytes();

interface EntryRange {
  /** Both inclusive. */
  from: number;
  to: number;
}

/** The lines of entries of one chunk, each ended by a newline; no more of them once `write` says false. */
export function writeEachLine(chunk: ChunkView, tag: string, range: EntryRange, write: (line: Buffer) => unknown): void {
  gathered.clear();
  gather(chunk, tag, range, () => {
    const goesOn = write(gathered.view()) !== false;
    gathered.clear();
    return goesOn;
  });
}

/** The same of entries in any chunks, in larger pieces. */
export function writeLines(
  chunkOf: (sequence: number) => ChunkView,
  tag: string,
  { from, to }: EntryRange,
  write: (piece: Buffer) => void,
): void {
  const flush = (): void => {
    write(gathered.view());
    gathered.clear();
  };
  gathered.clear();
  for (let sequence = from; sequence <= to; ) {
    const chunk = chunkOf(sequence);
    const end = chunk.firstSequence + chunk.entryCount;
    gather(chunk, tag, { from: sequence, to: Math.min(to, end - 1) }, () => {
      if (gathered.length >= tuning.linePieceBytes) flush();
      return true;
    });
    sequence = end;
  }
  if (gathered.length > 0) flush();
}

/** Puts lines behind what is gathered, one after the other, until `put`, called after each, says false. */
function gather(chunk: ChunkView, tag: string, { from, to }: EntryRange, put: () => boolean): void {
  const { turnCells } = chunk;
  const lines = new Lines(chunk, tag);
  let first = chunk.firstSequence;
  for (let turn = 0; turn < chunk.turnCount && first <= to; turn++) {
    const size = turnCells[turn * cellsPerTurn + turnCell.entries] as number;
    if (first + size > from) {
      const last = Math.min(to, first + size - 1);
      for (let sequence = Math.max(from, first); sequence <= last; sequence++) {
        lines.put(sequence, turn, sequence - first);
        if (!put()) return;
      }
    }
    first += size;
  }
}

/** What stands between the members that vary. */
const text = {
  begin: Buffer.from('{'),
  beginCause: Buffer.from('{"causeSequence":'),
  cause: Buffer.from('"causeSequence":'),
  commaCause: Buffer.from(',"causeSequence":'),
  comma: Buffer.from(','),
  null: Buffer.from('null'),
  error: Buffer.from(',"error":'),
  sequence: Buffer.from('"schemaVersion":1,"sequence":'),
  commaSequence: Buffer.from(',"schemaVersion":1,"sequence":'),
  size: Buffer.from(',"transactionSize":'),
  time: Buffer.from('"virtualTimeUs":'),
  commaTime: Buffer.from(',"virtualTimeUs":'),
  end: Buffer.from('}\n'),
  after: Buffer.from('{"after":'),
  before: Buffer.from(',"before":'),
};
const newline = 10;
const kindBytes = evidenceKinds.map((kind) => Buffer.from(`"kind":"${kind}",`));

/** A minted id and what surrounds it: one piece to copy, of which only digits that change are written again. */
class IdPart {
  readonly #bytes: Buffer;
  readonly #place: number;
  #ordinal = 0;

  /** `before` ends where the digits begin. */
  constructor(before: string, after: string) {
    this.#bytes = Buffer.from(`${before}${ordinalText(0)}"${after}`);
    this.#place = Buffer.byteLength(before);
  }

  of(ordinal: number): Buffer {
    if (ordinal !== this.#ordinal) {
      writeOrdinal(this.#bytes, this.#place, ordinal);
      this.#ordinal = ordinal;
    }
    return this.#bytes;
  }
}

/** From `begin`, which ends with the name of a transaction's id, to before the time. */
class TransactionParts {
  readonly #begin: string;
  /** By the number of its entries and the index of one. */
  readonly #small: IdPart[] = [];
  readonly #large: IdPart;

  constructor(begin: string) {
    this.#begin = begin;
    this.#large = new IdPart(begin, ',"transactionIndex":');
  }

  put(ordinal: number, index: number, size: number): void {
    if (size <= tuning.placesKept) {
      const key = size * tuning.placesKept + index;
      this.#small[key] ??= new IdPart(this.#begin, `,"transactionIndex":${index},"transactionSize":${size},"virtualTimeUs":`);
      gathered.put(this.#small[key].of(ordinal));
      return;
    }
    this.putPlace(ordinal, index, size);
    gathered.put(text.commaTime);
  }
  /** All of it but the name of the time. */
  putPlace(ordinal: number, index: number, size: number): void {
    gathered.put(this.#large.of(ordinal));
    gathered.putInteger(index);
    gathered.put(text.size);
    gathered.putInteger(size);
  }
}

/** What never varies about the events of a shape in a chunk. */
interface EventParts {
  readonly head: IdPart;
  readonly headAfterError: Buffer;
  readonly phase: Buffer;
  readonly scheduled: IdPart;
  readonly transaction: TransactionParts;
}

/** What the lines of one world have in common, whatever chunk they are of: a call leaves a chunk of a few entries. */
class WorldParts {
  readonly tag: string;
  readonly correlation: IdPart;
  readonly transaction: TransactionParts;
  readonly commaTransaction: TransactionParts;
  /** By the shape's text. */
  readonly #events = new Map<string, EventParts>();
  /** By change, then by the shape's text. */
  readonly #spaces = changes.map(() => new Map<string, IdPart>());

  constructor(tag: string) {
    this.tag = tag;
    this.correlation = new IdPart(this.#named('correlationId', 'corr_'), '');
    this.transaction = new TransactionParts(this.#named('transactionId', 'txn_'));
    this.commaTransaction = new TransactionParts(`,${this.#named('transactionId', 'txn_')}`);
  }

  spaceOf(shape: string, change: number): IdPart {
    const spaces = this.#spaces[change] as Map<string, IdPart>;
    const before = (): string => `,"change":"${changes[change]}",${this.#named('correlationId', 'corr_')}`;
    return spaces.get(shape) ?? rememberShape(spaces, shape, new IdPart(before(), spaceText(shape)));
  }
  eventOf(shape: string): EventParts {
    return this.#events.get(shape) ?? rememberShape(this.#events, shape, this.#makeEventParts(eventTexts(shape)));
  }

  #named(member: string, prefix: MintedPrefix): string {
    return `"${member}":"${prefix}${this.tag}`;
  }
  #makeEventParts({ head, phase, subscription }: EventTexts): EventParts {
    return {
      head: new IdPart(this.#named('correlationId', 'corr_'), head),
      headAfterError: Buffer.from(head),
      phase: Buffer.from(phase),
      scheduled: new IdPart(phase + this.#named('scheduledEventId', 'pending_'), ',"scheduledForUs":'),
      transaction: new TransactionParts(`,${subscription}${this.#named('transactionId', 'txn_')}`),
    };
  }
}

/** Of the world whose lines were written last: mostly its next chunk follows. */
let latest: WorldParts | undefined;
function partsOf(tag: string): WorldParts {
  if (latest?.tag !== tag) latest = new WorldParts(tag);
  return latest;
}

/** Lines of one chunk. */
class Lines {
  readonly #chunk: ChunkView;
  readonly #parts: WorldParts;
  /** By shape. */
  readonly #events: EventParts[] = [];
  /** By shape and change. */
  readonly #spaces: IdPart[] = [];

  constructor(chunk: ChunkView, tag: string) {
    this.#chunk = chunk;
    this.#parts = partsOf(tag);
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
    const change = (cells[place + cell.head] as number) >> 4;
    gathered.put(this.#spaceOf(cells[place + cell.shape] as number, change).of(this.#correlationOf(turn)));
    chunk.putText(cells[place + cell.third] as number, gathered);
    gathered.put(text.commaSequence);
    gathered.putInteger(sequence);
    this.#parts.commaTransaction.put(chunk.firstTransaction + turn, index, this.#sizeOf(turn));
  }

  #putEvent(place: number, sequence: number, turn: number, index: number): void {
    const chunk = this.#chunk;
    const { cells } = chunk;
    const parts = this.#eventOf(cells[place + cell.shape] as number);
    const back = cells[place + cell.cause] as number;
    if (back === 0) gathered.put(text.begin);
    else {
      gathered.put(text.beginCause);
      gathered.putInteger(sequence - back);
      gathered.put(text.comma);
    }
    const payload = cells[place + cell.text] as number;
    if ((cells[place + cell.head] as number) >> 4 === 0) gathered.put(parts.head.of(this.#correlationOf(turn)));
    else {
      gathered.put(this.#parts.correlation.of(this.#correlationOf(turn)));
      gathered.put(text.error);
      chunk.putText(payload + 1, gathered);
      gathered.put(parts.headAfterError);
    }
    chunk.putText(payload, gathered);
    const ordinal = cells[place + cell.third] as number;
    if (ordinal === -1) {
      gathered.put(parts.phase);
      gathered.put(text.sequence);
    } else {
      gathered.put(parts.scheduled.of(ordinal));
      gathered.putInteger(chunk.numbers[cells[place + cell.second] as number] as number);
      gathered.put(text.commaSequence);
    }
    gathered.putInteger(sequence);
    parts.transaction.put(chunk.firstTransaction + turn, index, this.#sizeOf(turn));
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
    gathered.put(this.#parts.correlation.of(this.#correlationOf(turn)));
    gathered.put(text.comma);
    gathered.putFrom(bytes, ends[1] + 1, ends[2]);
    gathered.put(kindBytes[(cells[place + cell.head] as number) & 15] as Buffer);
    gathered.putFrom(bytes, ends[2] + 1, ends[3]);
    gathered.put(text.sequence);
    gathered.putInteger(sequence);
    gathered.put(text.comma);
    gathered.putFrom(bytes, ends[3] + 1, ends[4]);
    this.#parts.transaction.putPlace(firstTransaction + turn, index, this.#sizeOf(turn));
    gathered.put(text.comma);
    gathered.putFrom(bytes, ends[4] + 1, bytes.length);
    gathered.put(text.time);
  }

  #sizeOf(turn: number): number {
    return this.#chunk.turnCells[turn * cellsPerTurn + turnCell.entries] as number;
  }
  #correlationOf(turn: number): number {
    return this.#chunk.turnCells[turn * cellsPerTurn + turnCell.correlation] as number;
  }
  #putTextOrNull(index: number): void {
    if (index === -1) gathered.put(text.null);
    else this.#chunk.putText(index, gathered);
  }

  #spaceOf(shape: number, change: number): IdPart {
    const key = shape * changes.length + change;
    this.#spaces[key] ??= this.#parts.spaceOf(this.#chunk.shape(shape), change);
    return this.#spaces[key];
  }
  #eventOf(shape: number): EventParts {
    this.#events[shape] ??= this.#parts.eventOf(this.#chunk.shape(shape));
    return this.#events[shape];
  }
}

type SegmentEnds = [number, number, number, number, number];
/** Where all segments but the last end. */
function segmentEnds(bytes: Buffer): SegmentEnds {
  const ends: number[] = [];
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, end + 1)) ends.push(end);
  return ends as SegmentEnds;
}
