// An operator sees and steers a cluster: with `drillyard admin cluster`, at any node, and by what each node says of itself.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster as View } from '../../src/contract/hosted/cluster.js';
import { operatorTokenFile } from '../../src/control/catalog/settings.js';
import { drillyard, jsonLines } from '../cli/cli.js';
import { postgresMissing } from '../cluster/postgres-server.js';
import { untilSettled } from '../until.js';
import { Cluster, type ClusterNode } from './cluster-kit.js';
import { startInside, temporaryFolder } from './service.js';

const skip = postgresMissing;
let cluster: Cluster;
let token = '';
before(
  async () => {
    if (skip !== false) return;
    cluster = await Cluster.start();
    token = readFileSync(join(cluster.nodes[0]!.dataDirectory, operatorTokenFile), 'utf8').trim();
  },
  { timeout: 90_000 },
);
after(async () => {
  await cluster?.close();
});

const admin = (node: ClusterNode, ...args: string[]) =>
  drillyard(['admin', 'cluster', ...args], { env: { DRILLYARD_URL: node.url, DRILLYARD_OPERATOR_TOKEN: token } });
async function line(node: ClusterNode, ...args: string[]): Promise<{ [name: string]: unknown }> {
  const { code, stdout, stderr } = await admin(node, ...args, '--json');
  assert.equal(code, 0, stderr + stdout);
  return jsonLines(stdout).at(-1)!;
}
async function viewOf(node: ClusterNode): Promise<View> {
  const reply = await fetch(`${node.url}/v1/operator/cluster`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(reply.status, 200, await reply.clone().text());
  return ((await reply.json()) as { cluster: View }).cluster;
}
async function reasonsOf(node: ClusterNode): Promise<string[]> {
  const reply = await fetch(`${node.url}/readyz`);
  const { details } = (await reply.json()) as { details?: { reasons: string[] } };
  return reply.ok ? [] : details!.reasons;
}
async function figures(node: ClusterNode): Promise<(line: string) => number | undefined> {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  return (name) => {
    const found = text.split('\n').find((one) => one.startsWith(`${name} `));
    return found === undefined ? undefined : Number(found.slice(name.length + 1));
  };
}
/** Every node is ready and sees it so, each home has an owner and a copy, and none moves any more. */
async function settled(): Promise<void> {
  const epochs = async (): Promise<unknown> =>
    (await cluster.postgres.ask('select sum(epoch)::int as epochs from drillyard_home'))[0]?.epochs;
  await untilSettled(async () => {
    const views = await Promise.all(cluster.nodes.map(viewOf));
    const areWhole = views.every(
      ({ nodes, homes }) =>
        nodes.every(({ state, isAlive, copies, isLeader }) => isAlive && state === 'ready' && (isLeader || copies > 0)) &&
        homes.every(({ phase, followers, end }) => phase === 'owned' && followers.length > 0 && end > 0),
    );
    const before = await epochs();
    if (areWhole) await pause(1500);
    return areWhole && (await epochs()) === before;
  });
}

interface Agent {
  sessionId: string;
  credential: string;
}
async function newSession(): Promise<string> {
  const { projectId, environmentId } = cluster.ids;
  const client = cluster.clientOf(await cluster.leader());
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '7' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  return session.sessionId;
}
async function accessTo(sessionId: string): Promise<Agent> {
  const path = { projectId: cluster.ids.projectId, sessionId };
  const { access } = await cluster.clientOf(await cluster.leader()).createSessionAccess({ path, body: { actorId: 'support-agent' } });
  return { sessionId, credential: access.credential };
}
/** What came instead of an answer; undefined: it was answered. */
async function comment({ url }: ClusterNode, { credential }: Agent, body: string): Promise<string | undefined> {
  const reply = await fetch(`${url}/world/v1/operations/ticket-desk/comment.add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: { ticketId: 'TKT-1001', body } }),
  });
  const text = await reply.text();
  return reply.ok ? undefined : `${reply.status} ${text}`;
}
/** Agents and readers ask every node, while the work is done: what was not answered. */
async function refusalsDuring(work: () => Promise<void>): Promise<{ refused: string[]; answered: number }> {
  const agents = await Promise.all(Array.from({ length: 6 }, async () => accessTo(await newSession())));
  const refused: string[] = [];
  let answered = 0;
  let isOver = false;
  const asked = agents.map(async (agent, index) => {
    for (let count = index; !isOver; count++) {
      const node = cluster.nodes[count % cluster.nodes.length] as ClusterNode;
      const refusal = await comment(node, agent, `call ${count}`);
      const path = { projectId: cluster.ids.projectId, sessionId: agent.sessionId };
      const read = await cluster
        .clientOf(node)
        .getSessionRuntime({ path })
        .then(
          () => undefined,
          (error: unknown) => String(error),
        );
      refused.push(...[refusal, read].filter((one) => one !== undefined));
      answered += 1;
      await pause(20);
    }
  });
  await work().finally(() => {
    isOver = true;
  });
  await Promise.all(asked);
  return { refused, answered };
}

/** As the log has it: how many homes each node owns. */
async function ownedByNode(): Promise<(node: ClusterNode) => number> {
  const rows = await cluster.postgres.ask('select owner, count(*)::int as homes from drillyard_home group by owner');
  return ({ name }) => Number(rows.find(({ owner }) => owner === name)?.homes ?? 0);
}

test('a service without a cluster says that it is none', async () => {
  const dataDirectory = temporaryFolder();
  const alone = await startInside({ dataDirectory });
  const operator = readFileSync(join(dataDirectory, operatorTokenFile), 'utf8').trim();
  const headers = { authorization: `Bearer ${operator}`, 'content-type': 'application/json', 'idempotency-key': 'key-of-this-test' };
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/nodes/n1/drain'],
  ] as const) {
    const reply = await fetch(`${alone.ready.baseUrl}/v1/operator/cluster${path}`, {
      method,
      headers,
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    const { code } = (await reply.json()) as { code: string };
    assert.deepEqual([reply.status, code], [409, 'cluster.NOT_A_CLUSTER']);
  }
  await alone.stop();
});

test('every node shows nodes, homes and the log, to the operator alone', { skip, timeout: 60_000 }, async () => {
  await settled();
  const leader = await cluster.leader();
  const owned = await ownedByNode();
  assert.ok(cluster.nodes.filter((node) => owned(node) > 0).length > 1, 'homes are spread');
  const follower = cluster.followers(leader)[0] as ClusterNode;
  let copies = 0;
  for (const node of cluster.nodes) {
    const view = await viewOf(node);
    assert.equal(view.node, node.name);
    assert.deepEqual(
      view.nodes.map(({ node: name, isLeader, homes }) => [name, isLeader, homes]),
      cluster.nodes.map((one) => [one.name, one === leader, owned(one)]),
    );
    // Each node follows the catalog at least.
    assert.ok(view.nodes.every((one) => one.isLeader || one.copies > 0));
    copies = view.nodes.find((one) => one.node === follower.name)?.copies ?? 0;
    assert.ok(view.homes.every(({ phase, epoch, end }) => phase === 'owned' && epoch > 0 && end > 0));
    const { isAnswering, format, bytes, hasSynchronousStandby, beatAgeMs } = view.log;
    assert.deepEqual([isAnswering, format, hasSynchronousStandby, bytes! > 0, beatAgeMs < 1500], [true, 1, false, true, true]);
    for (const wrong of ['', cluster.credential])
      assert.equal((await fetch(`${node.url}/v1/operator/cluster`, { headers: { authorization: `Bearer ${wrong}` } })).status, 401);
    assert.deepEqual(await reasonsOf(node), []);
  }
  const { stdout } = await admin(follower, 'status', '--homes');
  for (const words of [
    /^log +answers/m,
    new RegExp(`^node ${leader.name} +ready, leader +${owned(leader)} homes?`, 'm'),
    /^home 8 +owned/m,
  ])
    assert.match(stdout, words);
  const of = await figures(follower);
  assert.deepEqual(
    [
      'drillyard_cluster_leader',
      'drillyard_cluster_homes{phase="following"}',
      'drillyard_cluster_homes{phase="owned"}',
      'drillyard_cluster_nodes{state="ready"}',
      'drillyard_cluster_copy_lag_entries{home="0"}',
    ].map(of),
    [0, copies, owned(follower), 3, 0],
  );
  assert.ok(of('drillyard_cluster_copy_lag_seconds{home="0"}')! < 5 && of('drillyard_cluster_beat_age_seconds')! < 1.5);
  const own = await figures(leader);
  assert.ok(own('drillyard_cluster_append_duration_seconds_count')! > 0 && own('drillyard_cluster_append_bytes_sum')! > 0);
  assert.equal(own('drillyard_cluster_homes{phase="owned"}'), owned(leader));
});

test('the leader is drained and the homes are moved through another node, and stay; worlds and credentials with them', {
  skip,
  timeout: 120_000,
}, async () => {
  await settled();
  // CLUSTER-USE-1, CLUSTER-ANSWERS-2
  const { refused, answered } = await refusalsDuring(moveEverything);
  assert.deepEqual(refused, []);
  assert.ok(answered > 6);
});

async function moveEverything(): Promise<void> {
  const { projectId } = cluster.ids;
  const first = await cluster.leader();
  const [asked] = cluster.followers(first) as [ClusterNode];
  assert.deepEqual(await line(asked, 'drain', first.name), { event: 'drain', node: first.name, isDrained: true });
  const second = await cluster.leader();
  assert.notEqual(second, first);
  assert.ok(first.isRunning);
  assert.equal((await ownedByNode())(first), 0);
  await cluster.settle((client) => client.getProject({ path: { projectId } }));
  const refused = await admin(asked, 'move', '--to', first.name);
  assert.deepEqual([refused.code, /is drained/.test(refused.stderr)], [1, true], refused.stderr);
  const nowhere = await admin(asked, 'move', '99', '--to', second.name);
  assert.deepEqual([nowhere.code, /no home 99/.test(nowhere.stderr)], [2, true], nowhere.stderr);
  assert.equal((await admin(asked, 'drain', 'nobody')).code, 2);
  assert.equal((await admin(asked, 'move')).code, 2);
  assert.equal((await line(asked, 'drain', first.name, '--undo')).isDrained, false);
  const [third] = cluster.nodes.filter((node) => node !== first && node !== second) as [ClusterNode];
  const before = (await ownedByNode())(third);
  await line(first, 'move', '1', '--to', third.name, '--when-warm');
  const [moved] = await cluster.postgres.ask('select owner from drillyard_home where home = 1');
  assert.equal(moved?.owner, third.name);
  await line(first, 'move', '--to', third.name, '--when-warm');
  assert.equal(await cluster.leader(), third);
  assert.equal((await ownedByNode())(third), 9);
  const { homes } = await viewOf(second);
  assert.equal(homes[0]?.wanted, third.name);
  const of = await figures(third);
  assert.ok(of('drillyard_cluster_takeovers_total{kind="handover"}')! >= 9 - before);
  assert.ok(of('drillyard_cluster_takeover_duration_seconds_count{part="opening"}')! >= 9);
  await cluster.settle((client) => client.getProject({ path: { projectId } }));
  await untilSettled(async () => (await reasonsOf(third)).length === 0);
  await line(second, 'move', '--by-rank');
  await untilSettled(async () => (await ownedByNode())(third) < 9);
}

test('a node that comes back takes requests as soon as it follows, and gets no homes yet', { skip, timeout: 60_000 }, async () => {
  const leader = await cluster.leader();
  const [follower] = cluster.followers(leader) as [ClusterNode];
  await follower.kill();
  await untilSettled(async () => (await viewOf(leader)).nodes.some(({ node, isAlive }) => node === follower.name && !isAlive));
  await follower.start();
  await untilSettled(async () => (await reasonsOf(follower)).length === 0);
  const seen = (await viewOf(leader)).nodes.find(({ node }) => node === follower.name);
  assert.equal(seen?.state, 'joining');
  await cluster.clientOf(follower).getProject({ path: { projectId: cluster.ids.projectId } });
  // CLUSTER-OWNERS-2
  const sessionId = await newSession();
  for (let round = 0; round < 3; round++) {
    await follower.pause();
    const agent = await accessTo(sessionId);
    follower.resume();
    assert.equal(await comment(follower, agent, `round ${round}`), undefined, 'it was given while the node stood still');
  }
});

test('a node whose database is away says so, shows what it knew, does nothing, and ends when it is asked to', {
  skip,
  timeout: 90_000,
}, async () => {
  const leader = await cluster.leader();
  const [follower] = cluster.followers(leader) as [ClusterNode];
  await cluster.postgres.kill();
  for (const node of [leader, follower]) {
    await untilSettled(async () => (await reasonsOf(node))[0] === 'cluster_lag');
    const { log, homes } = await viewOf(node);
    assert.deepEqual([log.isAnswering, homes.length, log.bytes], [false, 9, undefined]);
    assert.ok(log.failure);
    assert.ok((await figures(node))('drillyard_cluster_log_unavailable_seconds_total')! > 0);
    // CLUSTER-ANSWERS-1, CLUSTER-ANSWERS-2
    const path = `${node.url}/v1/projects/${cluster.ids.projectId}`;
    const read = await fetch(path, { headers: { authorization: `Bearer ${cluster.credential}` } });
    assert.deepEqual([read.status, read.headers.has('retry-after')], [503, true]);
  }
  const ends = await Promise.all([leader.stop(), follower.stop()]);
  assert.ok(ends.every((code) => code !== null));
  await cluster.postgres.start();
});
