// Which nodes may own homes, as one of them sees it.
//   CANDIDATES-1. A drained node counts as ready for nobody, and is a candidate only where there is no other.
import type { NodeState } from './log.js';

export interface Judged {
  /** Nodes that are alive. */
  alive: readonly NodeState[];
  /** The one that judges: it knows of itself more than the log does. */
  own: { node: string; isReady: boolean; isLeaving: boolean };
}

/** Ready nodes that are alive and not drained, the one that judges last. */
export function readyNodes({ alive, own }: Judged): string[] {
  const others = alive.filter(({ node, state, isDrained }) => node !== own.node && state === 'ready' && !isDrained);
  const isReady = own.isReady && !own.isLeaving && !isDrainedIn(alive, own.node);
  return [...others.map(({ node }) => node), ...(isReady ? [own.node] : [])];
}

/** Where nobody is ready yet, all that are joining; where there is nobody else, those that are drained. */
export function candidates(judged: Judged): string[] {
  const ready = readyNodes(judged);
  if (ready.length > 0) return ready;
  const { alive, own } = judged;
  const staying = alive.filter(({ node, state }) => (node === own.node ? !own.isLeaving : state !== 'leaving'));
  const wanted = staying.filter(({ isDrained }) => !isDrained);
  return (wanted.length > 0 ? wanted : staying).map(({ node }) => node);
}

export function isDrainedIn(alive: readonly NodeState[], name: string): boolean {
  return alive.some(({ node, isDrained }) => node === name && isDrained);
}
