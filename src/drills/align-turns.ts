// Two lists of turns aligned by their causes: the longest common subsequence, and of several of that length the one with most turns that are
// wholly equal. Bounded: a stretch too long for the exact answer is cut at causes that come once on either side, else paired by occurrence.
import { limits } from '../contract/limits.js';

/** Interned: equal numbers mean equal things. */
export interface AlignedTurn {
  cause: number;
  content: number;
}
/** Places in the two lists, rising on both sides. */
export type Pair = readonly [left: number, right: number];

export function alignTurns(left: readonly AlignedTurn[], right: readonly AlignedTurn[]): Pair[] {
  return new Aligner(left, right).align();
}

interface Stretch {
  from: readonly [number, number];
  to: readonly [number, number];
}

class Aligner {
  readonly #left: readonly AlignedTurn[];
  readonly #right: readonly AlignedTurn[];
  readonly #pairs: Pair[] = [];

  constructor(left: readonly AlignedTurn[], right: readonly AlignedTurn[]) {
    this.#left = left;
    this.#right = right;
  }

  align(): Pair[] {
    const open: Stretch[] = [{ from: [0, 0], to: [this.#left.length, this.#right.length] }];
    for (let stretch = open.pop(); stretch !== undefined; stretch = open.pop()) open.push(...this.#alignOne(stretch));
    return this.#pairs.sort((one, other) => one[0] - other[0]);
  }

  /** What is left to align between the pairs that were found. */
  #alignOne(stretch: Stretch): Stretch[] {
    const { from, to } = this.#trimmed(stretch);
    const [rows, columns] = [to[0] - from[0], to[1] - from[1]];
    if (rows === 0 || columns === 0) return [];
    if (rows * columns <= limits.comparisonCellsMax) {
      this.#exact({ from, to });
      return [];
    }
    const anchors = risingOnRight(this.#unique({ from, to }));
    if (anchors.length === 0) {
      this.#pairs.push(...risingOnRight(this.#byOccurrence({ from, to })));
      return [];
    }
    this.#pairs.push(...anchors);
    const ends: Pair[] = [...anchors, to];
    return ends.map((end, index) => ({ from: index === 0 ? from : after(anchors[index - 1]!), to: end }));
  }

  /** Without the turns at both ends that are wholly equal: pairing those is never wrong. */
  #trimmed({ from, to }: Stretch): Stretch {
    let [left, right] = from;
    let [leftEnd, rightEnd] = to;
    while (left < leftEnd && right < rightEnd && this.#isEqual(left, right)) this.#pairs.push([left++, right++]);
    while (left < leftEnd && right < rightEnd && this.#isEqual(leftEnd - 1, rightEnd - 1)) this.#pairs.push([--leftEnd, --rightEnd]);
    return { from: [left, right], to: [leftEnd, rightEnd] };
  }

  /** By dynamic programming from the end: each cell is what the rest of both sides is worth. */
  #exact({ from, to }: Stretch): void {
    const [rows, columns] = [to[0] - from[0], to[1] - from[1]];
    // One more pair is worth more than any number of equal contents.
    const pairWorth = Math.min(rows, columns) + 1;
    const width = columns + 1;
    const worth = new Int32Array((rows + 1) * width);
    const paired = (row: number, column: number): number => {
      const [one, other] = [this.#left[from[0] + row]!, this.#right[from[1] + column]!];
      if (one.cause !== other.cause) return -1;
      return worth[(row + 1) * width + column + 1]! + pairWorth + (one.content === other.content ? 1 : 0);
    };
    for (let row = rows - 1; row >= 0; row--) {
      for (let column = columns - 1; column >= 0; column--) {
        worth[row * width + column] = Math.max(worth[(row + 1) * width + column]!, worth[row * width + column + 1]!, paired(row, column));
      }
    }
    for (let row = 0, column = 0; row < rows && column < columns; ) {
      const here = worth[row * width + column]!;
      if (paired(row, column) === here) this.#pairs.push([from[0] + row++, from[1] + column++]);
      else if (worth[(row + 1) * width + column] === here) row++;
      else column++;
    }
  }

  /** Causes that come exactly once on either side. */
  #unique({ from, to }: Stretch): Pair[] {
    const places = (turns: readonly AlignedTurn[], start: number, end: number): Map<number, number> => {
      const seen = new Map<number, number>();
      for (let place = start; place < end; place++) seen.set(turns[place]!.cause, seen.has(turns[place]!.cause) ? -1 : place);
      return seen;
    };
    const others = places(this.#right, from[1], to[1]);
    return [...places(this.#left, from[0], to[0])].flatMap(([cause, place]): Pair[] => {
      const other = others.get(cause) ?? -1;
      return place < 0 || other < 0 ? [] : [[place, other]];
    });
  }

  /** The first of a cause with the first, the second with the second. */
  #byOccurrence({ from, to }: Stretch): Pair[] {
    const places = new Map<number, number[]>();
    for (let place = to[1] - 1; place >= from[1]; place--) {
      const { cause } = this.#right[place]!;
      const known = places.get(cause);
      if (known === undefined) places.set(cause, [place]);
      else known.push(place);
    }
    const pairs: Pair[] = [];
    for (let place = from[0]; place < to[0]; place++) {
      const other = places.get(this.#left[place]!.cause)?.pop();
      if (other !== undefined) pairs.push([place, other]);
    }
    return pairs;
  }

  #isEqual(left: number, right: number): boolean {
    return this.#left[left]!.cause === this.#right[right]!.cause && this.#left[left]!.content === this.#right[right]!.content;
  }
}

const after = ([left, right]: Pair): Pair => [left + 1, right + 1];

/** Of pairs that rise on the left, the most that rise on the right too (patience sorting). */
function risingOnRight(pairs: readonly Pair[]): Pair[] {
  const tops: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [index, [, right]] of pairs.entries()) {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]!]![1] < right) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? undefined : tops[low - 1]);
    tops[low] = index;
  }
  const rising: Pair[] = [];
  for (let index = tops.at(-1); index !== undefined; index = before[index]) rising.push(pairs[index]!);
  return rising.reverse();
}
