// What two runs did differently, turn by turn, and where they parted first.
//   RUN-DIFFERENCES-1. Symmetric: of several alignments that are equally good one is taken by what is in the runs, not by which is left.
//     Exchanging the sides exchanges the answer and nothing else.
import { defined } from '../../contract/defined.js';
import type { RunComparison, RunDivergence } from '../../contract/hosted/runs.js';
import { limits } from '../../contract/limits.js';
import { virtualClock } from '../../text/virtual-time.js';
import { alignTurns } from './align-turns.js';
import { haveOneKey, isFirst, type NumberedTurn, type Side, sidesOf } from './numbered-turns.js';
import type { TurnColumns } from './read-side.js';
import type { RunTrace } from './run-trace.js';

type Differences = NonNullable<RunComparison['differences']>;
export type Difference = Differences['shown'][number];
/** Where they parted: a place in either run, and in the turns, without what stands there. */
export interface Parting extends Pick<RunDivergence, 'leftSequence' | 'rightSequence' | 'summary'> {
  /** Of a call that only one side made: the other's that is like it. */
  like?: number;
}

export interface AlignedRuns {
  differences: Differences;
  parting: Parting | undefined;
  /** Of the entries that were aligned, what they say. */
  entryLines: { left: EntryLines; right: EntryLines };
}

export function alignRuns(left: TurnColumns, right: TurnColumns): AlignedRuns {
  const sides = sidesOf(left, right);
  const aligned = new Alignment(sides.left, sides.right);
  const all = aligned.differences();
  const count = (wanted: Difference['kind']): number => all.filter(({ kind }) => kind === wanted).length;
  const changed = count('changed');
  const otherKeys = aligned.otherKeys();
  return {
    differences: {
      same: aligned.pairs - changed,
      ...(otherKeys === 0 ? {} : { otherKeys }),
      ...{ onlyLeft: count('only_left'), onlyRight: count('only_right'), changed, moved: count('moved') },
      isComplete: left.isComplete && right.isComplete,
      shown: all.slice(0, limits.comparisonDifferencesShown),
    },
    parting: aligned.firstDivergence(),
    entryLines: { left: new EntryLines(sides.left), right: new EntryLines(sides.right) },
  };
}

/** What the entries of a run say, as digests: equal for entries that say the same. */
class EntryLines {
  readonly #side: Side;
  readonly #turns: readonly NumberedTurn[];

  constructor(side: Side) {
    this.#side = side;
    this.#turns = side.turns;
  }

  /** Entries that follow from `sequence`: those of its turn after it, and all that they caused, by cause alone. */
  *effectsOf(sequence: number, trace: RunTrace): Generator<{ sequence: number; line: string }> {
    const reached = new Set([sequence]);
    for (let place = this.#placeOf(sequence); place < this.#turns.length; place++) {
      const turn = this.#turns[place]!;
      for (let index = 0; index < turn.entries; index++) {
        const here = turn.sequence + index;
        if (here <= sequence || !reached.has(trace.causeOf(here))) continue;
        reached.add(here);
        yield { sequence: here, line: this.#side.line(turn, index) };
      }
    }
  }

  /** The first entries of two turns that are not the same, as far as either has one. */
  firstUnlike(here: number, other: EntryLines, there: number): [number | undefined, number | undefined] {
    const [one, two] = [this.#turns[this.#placeOf(here)]!, other.#turns[other.#placeOf(there)]!];
    return firstUnlike([this.#side, one], [other.#side, two]);
  }

  #placeOf(sequence: number): number {
    let [low, high] = [0, this.#turns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#turns[middle]!.sequence <= sequence) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }
}

class Alignment {
  readonly pairs: number;
  readonly #sides: { left: Side; right: Side };
  readonly #left: readonly NumberedTurn[];
  readonly #right: readonly NumberedTurn[];
  /** By place, that of the turn on the other side that it is paired with; -1 where there is none. */
  readonly #rightOf: Int32Array;
  readonly #leftOf: Int32Array;
  /** Turns of one cause that stand elsewhere on the other side. */
  readonly #movedTo = new Map<number, number>();
  readonly #movedFrom = new Map<number, number>();
  /** Calls that only one side made, each with one of the other side that is like it. */
  readonly #likeRight = new Map<number, number>();
  readonly #likeLeft = new Map<number, number>();

  constructor(left: Side, right: Side) {
    this.#sides = { left, right };
    this.#left = left.turns;
    this.#right = right.turns;
    const pairs = isFirst(left, right)
      ? alignTurns(left.turns, right.turns)
      : alignTurns(right.turns, left.turns).map(([one, other]) => [other, one] as const);
    this.pairs = pairs.length;
    this.#rightOf = new Int32Array(left.turns.length).fill(-1);
    this.#leftOf = new Int32Array(right.turns.length).fill(-1);
    for (const [one, other] of pairs) {
      this.#rightOf[one] = other;
      this.#leftOf[other] = one;
    }
    this.#pairRest(({ cause }) => cause, this.#movedTo, this.#movedFrom);
    this.#pairRest(({ like }) => like, this.#likeRight, this.#likeLeft);
  }

  /** In the order of the runs: what only one side has comes where it stands there. */
  differences(): Difference[] {
    const found: Difference[] = [];
    for (let [one, other] = [0, 0]; one < this.#left.length || other < this.#right.length; ) {
      if (one < this.#left.length && this.#rightOf[one] === -1) found.push(this.#alone('left', one++));
      else if (other < this.#right.length && this.#leftOf[other] === -1) {
        // Listed once, from the left.
        if (!this.#movedFrom.has(other)) found.push(this.#alone('right', other));
        other++;
      } else {
        const [left, right] = [this.#left[one++]!, this.#right[other++]!];
        if (left.content !== right.content)
          found.push({ kind: 'changed', left: extent(left), right: extent(right), summary: this.#sameCause(left, right).summary });
      }
    }
    return found;
  }

  /** Pairs that are the same but for the key. */
  otherKeys(): number {
    const { left, right } = this.#sides;
    let found = 0;
    for (const [one, other] of this.#rightOf.entries()) {
      if (other === -1 || this.#left[one]!.content !== this.#right[other]!.content) continue;
      if (!haveOneKey(left, one, right, other)) found++;
    }
    return found;
  }

  firstDivergence(): Parting | undefined {
    let place = 0;
    const isSame = (): boolean => this.#rightOf[place] === place && this.#left[place]!.content === this.#right[place]!.content;
    while (place < this.#left.length && isSame()) place++;
    const [left, right] = [this.#left[place], this.#right[place]];
    if (left === undefined && right === undefined) return this.#firstDelay();
    const onlyLeft = (): Parting => ({ ...only('left', left!), ...this.#like(this.#right[this.#likeRight.get(place) ?? -1]) });
    const onlyRight = (): Parting => ({ ...only('right', right!), ...this.#like(this.#left[this.#likeLeft.get(place) ?? -1]) });
    if (right === undefined) return onlyLeft();
    if (left === undefined) return onlyRight();
    // Also where each is paired with another.
    if (left.cause === right.cause) return this.#sameCause(left, right);
    // What the other side does too, only later, is not what one side has too much.
    const leftComes = this.#rightOf[place] !== -1 || this.#movedTo.has(place);
    const rightComes = this.#leftOf[place] !== -1 || this.#movedFrom.has(place);
    if (leftComes && !rightComes) return onlyRight();
    if (rightComes && !leftComes) return onlyLeft();
    const summary = `${leftComes ? 'The order differs' : 'They parted'}: on the left ${left.words}, on the right ${right.words}.`;
    return { leftSequence: left.sequence, rightSequence: right.sequence, summary };
  }

  #sameCause(left: NumberedTurn, right: NumberedTurn): Parting {
    const [leftSequence, rightSequence] = firstUnlike([this.#sides.left, left], [this.#sides.right, right]);
    const isFirst = leftSequence === left.sequence || rightSequence === right.sequence;
    const summary = `On both sides ${left.words}, ${isFirst ? anotherOutcome : 'with other effects'}.`;
    return { ...defined({ leftSequence, rightSequence }), summary };
  }

  #like(turn: NumberedTurn | undefined): { like?: number } {
    return turn === undefined ? {} : { like: turn.sequence };
  }

  /** The same was done; not at the same time. */
  #firstDelay(): Parting | undefined {
    const place = this.#left.findIndex(({ virtualTimeUs }, index) => virtualTimeUs !== this.#right[index]!.virtualTimeUs);
    if (place < 0) return undefined;
    const [left, right] = [this.#left[place]!, this.#right[place]!];
    const times = `at ${virtualClock(left.virtualTimeUs)} on the left and at ${virtualClock(right.virtualTimeUs)} on the right`;
    const summary = `On both sides ${left.words}, ${times}.`;
    return { leftSequence: left.sequence, rightSequence: right.sequence, summary };
  }

  /** What neither alignment nor an earlier call has paired: the first of a key with the first. */
  #pairRest(keyOf: (turn: NumberedTurn) => number | undefined, there: Map<number, number>, back: Map<number, number>): void {
    const waiting = new Map<number, number[]>();
    for (let other = this.#right.length - 1; other >= 0; other--) {
      const key = this.#leftOf[other] !== -1 || this.#movedFrom.has(other) ? undefined : keyOf(this.#right[other]!);
      if (key === undefined) continue;
      const known = waiting.get(key);
      if (known === undefined) waiting.set(key, [other]);
      else known.push(other);
    }
    for (const [one, turn] of this.#left.entries()) {
      const key = this.#rightOf[one] !== -1 || this.#movedTo.has(one) ? undefined : keyOf(turn);
      const other = key === undefined ? undefined : waiting.get(key)?.pop();
      if (other === undefined) continue;
      there.set(one, other);
      back.set(other, one);
    }
  }

  #alone(side: 'left' | 'right', place: number): Difference {
    const turn = (side === 'left' ? this.#left : this.#right)[place]!;
    const elsewhere = side === 'left' ? this.#movedTo.get(place) : undefined;
    if (elsewhere !== undefined) {
      const other = this.#right[elsewhere]!;
      const outcome = turn.content === other.content ? '' : ', and not with the same outcome';
      return {
        kind: 'moved',
        left: extent(turn),
        right: extent(other),
        summary: `On both sides ${turn.words}, not in the same place${outcome}.`,
      };
    }
    const { summary } = only(side, turn);
    const likePlace = (side === 'left' ? this.#likeRight : this.#likeLeft).get(place);
    const like = likePlace === undefined ? {} : { like: extent((side === 'left' ? this.#right : this.#left)[likePlace]!) };
    return side === 'left'
      ? { kind: 'only_left', left: extent(turn), ...like, summary }
      : { kind: 'only_right', right: extent(turn), ...like, summary };
  }
}

/** Of a turn whose first entry says something else, until its members are known. */
export const anotherOutcome = 'with another outcome';

const extent = ({ sequence, entries }: NumberedTurn) => ({ sequence, entries });

function only(side: 'left' | 'right', { words, sequence }: NumberedTurn): Parting {
  const summary = `Only on the ${side}: ${words}.`;
  return side === 'left' ? { leftSequence: sequence, summary } : { rightSequence: sequence, summary };
}

/** The first entries of two turns that are not the same, as far as either has one. */
function firstUnlike([one, left]: [Side, NumberedTurn], [other, right]: [Side, NumberedTurn]): [number | undefined, number | undefined] {
  const shorter = Math.min(left.entries, right.entries);
  let index = 0;
  while (index < shorter && one.line(left, index) === other.line(right, index)) index++;
  const at = ({ sequence, entries }: NumberedTurn): number | undefined => (index < entries ? sequence + index : undefined);
  return [at(left), at(right)];
}
