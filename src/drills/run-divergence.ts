// Where two runs parted: the first turn in which they are not the same, and whose it is.
import type { RunComparison } from '../contract/hosted-runs.js';
import type { RunTurn, RunTurns } from './run-turns.js';

type Divergence = NonNullable<RunComparison['firstDivergence']>;

/** Reads both to their ends, also when there is none. */
export async function findDivergence(left: RunTurns, right: RunTurns): Promise<Divergence | undefined> {
  for (;;) {
    const [one, other] = [await left.next(), await right.next()];
    if (one === undefined && other === undefined) return undefined;
    if (one !== undefined && other !== undefined && isSame(one, other)) continue;
    const [later, otherLater] = [await restOf(left), await restOf(right)];
    if (other === undefined) return only('left', one!);
    if (one === undefined) return only('right', other);
    if (one.cause === other.cause) return sameCause(one, other);
    // What the other side does later all the same, is not what one side has too much.
    const [oneComes, otherComes] = [otherLater.has(one.cause), later.has(other.cause)];
    if (oneComes && !otherComes) return only('right', other);
    if (otherComes && !oneComes) return only('left', one);
    const order = oneComes ? 'The order differs' : 'They parted';
    const summary = `${order}: on the left ${one.words}, on the right ${other.words}.`;
    return { leftSequence: one.sequence, rightSequence: other.sequence, summary };
  }
}

const isSame = (one: RunTurn, other: RunTurn): boolean =>
  one.lines.length === other.lines.length && one.lines.every((line, index) => line === other.lines[index]);

function only(side: 'left' | 'right', { words, sequence }: RunTurn): Divergence {
  const summary = `Only on the ${side}: ${words}.`;
  return side === 'left' ? { leftSequence: sequence, summary } : { rightSequence: sequence, summary };
}

function sameCause(one: RunTurn, other: RunTurn): Divergence {
  const longer = Math.max(one.lines.length, other.lines.length);
  let index = 0;
  while (index < longer && one.lines[index] === other.lines[index]) index++;
  const summary = index === 0 ? `On both sides ${one.words}, with another outcome.` : `On both sides ${one.words}, with other effects.`;
  return {
    ...(index < one.lines.length ? { leftSequence: one.sequence + index } : {}),
    ...(index < other.lines.length ? { rightSequence: other.sequence + index } : {}),
    summary,
  };
}

async function restOf(turns: RunTurns): Promise<ReadonlySet<string>> {
  const causes = new Set<string>();
  for (let turn = await turns.next(); turn !== undefined; turn = await turns.next()) causes.add(turn.cause);
  return causes;
}
