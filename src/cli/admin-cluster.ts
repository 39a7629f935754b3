// `drillyard admin cluster`: how the machines of a service stand, and which of them has what.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../client/client.js';
import { ServiceError } from '../contract/errors.js';
import type { Cluster, ClusterHomeView, ClusterNodeView } from '../contract/hosted/cluster.js';
import { counted, grouped } from '../text/counted.js';
import { asked, columns, tell } from './admin-asked.js';
import type { AdminConnection } from './admin-connection.js';
import type { Output } from './output.js';
import { tuning } from './tuning.js';

export interface MoveFlags {
  to?: string;
  byRank: boolean;
  whenWarm: boolean;
  wait: boolean;
}

export const clusterActions = {
  status: (to: AdminConnection, flags: { homes: boolean }) =>
    asked(to, async (client, output) => {
      const { cluster } = await client.getCluster();
      output.line({ event: 'cluster', ...cluster });
      if (!output.json) for (const row of rowsOf(cluster, flags)) output.say(columns(row));
    }),
  drain: (to: AdminConnection, node: string, { undo, wait }: { undo: boolean; wait: boolean }) =>
    asked(to, async (client, output) => {
      const path = { node };
      const reply = await (undo ? client.undoDrainNode({ path, body: {} }) : client.drainNode({ path, body: {} }));
      if (!undo && wait) await waitFor(client, output, (home) => home.owner === node || isOnItsWay(home));
      tell(output, 'drain', reply, [node, undo ? 'may have homes again' : wait ? 'drained: it has no homes' : 'is being drained']);
    }),
  move: (to: AdminConnection, homes: readonly number[], { to: node, byRank, whenWarm, wait }: MoveFlags) =>
    asked(to, async (client, output) => {
      if ((node === undefined) === !byRank) throw unusable('Say where to: --to <node>, or --by-rank.');
      const body = { ...(homes.length === 0 ? {} : { homes: [...homes] }), to: node ?? null, ...(whenWarm ? { whenWarm } : {}) };
      const reply = await client.moveHomes({ body });
      const isLeft = (home: ClusterHomeView): boolean => reply.homes.includes(home.home) && (home.owner !== node || isOnItsWay(home));
      if (node !== undefined && wait) await waitFor(client, output, isLeft);
      tell(output, 'move', reply, [counted(reply.homes.length, 'home'), node === undefined ? 'where their rank says' : `to ${node}`]);
    }),
};

/** Nobody answers for it at the moment, and somebody will. */
const isOnItsWay = ({ phase }: ClusterHomeView): boolean => phase !== 'owned' && phase !== 'closed';

/** Until no home is left where it should not be. */
async function waitFor(client: Client, output: Output, isLeft: (home: ClusterHomeView) => boolean): Promise<void> {
  let shown: number | undefined;
  for (let waitedMs = 0; ; waitedMs += tuning.clusterLookMs) {
    const left = (await client.getCluster()).cluster.homes.filter(isLeft).length;
    if (left === 0) return;
    if (waitedMs >= tuning.clusterWaitMsMax) {
      throw new ServiceError('control.UNAVAILABLE', {
        message: `After ${tuning.clusterWaitMsMax / 1000} s ${counted(left, 'home')} have not moved; what was wanted still holds. See \`cluster status\`.`,
      });
    }
    if (left !== shown) tell(output, 'progress', { homesLeft: left }, ['moving', `${counted(left, 'home')} left`]);
    shown = left;
    await pause(tuning.clusterLookMs);
  }
}

function rowsOf({ node, nodes, homes, log }: Cluster, flags: { homes: boolean }): string[][] {
  const isPlain = ({ phase, wanted, closedOn = [] }: ClusterHomeView): boolean =>
    phase === 'owned' && wanted === undefined && closedOn.length === 0;
  const shown = homes.filter((home) => flags.homes || !isPlain(home));
  const owned = homes.filter(({ phase }) => phase === 'owned').length;
  return [
    ['log', logText(log)],
    ...nodes.map((one) => [`node ${one.node}`, stateOf(one), nodeText(one), one.address]),
    ['homes', `${owned} of ${homes.length} are owned, as ${node} sees them`],
    ...shown.map((home) => [`home ${home.home}`, `${home.phase} ${home.owner ?? '-'}`, homeText(home)]),
  ];
}

function stateOf({ isAlive, isDrained, isLeader, state, homes }: ClusterNodeView): string {
  if (!isAlive) return 'gone';
  if (isDrained) return homes > 0 ? 'draining' : 'drained';
  return isLeader ? `${state}, leader` : state;
}

/** A node of an earlier version, asked while a cluster is upgraded, does not say whom it cannot reach, nor what is closed where. */
function nodeText({ homes, copies, entriesBehindMax, format, unreached = [] }: ClusterNodeView): string {
  const lag = copies === 0 ? '' : `, ${grouped(entriesBehindMax)} behind`;
  const cut = unreached.length === 0 ? '' : `, cannot reach ${unreached.join(', ')}`;
  return `${counted(homes, 'home')}, ${copies} copied${lag}, format ${format}${cut}`;
}

function homeText({ epoch, wanted, closedOn = [], followers, entriesSinceSnapshot, bytesSinceSnapshot }: ClusterHomeView): string {
  const copies = followers.map(({ node, entriesBehind }) => `${node} ${grouped(entriesBehind)} behind`).join(', ');
  return [
    `epoch ${epoch}`,
    ...(wanted === undefined ? [] : [`wanted on ${wanted}`]),
    ...(closedOn.length === 0 ? [] : [`closed on ${closedOn.join(', ')}`]),
    copies === '' ? 'no copy' : `copies: ${copies}`,
    `${counted(entriesSinceSnapshot, 'entry', 'entries')} since its snapshot`,
    ...(bytesSinceSnapshot === undefined ? [] : [`${grouped(bytesSinceSnapshot)} bytes`]),
  ].join('; ');
}

function logText({ isAnswering, beatAgeMs, unavailableMs, failure, format, bytes, hasSynchronousStandby }: Cluster['log']): string {
  return [
    isAnswering ? 'answers' : `has not answered for ${(beatAgeMs / 1000).toFixed(1)} s`,
    ...(failure === undefined ? [] : [`it says: ${failure}`]),
    `format ${format}`,
    ...(bytes === undefined ? [] : [`${grouped(bytes)} bytes`]),
    ...(hasSynchronousStandby === undefined ? [] : [hasSynchronousStandby ? 'synchronous standby' : 'no synchronous standby']),
    `${(unavailableMs / 1000).toFixed(1)} s without an answer since this node started`,
  ].join(', ');
}

const unusable = (message: string): ServiceError => new ServiceError('control.INVALID_REQUEST', { message });
