// One run of a comparison, read from its journal into columns, which one thread hands to another in no time.
import { growingFloats, growingIntegers } from '../../collections/growing.js';
import { limits } from '../../contract/limits.js';
import type { RunResult } from '../../contract/run/run.js';
import { worldTag } from '../../reports/compared-values.js';
import { DigestColumn } from './digest-column.js';
import { EntryCounts } from './entry-counts.js';
import { JournalLine } from './journal-line.js';
import { bytesOf, eachLine, type JournalChunks } from './journal-text.js';
import { type Traced, TraceRecorder } from './run-trace.js';
import { type RunTurn, TurnReader } from './run-turns.js';

export interface ReadableRun {
  result: Pick<RunResult, 'evidenceRange' | 'identity'>;
  /** From sequence 1 on; each time it is asked for. */
  evidence: JournalChunks;
}

/** The turns of a run by place, and its entries by theirs: those that are aligned. Texts that come again stand once in `texts`. */
export interface TurnColumns {
  /** Digests of what brought each turn about. */
  causes: Uint8Array<ArrayBuffer>;
  /** Digests of the idempotency key of each. */
  keys: Uint8Array<ArrayBuffer>;
  /** Places in `texts`: who called what, 0 for what is no call; and what a turn is, for people. */
  likes: Int32Array<ArrayBuffer>;
  words: Int32Array<ArrayBuffer>;
  texts: string[];
  sequences: Float64Array<ArrayBuffer>;
  virtualTimesUs: Float64Array<ArrayBuffer>;
  /** Of each turn the place of its first entry, and at the end that of one more. */
  starts: Int32Array<ArrayBuffer>;
  /** Digests of what each entry says. */
  lines: Uint8Array<ArrayBuffer>;
  /** False where there are more entries than are aligned. */
  isComplete: boolean;
}
export interface ReadSide {
  turns: TurnColumns;
  trace: Traced;
  counts: [name: string, count: number][];
}

export async function readSide({ result, evidence }: ReadableRun): Promise<ReadSide> {
  const tag = worldTag(result.identity.worldInstanceId);
  const [turns, trace, counts] = [new TurnCollector(), new TraceRecorder(tag), new EntryCounts()];
  const observe = (line: JournalLine): void => {
    trace.observe(line);
    counts.observe(line);
  };
  const { fromSequence } = result.evidenceRange;
  const reader = new TurnReader({ tag, fromSequence, observe, take: (turn) => turns.take(turn) });
  const line = new JournalLine();
  for await (const chunk of evidence) {
    const bytes = bytesOf(chunk);
    eachLine(bytes, (start, end) => {
      line.read(bytes, start, end);
      reader.add(line);
    });
  }
  reader.end();
  return { turns: turns.columns(), trace: trace.traced(), counts: counts.all() };
}

class TurnCollector {
  readonly #causes = new DigestColumn();
  readonly #keys = new DigestColumn();
  readonly #likes = growingIntegers();
  readonly #words = growingIntegers();
  readonly #sequences = growingFloats();
  readonly #virtualTimesUs = growingFloats();
  readonly #starts = growingIntegers();
  readonly #lines = new DigestColumn();
  readonly #texts = [''];
  readonly #places = new Map<string, number>();
  #entries = 0;
  #aligned = 0;

  /** All entries are counted; those beyond the bound are not aligned. */
  take({ cause, key, like, words, sequence, virtualTimeUs, lines }: RunTurn): void {
    this.#entries += lines.length;
    if (this.#entries > limits.comparisonEntriesMax) return;
    this.#causes.push(cause);
    this.#keys.push(key);
    this.#likes.push(like === undefined ? 0 : this.#placeOf(like));
    this.#words.push(this.#placeOf(words));
    this.#sequences.push(sequence);
    this.#virtualTimesUs.push(virtualTimeUs);
    this.#starts.push(this.#aligned);
    for (const line of lines) this.#lines.push(line);
    this.#aligned += lines.length;
  }

  columns(): TurnColumns {
    this.#starts.push(this.#aligned);
    return {
      causes: this.#causes.values(),
      keys: this.#keys.values(),
      likes: this.#likes.values(),
      words: this.#words.values(),
      texts: this.#texts,
      sequences: this.#sequences.values(),
      virtualTimesUs: this.#virtualTimesUs.values(),
      starts: this.#starts.values(),
      lines: this.#lines.values(),
      isComplete: this.#entries <= limits.comparisonEntriesMax,
    };
  }

  #placeOf(text: string): number {
    let place = this.#places.get(text);
    if (place === undefined) {
      place = this.#texts.push(text) - 1;
      this.#places.set(text, place);
    }
    return place;
  }
}
