// Three nodes on one PostgreSQL, as processes. Agents and control clients ask any of them, while the leader is killed, stopped for a while
// and asked to end. DRILLYARD_CLUSTER_ROUNDS sets how many faults there are (default 20); `npm run test:cluster` makes more kinds of them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { operatorTokenFile } from '../../src/control/catalog/settings.js';
import { postgresMissing } from '../cluster/postgres-server.js';
import { untilSettled } from '../until.js';
import { ClusterHistory, shownFindings } from './cluster-history.js';
import { allowCallbacks, Cluster, type ClusterNode } from './cluster-kit.js';
import { CallingAgent, clientAt, exampleBuild, journalOf, nowMs } from './cluster-load.js';
import { ClusterLoad } from './cluster-rounds.js';

const rounds = Number(process.env.DRILLYARD_CLUSTER_ROUNDS ?? 20);
const skip = postgresMissing;
let cluster: Cluster;
before(
  async () => {
    if (skip === false) cluster = await Cluster.start({ flags: allowCallbacks });
  },
  { timeout: 90_000 },
);
after(async () => {
  await cluster?.close();
});

test('every node names the same project, and one of them shows the credential of the first start', { skip }, () => {
  const [first, ...others] = cluster.nodes.map(({ ready }) => ready!);
  const ids = ({ organizationId, projectId, environmentId, buildHash }: typeof first & object) =>
    [organizationId, projectId, environmentId, buildHash] as const;
  for (const other of others) assert.deepEqual(ids(other), ids(first!));
  assert.deepEqual(
    cluster.nodes.map(({ ready }) => [ready?.node, ready?.credential !== undefined]),
    [
      ['n1', true],
      ['n2', false],
      ['n3', false],
    ],
  );
});

// CLUSTER-NODE-2
test('a session made through one node is used over HTTP and MCP through all, and outlives its owner', {
  skip,
  timeout: 90_000,
}, async () => {
  const { projectId, environmentId } = cluster.ids;
  const history = new ClusterHistory();
  const [one, two, three] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
  const made = await cluster.patientClientOf(two).createSession({ path: { projectId, environmentId }, body: { seed: '4242' } });
  await cluster.patientClientOf(three).waitForOperation({ projectId, operationId: made.operation.operationId });
  const path = { projectId, sessionId: made.session.sessionId };
  const body = { actorId: 'support-agent', ttlMs: 3_600_000 };
  const { access } = await cluster.patientClientOf(one).createSessionAccess({ path, body });
  const agent = new CallingAgent({ world: path.sessionId, credential: access.credential, history });
  /** As agents do: again with the same key, while homes are on their way. */
  const call = async (node: ClusterNode, text: string, key: string): Promise<void> => {
    const beganMs = nowMs();
    for (let tries = 1; !(await agent.call(node, { text, key })); tries++)
      assert.ok(tries < 20, `${text}: no answer after ${nowMs() - beganMs} ms`);
  };
  for (const node of cluster.nodes) await call(node, `through ${node.name}`, `first-${node.name}`);
  // What nodes ask each other nobody else can, through whichever node.
  const query = { kind: 'query', query: { kind: 'position' } };
  const asked = JSON.stringify({ kind: 'ask', sessionId: path.sessionId, ask: query, catalog: 0, askId: 'a', wantsProgress: false });
  for (const { url, name } of cluster.nodes) {
    const reply = await fetch(`${url}/node`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: asked });
    assert.equal(reply.status, 404, `${name}: ${await reply.text()}`);
  }
  const comments = ['over MCP'];
  const ask = async (node: ClusterNode, body: string): Promise<void> => {
    const client = await mcpClient(node, access.credential);
    const reply = await client.callTool({ name: 'ticket-desk.comment.add', arguments: { ticketId: 'TKT-1001', body } });
    assert.notEqual(reply.isError, true, JSON.stringify(reply));
    await client.close();
  };
  await ask(three, 'over MCP');

  const owner = await cluster.ownerOf(path.sessionId);
  const [follower, other] = cluster.followers(owner) as [ClusterNode, ClusterNode];
  await owner.kill();
  await call(follower, 'after the kill', 'after-the-kill');
  await ask(other, 'over MCP after the kill');
  comments.push('over MCP after the kill');
  assert.notEqual(await cluster.ownerOf(path.sessionId), owner);
  const journal = await journalOf(cluster.clientOf(other), projectId, path.sessionId);
  assert.equal(shownFindings(history.check([journal])), '');
  const texts = journal.entries.flatMap((entry) =>
    entry.kind === 'operation' ? [(entry.invocation.arguments as { body?: string }).body] : [],
  );
  for (const comment of comments) assert.equal(texts.filter((text) => text === comment).length, 1, comment);

  await owner.start();
  await call(owner, 'through the node that came back', 'came-back');
  await untilSettled(async () => (await fetch(`${owner.url}/readyz`)).ok);
});

test('a leader that is asked to end hands over, and ends well', { skip, timeout: 60_000 }, async () => {
  const { projectId } = cluster.ids;
  const before = await cluster.clientOf(cluster.nodes[0]!).listSessions({ path: { projectId } });
  const leader = await cluster.leader();
  assert.equal(await leader.stop(), 0, leader.said);
  const next = await cluster.leader();
  assert.notEqual(next, leader);
  const later = await cluster.settle((client) => client.listSessions({ path: { projectId } }));
  assert.deepEqual(
    later.items.map(({ sessionId }) => sessionId),
    before.items.map(({ sessionId }) => sessionId),
  );
  await leader.start();
});

type Mend = () => Promise<unknown>;
const faultsOfLeaders = {
  kill: async (leader: ClusterNode): Promise<Mend> => {
    await leader.kill();
    return () => leader.start();
  },
  stop: async (leader: ClusterNode): Promise<Mend> => {
    await leader.stop();
    return () => leader.start();
  },
  /** Longer than its lease. */
  pause: async (leader: ClusterNode): Promise<Mend> => {
    await leader.pause();
    await untilSettled(async () => (await cluster.leader()) !== leader);
    return async () => leader.resume();
  },
  /** Its connections to the database, and those of all others, break. */
  sessions: async (): Promise<Mend> => {
    await cluster.endSessions();
    return async () => {};
  },
  /** Everything to another node, by an operator; where none is ready, as above. */
  move: async (leader: ClusterNode): Promise<Mend> => {
    const operator = readFileSync(join(cluster.nodes[0]!.dataDirectory, operatorTokenFile), 'utf8').trim();
    const to = cluster.followers(leader).map(({ name }) => name);
    const asked = to.map((name) => clientAt(leader.url, operator).moveHomes({ body: { to: name, whenWarm: true } }));
    const isTaken = (await Promise.allSettled(asked)).some(({ status }) => status === 'fulfilled');
    // Nodes that are back since lately are not ready, and refused.
    if (!isTaken) await cluster.endSessions();
    return async () => {};
  },
};
/** In turns. Two of eight end a process: to start one costs most. */
const leaderFaults = ['kill', 'sessions', 'pause', 'move', 'stop', 'sessions', 'pause', 'move'] as const;

// Every rule of the history and of the rounds.
// CLUSTER-ANSWERS-1, CLUSTER-NODE-1
test(`${rounds} faults of leaders under load: nothing lost, doubled, out of order or stale`, {
  skip,
  timeout: 60_000 + rounds * 20_000,
}, async (t) => {
  const load = await ClusterLoad.prepare(cluster, { pauseMs: 80, bringPort: async () => {} });
  t.after(() => load.stop());
  load.begin();
  const silences: string[] = [];
  for (let round = 0; round < rounds; round++) {
    await load.answersAgain();
    const fault = leaderFaults[round % leaderFaults.length] as keyof typeof faultsOfLeaders;
    const leader = await cluster.leader();
    const fromMs = nowMs();
    const mend = await faultsOfLeaders[fault](leader);
    const [longest] = (await load.answersAgain({ fromMs })).sort((first, second) => second - first);
    silences.push(`${fault} ${Math.round(longest!)} ms`);
    await mend();
  }
  const { findings, faults, ...counts } = await load.end({ build: await exampleBuild() });
  t.diagnostic(JSON.stringify({ ...counts, silences }));
  assert.deepEqual([shownFindings({ findings }), ...faults, ...(faults.length > 0 ? cluster.errors() : [])], ['']);
  assert.ok(counts.acknowledged > rounds && counts.reads > rounds && counts.creations > 2 && counts.advances > 0, JSON.stringify(counts));
});

async function mcpClient({ url }: ClusterNode, credential: string): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/world/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${credential}` } },
  });
  // The package's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as unknown as Parameters<Client['connect']>[0]);
  return client;
}
