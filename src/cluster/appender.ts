// What a node appends: the records of all its homes, batched into one append at a time.
// Owns the next sequence and the epoch of each home that the node owns. Does not own the log, nor what a record means.
//   APPENDER-1. Records of a home are appended in the order in which they were handed over, at consecutive sequences, each once.
//   APPENDER-2. A record is answered 'appended' only when the log has it, and 'lost' only where its home is no longer this node's; while
//               the log does not answer, it is not answered at all.
//   APPENDER-3. A home that is refused is lost: `onLost` is called once, before anything that waits for it is answered.
//   APPENDER-4. `space` waits while the bytes that wait are above their bound.
import { randomBytes } from 'node:crypto';
import { backoffMs } from '../async/retry.js';
import { invariant } from '../contract/errors.js';
import { type ClusterClock, waitOn } from './clock.js';
import { type Appended, type ClusterLog, type LogEntry, LogUnavailable, LogUnknown } from './log.js';
import { type ClusterMeter, silentClusterMeter } from './meter.js';
import { type LogRecord, partsOf } from './record-parts.js';
import { tuning } from './tuning.js';

/** `sequence`: of its last entry. */
export type RecordOutcome = { outcome: 'appended'; sequence: number } | { outcome: 'lost' };

export interface AppenderOptions {
  log: ClusterLog;
  clock: ClusterClock;
  onLost(home: number): void;
  /** Default: nobody counts. */
  meter?: Pick<ClusterMeter, 'appended'>;
}

interface OwnHome {
  epoch: number;
  next: number;
}
interface Pending {
  record: LogRecord;
  own: OwnHome;
  answer(outcome: RecordOutcome): void;
}
/** What one append carries: each record with its entries. */
type Batch = { pending: Pending; entries: LogEntry[] }[];

export class Appender {
  readonly #options: AppenderOptions;
  readonly #homes = new Map<number, OwnHome>();
  /** Bounded by the bytes of those who wait for `space`; the one in front may be any size. */
  readonly #queue: Pending[] = [];
  readonly #spaceWaiters: (() => void)[] = [];
  #pendingBytes = 0;
  #isRunning = false;
  #closed = false;

  constructor(options: AppenderOptions) {
    this.#options = options;
  }

  /** The home is this node's, under the epoch; its log ends at `end`. */
  own(home: number, epoch: number, end: number): void {
    this.#homes.set(home, { epoch, next: end + 1 });
  }

  /** The home is no longer this node's, by its own will or another's: what still waits for it is answered 'lost'. */
  disown(home: number): void {
    this.#homes.delete(home);
    for (const pending of this.#queue.filter(({ record }) => record.home === home)) this.#answer(pending, { outcome: 'lost' });
    this.#keepQueue(({ record }) => record.home !== home);
  }

  /** The sequence of the last entry that was appended; undefined where the home is not owned. */
  endOf(home: number): number | undefined {
    const own = this.#homes.get(home);
    return own && own.next - 1;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Another record is to wait for `space`. */
  get isFull(): boolean {
    return this.#pendingBytes >= tuning.pendingBytesMax || this.#spaceWaiters.length > 0;
  }

  /** Resolves when another record may be handed over. */
  space(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => this.#spaceWaiters.push(resolve));
  }

  append(record: LogRecord): Promise<RecordOutcome> {
    const own = this.#homes.get(record.home);
    if (own === undefined || this.#closed) return Promise.resolve({ outcome: 'lost' });
    this.#pendingBytes += record.body.length;
    return new Promise((answer) => {
      this.#queue.push({ record, own, answer });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** An empty entry: as durable as all before it, and refused where the home is another's. */
  fence(home: number): Promise<RecordOutcome> {
    return this.append({ home, stream: '', number: 0, nonce: randomBytes(nonceBytes), body: Buffer.alloc(0) });
  }

  /** Appends no more. What waits is answered 'lost': whether it is in the log is not known, and who has the home next will read it. */
  close(): void {
    this.#closed = true;
    for (const home of [...this.#homes.keys()]) this.disown(home);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // What is handed over in one turn of the event loop becomes one append.
    await Promise.resolve();
    while (this.#queue.length > 0 && !this.#closed) {
      const batch = this.#nextBatch();
      const fromMs = this.#options.clock.now();
      const appended = await this.#appendSurely(batch.flatMap(({ entries }) => entries));
      if (appended === undefined) break;
      if (appended.outcome === 'appended') this.#settle(batch, fromMs);
      else this.#lose(batch, appended.homes);
    }
    this.#isRunning = false;
  }

  /** From the front of the queue, so that the order is kept: at least one record, all of its parts together. */
  #nextBatch(): Batch {
    const batch: Batch = [];
    const next = new Map<number, number>();
    let [bytes, count] = [0, 0];
    for (const pending of this.#queue) {
      const { record, own } = pending;
      const parts = partsOf(record.body);
      if (batch.length > 0 && (bytes + record.body.length > tuning.appendBytesMax || count + parts.length > tuning.appendEntriesMax)) break;
      const first = next.get(record.home) ?? own.next;
      const { home, stream, number, nonce } = record;
      const entries = parts.map((body, index) => ({
        home,
        stream,
        number,
        nonce,
        body,
        epoch: own.epoch,
        sequence: first + index,
        isLast: index === parts.length - 1,
      }));
      next.set(home, first + parts.length);
      batch.push({ pending, entries });
      bytes += record.body.length;
      count += parts.length;
    }
    return batch;
  }

  /** For as long as it takes; undefined when the appender was closed meanwhile. */
  async #appendSurely(entries: readonly LogEntry[]): Promise<Appended | undefined> {
    const { log, clock } = this.#options;
    let isUnknown = false;
    for (let attempts = 1; !this.#closed; attempts++) {
      try {
        return await (isUnknown ? log.resolve(entries) : log.append(entries));
      } catch (error) {
        // Once unknown, an unavailable log says nothing of the append before it.
        if (error instanceof LogUnknown) isUnknown = true;
        else if (!(error instanceof LogUnavailable)) throw error;
      }
      await waitOn(clock, backoffMs({ firstMs: tuning.retryFirstMs, maxMs: tuning.retryMaxMs }, attempts));
    }
    return undefined;
  }

  #settle(batch: Batch, fromMs: number): void {
    const { clock, meter = silentClusterMeter } = this.#options;
    const bytes = batch.reduce((sum, { pending }) => sum + pending.record.body.length, 0);
    meter.appended({ seconds: (clock.now() - fromMs) / 1000, records: batch.length, bytes });
    const waiting = new Set(this.#queue);
    const done = new Set<Pending>();
    for (const { pending, entries } of batch) {
      // Disowned meanwhile: it was answered, and a home that is owned again counts from its own end.
      if (!waiting.has(pending)) continue;
      const sequence = pending.own.next + entries.length - 1;
      pending.own.next = sequence + 1;
      done.add(pending);
      this.#answer(pending, { outcome: 'appended', sequence });
    }
    this.#keepQueue((pending) => !done.has(pending));
  }

  #lose(batch: Batch, refused: readonly number[]): void {
    invariant(refused.length > 0, 'an append was refused for no home');
    for (const { pending } of batch) {
      const { record, own } = pending;
      // Given away and owned again meanwhile, it is under another epoch, of which the refusal says nothing.
      if (!refused.includes(record.home) || this.#homes.get(record.home) !== own) continue;
      this.#homes.delete(record.home);
      this.#options.onLost(record.home);
      this.disown(record.home);
    }
  }

  #answer({ record, answer }: Pending, outcome: RecordOutcome): void {
    this.#pendingBytes -= record.body.length;
    answer(outcome);
    while (this.#spaceWaiters.length > 0 && this.#pendingBytes < tuning.pendingBytesMax) this.#spaceWaiters.shift()?.();
  }

  #keepQueue(isKept: (pending: Pending) => boolean): void {
    this.#queue.splice(0, this.#queue.length, ...this.#queue.filter(isKept));
  }
}

const nonceBytes = 16;
