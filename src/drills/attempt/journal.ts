// The journal of one attempt as the attempt reads it: forward, in pages, every entry once.
import { setImmediate } from 'node:timers/promises';
import { limits } from '../../contract/limits.js';
import { clockAfter, type EventEntry, type EvidenceEntry } from '../../contract/world/evidence.js';
import { TrajectoryHasher } from '../../contract/world/evidence-hash.js';
import type { WorldRef } from '../../worlds/api.js';
import { tuning } from '../tuning.js';
import { type AttemptStart, firstSequence } from './attempt-environment.js';

type FailedEvent = Pick<EventEntry, 'virtualTimeUs' | 'error'>;

export class RunJournal {
  readonly #world: WorldRef;
  readonly #ownFrom: number;
  readonly #observe: (entry: EvidenceEntry) => void;
  readonly #trajectory = new TrajectoryHasher();
  #next = 1;
  #virtualTimeUs: number;
  #failedEvent: FailedEvent | undefined;
  /** What was read, while it is little: most journals then need not be read again for their report. */
  #kept: string[] | undefined = [];
  #keptChars = 0;

  /** `observe`: called with every entry of the attempt's own. */
  constructor(world: WorldRef, { begun, observe }: { begun: AttemptStart; observe: (entry: EvidenceEntry) => void }) {
    this.#world = world;
    this.#virtualTimeUs = begun.virtualTimeUs;
    this.#ownFrom = firstSequence(begun);
    this.#observe = observe;
  }

  /** Of the last entry read; 0 before the first. */
  get sequence(): number {
    return this.#next - 1;
  }
  /** The clock as the journal tells it. */
  get virtualTimeUs(): number {
    return this.#virtualTimeUs;
  }
  /** The first scheduled event of the attempt whose handler threw, in an advance of the timeline or in a wait. */
  get failedEvent(): FailedEvent | undefined {
    return this.#failedEvent;
  }
  trajectoryHash(): string {
    return this.#trajectory.digest();
  }

  /** Reads on to the end. */
  async catchUp(): Promise<void> {
    for await (const lines of this.#read(this.#next)) {
      this.#keep(lines);
      for (let from = 0, pauseAt = tuning.journalCharsAtOnce; from < lines.length; ) {
        const end = lines.indexOf('\n', from);
        this.#take(JSON.parse(lines.slice(from, end)) as EvidenceEntry);
        from = end + 1;
        if (from < pauseAt) continue;
        pauseAt = from + tuning.journalCharsAtOnce;
        await setImmediate();
      }
    }
  }

  /** Whether `lines` needs no world any more. */
  get isKept(): boolean {
    return this.#kept !== undefined;
  }

  /** Everything up to what `catchUp` has read, as pages of whole lines. */
  lines(): Iterable<string> | AsyncIterable<string> {
    return this.#kept ?? this.#read(1, this.sequence);
  }

  async *#read(fromSequence: number, toSequence = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
    let next: number | undefined = fromSequence;
    while (next !== undefined && next <= toSequence) {
      const limit = Math.min(limits.evidencePageEntriesMax, toSequence - next + 1);
      const page: { lines: string; nextSequence?: number } = await this.#world.query({ kind: 'evidenceLines', fromSequence: next, limit });
      if (page.lines !== '') yield page.lines;
      next = page.nextSequence;
    }
  }

  #take(entry: EvidenceEntry): void {
    this.#next = entry.sequence + 1;
    this.#trajectory.appendEntry(entry);
    // A hosted world may have gone further before it was set back and the attempt began.
    if (entry.sequence < this.#ownFrom) return;
    this.#virtualTimeUs = clockAfter(this.#virtualTimeUs, entry);
    if (entry.kind === 'event' && entry.phase === 'failed' && entry.scheduledEventId !== undefined) this.#failedEvent ??= entry;
    this.#observe(entry);
  }

  #keep(lines: string): void {
    if (this.#kept === undefined) return;
    this.#keptChars += lines.length;
    if (this.#keptChars > limits.journalKeptCharsMax) this.#kept = undefined;
    else this.#kept.push(lines);
  }
}
