// What a cluster has on its disks returns to a bound when worlds are destroyed, snapshots replaced and blobs removed: in PostgreSQL, in the
// folder of its store, and on its nodes. DRILLYARD_DISK_WORLDS sets how many worlds come and go (default 200).
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import type { ClusterLog } from '../../src/cluster/log.js';
import { openPostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { folderBytes } from '../../src/files/folder-bytes.js';
import { createBank } from '../worlds/bank-kit.js';
import { temporaryFolder } from '../worlds/storage-kit.js';
import { homes, idIn, KeeperCluster, type KeeperNode, streams } from './keeper-kit.js';
import { eachOf } from './log-kit.js';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres-server.js';

const worldsMade = Number(process.env.DRILLYARD_DISK_WORLDS ?? 200);
const rounds = 8;
const blobBytes = 20_000;
const usedHomes = [1, 2];

interface DiskUse {
  /** Of rows that are there, and of the files of their tables and indexes. */
  log: number;
  snapshots: number;
  blobs: number;
  tables: number;
  store: number;
  nodes: number;
}

async function diskUse(server: PostgresServer, store: string | undefined, nodes: readonly KeeperNode[]): Promise<DiskUse> {
  for (const table of ['log', 'snapshot', 'blob']) await server.ask(`vacuum drillyard_${table}`);
  const bytes = async (text: string): Promise<number> => Number((await server.ask(`select ${text} as bytes`))[0]?.bytes ?? 0);
  const body = (table: string) => bytes(`(select coalesce(sum(octet_length(body)), 0) from drillyard_${table})`);
  const table = (name: string) => bytes(`pg_total_relation_size('drillyard_${name}')`);
  const sizes = await Promise.all(nodes.map(({ data }) => folderBytes(data)));
  return {
    log: await body('log'),
    snapshots: await body('snapshot'),
    blobs: await body('blob'),
    tables: (await table('log')) + (await table('snapshot')) + (await table('blob')),
    store: store !== undefined && existsSync(store) ? await folderBytes(store) : 0,
    nodes: sizes.reduce((sum, one) => sum + one, 0),
  };
}

/** Worlds come, work and go; as the log grows the follower makes snapshots. */
async function round(
  [owner, copy]: readonly [KeeperNode, KeeperNode],
  cluster: KeeperCluster,
  log: ClusterLog,
  count: number,
): Promise<void> {
  const worlds = await owner.project(streams[0]);
  const digests: string[] = [];
  for (let made = 0; made < count; made += 20) {
    const banks = await Promise.all(
      Array.from({ length: Math.min(20, count - made) }, (_, index) => createBank(worlds, idIn(usedHomes[index % 2] as number))),
    );
    await Promise.all(banks.map((bank) => bank.add(1)));
    for (const _ of banks) {
      const body = randomBytes(blobBytes);
      const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
      await log.blobs.put(digest, eachOf(body));
      digests.push(digest);
    }
    await Promise.all(banks.map(({ world }) => world.destroy()));
    for (const home of usedHomes) {
      await copy.follow(home);
      if (copy.snapshots.isDue(copy.keeper, home)) assert.ok(await copy.snapshots.make(copy.keeper, home));
    }
  }
  for (const digest of digests) assert.ok(await log.blobs.removeOld(digest, -60_000));
  for (const home of usedHomes) owner.states.set(home, await cluster.stateOf(home));
}

for (const kind of ['in the database', 'in a folder'])
  test(`disks return to a bound after ${worldsMade} worlds: snapshots and blobs ${kind}`, {
    skip: postgresMissing,
    timeout: 1_800_000,
  }, async (t) => {
    const server = await startPostgres();
    const store = kind === 'in a folder' ? temporaryFolder(t) : undefined;
    const logs = new Map<string, ClusterLog>();
    try {
      for (const node of ['look', 'owner', 'copy']) {
        const identity = { homes, keyFingerprint: 'key', formats: { oldest: 1, newest: 1 } };
        logs.set(node, await openPostgresLog(server.url, { node, ...identity, ...(store !== undefined && { store: `file://${store}` }) }));
      }
      const cluster = new KeeperCluster(t, (node) => logs.get(node) as ClusterLog);
      const nodes = [cluster.node('owner'), cluster.node('copy')] as const;
      for (const home of usedHomes) await nodes[0].take(home);
      const uses: DiskUse[] = [];
      for (let at = 0; at < rounds; at++) {
        await round(nodes, cluster, logs.get('look') as ClusterLog, Math.ceil(worldsMade / rounds));
        uses.push(await diskUse(server, store, nodes));
      }
      t.diagnostic(JSON.stringify(uses));
      const last = uses.at(-1) as DiskUse;
      // The larger of two: a vacuum gives the end of a table back or does not, by where the last rows lie.
      const earlyOf = (what: keyof DiskUse): number => Math.max(...uses.slice(0, 2).map((use) => use[what]));
      assert.equal(store === undefined ? last.blobs : 0, 0);
      // What is kept of each home: two snapshots, and the log behind the older one, about twice its size or twice the least.
      const snapshots = store === undefined ? last.snapshots : last.store;
      assert.ok(snapshots > 0, JSON.stringify(last));
      for (const what of ['log', 'tables', 'store', 'nodes'] as const)
        assert.ok(last[what] <= earlyOf(what) * 1.5 + 256 * 1024, `${what}: ${earlyOf(what)} in two rounds, ${last[what]} after ${rounds}`);
      for (const node of nodes) await node.stop();
    } finally {
      for (const log of logs.values()) await log.close();
      await server.stop();
    }
  });
