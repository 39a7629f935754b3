// The floor of an advance: a bare loop that pops a heap, calls a plain function on a Map, packs the same entries with msgpackr into pages
// of 1,024, hashes each page, and commits pages and rows to LMDB every 65,536 events. No actor, no schemas, no rollback, no slices.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { Packr } from 'msgpackr';
import { EventHeap } from '../src/scheduler/event-heap.js';

interface Row {
  count: number;
  label: string;
}
const pageEntries = 1024;
const commitEvents = 65_536;

export async function runFloor({ events, rows }: { events: number; rows: number }): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-floor-'));
  const database = open<Buffer, string>({ path: directory, encoding: 'binary', noSync: true, noSubdir: false });
  const heap = new EventHeap();
  const targets: string[] = [];
  for (let index = 0; index < events; index++) {
    heap.push(index + 1, index + 1);
    targets.push(`r${(index * 7919) % rows}`);
  }
  const state = new Map<string, Row>(Array.from({ length: rows }, (_, index) => [`r${index}`, { count: 0, label: `row ${index}` }]));
  const started = performance.now();
  const pages = loop({
    heap,
    targets,
    state,
    commit: (key, value) => void database.putSync(key, value),
    transaction: (work) => database.transactionSync(work),
  });
  const seconds = (performance.now() - started) / 1000;
  if (pages < Math.floor((events * 2) / pageEntries)) throw new Error('the floor left something out');
  await database.close();
  rmSync(directory, { recursive: true, force: true });
  return seconds;
}

interface FloorParts {
  heap: EventHeap;
  targets: string[];
  state: Map<string, Row>;
  commit(key: string, value: Buffer): void;
  transaction(work: () => void): void;
}

function loop({ heap, targets, state, commit, transaction }: FloorParts): number {
  const packr = new Packr({ structures: [] });
  const bump = (rowId: string): Row => {
    const row = state.get(rowId) as Row;
    const next = { count: row.count + 1, label: row.label };
    state.set(rowId, next);
    return next;
  };
  let sequence = 0;
  let pages = 0;
  let page: object[] = [];
  let waiting: { key: string; value: Buffer }[] = [];
  const dirty = new Set<string>();
  const closePage = (): void => {
    const value = packr.pack(page);
    waiting.push({ key: `page ${pages++} ${createHash('sha256').update(value).digest('hex')}`, value: Buffer.from(value) });
    page = [];
  };
  const store = (): void => {
    transaction(() => {
      for (const { key, value } of waiting) commit(key, value);
      for (const rowId of dirty) commit(`row ${rowId}`, packr.pack(state.get(rowId)));
    });
    waiting = [];
    dirty.clear();
  };
  const total = heap.size;
  for (let fired = 0; fired < total; fired++) {
    const atUs = heap.headAtUs;
    const rowId = targets[heap.pop()] as string;
    const before = state.get(rowId) as Row;
    const after = bump(rowId);
    dirty.add(rowId);
    page.push(eventEntry(++sequence, fired, atUs, rowId), changeEntry(++sequence, fired, atUs, { rowId, before, after }));
    if (page.length === pageEntries) closePage();
    if ((fired + 1) % commitEvents === 0) store();
  }
  if (page.length > 0) closePage();
  store();
  return pages;
}

// Written out: a spread of common members would cost more than everything else of the loop.
function eventEntry(sequence: number, ordinal: number, atUs: number, row: string): object {
  return {
    schemaVersion: 1,
    sequence,
    transactionId: `txn_${ordinal}`,
    transactionIndex: 0,
    transactionSize: 2,
    virtualTimeUs: atUs,
    correlationId: 'corr_1',
    kind: 'event',
    event: { packageId: 'rows', instanceId: 'rows', eventId: 'bump' },
    phase: 'handled',
    payload: { row },
    scheduledEventId: `pending_${ordinal}`,
    scheduledForUs: atUs,
    handlerPackageId: 'rows',
    handlerInstanceId: 'rows',
    subscriptionId: 'bump',
  };
}

function changeEntry(
  sequence: number,
  ordinal: number,
  atUs: number,
  { rowId, before, after }: { rowId: string; before: Row; after: Row },
): object {
  return {
    schemaVersion: 1,
    sequence,
    transactionId: `txn_${ordinal}`,
    transactionIndex: 1,
    transactionSize: 2,
    virtualTimeUs: atUs,
    correlationId: 'corr_1',
    causeSequence: sequence - 1,
    kind: 'state_change',
    packageId: 'rows',
    instanceId: 'rows',
    namespace: 'rows',
    rowId,
    change: 'update',
    before,
    after,
  };
}
