// The faults of the long test of a cluster. Each begins in the midst of the load, and ends when all worlds answer again.
import { setTimeout as pause } from 'node:timers/promises';
import type { SmallDisk } from '../small-disk.js';
import type { Cluster, ClusterNode } from './cluster-kit.js';
import type { NodeNetwork } from './cluster-network.js';

export const faultKinds = [
  'kill_leader',
  'kill_follower',
  'pause_leader',
  'stop_leader',
  'database_sessions',
  'database_killed',
  'disk_lost',
  'disk_full',
  'disk_full_owner',
  'clock_forward',
  'clock_back',
  'link_cut',
  'no_database',
  'no_nodes',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface FaultGround {
  cluster: Cluster;
  /** A reason where the machine cannot. */
  network: NodeNetwork | string;
  /** Of the first node. */
  disk: SmallDisk | string;
}
/** What ends the fault; called when all worlds have answered. */
export type Mend = () => Promise<void> | void;

/** Why the fault cannot be made here; undefined: it can. */
export function faultMissing(kind: FaultKind, { network, disk }: FaultGround): string | undefined {
  if (kind === 'disk_full' || kind === 'disk_full_owner') return typeof disk === 'string' ? disk : undefined;
  const isOfNetwork = kind === 'link_cut' || kind === 'no_database' || kind === 'no_nodes';
  return isOfNetwork && typeof network === 'string' ? network : undefined;
}

/** How long a stopped process or a dead database is away at least: longer than the lease of reads and the wait for a beat. */
const awayMs = 4000;

export async function makeFault(kind: FaultKind, { cluster, network, disk }: FaultGround): Promise<Mend> {
  const leader = await cluster.leader();
  const net = network as NodeNetwork;
  switch (kind) {
    case 'kill_leader':
      return await killed(leader);
    case 'kill_follower':
      return await killed(cluster.followers(leader)[0] as ClusterNode);
    case 'pause_leader': {
      await leader.pause();
      const longEnough = pause(awayMs);
      return async () => {
        await longEnough;
        leader.resume();
      };
    }
    case 'stop_leader':
      await leader.stop();
      return () => started(leader);
    case 'database_sessions':
      await cluster.endSessions();
      return () => {};
    case 'database_killed':
      await cluster.postgres.kill();
      await pause(500);
      await cluster.postgres.start();
      return () => {};
    case 'disk_lost': {
      await leader.kill();
      leader.removeData();
      return () => started(leader);
    }
    case 'disk_full': {
      const small = disk as SmallDisk;
      small.leave(0);
      const longEnough = pause(awayMs);
      return async () => {
        await longEnough;
        small.empty();
        const first = cluster.nodes[0] as ClusterNode;
        // A node may end for it, as one with a broken disk does.
        if (!first.isRunning) await first.start();
      };
    }
    case 'disk_full_owner':
      return await filledOwner(cluster, disk as SmallDisk);
    case 'clock_forward':
      return jumped(leader, jumpMs);
    case 'clock_back':
      return jumped(leader, -jumpMs);
    case 'link_cut': {
      const mend = cutFor(cluster, leader, { cut: (at) => net.cut(at), mend: (at) => net.mend(at) });
      leader.isCut = true;
      return async () => {
        await mend();
        leader.isCut = false;
      };
    }
    case 'no_database':
      return cutFor(cluster, leader, { cut: (at) => net.cutFromDatabase(at), mend: (at) => net.mendToDatabase(at) });
    case 'no_nodes': {
      const mend = cutFor(cluster, leader, { cut: (at) => net.cutFromNodes(at), mend: (at) => net.mendToNodes(at) });
      return async () => {
        await losesLead(cluster, leader);
        await mend();
      };
    }
    default:
      return kind satisfies never;
  }
}

/** Less than the time that a session has: one whose time is over ends, as it should. */
const jumpMs = 600_000;

/** The way back is a jump in the other direction, under load too. */
function jumped(node: ClusterNode, offsetMs: number): Mend {
  node.setClock(offsetMs);
  const longEnough = pause(awayMs);
  return async () => {
    await longEnough;
    node.setClock(0);
  };
}

/** The first node owns homes and does not lead. While its disk is full, the others take its homes and answer for its worlds. */
async function filledOwner(cluster: Cluster, disk: SmallDisk): Promise<Mend> {
  const owner = cluster.nodes[0] as ClusterNode;
  if ((await cluster.leader()) === owner) {
    // It ends in order; when it is back, another leads.
    await owner.stop();
    await owner.start();
  }
  for (const untilMs = Date.now() + ownsAgainMs; !(await cluster.shares()).has(owner.name); await pause(200))
    if (Date.now() > untilMs) throw new Error(`${owner.name} has got no home\n${(await cluster.describe()).join('\n')}`);
  disk.leave(0);
  const longEnough = pause(awayMs);
  return async () => {
    await longEnough;
    disk.empty();
    // A node may end for it, as one with a broken disk does.
    if (!owner.isRunning) await owner.start();
  };
}
/** A node that was away gets homes after half a minute. */
const ownsAgainMs = 60_000;

/** They find that out by requests that bring nothing: seconds, and more where few ask. */
const givesUpMs = 30_000;

/** What the others cannot reach gives up what it has. */
async function losesLead(cluster: Cluster, node: ClusterNode): Promise<void> {
  for (const untilMs = Date.now() + givesUpMs; (await cluster.leader()) === node; await pause(200))
    if (Date.now() > untilMs) throw new Error(`${node.name} leads still\n${(await cluster.describe()).join('\n')}`);
}

async function killed(node: ClusterNode): Promise<Mend> {
  await node.kill();
  return () => started(node);
}
async function started(node: ClusterNode): Promise<void> {
  await node.start();
}

function cutFor(cluster: Cluster, node: ClusterNode, { cut, mend }: { cut: (at: number) => void; mend: (at: number) => void }): Mend {
  const at = cluster.nodes.indexOf(node);
  cut(at);
  const longEnough = pause(awayMs);
  return async () => {
    await longEnough;
    mend(at);
  };
}
