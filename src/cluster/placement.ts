// Which node a home belongs to: by the names alone, so that all who see the same nodes agree, and a node that comes or leaves moves no
// homes but its own.
//   PLACEMENT-1. Without one of the nodes, the homes of the others stay where they are.
//   PLACEMENT-2. The node that is wanted is the first wherever it is among them; the order of the others is the same.
import { createHash } from 'node:crypto';
import { LruMap } from '../collections/lru-map.js';
import { compareTexts } from '../text/compare-texts.js';
import { tuning } from './tuning.js';

const scoreBytes = 6;
/** Keeps the scores of names that it was asked about: they are asked about at each beat. */
export class Placement {
  readonly #scores = new LruMap<string, number>({ entriesMax: tuning.scoresKept });

  /** The nodes by rank (rendezvous hashing): the first is the owner, the second the follower. */
  rank(nodes: readonly string[], home: number, wanted?: string): string[] {
    const first = wanted !== undefined && nodes.includes(wanted) ? [wanted] : [];
    return [...first, ...this.#byScore(first.length === 0 ? nodes : nodes.filter((node) => node !== wanted), home)];
  }

  #byScore(nodes: readonly string[], home: number): string[] {
    const scores = new Map(nodes.map((node) => [node, this.#scoreOf(`${home}/${node}`)]));
    return [...nodes].sort((a, b) => (scores.get(b) as number) - (scores.get(a) as number) || compareTexts(a, b));
  }

  #scoreOf(pair: string): number {
    const found = this.#scores.get(pair);
    if (found !== undefined) return found;
    const score = createHash('sha256').update(pair).digest().readUIntBE(0, scoreBytes);
    this.#scores.set(pair, score);
    return score;
  }
}
