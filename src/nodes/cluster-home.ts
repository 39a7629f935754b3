// The data files of one home on this node: they follow the records of its log, or are an owner's.
//   CLUSTER-HOME-1. A file changes by the records of its stream only, each once and in order; what is in the file already is passed over
//     where the nonce shows that it is that record.
//   CLUSTER-HOME-2. A file that holds something else than the log is removed, and the home's log is read again from its beginning or a
//     snapshot (LogUnavailable, tried again). Where that ends at the same record once more, the record is at fault (control.DATA_DAMAGED).
//   CLUSTER-HOME-3. What the files hold of records that were never appended is appended by their owner or is removed. What an owner has
//     appended and not written is read again when it has left.
// A record without a body ends its stream: the file goes.
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { steadyClock } from '../cluster/clock.js';
import type { LogRange } from '../cluster/home-keeper.js';
import { HomeMark } from '../cluster/home-mark.js';
import { catalogHome, LogUnavailable } from '../cluster/log.js';
import type { FollowedRecord } from '../cluster/record-parts.js';
import { logWentBack } from '../cluster/refusals.js';
import { tuning } from '../cluster/tuning.js';
import { LruMap } from '../collections/lru-map.js';
import { ServiceError } from '../contract/errors.js';
import { folderOfStream, isStreamOf } from '../control/stream-files.js';
import { dataFileOf } from '../files/database.js';
import { InvalidRecord } from '../worlds/kv/group-record.js';
import type { StreamPosition, StreamRecord } from '../worlds/kv/stream-log.js';
import { streamStart } from '../worlds/kv/stream-position.js';
import { recordsOf } from '../worlds/stream-tail.js';
import type { OpenCopies } from './cluster-copies.js';

export interface ClusterHomeParts {
  home: number;
  /** The data directory of the node. */
  data: string;
  /** A folder for what is known of the home. */
  marks: string;
  copies: OpenCopies;
}
type AppendTo = (stream: string, record: StreamRecord) => Promise<'appended' | 'lost'>;

export class ClusterHome {
  readonly home: number;
  readonly mark: HomeMark;
  readonly #data: string;
  readonly #copies: OpenCopies;
  /** When records of a stream were followed last, by the node's clock. */
  readonly #followedMs = new LruMap<string, number>({ entriesMax: tuning.projectsAheadMax });
  /** Streams whose files an owner has changed, or may have. */
  readonly #touched = new Set<string>();
  #remadeAt: number | undefined;
  /** Of which it is not known yet what becomes. */
  #appendsUnderWay = 0;
  readonly #whenDecided: (() => void)[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ home, data, marks, copies }: ClusterHomeParts) {
    this.home = home;
    this.#data = data;
    this.#copies = copies;
    this.mark = new HomeMark(join(marks, `home-${home}.json`));
  }

  /** One thing at a time with the files. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  folderOf(stream: string): string {
    return folderOfStream(this.#data, { home: this.home, stream });
  }
  /** Streams of which something was followed since then, a few at most, the latest first. */
  lately(sinceMs: number): string[] {
    return [...this.#followedMs.keys()].filter((stream) => (this.#followedMs.peek(stream) as number) >= sinceMs).reverse();
  }
  endOf(stream: string): StreamPosition {
    return this.mark.ends.get(stream) ?? streamStart;
  }

  /** Records that follow, of any of its streams: HomeKeeper.apply. */
  async apply(records: readonly FollowedRecord[], { after, upTo }: LogRange): Promise<void> {
    const { sequence } = this.mark;
    // What lies between would never be read, and the ends of its streams would be those before it.
    if (sequence !== after) throw new LogUnavailable(`the copies of home ${this.home} are at ${sequence}, and not at ${after} any more`);
    for (let from = 0; from < records.length; ) {
      const until = chunkEnd(records, from);
      const chunk = records.slice(from, until);
      const streams = new Map<string, FollowedRecord[]>();
      for (const record of chunk) {
        const own = streams.get(record.stream);
        if (own === undefined) streams.set(record.stream, [record]);
        else own.push(record);
      }
      for (const [stream, own] of streams) await this.#follow(stream, own);
      for (const { sequence, body } of chunk) this.mark.note(sequence, body.length);
      from = until;
      if (from < records.length) await new Promise(setImmediate);
    }
    this.mark.note(upTo, 0);
  }

  /** The record is in the log. The file had it before, or gets it later; the catalog's always at once. */
  noteAppended(stream: string, { number, nonce, body }: StreamRecord, sequence: number): void {
    if (this.home !== catalogHome && body.length > 0) this.mark.noteUnwritten(stream, { number, nonce, body }, sequence);
    this.mark.ends.set(stream, { number, nonce });
    this.#touched.add(stream);
    this.mark.note(sequence, body.length);
  }
  /** An append of the home, of any of its streams, is under way. */
  appendBegins(): void {
    this.#appendsUnderWay += 1;
  }
  /** It is known what became of it. */
  appendEnds(): void {
    this.#appendsUnderWay -= 1;
    if (this.#appendsUnderWay === 0) for (const decided of this.#whenDecided.splice(0)) decided();
  }
  /** Resolves when none is under way. */
  appendsDecided(): Promise<void> {
    return new Promise((decided) => {
      if (this.#appendsUnderWay === 0) decided();
      else this.#whenDecided.push(decided);
    });
  }
  /** An owner opens the file. */
  noteOpened(stream: string): void {
    this.#touched.add(stream);
  }

  /** From now on an owner has the files: they hold what the log does, and nothing of it is missing. */
  async toOwner(append: AppendTo): Promise<void> {
    await this.closeCopies();
    for (const stream of this.mark.ends.keys()) if (!existsSync(dataFileOf(this.folderOf(stream)))) this.#remake(stream, 'it is gone');
    // Copies that only followed hold no more than the log.
    if (this.mark.isOwned) await this.#appendTails(this.#streams(), append);
    this.mark.isOwned = true;
    this.mark.save();
  }

  /** No owner has the files any more; what of them was never appended is appended now. */
  async fromOwner(append: AppendTo): Promise<void> {
    await this.#appendTails(this.#changed(), append, { mayLack: true });
    this.#left();
  }

  /** The same where the home is another's: what was never appended is removed. */
  async fromLost(): Promise<void> {
    const surplus: string[] = [];
    for (const stream of this.#changed()) if (!(await this.#isWithinLog(stream))) surplus.push(stream);
    for (const stream of surplus) await this.#remove(stream);
    if (surplus.length > 0) this.mark.forget();
    this.#left();
  }

  /** The stream has ended: its file goes. */
  async removeStream(stream: string): Promise<void> {
    await this.#remove(stream);
    removeIfEmpty(dirname(this.folderOf(stream)));
    this.mark.ends.delete(stream);
    this.mark.unwritten.forget(stream);
    this.mark.forgetSeen(stream);
    this.#touched.delete(stream);
    this.mark.save();
  }

  async closeCopies(): Promise<void> {
    for (const stream of this.#streams()) await this.#copies.close(this.folderOf(stream));
  }

  /** All of its files go; they come again by `apply` from the beginning, or from a snapshot. */
  async removeAll(): Promise<void> {
    this.mark.forgetSeenEnds();
    this.mark.forget();
    for (const stream of this.#streams()) await this.#remove(stream);
  }

  async copyOf(stream: string) {
    return await this.#copies.of(this.home, this.folderOf(stream));
  }

  async #follow(stream: string, records: readonly FollowedRecord[]): Promise<void> {
    const { home } = this;
    const [first] = records as [FollowedRecord, ...FollowedRecord[]];
    if (!isStreamOf(home, stream)) throw damaged(first, 'names no stream of its home');
    const ending = home === catalogHome ? -1 : records.findLastIndex(({ body }) => body.length === 0);
    if (ending >= 0) await this.removeStream(stream);
    const rest = records.slice(ending + 1);
    const last = rest.at(-1);
    if (last === undefined) return;
    for (const record of rest) if (!this.mark.isAsSeen(stream, record)) throw logWentBack(home, record.number, record.number - 1);
    const copy = await this.copyOf(stream);
    const { number, nonce } = copy.position;
    const same = rest.find((record) => record.number === number);
    const next = rest.findIndex((record) => record.number > number);
    if (same !== undefined && !same.nonce.equals(nonce)) {
      // Of the tail nobody was answered for; anything else was in the log.
      if (!copy.tail().some((record) => record.number === number)) throw logWentBack(home, number, number - 1);
      this.#remake(stream, 'it holds another record', same);
    }
    if (next >= 0) await this.#followFrom(stream, rest.slice(next) as [FollowedRecord, ...FollowedRecord[]]);
    this.mark.ends.set(stream, { number: last.number, nonce: last.nonce });
    this.#followedMs.set(stream, steadyClock.now());
  }

  async #followFrom(stream: string, records: readonly [FollowedRecord, ...FollowedRecord[]]): Promise<void> {
    const copy = await this.copyOf(stream);
    const { number } = copy.position;
    const [first] = records;
    if (first.number !== number + 1) this.#remake(stream, `it is at record ${number}`, first);
    try {
      await copy.follow(records);
    } catch (error) {
      if (!(error instanceof InvalidRecord)) throw error;
      const at = records.find((record) => record.number === copy.position.number + 1) ?? first;
      throw damaged(at, error.message);
    }
  }

  /** Throws. `record`: where it was seen. */
  #remake(stream: string, why: string, record?: FollowedRecord): never {
    const at = record?.sequence ?? this.mark.sequence;
    if (record !== undefined && this.#remadeAt === at) throw damaged(record, `does not follow the copy: ${why}`);
    this.#remadeAt = at;
    const folder = this.folderOf(stream);
    this.mark.forget();
    // The next turn with the home finds it gone. One that cannot be removed is found damaged there.
    void this.inTurn(() => this.#remove(stream)).catch(() => {});
    throw new LogUnavailable(`the copy ${folder} is made again: ${why}`);
  }

  /** The files may hold records above the log, in order. */
  async #appendTails(streams: Iterable<string>, append: AppendTo, { mayLack = false } = {}): Promise<void> {
    for (const stream of streams) {
      const end = this.endOf(stream);
      const copy = await this.copyOf(stream);
      try {
        if (mayLack && copy.position.number < end.number) continue;
        this.mark.unwritten.written(stream, copy.position.number);
        // Left over of a stream that has ended: its project is being removed.
        const isLeft = this.home !== catalogHome && end.number === 0 && copy.position.number > 0 && copy.tail()[0]?.number !== 1;
        if (isLeft) continue;
        for (const record of recordsOf(copy, end)) if ((await append(stream, record)) === 'lost') return;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'control.DATA_DAMAGED') throw error;
        if (error.extra.details?.reason === 'log_went_back') throw logWentBack(this.home, copy.position.number, end.number);
        this.#remake(stream, error.message);
      } finally {
        await this.#copies.close(this.folderOf(stream));
      }
    }
  }

  async #isWithinLog(stream: string): Promise<boolean> {
    const copy = await this.copyOf(stream);
    const end = this.endOf(stream);
    try {
      // What it lacks is read again, and shows whether it follows.
      return copy.position.number < end.number || recordsOf(copy, end).length === 0;
    } catch {
      return false;
    } finally {
      await this.#copies.close(this.folderOf(stream));
    }
  }

  /** The service has left the files, and could not write what they lack: it is read again. */
  leaveUnwritten(): void {
    this.mark.fallBack();
  }

  #left(): void {
    this.#touched.clear();
    this.mark.fallBack();
    this.mark.isOwned = false;
    this.mark.save();
  }

  async #remove(stream: string): Promise<void> {
    await this.#copies.close(this.folderOf(stream));
    rmSync(this.folderOf(stream), { recursive: true, force: true });
  }

  /** Those whose files an owner may have changed, the log knowing of it or not. */
  #changed(): string[] {
    return this.#streams().filter((stream) => this.#touched.has(stream) || !this.mark.ends.has(stream));
  }

  /** Those that have a file. */
  #streams(): string[] {
    const worlds = join(this.#data, 'worlds');
    const streams =
      this.home === catalogHome ? [''] : existsSync(worlds) ? readdirSync(worlds).filter((name) => isStreamOf(this.home, name)) : [];
    return streams.filter((stream) => existsSync(dataFileOf(this.folderOf(stream))));
  }
}

/** Of a project of which no home has anything here. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another home has something in it.
  }
}

/** A stream is followed to the end of its part of the chunk. */
function chunkEnd(records: readonly FollowedRecord[], from: number): number {
  let bytes = 0;
  for (let at = from; at < records.length; at++) {
    bytes += (records[at] as FollowedRecord).body.length;
    if (bytes >= tuning.followedBytesAtOnce) return at + 1;
  }
  return records.length;
}

function damaged({ home, sequence, stream, number }: FollowedRecord, why: string): ServiceError {
  return new ServiceError('control.DATA_DAMAGED', {
    message: `Record ${number} of the stream '${stream}', at ${sequence} of the log of home ${home}, is damaged: ${why}. Nothing of it was applied.`,
    details: { home, sequence, reason: why },
  });
}
