// The evidence journal of one world: turns drafted into columns, cut into chunks, read back as canonical lines.
//   JOURNAL-1. Sequences are given while drafting and are final when the turn ends; a rollback gives those of the turn back.
//   JOURNAL-2. A chunk holds whole turns. It is closed when it is full and at every take, and is never written again.
//   JOURNAL-3. What was taken stays readable from memory until its write set is applied.
import { canonicalJson } from '../../contract/canonical-json.js';
import { limits } from '../../contract/limits.js';
import type { OutcomeError } from '../../contract/outcome-error.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { evidenceKinds } from '../../contract/world/evidence.js';
import { chunkKey, leavesKey } from '../kv/keys.js';
import type { JournalSegment } from '../kv/world-head.js';
import type { WriteSet } from '../kv/write-set.js';
import { tuning } from '../tuning.js';
import { draftSegments, type EntryDraft } from './entry-draft.js';
import { EvidenceLeaves } from './evidence-leaves.js';
import { encodeChunk, StoredChunk } from './journal-chunk.js';
import {
  borrowColumns,
  type ChunkView,
  type Columns,
  cell,
  cellsPerEntry,
  eventKind,
  type JournalRow,
  type JournalShape,
  returnColumns,
} from './journal-columns.js';
import { writeEachLine, writeLines } from './journal-lines.js';
import { type ChunkCache, segmentOf } from './journal-reader.js';
import { type EventShapeParts, eventShapeText } from './journal-shapes.js';

/** Interned by `eventShape`: everything of an event entry that does not vary. */
export interface EventShape extends JournalShape {
  readonly parts: EventShapeParts;
}
export interface EventFacts {
  /** Canonical JSON. */
  payloadText: string;
  /** Of EventQueue.schedule; with it the entry has scheduledEventId and scheduledForUs. */
  scheduledOrdinal?: number | undefined;
  scheduledForUs?: number | undefined;
  causeSequence?: number | undefined;
  error?: OutcomeError | undefined;
}
interface ClosedChunk {
  journal: number;
  firstSequence: number;
  entryCount: number;
  bytes: Buffer;
}
export interface JournalPosition {
  segments: readonly JournalSegment[];
  sequence: number;
  transactions: number;
}

const kindCodes = new Map<string, number>(evidenceKinds.map((kind, code) => [kind, code]));

export class Journal {
  /** The cause of the state_change entries that Records drafts; 0: none. Cleared by beginTurn. */
  causeSequence = 0;
  readonly #tag: string;
  readonly #cache: ChunkCache;
  #segments: readonly JournalSegment[];
  /** As of the last turn that ended. */
  #sequence: number;
  #transactions: number;
  #columns: Columns | undefined;
  #closed: ClosedChunk[] = [];
  #taken: ClosedChunk[] = [];
  #leaves: EvidenceLeaves | undefined;
  readonly #shapes = new Map<string, EventShape>();

  constructor(cache: ChunkCache, tag: string, position: JournalPosition) {
    this.#cache = cache;
    this.#tag = tag;
    this.#segments = position.segments;
    this.#sequence = position.sequence;
    this.#transactions = position.transactions;
  }

  /** Of the last entry, drafted ones included; 0 when empty. */
  get sequence(): number {
    const columns = this.#columns;
    return columns === undefined ? this.#sequence : columns.firstSequence + columns.entryCount - 1;
  }
  /** Transactions so far. */
  get transactions(): number {
    return this.#transactions;
  }
  get segments(): readonly JournalSegment[] {
    return this.#segments;
  }
  /** Drafted or closed since the last take. */
  get pendingEntries(): number {
    let entries = this.#columns?.entryCount ?? 0;
    for (const chunk of this.#closed) entries += chunk.entryCount;
    return entries;
  }

  /** Returns the entry's sequence. */
  draft(entry: EntryDraft): number {
    const columns = this.#open();
    columns.addEntry(
      kindCodes.get(entry.kind) as number,
      0,
      columns.addText(draftSegments(entry)),
      -1,
      -1,
      this.#back(entry.causeSequence),
    );
    return this.sequence;
  }

  /** Keeps the place of an entry whose content comes later in the turn: an operation before its effects. */
  reserve(): number {
    const columns = this.#open();
    columns.addEntry(0, 0, columns.addText(''), -1, -1, 0);
    return this.sequence;
  }
  fill(sequence: number, entry: EntryDraft): void {
    const columns = this.#columns as Columns;
    const place = (sequence - columns.firstSequence) * cellsPerEntry;
    const { cells } = columns;
    columns.texts[cells[place + cell.text] as number] = draftSegments(entry);
    cells[place + cell.head] = kindCodes.get(entry.kind) as number;
    cells[place + cell.cause] = entry.causeSequence === undefined ? 0 : sequence - entry.causeSequence;
  }

  eventShape(parts: EventShapeParts): EventShape {
    const shapeText = eventShapeText(parts);
    let shape = this.#shapes.get(shapeText);
    if (shape === undefined) {
      shape = { parts, shapeText, shapeSerial: 0, shapeIndex: 0 };
      this.#shapes.set(shapeText, shape);
    }
    return shape;
  }

  draftEvent(shape: EventShape, { payloadText, scheduledOrdinal = -1, scheduledForUs = 0, causeSequence = 0, error }: EventFacts): number {
    const columns = this.#open();
    const payload = columns.addText(payloadText);
    if (error !== undefined) columns.addText(canonicalJson(error as never));
    const forUs = scheduledOrdinal === -1 ? -1 : columns.numbers.push(scheduledForUs) - 1;
    const head = error === undefined ? eventKind : eventKind | 16;
    columns.addEntry(head, columns.shapeOf(shape), payload, forUs, scheduledOrdinal, this.#back(causeSequence || undefined));
    return this.sequence;
  }
  /** The hot form of draftEvent, for an event that enters the queue or fires. `causeSequence` 0: none. */
  draftQueued(shape: EventShape, payloadText: string, scheduledOrdinal: number, scheduledForUs: number, causeSequence: number): number {
    const columns = this.#columns ?? this.#open();
    const sequence = columns.firstSequence + columns.entryCount;
    const forUs = columns.numbers.push(scheduledForUs) - 1;
    const back = causeSequence === 0 ? 0 : sequence - causeSequence;
    columns.addEntry(eventKind, columns.shapeOf(shape), columns.addText(payloadText), forUs, scheduledOrdinal, back);
    return sequence;
  }
  /** For Records. `row.text` is what was before. */
  draftRowChange(space: JournalShape, row: JournalRow, after: string | null): void {
    const columns = this.#columns ?? this.#open();
    const cause = this.causeSequence;
    columns.addRowChange(space, row, after, cause === 0 ? 0 : columns.firstSequence + columns.entryCount - cause);
  }

  beginTurn(): void {
    this.causeSequence = 0;
  }
  rollback(): void {
    this.causeSequence = 0;
    this.#columns?.rollback();
  }
  /** Whether the turn has any entry. */
  get turnHasEntries(): boolean {
    return this.#columns !== undefined && this.#columns.turnEntries > 0;
  }
  /** Of a turn that has entries. */
  endTurn(virtualTimeUs: number, correlationOrdinal: number, side: string | undefined): void {
    const columns = this.#columns as Columns;
    this.#transactions++;
    columns.endTurn(virtualTimeUs, correlationOrdinal, side);
    this.#sequence = columns.firstSequence + columns.entryCount - 1;
    if (columns.entryCount >= tuning.chunkEntriesMax) this.#close();
  }

  /** Adds everything since the last take, and leaf digests made meanwhile. */
  takeInto(set: WriteSet): void {
    this.#close();
    for (const { journal, firstSequence, bytes } of this.#closed) set.put(chunkKey(journal, firstSequence), bytes);
    this.#taken.push(...this.#closed);
    this.#closed = [];
    const fresh = this.#leaves?.takeFresh();
    if (fresh !== undefined) set.put(leavesKey(this.#journal, fresh.firstLeaf), fresh.digests);
  }
  /** What was taken is in the store. */
  applied(): void {
    this.#taken = [];
  }
  /** Characters drafted and not taken. */
  get pendingChars(): number {
    return (this.#columns?.chars ?? 0) + this.#closed.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }
  get hasPending(): boolean {
    return this.#closed.length > 0 || (this.#columns !== undefined && this.#columns.turnCount > 0) || this.#leaves?.hasFresh === true;
  }

  /** Another chain from here on: a reset. What was not taken is dropped. */
  moveTo(position: JournalPosition): void {
    this.#dropColumns();
    this.#closed = [];
    this.#segments = position.segments;
    this.#sequence = position.sequence;
    this.#transactions = position.transactions;
    this.#leaves = undefined;
  }
  dropCaches(): void {
    this.#dropColumns();
    this.#leaves = undefined;
    this.#taken = [];
    this.#shapes.clear();
  }

  read(fromSequence: number, limit: number, bytesMax?: number): EvidenceEntry[] {
    const { lines } = this.lines(fromSequence, limit, bytesMax);
    return this.#cache.decoded(() => JSON.parse(`[${lines.slice(0, -1).replaceAll('\n', ',')}]`) as EvidenceEntry[]);
  }
  /** RFC 8785 lines, each ended by a newline: `limit` of them, or fewer whose bytes come to `bytesMax`, but one at least. */
  lines(fromSequence: number, limit: number, bytesMax = Number.POSITIVE_INFINITY): { lines: string; count: number } {
    const from = Math.max(1, fromSequence);
    const to = Math.min(this.#sequence, from + limit - 1);
    const lines: string[] = [];
    let bytes = 0;
    for (let sequence = from; sequence <= to && bytes <= bytesMax; ) {
      const chunk = this.chunkOf(sequence);
      const end = chunk.firstSequence + chunk.entryCount;
      writeEachLine(chunk, this.#tag, { from: sequence, to: Math.min(to, end - 1) }, (line) => {
        bytes += line.length;
        if (bytes > bytesMax && lines.length > 0) return false;
        lines.push(line.toString());
        return bytes <= bytesMax;
      });
      sequence = end;
    }
    return { lines: lines.join(''), count: lines.length };
  }
  /** The chunk that holds an entry of a turn that ended; used for reading only. `segments`: of another chain than the present one. */
  chunkOf(sequence: number, segments = this.#segments): ChunkView {
    const journal = segmentOf(segments, sequence);
    if (this.#columns !== undefined && sequence >= this.#columns.firstSequence && journal === this.#journal) return this.#columns;
    // What was taken may be of a journal that a reset has left since.
    return heldChunk(this.#closed, journal, sequence) ?? heldChunk(this.#taken, journal, sequence) ?? this.#cache.find(journal, sequence);
  }

  *evidenceHash(sliceOver: () => boolean): Generator<undefined, string> {
    const leaves = this.#madeLeaves();
    const sequence = this.#sequence;
    while (leaves.step(sequence)) if (sliceOver()) yield;
    return leaves.digest();
  }
  /** What evidenceHash was at an earlier position, of this chain or of one that a reset has left for a snapshot. */
  *evidenceHashAt(
    { segments, sequence }: Pick<JournalPosition, 'segments' | 'sequence'>,
    sliceOver: () => boolean,
  ): Generator<undefined, string> {
    const stored = this.#cache.storedLeaves(segments).slice(0, Math.floor(sequence / limits.evidenceLeafEntries));
    const leaves = new EvidenceLeaves(stored, (range, write) => this.#writeLines(range, write, segments));
    while (leaves.step(sequence)) if (sliceOver()) yield;
    return leaves.digest();
  }
  /** Makes one more leaf; false when none is left to make. */
  idle(): boolean {
    if (this.#sequence < limits.evidenceLeafEntries) return false;
    const leaves = this.#madeLeaves();
    if (!leaves.isBehind(this.#sequence)) return false;
    leaves.step(this.#sequence);
    return leaves.isBehind(this.#sequence);
  }

  #madeLeaves(): EvidenceLeaves {
    this.#leaves ??= new EvidenceLeaves(this.#cache.storedLeaves(this.#segments), (range, write) => this.#writeLines(range, write));
    return this.#leaves;
  }

  #writeLines(range: { from: number; to: number }, write: (piece: Buffer) => void, segments = this.#segments): void {
    writeLines((sequence) => this.chunkOf(sequence, segments), this.#tag, range, write);
  }

  /** Where this world writes: the last of its chain. */
  get #journal(): number {
    return (this.#segments[this.#segments.length - 1] as JournalSegment)[0];
  }

  #open(): Columns {
    this.#columns ??= borrowColumns(this.#sequence + 1, this.#transactions + 1);
    return this.#columns;
  }
  #close(): void {
    const columns = this.#columns;
    if (columns === undefined) return;
    if (columns.turnCount > 0) {
      this.#closed.push({
        journal: this.#journal,
        firstSequence: columns.firstSequence,
        entryCount: columns.entryCount,
        bytes: encodeChunk(columns),
      });
    }
    this.#dropColumns();
  }
  #dropColumns(): void {
    if (this.#columns !== undefined) returnColumns(this.#columns);
    this.#columns = undefined;
  }

  /** How far back a cause lies from the entry about to be drafted. */
  #back(causeSequence: number | undefined): number {
    return causeSequence === undefined ? 0 : this.sequence + 1 - causeSequence;
  }
}

function heldChunk(chunks: readonly ClosedChunk[], journal: number, sequence: number): ChunkView | undefined {
  const held = chunks.find(
    (chunk) => chunk.journal === journal && sequence >= chunk.firstSequence && sequence < chunk.firstSequence + chunk.entryCount,
  );
  return held === undefined ? undefined : new StoredChunk(held.bytes);
}
