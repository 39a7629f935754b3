// What two runs did differently, turn by turn, and where they parted first.
//   RUN-DIFFERENCES-1. Symmetric: of several alignments that are equally good one is taken by what is in the runs, not by which is left.
//     Exchanging the sides exchanges the answer and nothing else.
import { createHash } from 'node:crypto';
import { defined } from '../../contract/defined.js';
import type { RunComparison } from '../../contract/hosted/runs.js';
import { limits } from '../../contract/limits.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { type AlignedTurn, alignTurns } from './align-turns.js';
import { type RunEvidence, type RunTurn, runTurns } from './run-turns.js';

type Differences = NonNullable<RunComparison['differences']>;
type Difference = Differences['shown'][number];
type Divergence = NonNullable<RunComparison['firstDivergence']>;

export interface ObservedRun extends RunEvidence {
  /** Sees every entry of the run once. */
  observe: (entry: EvidenceEntry) => void;
}

export async function runDifferences(
  left: ObservedRun,
  right: ObservedRun,
): Promise<{ differences: Differences; firstDivergence?: Divergence }> {
  const names = new Names();
  const sides = { left: await readTurns(left, names), right: await readTurns(right, names) };
  const aligned = new Alignment(sides.left, sides.right);
  const all = aligned.differences();
  const count = (wanted: Difference['kind']): number => all.filter(({ kind }) => kind === wanted).length;
  const changed = count('changed');
  const divergence = aligned.firstDivergence();
  return {
    differences: {
      same: aligned.pairs - changed,
      ...{ onlyLeft: count('only_left'), onlyRight: count('only_right'), changed, moved: count('moved') },
      isComplete: sides.left.isComplete && sides.right.isComplete,
      shown: all.slice(0, limits.comparisonDifferencesShown),
    },
    ...defined({ firstDivergence: divergence }),
  };
}

interface Turn extends AlignedTurn {
  sequence: number;
  virtualTimeUs: number;
  words: string;
  lines: readonly number[];
}

/** Numbers for texts: equal for equal texts of either side. */
class Names {
  readonly #numbers = new Map<string, number>();
  readonly #texts = new Map<string, string>();

  number(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
    }
    return number;
  }
  /** One string for all that are equal. */
  text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }
}

interface Side {
  turns: Turn[];
  isComplete: boolean;
  /** Of all that was read. */
  digest: string;
}

async function readTurns({ observe, ...run }: ObservedRun, names: Names): Promise<Side> {
  const turns: Turn[] = [];
  const hash = createHash('sha256');
  let entries = 0;
  for await (const turn of runTurns(run, observe)) {
    entries += turn.lines.length;
    hash.update(turn.cause).update(turn.lines.join());
    // All entries are counted; those beyond the bound are not aligned.
    if (entries <= limits.comparisonEntriesMax) turns.push(keptTurn(turn, names));
  }
  return { turns, isComplete: entries <= limits.comparisonEntriesMax, digest: hash.digest('hex') };
}

function keptTurn({ cause, words, sequence, virtualTimeUs, lines }: RunTurn, names: Names): Turn {
  const content = names.number(lines.join(' '));
  return {
    cause: names.number(cause),
    content,
    sequence,
    virtualTimeUs,
    words: names.text(words),
    lines: lines.map((line) => names.number(line)),
  };
}

class Alignment {
  readonly pairs: number;
  readonly #left: readonly Turn[];
  readonly #right: readonly Turn[];
  readonly #rightOf = new Map<number, number>();
  readonly #leftOf = new Map<number, number>();
  /** Turns of one cause that stand elsewhere on the other side. */
  readonly #movedTo = new Map<number, number>();
  readonly #movedFrom = new Map<number, number>();

  constructor(left: Side, right: Side) {
    this.#left = left.turns;
    this.#right = right.turns;
    const pairs = isFirst(left, right)
      ? alignTurns(left.turns, right.turns)
      : alignTurns(right.turns, left.turns).map(([one, other]) => [other, one] as const);
    this.pairs = pairs.length;
    for (const [one, other] of pairs) {
      this.#rightOf.set(one, other);
      this.#leftOf.set(other, one);
    }
    this.#pairMoved();
  }

  /** In the order of the runs: what only one side has comes where it stands there. */
  differences(): Difference[] {
    const found: Difference[] = [];
    for (let [one, other] = [0, 0]; one < this.#left.length || other < this.#right.length; ) {
      if (one < this.#left.length && !this.#rightOf.has(one)) found.push(this.#alone('left', one++));
      else if (other < this.#right.length && !this.#leftOf.has(other)) {
        // Listed once, from the left.
        if (!this.#movedFrom.has(other)) found.push(this.#alone('right', other));
        other++;
      } else {
        const [left, right] = [this.#left[one++]!, this.#right[other++]!];
        if (left.content !== right.content)
          found.push({ kind: 'changed', left: extent(left), right: extent(right), summary: sameCause(left, right).summary });
      }
    }
    return found;
  }

  firstDivergence(): Divergence | undefined {
    let place = 0;
    const isSame = (): boolean => this.#rightOf.get(place) === place && this.#left[place]!.content === this.#right[place]!.content;
    while (place < this.#left.length && isSame()) place++;
    const [left, right] = [this.#left[place], this.#right[place]];
    if (left === undefined && right === undefined) return this.#firstDelay();
    if (right === undefined) return only('left', left!);
    if (left === undefined) return only('right', right);
    if (left.cause === right.cause) return sameCause(left, right);
    // What the other side does too, only later, is not what one side has too much.
    const leftComes = this.#rightOf.has(place) || this.#movedTo.has(place);
    const rightComes = this.#leftOf.has(place) || this.#movedFrom.has(place);
    if (leftComes && !rightComes) return only('right', right);
    if (rightComes && !leftComes) return only('left', left);
    const summary = `${leftComes ? 'The order differs' : 'They parted'}: on the left ${left.words}, on the right ${right.words}.`;
    return { leftSequence: left.sequence, rightSequence: right.sequence, summary };
  }

  /** The same was done; not at the same time. */
  #firstDelay(): Divergence | undefined {
    const place = this.#left.findIndex(({ virtualTimeUs }, index) => virtualTimeUs !== this.#right[index]!.virtualTimeUs);
    if (place < 0) return undefined;
    const [left, right] = [this.#left[place]!, this.#right[place]!];
    const summary = `On both sides ${left.words}, at ${left.virtualTimeUs} us on the left and at ${right.virtualTimeUs} us on the right.`;
    return { leftSequence: left.sequence, rightSequence: right.sequence, summary };
  }

  #pairMoved(): void {
    const waiting = new Map<number, number[]>();
    for (let other = this.#right.length - 1; other >= 0; other--) {
      if (this.#leftOf.has(other)) continue;
      const { cause } = this.#right[other]!;
      const known = waiting.get(cause);
      if (known === undefined) waiting.set(cause, [other]);
      else known.push(other);
    }
    for (const [one, { cause }] of this.#left.entries()) {
      const other = this.#rightOf.has(one) ? undefined : waiting.get(cause)?.pop();
      if (other === undefined) continue;
      this.#movedTo.set(one, other);
      this.#movedFrom.set(other, one);
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
    return side === 'left' ? { kind: 'only_left', left: extent(turn), summary } : { kind: 'only_right', right: extent(turn), summary };
  }
}

function isFirst(left: Side, right: Side): boolean {
  return left.turns.length === right.turns.length ? left.digest <= right.digest : left.turns.length < right.turns.length;
}

const extent = ({ sequence, lines }: Turn) => ({ sequence, entries: lines.length });

function only(side: 'left' | 'right', { words, sequence }: Turn): Divergence {
  const summary = `Only on the ${side}: ${words}.`;
  return side === 'left' ? { leftSequence: sequence, summary } : { rightSequence: sequence, summary };
}

/** The first entries of the two turns that are not the same. */
function sameCause(left: Turn, right: Turn): Divergence {
  const longer = Math.max(left.lines.length, right.lines.length);
  let index = 0;
  while (index < longer && left.lines[index] === right.lines[index]) index++;
  const summary = index === 0 ? `On both sides ${left.words}, with another outcome.` : `On both sides ${left.words}, with other effects.`;
  return {
    ...(index < left.lines.length ? { leftSequence: left.sequence + index } : {}),
    ...(index < right.lines.length ? { rightSequence: right.sequence + index } : {}),
    summary,
  };
}
