// What an operator wants of homes and nodes, asked at any node: it lies in the log, and each node finds it with its next beat.
//   WISHES-1. A home is wanted on a node only where its copy there is warm, unless the wish may wait; a node is drained only where another
//             is ready.
import { ServiceError } from '../contract/errors.js';
import { isClosedOn } from './candidates.js';
import { type ClusterLog, catalogHome, type HomeState, type NodeState } from './log.js';
import { entriesBehind } from './overview.js';
import { tuning } from './tuning.js';

/** As a node sees it. */
export interface WishView {
  nodes: readonly NodeState[];
  homes: readonly HomeState[];
  isAlive(node: string): boolean;
  /** Homes lie together: where one goes, all go. */
  areTogether: boolean;
}
export interface MoveWish {
  /** Default: all. */
  homes?: readonly number[] | undefined;
  /** Undefined: the rank of nodes decides again. */
  to: string | undefined;
  /** Also where a copy is not warm: the node follows the home, and has it once it is. */
  whenWarm: boolean;
}

/** Yields the homes that are wanted there from now on. */
export async function moveHomes(log: ClusterLog, view: WishView, { homes, to, whenWarm }: MoveWish): Promise<number[]> {
  const all = view.homes.map(({ home }) => home);
  const wanted = [...new Set(homes ?? all)].sort((a, b) => a - b);
  const missing = wanted.find((home) => view.homes[home] === undefined);
  if (missing !== undefined) throw notFound(`The cluster has no home ${missing}; its homes are 0 to ${all.length - 1}.`);
  if (view.areTogether && wanted.length < all.length)
    throw conflict('homes_lie_together', 'The homes of this cluster lie together on one node: leave them out, and all of them move.');
  if (to !== undefined) for (const home of wanted) requireOpen(requireReady(view, to), home);
  if (to !== undefined && !whenWarm) for (const home of wanted) requireWarm(view, home, to);
  // Where homes lie together the wish for the catalog's is the one that counts.
  await log.want(view.areTogether ? [catalogHome] : wanted, to);
  return wanted;
}

export async function drainNode(log: ClusterLog, view: WishView, node: string): Promise<void> {
  requireRuns(view, node);
  const other = view.nodes.find(
    ({ node: name, state, isDrained }) => name !== node && state === 'ready' && !isDrained && view.isAlive(name),
  );
  if (other === undefined)
    throw conflict('no_other_node', `No other node is ready and not drained, so the homes of ${node} would have nowhere to go.`);
  await setDrained(log, node, true);
}

export async function undoDrain(log: ClusterLog, view: WishView, node: string): Promise<void> {
  requireRuns(view, node);
  await setDrained(log, node, false);
}

async function setDrained(log: ClusterLog, node: string, isDrained: boolean): Promise<void> {
  if (!(await log.drain(node, isDrained))) throw notFound(`The cluster has no node ${node}.`);
}

function requireRuns(view: WishView, node: string): NodeState {
  const found = view.nodes.find((one) => one.node === node);
  if (found === undefined) throw notFound(`The cluster has no node ${node}.`);
  if (!view.isAlive(node))
    throw conflict('node_gone', `The node ${node} does not run, so it has no homes; others take them by themselves.`);
  return found;
}

function requireReady(view: WishView, to: string): NodeState {
  const node = requireRuns(view, to);
  const { state, isDrained } = node;
  if (isDrained) throw conflict('node_drained', `The node ${to} is drained. End that first: drain ${to} --undo.`);
  if (state !== 'ready')
    throw conflict('node_not_ready', `The node ${to} is ${state}: its copies are not complete, or it came back a moment ago.`);
  return node;
}

function requireOpen(node: NodeState, home: number): void {
  if (isClosedOn(node, home))
    throw conflict(
      'home_closed',
      `Home ${home} stays closed on ${node.node}, and the log of that node says why. It gets it after a restart.`,
    );
}

function requireWarm(view: WishView, home: number, to: string): void {
  const state = view.homes[home] as HomeState;
  const node = view.nodes.find((one) => one.node === to) as NodeState;
  if (state.owner === to) return;
  if (node.followed[home] === undefined)
    throw conflict(
      'no_copy',
      `The node ${to} keeps no copy of home ${home}. Want it there when it is warm (whenWarm, --when-warm): it makes one, and has the home then.`,
    );
  const behind = entriesBehind(view.nodes, state, node);
  if (behind > tuning.warmEntriesMax)
    throw conflict(
      'copy_not_warm',
      `The copy of home ${home} on ${to} is ${behind} entries behind. Want it there when it is warm (whenWarm, --when-warm).`,
    );
}

const notFound = (message: string): ServiceError => new ServiceError('control.NOT_FOUND', { message });
const conflict = (reason: string, message: string): ServiceError =>
  new ServiceError('control.STATE_CONFLICT', { message, details: { reason } });
