// Two lists of turns aligned by their causes: the longest common subsequence, and of several of that length the one with most turns that
// are wholly equal. Bounded: a stretch too long for that is aligned by its shortest script of edits (Myers), one with too many edits is cut
// at causes that come once on either side, and where there are none, turns are paired by occurrence.
import { limits } from '../../contract/limits.js';

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
    for (let stretch = open.pop(); stretch !== undefined; stretch = open.pop()) for (const rest of this.#alignOne(stretch)) open.push(rest);
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
    const edited = shortestEdits(
      [rows, columns],
      (row, column) => this.#left[from[0] + row]!.cause === this.#right[from[1] + column]!.cause,
    );
    if (edited !== undefined) {
      for (const [row, column] of edited) this.#pairs.push([from[0] + row, from[1] + column]);
      return [];
    }
    const anchors = risingOnRight(this.#unique({ from, to }));
    for (const pair of anchors.length > 0 ? anchors : risingOnRight(this.#byOccurrence({ from, to }))) this.#pairs.push(pair);
    if (anchors.length === 0) return [];
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

/** Myers, "An O(ND) difference algorithm" (1986): undefined where there are more edits than are looked for. */
export function shortestEdits(
  [rows, columns]: readonly [number, number],
  isEqual: (row: number, column: number) => boolean,
): Pair[] | undefined {
  const max = Math.min(rows + columns, limits.comparisonEditsMax);
  // The furthest row on each diagonal, which is row - column; `middle` is the diagonal 0.
  const middle = max + 1;
  const furthest = new Int32Array(2 * max + 3);
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= max; edits++) {
    steps.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [below, above] = [furthest[middle + diagonal - 1]!, furthest[middle + diagonal + 1]!];
      let row = diagonal === -edits || (diagonal !== edits && below < above) ? above : below + 1;
      while (row < rows && row - diagonal < columns && isEqual(row, row - diagonal)) row++;
      furthest[middle + diagonal] = row;
      if (row >= rows && row - diagonal >= columns) return pairsOf(steps, rows, columns);
    }
  }
  return undefined;
}

/** Back along the furthest rows of each number of edits. `steps[n]` holds the diagonals -n-1 to n+1 as they were before the n-th. */
function pairsOf(steps: readonly Int32Array[], rows: number, columns: number): Pair[] {
  const pairs: Pair[] = [];
  let [row, column] = [rows, columns];
  for (let edits = steps.length - 1; edits >= 0; edits--) {
    const diagonal = row - column;
    const at = (other: number): number => steps[edits]![other + edits + 1]!;
    const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const start = edits === 0 ? 0 : isDown ? at(diagonal + 1) : at(diagonal - 1) + 1;
    while (row > start) pairs.push([--row, --column]);
    if (isDown) column--;
    else row--;
  }
  return pairs.reverse();
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
