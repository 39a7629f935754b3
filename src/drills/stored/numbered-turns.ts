// The turns of two runs with numbers in place of digests and texts: equal numbers mean equal things on either side.
import type { AlignedTurn } from './align-turns.js';
import { digestAt, isSameDigest } from './digest-column.js';
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

  constructor(columns: TurnColumns, names: Names, { same, last }: SharedEnds) {
    this.columns = columns;
    const { causes, contents, likes, words, texts, sequences, virtualTimesUs, starts } = columns;
    const turns = sequences.length;
    const likeNumbers = new Map<number, number>();
    const likeOf = (place: number): number => {
      const known = likeNumbers.get(place) ?? names.number(texts[place]!);
      likeNumbers.set(place, known);
      return known;
    };
    const isShared = (place: number): boolean => place < same || place >= turns - last;
    const sharedNumber = (place: number): number => -1 - (place < same ? place : same + turns - 1 - place);
    this.turns = Array.from(sequences, (sequence, place) => ({
      cause: isShared(place) ? sharedNumber(place) : names.number(digestAt(causes, place)),
      content: isShared(place) ? sharedNumber(place) : names.number(digestAt(contents, place)),
      like: likes[place] === 0 ? undefined : likeOf(likes[place]!),
      sequence,
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
  const ends = sharedEnds(left, right);
  return { left: new Side(left, names, ends), right: new Side(right, names, ends) };
}

/** Of two sides, whether the first comes first in an order that is not that of the sides. */
export function isFirst({ columns: left }: Side, { columns: right }: Side): boolean {
  const difference =
    left.sequences.length - right.sequences.length ||
    Buffer.compare(left.causes, right.causes) ||
    Buffer.compare(left.contents, right.contents);
  return difference <= 0;
}

interface SharedEnds {
  same: number;
  last: number;
}
/**
 * How many turns both begin and end with, word for word. They are paired with each other whatever is between (align-turns.ts), so they
 * have numbers of their own, and nobody looks up their digests: of most pairs of runs that is nearly all.
 */
function sharedEnds(left: TurnColumns, right: TurnColumns): SharedEnds {
  const [lefts, rights] = [left.sequences.length, right.sequences.length];
  const isSame = (one: number, other: number): boolean =>
    isSameDigest([left.causes, one], [right.causes, other]) && isSameDigest([left.contents, one], [right.contents, other]);
  const shorter = Math.min(lefts, rights);
  let same = 0;
  while (same < shorter && isSame(same, same)) same++;
  let last = 0;
  while (last < shorter - same && isSame(lefts - 1 - last, rights - 1 - last)) last++;
  return { same, last };
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
