// What a journal says about earlier positions: a fold over its columns, from a snapshot to a sequence. No tool code is run.
// Why: docs/decisions/014.
//   WORLDS-HISTORY-1. Rows are exactly the state_change entries replayed; a row changed many times in a chunk is read once.
//   WORLDS-HISTORY-2. What is not evidence (clock, random streams, counters) comes from the turns' sides, the last value of each key.
import type { JsonObject, JsonValue } from '../../contract/json.js';
import type { LifecycleEntry, OperationEntry } from '../../contract/world/evidence.js';
import { evidenceKinds } from '../../contract/world/evidence.js';
import type { Journal } from '../journal/journal.js';
import { type ChunkView, cell, cellsPerEntry, cellsPerTurn, eventKind, stateChangeKind, turnCell } from '../journal/journal-columns.js';
import { type EventShapeParts, readEventShape, readSpaceShape } from '../journal/journal-shapes.js';
import { type SpaceName, spaceKey } from '../kv/space-name.js';
import type { TurnStamp } from './world-state.js';

export interface FoldedEvent {
  ordinal: number;
  atUs: number;
  parts: EventShapeParts;
  payloadText: string;
  causeSequence: number;
}
/** What changed after the start of the fold. */
export interface Fold {
  rows: Map<string, { name: SpaceName; texts: Map<string, string | null> }>;
  /** Scheduled meanwhile and neither fired nor cancelled. */
  scheduled: Map<number, FoldedEvent>;
  cancelled: Set<number>;
  /** (scheduledForUs, ordinal) of the last event that fired. */
  watermark: readonly [atUs: number, ordinal: number] | undefined;
  nextOrdinal: number;
  stamp: TurnStamp | undefined;
  side: Map<string, JsonValue>;
  /** Operations that may have left a receipt, and resets of packages, in order. */
  receiptEntries: (OperationEntry | LifecycleEntry)[];
}
/** Which parts of the fold are wanted beyond rows. */
export interface FoldRange {
  /** Exclusive and inclusive. */
  after: number;
  to: number;
  rowsOnly: boolean;
}

export function* foldJournal(journal: Journal, { after, to, rowsOnly }: FoldRange, sliceOver: () => boolean): Generator<undefined, Fold> {
  const folded: Fold = {
    rows: new Map(),
    scheduled: new Map(),
    cancelled: new Set(),
    watermark: undefined,
    nextOrdinal: 0,
    stamp: undefined,
    side: new Map(),
    receiptEntries: [],
  };
  for (let sequence = after + 1; sequence <= to; ) {
    const chunk = journal.chunkOf(sequence);
    const end = Math.min(to + 1, chunk.firstSequence + chunk.entryCount);
    foldRows(chunk, sequence, end, folded);
    if (!rowsOnly) {
      foldEntries(chunk, sequence, end, folded, journal);
      foldTurns(chunk, sequence, end, folded);
    }
    sequence = end;
    if (sliceOver()) yield;
  }
  for (const ordinal of folded.scheduled.keys()) if (isGone(ordinal, folded)) folded.scheduled.delete(ordinal);
  return folded;
}

/** The last sequence at or below `sequence` that ends a transaction, and how many transactions there are up to it. */
export function wholeTransactionAt(journal: Journal, sequence: number): { sequence: number; transactions: number } {
  if (sequence >= journal.sequence) return { sequence: journal.sequence, transactions: journal.transactions };
  if (sequence < 1) return { sequence: 0, transactions: 0 };
  const chunk = journal.chunkOf(sequence);
  let end = chunk.firstSequence - 1;
  for (let turn = 0; ; turn++) {
    const next = end + (chunk.turnCells[turn * cellsPerTurn + turnCell.entries] as number);
    if (next > sequence) return { sequence: end, transactions: chunk.firstTransaction - 1 + turn };
    if (next === sequence) return { sequence, transactions: chunk.firstTransaction + turn };
    end = next;
  }
}

function foldRows(chunk: ChunkView, from: number, end: number, folded: Fold): void {
  const { cells } = chunk;
  // Row's id in the chunk -> its last change; the ids come in the order of their first change.
  const last = new Map<number, number>();
  for (let sequence = from; sequence < end; sequence++) {
    const place = (sequence - chunk.firstSequence) * cellsPerEntry;
    if (((cells[place + cell.head] as number) & 15) === stateChangeKind) last.set(cells[place + cell.third] as number, place);
  }
  const spaces = new Map<number, Map<string, string | null>>();
  for (const [id, place] of last) {
    const shape = cells[place + cell.shape] as number;
    let texts = spaces.get(shape);
    if (texts === undefined) {
      texts = textsOf(folded, readSpaceShape(chunk.shape(shape)));
      spaces.set(shape, texts);
    }
    const text = cells[place + cell.text] as number;
    texts.set(JSON.parse(chunk.text(id)) as string, text === -1 ? null : detached(chunk.text(text)));
  }
}

function textsOf(folded: Fold, name: SpaceName): Map<string, string | null> {
  const key = spaceKey(name);
  let space = folded.rows.get(key);
  if (space === undefined) {
    space = { name, texts: new Map() };
    folded.rows.set(key, space);
  }
  return space.texts;
}

/** A slice keeps the whole text of its chunk alive; a copy does not. */
const detached = (text: string): string => Buffer.from(text).toString();

function foldEntries(chunk: ChunkView, from: number, end: number, folded: Fold, journal: Journal): void {
  const { cells } = chunk;
  for (let sequence = from; sequence < end; sequence++) {
    const place = (sequence - chunk.firstSequence) * cellsPerEntry;
    const kind = evidenceKinds[(cells[place + cell.head] as number) & 15];
    if (kind === evidenceKinds[eventKind]) foldEvent(chunk, place, sequence, folded);
    else if (
      (kind === 'operation' && chunk.text(cells[place + cell.text] as number).includes('"idempotency":"recorded"')) ||
      kind === 'lifecycle'
    ) {
      folded.receiptEntries.push(journal.read(sequence, 1)[0] as OperationEntry | LifecycleEntry);
    }
  }
}

function foldEvent(chunk: ChunkView, place: number, sequence: number, folded: Fold): void {
  const { cells } = chunk;
  const ordinal = cells[place + cell.third] as number;
  if (ordinal === -1) return;
  const parts = readEventShape(chunk.shape(cells[place + cell.shape] as number));
  const atUs = chunk.numbers[cells[place + cell.second] as number] as number;
  if (parts.phase === 'scheduled') {
    const payloadText = detached(chunk.text(cells[place + cell.text] as number));
    folded.scheduled.set(ordinal, { ordinal, atUs, parts, payloadText, causeSequence: sequence });
    folded.nextOrdinal = Math.max(folded.nextOrdinal, ordinal + 1);
  } else if (parts.phase === 'cancelled') folded.cancelled.add(ordinal);
  else if (parts.phase !== 'emitted') folded.watermark = [atUs, ordinal];
}

function isGone(ordinal: number, { scheduled, cancelled, watermark }: Fold): boolean {
  if (cancelled.has(ordinal)) return true;
  const { atUs } = scheduled.get(ordinal) as FoldedEvent;
  return watermark !== undefined && (atUs < watermark[0] || (atUs === watermark[0] && ordinal <= watermark[1]));
}

function foldTurns(chunk: ChunkView, from: number, end: number, folded: Fold): void {
  let last = chunk.firstSequence - 1;
  for (let turn = 0; turn < chunk.turnCount; turn++) {
    const at = turn * cellsPerTurn;
    last += chunk.turnCells[at + turnCell.entries] as number;
    if (last < from) continue;
    if (last >= end) return;
    folded.stamp = { virtualTimeUs: chunk.times[turn] as number, correlationOrdinal: chunk.turnCells[at + turnCell.correlation] as number };
    const side = chunk.turnCells[at + turnCell.side] as number;
    if (side === -1) continue;
    for (const [key, value] of Object.entries(JSON.parse(chunk.text(side)) as JsonObject)) folded.side.set(key, value);
  }
}
