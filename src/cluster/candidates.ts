// Which nodes may own homes, and which of them is to own one, as one of them sees it.
//   CANDIDATES-1. A drained node counts as ready for nobody, and is a candidate only where there is no other.
//   CANDIDATES-2. A node on which a home stays closed is to have no part in it: the others have their ranks without it.
import { catalogHome, type HomeState, type NodeState } from './log.js';
import type { Placement } from './placement.js';

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

export interface Ranking {
  placement: Placement;
  /** By home. */
  states: readonly HomeState[];
  judged: Judged;
  /** All homes are to be of one node: where an operator wants the catalog's, or else of who has that. */
  areTogether: boolean;
}

/** By the last beat of the node. */
export function isClosedOn({ held }: NodeState, home: number): boolean {
  return held[home]?.phase === 'closed';
}

/** The first of the nodes is to own the home, the second to follow it. */
export function rankOfHome(nodes: readonly string[], home: number, ranking: Ranking): string[] {
  const closed = ranking.judged.alive.filter((one) => isClosedOn(one, home)).map(({ node }) => node);
  return placed(nodes, home, ranking).filter((node) => !closed.includes(node));
}

function placed(nodes: readonly string[], home: number, { placement, states, judged, areTogether }: Ranking): string[] {
  const place = areTogether ? catalogHome : home;
  const wanted = states[place]?.wanted;
  const ranked = placement.rank(nodes, place, wanted);
  if (!areTogether || home === catalogHome || ranked[0] === wanted) return ranked;
  // Nodes that saw another one end at different moments may have taken some of its homes each: the others come to the catalog's.
  const leader = leaderOf(states, judged);
  return leader === undefined ? ranked : [leader, ...ranked.filter((node) => node !== leader)];
}

/** The owner of the catalog's home, also while it is joining; undefined where it is not alive, or gives up what it has. */
function leaderOf(states: readonly HomeState[], { alive, own }: Judged): string | undefined {
  const owner = states[catalogHome]?.owner;
  const found = alive.find(({ node }) => node === owner);
  if (found === undefined || found.isDrained) return undefined;
  return (owner === own.node ? own.isLeaving : found.state === 'leaving') ? undefined : owner;
}
