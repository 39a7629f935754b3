// The turns of two runs with numbers in place of digests and texts: equal numbers mean equal things on either side.
import type { AlignedTurn } from './align-turns.js';
import { digestAt } from './digest-column.js';
import { DigestNumbers, wordsOf } from './digest-numbers.js';
import type { TurnColumns } from './read-side.js';

export interface NumberedTurn extends AlignedTurn {
  /** Equal for calls of one operation by one actor; undefined for what is no call. */
  like: number | undefined;
  sequence: number;
  virtualTimeUs: number;
  words: string;
  entries: number;
  /** Of its first entry among those of all turns. */
  start: number;
}

export class Side {
  readonly turns: readonly NumberedTurn[];
  readonly columns: TurnColumns;

  constructor(columns: TurnColumns, numbers: Numbers) {
    this.columns = columns;
    const { likes, words, texts, sequences, virtualTimesUs, starts } = columns;
    const [causes, lines] = [wordsOf(columns.causes), wordsOf(columns.lines)];
    const likeNumbers = numbers.ofTexts(texts);
    this.turns = Array.from(sequences, (sequence, place) => {
      const [start, entries] = [starts[place]!, starts[place + 1]! - starts[place]!];
      return {
        cause: numbers.digests.number(causes, place, 1),
        content: numbers.digests.number(lines, start, entries),
        like: likes[place] === 0 ? undefined : likeNumbers[likes[place]!],
        sequence,
        virtualTimeUs: virtualTimesUs[place]!,
        words: texts[words[place]!]!,
        entries,
        start,
      };
    });
  }

  /** Digest of what an entry of a turn says. */
  line({ start }: NumberedTurn, index: number): string {
    return digestAt(this.columns.lines, start + index);
  }
}

/** Whether the turns at two places were asked with one idempotency key, or both with none. */
export function haveOneKey(left: Side, one: number, right: Side, other: number): boolean {
  return digestAt(left.columns.keys, one) === digestAt(right.columns.keys, other);
}

export function sidesOf(left: TurnColumns, right: TurnColumns): { left: Side; right: Side } {
  const numbers = new Numbers();
  return { left: new Side(left, numbers), right: new Side(right, numbers) };
}

/** Of two sides, whether the first comes first in an order that is not that of the sides. */
export function isFirst({ columns: left }: Side, { columns: right }: Side): boolean {
  const difference =
    left.sequences.length - right.sequences.length || Buffer.compare(left.causes, right.causes) || Buffer.compare(left.lines, right.lines);
  return difference <= 0;
}

class Numbers {
  readonly digests = new DigestNumbers();
  readonly #texts = new Map<string, number>();

  /** Of each of these, in their order. */
  ofTexts(texts: readonly string[]): number[] {
    return texts.map((text) => {
      const number = this.#texts.get(text) ?? this.#texts.size;
      this.#texts.set(text, number);
      return number;
    });
  }
}
