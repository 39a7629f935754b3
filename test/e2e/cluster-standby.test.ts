// Nodes of a cluster whose database is lost, and whose standby is promoted: one that had everything, and one that had not. Clients of the
// database reach the present primary at one address, as through a proxy that follows it.
import assert from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type PostgresServer, standbyMissing, startPostgres, startStandby } from '../cluster/postgres-server.js';
import { freePort } from '../free-port.js';
import { until, untilSettled } from '../until.js';
import { shownFindings } from './cluster-history.js';
import { Cluster } from './cluster-kit.js';
import { exampleBuild } from './cluster-load.js';
import { ClusterLoad } from './cluster-rounds.js';

interface Ground {
  cluster: Cluster;
  primary: PostgresServer;
  standby: PostgresServer;
  /** The primary is gone, as its machine is; the standby takes its place. */
  promote(): Promise<void>;
}

async function startOnPair(t: TestContext, { isSynchronous }: { isSynchronous: boolean }): Promise<Ground> {
  const primary = await startPostgres({ isDebian: true });
  t.after(() => primary.stop());
  const standby = await startStandby(primary);
  t.after(() => standby.stop());
  if (isSynchronous) {
    await primary.ask(`alter system set synchronous_standby_names = 'standby'`);
    await primary.ask('select pg_reload_conf()');
    await untilSettled(async () => (await primary.ask(`select 1 from pg_stat_replication where sync_state = 'sync'`)).length === 1);
  }
  let present = primary;
  const door = await openDoor(() => present);
  t.after(() => door.close());
  const postgres = { ...primary, url: door.url, ask: (text: string) => present.ask(text), stop: async () => {} };
  const cluster = await Cluster.start({ nodes: 2, homes: 2, postgres });
  t.after(() => cluster.close());
  const promote = async (): Promise<void> => {
    await primary.kill();
    await standby.ask('select pg_promote(true, 30)');
    present = standby;
    door.reset();
  };
  return { cluster, primary, standby, promote };
}

/** Passes connections on to the port of the server that is the primary at the moment. */
async function openDoor(present: () => PostgresServer): Promise<{ url: string; reset(): void; close(): Promise<void> }> {
  const open = new Set<Socket>();
  const server: Server = createServer((client) => {
    const behind = connect(Number(new URL(present().url).port), '127.0.0.1');
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const url = new URL(present().url);
  url.port = String(port);
  const reset = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    reset,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        reset();
      }),
  };
}

// CLUSTER-ANSWERS-1
test('a synchronous standby is promoted under load: nothing acknowledged is lost', {
  skip: standbyMissing,
  timeout: 120_000,
}, async (t) => {
  const { cluster, promote } = await startOnPair(t, { isSynchronous: true });
  const load = await ClusterLoad.prepare(cluster, { pauseMs: 40 });
  t.after(() => load.stop());
  load.begin();
  await load.answersAgain();
  await promote();
  await load.answersAgain();
  const { findings, faults, ...counts } = await load.end({ build: await exampleBuild() });
  assert.equal(shownFindings({ findings }), '');
  assert.deepEqual(faults, []);
  t.diagnostic(JSON.stringify(counts));
});

test('a standby that had not everything is promoted: homes stay closed, the log says so, and nothing that was lost is answered', {
  skip: standbyMissing,
  timeout: 120_000,
}, async (t) => {
  const { cluster, primary, standby, promote } = await startOnPair(t, { isSynchronous: false });
  const load = await ClusterLoad.prepare(cluster, { pauseMs: 40 });
  t.after(() => load.stop());
  load.begin();
  await load.answersAgain();
  await standby.kill();
  // What is acknowledged from here on is on the primary alone.
  await load.answersAgain();
  await load.stop();
  // It comes back when there is nobody any more to get the rest from.
  await primary.kill();
  await standby.start();
  await promote();
  await until(() => cluster.nodes.some(({ said }) => said.includes('cluster.LOG_WENT_BACK')));
  for (const agent of load.agents)
    for (const node of cluster.nodes)
      assert.equal(await agent.call(node, { text: 'after the log went back' }), false, `${node.name} answered ${agent.world}`);
});
