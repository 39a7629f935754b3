// The worlds, programs and bases of one data file: what a host opens, creates and deletes. Programs and their prepared rows are
// stored once a data file and kept in memory once a thread.
import { createHash } from 'node:crypto';
import { LruMap } from '../../collections/lru-map.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import { invariant, ServiceError } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import type { WorldProgram } from '../../contract/run/build.js';
import { decodeStored } from '../../files/decode-stored.js';
import type { SpaceSeen } from '../../files/disk-full.js';
import { ChunkCache } from '../journal/journal-reader.js';
import { baseKey, doneCommandRange, headKey, keyKinds, programRecordKey, snapshotRange } from '../kv/keys.js';
import { decodeHead, headVersion, type WorldHead } from '../kv/world-head.js';
import { WriteSet } from '../kv/write-set.js';
import { KvWriter, type KvWriterOptions } from '../kv/writer.js';
import { tuning } from '../tuning.js';
import { type Base, decodeBase, type ParseRow, prepareBase } from './base.js';
import { SharedCommit } from './shared-commit.js';
import { inherited, layersOf } from './world-blobs.js';
import { WorldState, type WorldStateContext } from './world-state.js';

export interface WorldRepositoryOptions extends KvWriterOptions {
  /** Default: JSON.parse and a deep freeze. A host gives one that makes the values in the realm of tool code. */
  parseRow?: ParseRow | undefined;
}
export interface NewWorld {
  worldId: string;
  incarnation: number;
  /** Of putProgram. */
  programKey: string;
  /** Of worldTag(). */
  tag: string;
}

export class WorldRepository {
  readonly store: KvWriter;
  readonly #parse: ParseRow;
  readonly #chunks: ChunkCache;
  readonly #shared = new SharedCommit(() => this.commit([]));

  static open(options: WorldRepositoryOptions): WorldRepository {
    return new WorldRepository(options);
  }
  private constructor({ parseRow, ...options }: WorldRepositoryOptions) {
    this.store = KvWriter.open(options);
    this.#parse = parseRow ?? parseFrozen;
    this.#chunks = new ChunkCache(this.store);
  }

  /** Stores the program and its prepared base rows unless present; returns its key. */
  putProgram(program: WorldProgram): string {
    const key = programKeyOf(program.buildHash, program.setupHash);
    if (this.store.has(programRecordKey(key))) return key;
    const { programBytes, baseBytes } = prepared.getOrMake(key, () => prepare(program));
    this.store.put([
      { key: programRecordKey(key), value: programBytes },
      { key: baseKey(key), value: baseBytes },
    ]);
    return key;
  }
  loadProgram(programKey: string): WorldProgram | undefined {
    const bytes = this.store.get(programRecordKey(programKey));
    return bytes && this.store.decoded('a program', () => JSON.parse(bytes.toString()) as WorldProgram);
  }
  /** The digest of the base rows alone: what world_created carries. */
  baseStateHash(programKey: string): string {
    return this.#base(programKey).stateHash;
  }

  hasWorld(worldId: string): boolean {
    return this.store.has(headKey(worldId));
  }
  /** Undefined where there is no such world. */
  tagOf(worldId: string): string | undefined {
    const head = this.store.get(headKey(worldId));
    return head === undefined ? undefined : decodeHead(head).tag;
  }

  /** In memory; the first write set creates it, and is refused (control.STATE_CONFLICT) when the world exists. */
  createWorld({ worldId, incarnation, programKey, tag }: NewWorld): WorldState {
    const context = this.contextOf(programKey);
    const spaces = context.base.spaces.map(
      ({ packageId, instanceId, namespace, ids }) => [packageId, instanceId, namespace, ids.length, 0] as const,
    );
    const head = {
      ...emptyHead,
      programKey,
      tag,
      spaces,
      layers: [this.store.allocateId()],
      segments: [[this.store.allocateId(), 1] as const],
    };
    return new WorldState(context, { worldId, incarnation, head, stored: undefined });
  }
  /** A world that begins with the state of `head`, a part of `parent`, whose layers it shares; its journal is its own and empty. */
  createFrom({ worldId, incarnation, tag }: Omit<NewWorld, 'programKey'>, head: WorldHead, parent: WorldState): WorldState {
    const own = {
      ...head,
      tag,
      layers: [...head.layers, this.store.allocateId()],
      topUsed: false,
      segments: [[this.store.allocateId(), 1] as const],
      sequence: 0,
      transactions: 0,
      firstOwnOrdinal: head.nextOrdinal,
      carriedSide: '',
      blobs: inherited(head.blobs),
    };
    return new WorldState(parent.context, { worldId, incarnation, head: own, stored: undefined, parent: parent.asParent });
  }

  /**
   * Begins a new incarnation, whose incarnation is above that of any earlier one. Writes nothing: the first commit of either incarnation
   * ends the other.
   */
  loadWorld(worldId: string, incarnation: number): WorldState | undefined {
    const bytes = this.store.get(headKey(worldId));
    if (bytes === undefined) return undefined;
    const { stored, head } = this.store.decoded('a world', () => ({ stored: headVersion(bytes), head: decodeHead(bytes) }));
    return new WorldState(this.contextOf(head.programKey), {
      worldId,
      incarnation: Math.max(incarnation, stored.incarnation + 1),
      head,
      stored,
    });
  }

  /** With the other worlds that are made and deleted now: their commit is one. Resolves when it is applied. */
  async commitMade(world: WorldState, meta: object): Promise<void> {
    await this.#shared.add(world.worldId, () => world.takeWriteSet(meta));
  }
  /** The same; false where there is no such world. */
  deleteWorld(worldId: string): Promise<boolean> {
    return this.#shared.add(worldId, () => this.#deletionOf(worldId));
  }

  /** Of everything the world owns; what forks of it still read goes with the last of them. */
  #deletionOf(worldId: string): WriteSet | undefined {
    const stored = this.store.get(headKey(worldId));
    if (stored === undefined) return undefined;
    const set = new WriteSet(worldId, headVersion(stored));
    set.freesSpace = true;
    const journals = new Set<number>();
    const leave = (head: WorldHead): void => {
      set.refer(layersOf(head), -1);
      for (const [journal] of head.segments) journals.add(journal);
    };
    leave(decodeHead(stored));
    for (const { key, value } of this.store.range(snapshotRange(worldId))) {
      if (value.length > 0) leave(decodeHead(value));
      set.remove(key);
    }
    for (const journal of journals) {
      set.doom(keyKinds.chunk, journal, 0);
      set.doom(keyKinds.leaves, journal, 0);
    }
    for (const key of this.store.keys(doneCommandRange(worldId))) set.remove(key);
    set.remove(headKey(worldId));
    return set;
  }

  /** KvWriter.commit: one transaction, applied when the call returns. What is made and deleted meanwhile goes with it. */
  commit(sets: readonly WriteSet[], space?: SpaceSeen): (Error | undefined)[] {
    const shared = this.#shared.take();
    const all = shared.sets.length === 0 ? sets : [...shared.sets, ...sets];
    if (all.length === 0) return [];
    const refusals = this.store.commit(all, space);
    shared.settle(refusals);
    return refusals.slice(shared.sets.length);
  }
  flushed(): Promise<void> {
    return this.store.flushed();
  }
  close(): Promise<void> {
    while (!this.#shared.isEmpty) this.commit([]);
    return this.store.close();
  }
  /** Somebody else has the file: of what waits nothing is written. */
  lose(): void {
    this.#shared.refuse(new ServiceError('world.ACTOR_RESTARTED'));
  }
  /** KvWriter.abandon. */
  abandon(): Promise<void> {
    this.lose();
    return this.store.abandon();
  }

  contextOf(programKey: string): WorldStateContext {
    return { store: this.store, chunks: this.#chunks, base: this.#base(programKey), parse: this.#parse };
  }

  #base(programKey: string): Base {
    let bases = basesByParse.get(this.#parse);
    if (bases === undefined) {
      bases = new LruMap({ entriesMax: tuning.preparedProgramsMax });
      basesByParse.set(this.#parse, bases);
    }
    return bases.getOrMake(programKey, () => {
      const bytes = this.store.get(baseKey(programKey));
      invariant(bytes !== undefined, 'a program is stored before its worlds');
      // The base outlives the store.
      const { directory } = this.store;
      const decoded = <T>(decode: () => T): T => decodeStored(directory, 'the starting rows', decode);
      return decoded(() => decodeBase(bytes, (text) => decoded(() => this.#parse(text))));
    });
  }
}

const emptyHead: Omit<WorldHead, 'programKey' | 'tag' | 'layers' | 'segments' | 'spaces'> = {
  topUsed: false,
  sequence: 0,
  transactions: 0,
  nextOrdinal: 1,
  firstOwnOrdinal: 1,
  watermark: [Number.NEGATIVE_INFINITY, 0],
  hasQueue: false,
  hasReceipts: false,
  carriedSide: '',
  nextDelivery: 1,
  meta: {},
};

// One host opens many data files with the same program (a run each): prepare it once. A base holds parsed rows, so it belongs to
// the way of parsing.
const prepared = new LruMap<string, Prepared>({ entriesMax: tuning.preparedProgramsMax });
const basesByParse = new Map<ParseRow, LruMap<string, Base>>();

interface Prepared {
  programBytes: Buffer;
  baseBytes: Buffer;
}

function prepare(program: WorldProgram): Prepared {
  return { programBytes: Buffer.from(canonicalJson(program as unknown as JsonValue)), baseBytes: prepareBase(program.setup.state) };
}

/** Names a program by what it is made of. */
export function programKeyOf(buildHash: string, setupHash: string): string {
  return createHash('sha256').update(`${buildHash}\n${setupHash}`).digest('hex');
}

function parseFrozen(text: string): JsonObject {
  return freeze(JSON.parse(text)) as JsonObject;
}
function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
