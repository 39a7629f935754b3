// Snapshots of homes: made of the copies on this node, or beside them where this node has the home; put in place of copies that the log
// does not reach back to.
//   CLUSTER-SNAPSHOTS-1. A snapshot holds everything up to its sequence, perhaps more, and nothing that the log does not have.
//   CLUSTER-SNAPSHOTS-2. The log is trimmed below the snapshot before the newest: one that turns out to be damaged is not the only one.
//   CLUSTER-SNAPSHOTS-3. While a store takes a snapshot it waits for no turn with the home's files: who has one may wait for it.
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ClusterClock, steadyClock } from '../cluster/clock.js';
import { type ClusterLog, catalogHome, type HomeState } from '../cluster/log.js';
import { type SnapshotFile, writeSnapshot } from '../cluster/snapshot-stream.js';
import { tuning } from '../cluster/tuning.js';
import { dataFileOf } from '../files/database.js';
import { makeFolder } from '../files/make-folder.js';
import { type CatalogCopyFile, OpenCopies } from './cluster-copies.js';
import { ClusterHome } from './cluster-home.js';
import { catchUp, restoreHome } from './cluster-rebuild.js';

export interface ClusterSnapshotsOptions {
  data: string;
  log: Pick<ClusterLog, 'read' | 'trim' | 'snapshots' | 'sweepStore'>;
  openCatalog(directory: string): CatalogCopyFile;
  /** As of the last beat. */
  stateOf(home: number): HomeState | undefined;
  clock?: ClusterClock;
  /** Default tuning.snapshotLogBytesMin. */
  logBytesMin?: number;
}
/** Of this node. */
export interface SnapshotSource {
  homeOf(home: number): ClusterHome;
  owns(home: number): boolean;
}

export class ClusterSnapshots {
  readonly #options: ClusterSnapshotsOptions;
  #cancelNext: (() => void) | undefined;
  #making: Promise<void> | undefined;
  #isOver = false;

  constructor(options: ClusterSnapshotsOptions) {
    this.#options = options;
  }

  /**
   * Looks now and then at the homes that this node is to make snapshots of: of each, one node is the best choice, and two do no harm.
   * `failed`: the next look tries again.
   */
  start(
    source: SnapshotSource,
    parts: { homes(): readonly number[]; failed(error: unknown, home: number): void; sweepFailed(error: unknown): void },
  ): void {
    const { clock = steadyClock, log } = this.#options;
    let sweptAt = clock.now();
    const look = async (): Promise<void> => {
      for (const home of parts.homes()) {
        if (this.#isOver) return;
        if (this.isDue(source, home)) await this.make(source, home).catch((error: unknown) => parts.failed(error, home));
      }
      if (this.#isOver || !source.owns(catalogHome) || clock.now() - sweptAt < tuning.straysLookMs) return;
      sweptAt = clock.now();
      await log.sweepStore().catch(parts.sweepFailed);
    };
    const later = (): void => {
      if (this.#isOver) return;
      this.#cancelNext = clock.after(tuning.snapshotLookMs, () => {
        this.#making = look().finally(later);
      });
    };
    later();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#cancelNext?.();
    await this.#making;
  }

  /** The log since the last snapshot is larger than that one. */
  isDue(source: SnapshotSource, home: number): boolean {
    const { stateOf, logBytesMin = tuning.snapshotLogBytesMin } = this.#options;
    const { mark } = source.homeOf(home);
    const newest = stateOf(home)?.snapshotSequence ?? 0;
    if (newest > mark.snapshotSequence) {
      // Another node made it: how much of the log came since is seen from now on.
      mark.snapshotSequence = newest;
      mark.logBytes = 0;
    }
    return mark.logBytes > Math.max(logBytesMin, mark.snapshotBytes);
  }

  /** False where something is in the way that passes: files that hold more than the log. */
  async make(source: SnapshotSource, home: number): Promise<boolean> {
    const scratch = join(this.#options.data, 'cluster', `snapshot-${home}`);
    rmSync(scratch, { recursive: true, force: true });
    try {
      const files = source.homeOf(home);
      if (!source.owns(home)) return await this.#put(files, files.mark, { scratch, isGone: () => source.owns(home) });
      return await this.#makeBeside(files, scratch);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }

  /** ClusterKeeperOptions.restore. */
  async restore(files: ClusterHome, { home, snapshotSequence: sequence }: HomeState): Promise<void> {
    await restoreHome(files, this.#options.log.snapshots, { home, sequence, data: this.#options.data });
  }

  /** The service writes the files of an owned home: a copy of its own is made of the last snapshot and the log, once. */
  async #makeBeside(owned: ClusterHome, scratch: string): Promise<boolean> {
    const { openCatalog, stateOf, log } = this.#options;
    const { home } = owned;
    const end = owned.mark.sequence;
    const data = join(scratch, 'data');
    makeFolder(data);
    const copies = new OpenCopies(openCatalog);
    const beside = new ClusterHome({ home, data, marks: scratch, copies });
    try {
      const sequence = stateOf(home)?.snapshotSequence ?? 0;
      if (sequence > 0) await restoreHome(beside, log.snapshots, { home, sequence, data });
      await catchUp(beside, log, end);
      return await this.#put(beside, owned.mark, { scratch: join(scratch, 'files'), isGone: () => false });
    } finally {
      await copies.closeAll();
    }
  }

  async #put(files: ClusterHome, own: ClusterHome['mark'], { scratch, isGone }: { scratch: string; isGone(): boolean }): Promise<boolean> {
    const { log, stateOf } = this.#options;
    const { home } = files;
    const { sequence } = files.mark;
    const streams = [...files.mark.ends.keys()];
    const before = stateOf(home)?.snapshotSequence ?? 0;
    if (sequence <= before) return false;
    const logBytes = own.logBytes;
    makeFolder(scratch);
    const path = join(scratch, 'snapshot');
    try {
      await pipeline(writeSnapshot({ home, sequence }, copiesOf(files, { streams, scratch, isGone })), createWriteStream(path));
    } catch (error) {
      if (error instanceof NotNow) return false;
      throw error;
    }
    await log.snapshots.put(home, sequence, piecesOfFile(path));
    own.snapshotSequence = Math.max(own.snapshotSequence, sequence);
    own.snapshotBytes = statSync(path).size;
    own.logBytes = Math.max(0, own.logBytes - logBytes);
    own.save();
    if (before > 0) {
      await log.trim(home, before + 1);
      await log.snapshots.trim(home, before);
    }
    return true;
  }
}

/** Something is in the way that passes. */
class NotNow extends Error {}

/** Of each file one moment; the next is copied when the one before was read. */
async function* copiesOf(
  files: ClusterHome,
  { streams, scratch, isGone }: { streams: readonly string[]; scratch: string; isGone(): boolean },
): AsyncGenerator<SnapshotFile & { bytes: number }> {
  for (const [index, stream] of streams.entries()) {
    const folder = join(scratch, String(index));
    const end = await files.inTurn(async () => {
      // Ended since: its records behind the sequence could not be followed.
      if (isGone() || !files.mark.ends.has(stream)) throw new NotNow();
      const copy = await files.copyOf(stream);
      const { number, nonce } = files.endOf(stream);
      if (copy.position.number !== number || !copy.position.nonce.equals(nonce)) throw new NotNow();
      await copy.copyTo(folder);
      return { number, nonce };
    });
    const path = dataFileOf(folder);
    yield { ...end, stream, path, bytes: statSync(path).size };
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opened when it is first read: a store may refuse before. */
async function* piecesOfFile(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: tuning.pieceBytes });
}
