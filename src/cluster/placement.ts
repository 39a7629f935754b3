// Which node a home belongs to: by the names alone, so that all who see the same nodes agree, and a node that comes or leaves moves no
// homes but its own.
//   PLACEMENT-1. Without one of the nodes, the homes of the others stay where they are.
import { createHash } from 'node:crypto';

const scoreBytes = 6;
const scoreOf = (node: string, home: number): number => createHash('sha256').update(`${home}/${node}`).digest().readUIntBE(0, scoreBytes);

/** The nodes by rank (rendezvous hashing): the first is the owner, the second the follower. */
export function rank(nodes: readonly string[], home: number): string[] {
  const scores = new Map(nodes.map((node) => [node, scoreOf(node, home)]));
  return [...nodes].sort((a, b) => (scores.get(b) as number) - (scores.get(a) as number) || (a < b ? -1 : 1));
}
