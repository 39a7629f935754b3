// What the tests of streams share: a log in memory, a host whose file writes to it, copies, and all that is in a file but its place.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Actor, ActorKind } from '../../src/actors/definition.js';
import { jsonDigest } from '../../src/contract/digest.js';
import type { JsonValue } from '../../src/contract/json.js';
import type { WorldSetup } from '../../src/contract/world/scenario.js';
import type { WorldAnswers, WorldCommand } from '../../src/contract/world/world-protocol.js';
import { openDatabase } from '../../src/files/database.js';
import type { ForkCommand, ForkReply } from '../../src/worlds/commands/fork-world.js';
import { createLoggedKind } from '../../src/worlds/host.js';
import type { CreateReply, CreateRequest } from '../../src/worlds/host-requests.js';
import { keyKinds } from '../../src/worlds/kv/keys.js';
import type { StreamLog, StreamRecord } from '../../src/worlds/kv/stream-log.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import { bankBuild, bankSetup } from './bank-build.js';
import { temporaryFolder } from './storage-kit.js';

export interface Entry {
  key: Buffer;
  value: Buffer;
}
interface FileReader {
  getRange(range: { start: Buffer; end: Buffer; snapshot: boolean }): Iterable<Entry>;
  resetReadTxn(): void;
  close(): Promise<void>;
}
const everything = { start: Buffer.from([0]), end: Buffer.from([255]), snapshot: false };

export class MemoryLog implements StreamLog {
  readonly records: StreamRecord[] = [];
  readonly #nonceSeed: string;
  #nonces = 0;
  /** Asked before each append; a test may wait here, or answer that the file is lost. */
  onAppend: (record: StreamRecord) => Promise<'appended' | 'lost'> = async () => 'appended';
  /** Called before the first transaction of each record. */
  onMint: () => void = () => {};

  constructor(nonceSeed = 'owner') {
    this.#nonceSeed = nonceSeed;
  }
  mintNonce(): Buffer {
    this.onMint();
    return createHash('sha256')
      .update(`${this.#nonceSeed} ${this.#nonces++}`)
      .digest()
      .subarray(0, 16);
  }
  async append(record: StreamRecord): Promise<'appended' | 'lost'> {
    const outcome = await this.onAppend(record);
    if (outcome === 'appended') this.records.push(record);
    return outcome;
  }
}

/** All of a file but its position and tail, as one digest. */
export function digestOf(entries: Iterable<Entry>): string {
  const hash = createHash('sha256');
  for (const { key, value } of entries) {
    if (key[0] === keyKinds.position || key[0] === keyKinds.tail) continue;
    hash.update(`${key.length} ${value.length} `).update(key).update(value);
  }
  return hash.digest('hex');
}
export const digestOfStore = (store: KvWriter): string => digestOf(store.range(everything));

export function temporaryCopy(context: Pick<TestContext, 'after'>): KvWriter {
  const copy = KvWriter.open({ directory: temporaryFolder(context), durability: 'committed' });
  context.after(() => copy.close());
  return copy;
}

const setup: WorldSetup = { ...bankSetup, faults: [{ packageId: 'bank', faultId: 'busy-third' }] };

/** Worlds of the bank in one data file with a log: the kind as hosts load it, driven by hand, so that nothing depends on time. */
export class LoggedHost {
  readonly log: MemoryLog;
  readonly #kind: ActorKind;
  readonly #directory: string;
  readonly #actors = new Map<string, Actor>();
  #incarnations = 1;
  #reader: FileReader | undefined;

  constructor(directory: string, log: MemoryLog) {
    mkdirSync(directory, { recursive: true });
    this.log = log;
    this.#directory = directory;
    const options = {
      directory,
      layout: 'shared',
      durability: 'flushed',
      hosts: 1,
      freshModulePerTurn: false,
      printThrows: false,
    } as const;
    this.#kind = createLoggedKind(
      options,
      { index: 0, isolation: 'thread', wantsIdle: () => {}, ask: async () => undefined, dismiss: async () => {} },
      () => log,
    );
  }

  get file(): string {
    return join(this.#directory, 'host-0');
  }
  /** Of the file as it is now. */
  digest(): string {
    this.#reader ??= openDatabase({ directory: this.file, flushed: false, readOnly: true }) as unknown as FileReader;
    this.#reader.resetReadTxn();
    return digestOf(this.#reader.getRange(everything));
  }

  create(worldId: string): Promise<CreateReply> {
    const setupHash = jsonDigest(setup as unknown as JsonValue);
    const { buildHash, tools } = bankBuild;
    const request: CreateRequest = {
      kind: 'create',
      worldId,
      buildHash,
      setupHash,
      seed: { seed: '7', trial: 1, attempt: 1 },
      budgets: { maxToolCalls: null, maxEvents: null },
      recordRandom: false,
      program: { schemaVersion: 1, buildHash, tools, setup, setupHash },
    };
    return this.#kind.control(request) as Promise<CreateReply>;
  }
  destroy(worldId: string): Promise<boolean> {
    this.passivate(worldId);
    return this.#kind.control({ kind: 'destroy', worldId }) as Promise<boolean>;
  }
  passivate(worldId: string): void {
    this.#actors.get(worldId)?.passivate();
    this.#actors.delete(worldId);
  }

  /** Answers after the commit; commands of several worlds share one. */
  async run<C extends WorldCommand | ForkCommand>(
    commands: readonly { worldId: string; command: C }[],
  ): Promise<(C extends WorldCommand ? WorldAnswers[C['kind']] : ForkReply)[]> {
    const answers = commands.map(({ worldId, command }) => {
      const run = { cancelRequested: false, isShared: false, progress: () => {}, sliceOver: () => false };
      const steps = this.#actor(worldId).command(command, run);
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value as never;
      }
    });
    const sets = commands.map(({ worldId }) => this.#actor(worldId).takeWriteSet()).filter((set) => set !== undefined);
    for (const refusal of await this.#kind.commit(sets)) if (refusal !== undefined) throw refusal;
    return answers;
  }

  async close(): Promise<void> {
    await this.#reader?.close();
    await this.#kind.close();
  }

  #actor(worldId: string): Actor {
    let actor = this.#actors.get(worldId);
    if (actor === undefined) {
      actor = this.#kind.activate(worldId, this.#incarnations++);
      this.#actors.set(worldId, actor);
    }
    return actor;
  }
}
