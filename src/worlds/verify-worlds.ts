// Reads a file of worlds whole, with nobody serving it: every key, program, row and entry, the counts of shared layers, the rows of every
// world beside its journal, and its evidence hash, computed again from its entries and compared with the digests that were stored on the
// way.
import { dirname } from 'node:path';
import { requireWhole } from '../files/database.js';
import { cutDigests, EvidenceLeaves } from './journal/evidence-leaves.js';
import { writeEachLine } from './journal/journal-lines.js';
import { ChunkCache, segmentOf } from './journal/journal-reader.js';
import { baseKey, beginsWorldKey, headKey, keyKinds, programRecordKey, rangeOfKind, snapshotIdOfKey, snapshotRange } from './kv/keys.js';
import { decodeHead, type WorldHead } from './kv/world-head.js';
import { KvWriter } from './kv/writer.js';
import { type Base, decodeBase } from './state/base.js';
import { layersOf } from './state/world-blobs.js';
import { strayRow } from './verify-rows.js';

/** A position on the journal of a world, hashed again. */
export interface HashedPosition {
  sequence: number;
  evidenceHash: string;
}
export interface StoredWorld extends HashedPosition {
  worldId: string;
  /** By the world's own id of it. */
  snapshots: ReadonlyMap<string, HashedPosition>;
}
/** What is wrong, as "its world x ...". */
export type ReportFault = (fault: string) => void;

/** The worlds of a data file. Throws control.DATA_DAMAGED where the file cannot be read safely at all. */
export async function verifyWorlds(file: string, report: ReportFault): Promise<StoredWorld[]> {
  requireWhole(file, { leaves: true, anySize: true, beginsKey: beginsWorldKey });
  const store = KvWriter.open({ directory: dirname(file), durability: 'committed', leavesChecked: false, readOnly: true });
  try {
    return verifyHeads(store, verifyRows(store, report), report);
  } finally {
    await store.close();
  }
}

/** Rows of layers, and of the bases of programs. Yields the bases that can be read. */
function verifyRows(store: KvWriter, report: ReportFault): Map<string, Base> {
  const bases = new Map<string, Base>();
  for (const { value } of store.range(rangeOfKind(keyKinds.row))) {
    if (value.length > 0 && attempted(() => JSON.parse(value.toString())) === undefined) report('a row of it is no JSON');
  }
  for (const { key, value } of store.range(rangeOfKind(keyKinds.program))) {
    const name = key.subarray(1).toString();
    if (attempted(() => JSON.parse(value.toString())) === undefined) report(`the program ${name} is no JSON`);
    const base = store.get(baseKey(name));
    const found = base && attempted(() => wholeBase(base));
    if (found === undefined) report(`the starting rows of program ${name} cannot be read`);
    else bases.set(name, found);
  }
  return bases;
}

function wholeBase(stored: Buffer): Base {
  const base = decodeBase(stored, JSON.parse);
  for (const space of base.spaces) for (const id of space.ids) space.value(id);
  return base;
}

function verifyHeads(store: KvWriter, bases: ReadonlyMap<string, Base>, report: ReportFault): StoredWorld[] {
  const worlds: StoredWorld[] = [];
  const layers = new Map<number, number>();
  const cache = new ChunkCache(store);
  for (const { key, value } of store.range(rangeOfKind(keyKinds.head))) {
    const worldId = key.subarray(headKey('').length).toString();
    const world = attempted(
      () => verifyWorld(store, cache, { worldId, head: decodeHead(value), layers, bases }),
      (error) => report(`the world ${worldId} cannot be read: ${error.message}`),
    );
    if (world === undefined) continue;
    worlds.push(world.stored);
    for (const fault of world.faults) report(`the world ${worldId} ${fault}`);
  }
  for (const { key, value } of store.range(rangeOfKind(keyKinds.references))) {
    const layer = key.readUInt32BE(1);
    const named = layers.get(layer) ?? 0;
    if (value.readUInt32BE(0) !== named) report(`a layer is counted ${value.readUInt32BE(0)} times and used ${named} times`);
    layers.delete(layer);
  }
  if (layers.size > 0) report(`${layers.size} layers in use are not counted`);
  return worlds;
}

interface WorldInStore {
  worldId: string;
  head: WorldHead;
  /** How often each layer is used; added to. */
  layers: Map<number, number>;
  /** By program key. */
  bases: ReadonlyMap<string, Base>;
}

function verifyWorld(
  store: KvWriter,
  cache: ChunkCache,
  { worldId, head, layers, bases }: WorldInStore,
): { stored: StoredWorld; faults: string[] } {
  const faults: string[] = [];
  const uses = (of: WorldHead): void => {
    for (const layer of layersOf(of)) layers.set(layer, (layers.get(layer) ?? 0) + 1);
  };
  uses(head);
  if (!store.has(programRecordKey(head.programKey))) faults.push('has no program');
  const snapshots: [string, WorldHead][] = [];
  for (const { key, value } of store.range(snapshotRange(worldId))) {
    if (value.length === 0) continue;
    const snapshot = decodeHead(value);
    uses(snapshot);
    snapshots.push([snapshotIdOfKey(key), snapshot]);
  }
  const isOnChain = ({ segments, sequence }: WorldHead): boolean =>
    sequence === 0 || segmentOf(segments, sequence) === segmentOf(head.segments, sequence);
  const onChain = snapshots.filter(([, one]) => one.sequence <= head.sequence && isOnChain(one));
  const hashes = hashJournal(cache, head, [head.sequence, ...onChain.map(([, { sequence }]) => sequence)]);
  if (!hasStoredLeaves(cache, head, hashes.leaves)) faults.push('has evidence of another hash than was stored with it');
  const base = bases.get(head.programKey);
  const stray = base && strayRow(store, cache, { worldId, head, base });
  if (stray !== undefined) faults.push(stray);
  const found = new Map<string, HashedPosition>();
  for (const [id, one] of snapshots) {
    const at = onChain.some(([known]) => known === id) ? hashes.at : hashJournal(cache, one, [one.sequence]).at;
    found.set(id, { sequence: one.sequence, evidenceHash: at.get(one.sequence) as string });
  }
  return { stored: { worldId, sequence: head.sequence, evidenceHash: hashes.at.get(head.sequence) as string, snapshots: found }, faults };
}

/** Without the stored digests: every entry is read. `sequences`: where the hash is wanted. */
function hashJournal(
  cache: ChunkCache,
  { segments, tag }: Pick<WorldHead, 'segments' | 'tag'>,
  sequences: readonly number[],
): { at: Map<number, string>; leaves: Buffer[] } {
  const leaves = new EvidenceLeaves([], ({ from, to }, write) => {
    for (let sequence = from; sequence <= to; ) {
      const chunk = cache.find(segmentOf(segments, sequence), sequence);
      const last = Math.min(to, chunk.firstSequence + chunk.entryCount - 1);
      writeEachLine(chunk, tag, { from: sequence, to: last }, (line) => {
        const entry = JSON.parse(line.toString()) as { sequence?: unknown };
        if (entry.sequence !== sequence) throw new Error(`entry ${sequence} is missing`);
        sequence++;
        write(line);
      });
      if (sequence !== last + 1) throw new Error(`entry ${sequence} is missing`);
    }
  });
  const at = new Map<number, string>();
  for (const sequence of [...sequences].sort((left, right) => left - right)) {
    while (leaves.step(sequence));
    at.set(sequence, leaves.digest());
  }
  return { at, leaves: cutDigests(leaves.takeFresh()?.digests ?? Buffer.alloc(0)) };
}

function hasStoredLeaves(cache: ChunkCache, { segments }: WorldHead, leaves: readonly Buffer[]): boolean {
  return cache.storedLeaves(segments).every((digest, index) => leaves[index] === undefined || digest.equals(leaves[index]));
}

/** Undefined where it throws: what cannot be decoded is a fault of the file. */
function attempted<T>(work: () => T, onError: (error: Error) => void = () => {}): T | undefined {
  try {
    return work();
  } catch (error) {
    onError(error as Error);
    return undefined;
  }
}
