// How a cluster stands as one node sees it: what every node says of itself, and the log of all.
import { defined } from '../contract/defined.js';
import type { Cluster, ClusterHomeView, ClusterNodeView } from '../contract/hosted/cluster.js';
import { isClosedOn } from './candidates.js';
import { catalogHome, type HeldHome, type HomeState, type LogHealth, type NodeState } from './log.js';

export interface OverviewParts {
  /** Whose view it is. */
  node: string;
  nodes: readonly NodeState[];
  homes: readonly HomeState[];
  format: number;
  isAlive(node: string): boolean;
  log: { isAnswering: boolean; beatAgeMs: number; unavailableMs: number; failure: string | undefined; health: LogHealth | undefined };
}

export function clusterOverview({ node, nodes, homes, format, isAlive, log: { health, ...log } }: OverviewParts): Cluster {
  const alive = nodes.filter((one) => isAlive(one.node));
  return {
    schemaVersion: 1,
    node,
    nodes: nodes.map((one) => nodeView(one, { homes, nodes, isAlive: isAlive(one.node) })),
    homes: homes.map((home) => homeView(home, { nodes, alive })),
    log: {
      ...{ isAnswering: log.isAnswering, beatAgeMs: Math.round(log.beatAgeMs), unavailableMs: Math.round(log.unavailableMs), format },
      ...defined({ failure: log.failure, bytes: health?.bytes, hasSynchronousStandby: health?.hasSynchronousStandby }),
    },
  };
}

/** The sequence of a home's last entry, as far as any node says. */
function endOf(nodes: readonly NodeState[], { home, snapshotSequence, firstSequence }: HomeState): number {
  const said = nodes.map(({ held, followed }) => (held[home]?.phase === 'closed' ? 0 : held[home]?.end) ?? followed[home] ?? 0);
  return Math.max(snapshotSequence, firstSequence - 1, ...said);
}

/** Entries that the node's copy of the home does not have. */
export function entriesBehind(nodes: readonly NodeState[], state: HomeState, { followed, held }: NodeState): number {
  // Ends are of the last beats, and a copy may be further since.
  return Math.max(0, endOf(nodes, state) - (followed[state.home] ?? held[state.home]?.end ?? 0));
}

function nodeView(
  one: NodeState,
  { homes, nodes, isAlive }: { homes: readonly HomeState[]; nodes: readonly NodeState[]; isAlive: boolean },
): ClusterNodeView {
  const { node, address, state, isDrained, format, followed, unreached } = one;
  const copied = homes.filter(({ home }) => followed[home] !== undefined);
  return {
    ...{ node, address, state, isAlive, isDrained, isLeader: homes[catalogHome]?.owner === node, format },
    homes: homes.filter(({ owner }) => owner === node).length,
    copies: copied.length,
    entriesBehindMax: copied.reduce((most, home) => Math.max(most, entriesBehind(nodes, home, one)), 0),
    unreached: isAlive ? [...unreached] : [],
  };
}

function homeView(state: HomeState, { nodes, alive }: { nodes: readonly NodeState[]; alive: readonly NodeState[] }): ClusterHomeView {
  const { home, owner, wanted, epoch, snapshotSequence } = state;
  const held = alive.map((one) => [one.node, one.held[home]] as const).filter((one): one is [string, HeldHome] => one[1] !== undefined);
  const own = held.find(([node]) => node === owner)?.[1];
  const end = endOf(nodes, state);
  const followers = alive.filter(({ followed, node }) => node !== owner && followed[home] !== undefined);
  return {
    ...{ home, ...defined({ owner, wanted }), epoch },
    phase: own?.phase ?? (held.some(([, { phase }]) => phase === 'taking') ? 'taking' : 'absent'),
    closedOn: alive.filter((one) => isClosedOn(one, home)).map(({ node }) => node),
    followers: followers
      .map((one) => ({ node: one.node, entriesBehind: entriesBehind(nodes, state, one) }))
      .sort((a, b) => a.entriesBehind - b.entriesBehind),
    ...{ end, snapshotSequence, entriesSinceSnapshot: end - snapshotSequence },
    ...defined({ bytesSinceSnapshot: own?.logBytes }),
  };
}
