// What a node of a cluster does with its homes: copies that follow the log, files that its own service writes, and the way between.
//   CLUSTER-KEEPER-1. While the service has a home no copy of it is open, and what the service appends is checked: a record of the log can
//     be followed. Its files are left when each append of it is decided.
//   CLUSTER-KEEPER-2. After another boot of the operating system nothing is believed: all copies are made again.
//   CLUSTER-KEEPER-3. A data directory that followed another cluster's log is refused before anything of it is changed.
//   CLUSTER-KEEPER-4. A home whose opening failed is closed as a lost one is: nothing of the service has it, and it can be taken again.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WrongAsk } from '../actors/ask-answers.js';
import type { Appender } from '../cluster/appender.js';
import type { HomeKeeper, LogRange } from '../cluster/home-keeper.js';
import { catalogHome, type HomeState } from '../cluster/log.js';
import type { FollowedRecord } from '../cluster/record-parts.js';
import { foreignCluster } from '../cluster/refusals.js';
import { tuning } from '../cluster/tuning.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { HomesLog } from '../control/core/services.js';
import { isStreamOf } from '../control/stream-files.js';
import { isOfThisBoot, markBoot } from '../files/boot-mark.js';
import { makeFolder } from '../files/make-folder.js';
import { removeSlots } from '../worlds/box-slot.js';
import { homeOfFileName } from '../worlds/homes.js';
import { checkRecord, followedNonce, InvalidRecord, nonceBytes } from '../worlds/kv/group-record.js';
import type { StreamLog, StreamPosition, StreamRecord } from '../worlds/kv/stream-log.js';
import { type CatalogCopyFile, OpenCopies } from './cluster-copies.js';
import { ClusterHome } from './cluster-home.js';

export interface ClusterKeeperOptions {
  /** The data directory of the node. */
  data: string;
  /** Of the log. */
  clusterId: string;
  openCatalog(directory: string): CatalogCopyFile;
  /** Of the node's homes (cluster/node-homes.ts), which ask this keeper: so it is looked up when it is needed. */
  appender(): Pick<Appender, 'append' | 'isFull' | 'space'>;
  /** The service may open the home: its files hold everything. */
  opened(home: number): Promise<void>;
  /** The service closes it. Called within `close`, before anything else; resolves when nothing of the service has a file of it open. */
  closing(home: number, why: 'given' | 'lost'): Promise<void>;
  /** Puts the newest snapshot in place of the home's files. */
  restore(home: ClusterHome, state: HomeState): Promise<void>;
}

export class ClusterKeeper implements HomeKeeper, HomesLog {
  readonly #options: ClusterKeeperOptions;
  readonly #marks: string;
  readonly #copies: OpenCopies;
  readonly #homes = new Map<number, ClusterHome>();
  readonly #own = new Set<number>();
  /** The service may still have its files open. */
  readonly #closing = new Set<number>();

  constructor(options: ClusterKeeperOptions) {
    this.#options = options;
    this.#marks = join(options.data, 'cluster');
    requireOwnCluster(this.#marks, options.clusterId);
    if (existsSync(this.#marks) && !isOfThisBoot(this.#marks)) removeCopies(options.data);
    makeFolder(this.#marks);
    writeFileSync(join(this.#marks, idName), options.clusterId);
    markBoot(this.#marks);
    this.#copies = new OpenCopies(options.openCatalog);
  }

  /** Of this node. */
  homeOf(home: number): ClusterHome {
    const found = this.#homes.get(home);
    if (found !== undefined) return found;
    const made = new ClusterHome({ home, data: this.#options.data, marks: this.#marks, copies: this.#copies });
    this.#homes.set(home, made);
    return made;
  }
  owns(home: number): boolean {
    return this.#own.has(home);
  }

  position(home: number): number {
    return this.homeOf(home).mark.sequence;
  }

  seen(home: number): number {
    return this.homeOf(home).mark.seenSequence;
  }

  logBytes(home: number): number {
    return this.homeOf(home).mark.logBytes;
  }

  async apply(home: number, records: readonly FollowedRecord[], range: LogRange): Promise<void> {
    const files = this.homeOf(home);
    await files.inTurn(() => files.apply(records, range));
  }

  async restore(state: HomeState): Promise<void> {
    const files = this.homeOf(state.home);
    await files.inTurn(() => this.#options.restore(files, state));
  }

  async open(home: number): Promise<void> {
    const files = this.homeOf(home);
    await files.inTurn(async () => {
      await files.toOwner((stream, record) => this.#put(files, stream, record));
      this.#own.add(home);
    });
    try {
      await this.#options.opened(home);
    } catch (error) {
      await this.close(home, 'lost');
      throw error;
    }
  }

  async close(home: number, why: 'given' | 'lost'): Promise<void> {
    const files = this.homeOf(home);
    if (why === 'lost') this.#own.delete(home);
    this.#closing.add(home);
    try {
      await this.#options.closing(home, why);
    } catch (error) {
      this.#own.delete(home);
      await files.appendsDecided();
      await files.inTurn(async () => files.leaveUnwritten());
      throw error;
    } finally {
      this.#closing.delete(home);
    }
    this.#own.delete(home);
    // A host may have ended within an append: what is known of the log is complete when that is decided, and changes no more after it.
    await files.appendsDecided();
    await files.inTurn(() => (why === 'lost' ? files.fromLost() : files.fromOwner((stream, record) => this.#put(files, stream, record))));
    if (home === catalogHome) await this.openCatalog();
  }

  /** The catalog as this node's copy has it is read here also while no record comes that would open it. */
  async openCatalog(): Promise<void> {
    const files = this.homeOf(catalogHome);
    await files.inTurn(async () => {
      const isService = this.#own.has(catalogHome) || this.#closing.has(catalogHome);
      if (!isService && files.endOf('').number > 0) await files.copyOf('');
    });
  }

  /** The log of the catalog, for the service while it has home 0. */
  get catalogLog(): StreamLog {
    return { mintNonce: () => randomBytes(nonceBytes), append: (record) => this.append(catalogHome, '', record) };
  }

  append(home: number, stream: string, record: StreamRecord): Promise<'appended' | 'lost'> {
    if (!this.#own.has(home) || !isStreamOf(home, stream)) return Promise.resolve('lost');
    const files = this.homeOf(home);
    try {
      requireFollows(files.endOf(stream), record, home);
      if (files.mark.unwritten.bytesOf(stream) > tuning.unwrittenBytesMax) throw new WrongAsk('it appended, and wrote nothing');
    } catch (error) {
      return Promise.reject(error as Error);
    }
    return this.#put(files, stream, record);
  }

  async endOf(home: number, stream: string): Promise<StreamPosition | 'lost'> {
    if (!this.#own.has(home)) return 'lost';
    const files = this.homeOf(home);
    files.noteOpened(stream);
    return files.endOf(stream);
  }

  unwritten(home: number, stream: string): readonly StreamRecord[] {
    return this.homeOf(home).mark.unwritten.of(stream);
  }

  written(home: number, stream: string, number: number): void {
    if (this.#own.has(home)) this.homeOf(home).mark.unwritten.written(stream, number);
  }

  async removeStream(stream: string): Promise<void> {
    for (const home of this.#own) {
      const files = this.homeOf(home);
      const { number } = files.endOf(stream);
      if (home === catalogHome || number === 0) continue;
      const ending = { number: number + 1, nonce: randomBytes(nonceBytes), body: Buffer.alloc(0) };
      if ((await this.#put(files, stream, ending)) === 'lost') throw ownedElsewhere();
      await files.removeStream(stream);
    }
  }

  /** After the homes have stopped. */
  async stop(): Promise<void> {
    await this.#copies.closeAll();
    for (const { mark } of this.#homes.values()) mark.trySave();
  }

  async #put(files: ClusterHome, stream: string, record: StreamRecord): Promise<'appended' | 'lost'> {
    const appender = this.#options.appender();
    files.appendBegins();
    try {
      if (appender.isFull) await appender.space();
      const put = await appender.append({ home: files.home, stream, number: record.number, nonce: record.nonce, body: record.body });
      if (put.outcome === 'lost') return 'lost';
      files.noteAppended(stream, record, put.sequence);
      return 'appended';
    } finally {
      files.appendEnds();
    }
  }
}

/** Others follow what is appended here: a host of one project is not to stop a home of many. */
function requireFollows(end: StreamPosition, { number, nonce, body }: StreamRecord, home: number): void {
  if (number !== end.number + 1 || nonce.length !== nonceBytes) throw new WrongAsk('it appended a record that does not follow');
  try {
    const follows = home === catalogHome ? followedNonce(body) : checkRecord(body);
    if (follows.equals(end.nonce)) return;
  } catch (error) {
    if (!(error instanceof InvalidRecord)) throw error;
  }
  throw new WrongAsk('it appended what is no record');
}

function ownedElsewhere(): ServiceError {
  return new ServiceError('control.UNAVAILABLE', {
    message: 'Another machine has this home now.',
    retryAfterMs: limits.unavailableRetryAfterMs,
  });
}

/** Names the cluster whose log the folders here follow. */
const idName = 'cluster-id';

function requireOwnCluster(marks: string, clusterId: string): void {
  const file = join(marks, idName);
  const known = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // A crash may have left it empty, of the first start alone.
  if (known === '' || known === clusterId) return;
  throw foreignCluster(
    `The data directory ${dirname(marks)} is a copy of another cluster, or of this one before it was restored. Keep it, and name an empty one.`,
  );
}

/** What was not flushed may be torn. */
function removeCopies(data: string): void {
  rmSync(join(data, 'cluster'), { recursive: true, force: true });
  rmSync(join(data, 'catalog'), { recursive: true, force: true });
  const worlds = join(data, 'worlds');
  removeSlots(worlds);
  for (const project of existsSync(worlds) ? readdirSync(worlds) : []) {
    if (!isStreamOf(1, project)) continue;
    const folder = join(worlds, project);
    for (const name of readdirSync(folder))
      if (homeOfFileName(name) !== undefined) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
