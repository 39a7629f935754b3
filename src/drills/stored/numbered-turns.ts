// The turns of two runs with numbers in place of digests and texts: equal numbers mean equal things on either side.
import type { AlignedTurn } from './align-turns.js';
import { digestAt } from './digest-column.js';
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

  constructor(columns: TurnColumns, names: Names) {
    this.columns = columns;
    const { causes, contents, likes, words, texts, sequences, virtualTimesUs, starts } = columns;
    const likeNumbers = new Map<number, number>();
    const likeOf = (place: number): number => {
      const known = likeNumbers.get(place) ?? names.number(texts[place]!);
      likeNumbers.set(place, known);
      return known;
    };
    this.turns = Array.from({ length: sequences.length }, (_, place) => ({
      cause: names.number(digestAt(causes, place)),
      content: names.number(digestAt(contents, place)),
      like: likes[place] === 0 ? undefined : likeOf(likes[place]!),
      sequence: sequences[place]!,
      virtualTimeUs: virtualTimesUs[place]!,
      words: texts[words[place]!]!,
      entries: starts[place + 1]! - starts[place]!,
      start: starts[place]!,
    }));
  }

  /** Digest of what an entry of a turn says. */
  line({ start }: NumberedTurn, index: number): string {
    return digestAt(this.columns.lines, start + index);
  }
}

export function sidesOf(left: TurnColumns, right: TurnColumns): { left: Side; right: Side } {
  const names = new Names();
  return { left: new Side(left, names), right: new Side(right, names) };
}

/** Of two sides, whether the first comes first in an order that is not that of the sides. */
export function isFirst({ columns: left }: Side, { columns: right }: Side): boolean {
  const difference =
    left.sequences.length - right.sequences.length ||
    Buffer.compare(left.causes, right.causes) ||
    Buffer.compare(left.contents, right.contents);
  return difference <= 0;
}

class Names {
  readonly #numbers = new Map<string, number>();

  number(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
    }
    return number;
  }
}
