// Worlds of a cluster lie on the owners of their homes: three nodes as processes on one PostgreSQL. What the control plane asks of a world,
// what agents do there, and what ends an access reaches the owner, whichever node was asked, and over the loss of an owner that does not
// lead.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../src/client/client.js';
import type { WorldSession } from '../../src/contract/hosted/resources.js';
import type { AccessBundle } from '../../src/contract/hosted/sessions.js';
import type { CallbackEntry } from '../../src/contract/world/evidence.js';
import { startReceiver } from '../callbacks/receiver-kit.js';
import { postgresMissing } from '../cluster/postgres-server.js';
import { untilSettled } from '../until.js';
import { Cluster, type ClusterNode } from './cluster-kit.js';
import { exampleBuild, journalOf, replayFaults } from './cluster-load.js';

const skip = postgresMissing;
let cluster: Cluster;
before(
  async () => {
    if (skip !== false) return;
    cluster = await Cluster.start({ homes: 24, flags: ['--allow-loopback-receivers', 'true'] });
    // The first node has all homes until the others are there; then each comes to where it belongs.
    const owners = async (): Promise<string> =>
      JSON.stringify(await cluster.postgres.ask('select home, owner from drillyard_home order by home'));
    await untilSettled(async () => {
      const before = await owners();
      await pause(1500);
      return (await cluster.shares()).size === 3 && (await owners()) === before;
    });
  },
  { timeout: 120_000 },
);
after(async () => {
  await cluster?.close();
});

const clientOf = (node: ClusterNode): Client => cluster.clientOf(node);
const anyNode = (index: number): ClusterNode => cluster.nodes[index % cluster.nodes.length] as ClusterNode;

interface NewSession {
  drillId?: string;
  receivers?: string[];
}
async function newSession(node: ClusterNode, { drillId, receivers = [] }: NewSession = {}): Promise<WorldSession> {
  const { projectId, environmentId } = cluster.ids;
  const client = clientOf(node);
  const body = { seed: '7', callbackReceiverBindingIds: receivers, ...(drillId === undefined ? {} : { drillId }) };
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body });
  const { state } = await client.waitForOperation({ projectId, operationId: operation.operationId });
  assert.equal(state, 'succeeded');
  return (await client.getSession({ path: { projectId, sessionId: session.sessionId } })).session;
}
/** On a busy machine a node may have been away, and has homes again after half a minute. */
const everyNodeOwns = async (): Promise<boolean> => (await cluster.shares()).size === 3;
/** One whose owner leads, or does not. */
async function sessionWhere({ leads, ...of }: NewSession & { leads: boolean }): Promise<{ session: WorldSession; owner: ClusterNode }> {
  // As for `everyNodeOwns`.
  const isWanted = async (): Promise<boolean> => {
    const leader = (await cluster.leader()).name;
    return [...(await cluster.shares()).keys()].some((owner) => (owner === leader) === leads);
  };
  for (let tries = 0; tries < 40; tries++) {
    await untilSettled(isWanted);
    const session = await newSession(anyNode(tries), of);
    const owner = await cluster.ownerOf(session.sessionId);
    if ((owner === (await cluster.leader())) === leads) return { session, owner };
  }
  return assert.fail('no session fell where it was wanted');
}
async function accessTo(node: ClusterNode, { sessionId }: WorldSession): Promise<AccessBundle> {
  const path = { projectId: cluster.ids.projectId, sessionId };
  return (await clientOf(node).createSessionAccess({ path, body: { actorId: 'support-agent' } })).access;
}
async function comment({ url }: ClusterNode, { credential }: Pick<AccessBundle, 'credential'>, body: string): Promise<number> {
  const reply = await fetch(`${url}/world/v1/operations/ticket-desk/comment.add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: { ticketId: 'TKT-1001', body } }),
  });
  await reply.text();
  return reply.status;
}
/** Asked until it is answered otherwise than by 503. */
async function commentAgain(node: ClusterNode, access: Pick<AccessBundle, 'credential'>, body: string): Promise<number> {
  for (const untilMs = Date.now() + 20_000; ; await pause(50)) {
    const status = await comment(node, access, body).catch(() => 503);
    if (status !== 503 || Date.now() > untilMs) return status;
  }
}

test('each node owns homes, and worlds of every node are read and called through every node', { skip, timeout: 90_000 }, async () => {
  const { projectId } = cluster.ids;
  const shares = await cluster.shares();
  assert.deepEqual([...shares.keys()].sort(), ['n1', 'n2', 'n3']);
  const owners = new Set<string>();
  for (let index = 0; index < 9 || owners.size < 3; index++) {
    assert.ok(index < 40, `sessions fell on ${[...owners]} alone`);
    if (index >= 9) await untilSettled(everyNodeOwns);
    const session = await newSession(anyNode(index));
    owners.add((await cluster.ownerOf(session.sessionId)).name);
    if (index >= 9) continue;
    const access = await accessTo(anyNode(index + 1), session);
    for (const node of cluster.nodes) assert.equal(await comment(node, access, `through ${node.name}`), 200);
    const { items } = await clientOf(anyNode(index + 2)).listStateNamespaces({
      path: { projectId, sessionId: session.sessionId },
      query: {},
    });
    assert.ok(items.length > 0);
  }
});

// CLUSTER-OWNERS-1, CLUSTER-READERS-1, CATALOG-6
test('an access opens its world on every node as soon as it was given, and on none as soon as it was revoked', {
  skip,
  timeout: 90_000,
}, async () => {
  const { projectId } = cluster.ids;
  for (const leads of [false, true]) {
    const { session } = await sessionWhere({ leads });
    for (let round = 0; round < 8; round++) {
      const access = await accessTo(anyNode(round), session);
      const given = await Promise.all(cluster.nodes.map((node) => comment(node, access, `round ${round}`)));
      assert.deepEqual(given, [200, 200, 200]);
      const { accessId } = access;
      const path = { projectId, sessionId: session.sessionId, accessId };
      await clientOf(anyNode(round + 1)).revokeSessionAccess({ path, body: { confirm: accessId } });
      const revoked = await Promise.all(cluster.nodes.map((node) => comment(node, access, 'too late')));
      assert.deepEqual(revoked, [401, 401, 401], `round ${round}`);
    }
    const journal = await journalOf(clientOf(anyNode(0)), projectId, session.sessionId);
    assert.equal(JSON.stringify(journal.entries).includes('too late'), false);
  }
});

// CLUSTER-READERS-1
test('a revocation waits for an owner that stands still until that answers nothing any more, and holds when it wakes up', {
  skip,
  timeout: 120_000,
}, async () => {
  const { projectId } = cluster.ids;
  const { session, owner } = await sessionWhere({ leads: false });
  const access = await accessTo(owner, session);
  const other = cluster.followers(owner).find(({ name }) => name !== owner.name) as ClusterNode;
  assert.equal(await comment(owner, access, 'before'), 200);
  await owner.pause();
  const path = { projectId, sessionId: session.sessionId, accessId: access.accessId };
  await cluster.settle((client, node) =>
    node === owner
      ? Promise.reject(Object.assign(new Error('it stands still'), { status: 503 }))
      : client.revokeSessionAccess({ path, body: { confirm: access.accessId } }),
  );
  assert.equal(await commentAgain(other, access, 'too late'), 401);
  owner.resume();
  assert.equal(await commentAgain(owner, access, 'too late'), 401);
  const journal = await cluster.settle((client) => journalOf(client, projectId, session.sessionId));
  assert.equal(JSON.stringify(journal.entries).includes('too late'), false);
  await untilSettled(async () => (await cluster.shares()).size >= 2);
});

test('forks, snapshots, resets and advances of a world on another node than the leader; what it did replays to the same hashes', {
  skip,
  timeout: 120_000,
}, async () => {
  const { projectId } = cluster.ids;
  const { session, owner } = await sessionWhere({ leads: false });
  const { sessionId, environmentId, buildHash } = session;
  const path = { projectId, sessionId };
  const leader = await cluster.leader();
  const client = clientOf(leader);
  const done = async ({ operationId }: { operationId: string }) => {
    const operation = await clientOf(anyNode(1)).waitForOperation({ projectId, operationId });
    assert.equal(operation.state, 'succeeded', JSON.stringify(operation.error));
    return operation;
  };
  const access = await accessTo(leader, session);
  assert.equal(await comment(leader, access, 'one'), 200);
  const expectedLeaseGeneration = (await client.getSession({ path })).session.leaseGeneration;
  const fence = { environmentId, buildHash, expectedLeaseGeneration };
  const advanced = await client.advanceTime({ path, body: { ...fence, targetUs: 1_772_500_000_000_000, maxEvents: 1000 } });
  await done(advanced.operation);
  assert.deepEqual(await replayFaults(await exampleBuild(), await journalOf(clientOf(owner), projectId, sessionId)), []);
  const snapshot = await client.createSnapshot({ path, body: { expectedLeaseGeneration } });
  await done(snapshot.operation);
  assert.equal(await comment(owner, access, 'two'), 200);

  const { hostedSnapshotId } = snapshot.snapshot;
  const forked = await client.forkSession({ path, body: { environmentId, expectedLeaseGeneration, hostedSnapshotId } });
  await done(forked.operation);
  assert.equal(await cluster.ownerOf(forked.session.sessionId), await cluster.ownerOf(sessionId), 'a fork is where its parent is');
  const child = await journalOf(client, projectId, forked.session.sessionId);
  assert.equal(JSON.stringify(child.entries).includes('"two"'), false);
  const reset = await client.resetSession({ path, body: { expectedLeaseGeneration } });
  await done(reset.operation);
  assert.equal(await comment(owner, access, 'of the old lease'), 401);
  const again = await accessTo(owner, session);
  assert.equal(await comment(leader, again, 'of the new lease'), 200);
  const ended = await client.destroySession({
    path,
    body: { confirm: sessionId, expectedLeaseGeneration: (await client.getSession({ path })).session.leaseGeneration },
  });
  await done(ended.operation);
  assert.equal(await comment(leader, again, 'of a session that has ended'), 401);
});

test('a hosted run is played by its agent on the owner, and judged and sealed by the leader', { skip, timeout: 120_000 }, async () => {
  const { projectId, environmentId } = cluster.ids;
  const { session } = await sessionWhere({ leads: false, drillId: 'refund-happy-path' });
  const client = clientOf(anyNode(0));
  const path = { projectId, environmentId, sessionId: session.sessionId };
  const { run } = await client.startRun({ path, body: { expectedLeaseGeneration: session.leaseGeneration } });
  const runPath = { projectId, hostedRunId: run.hostedRunId };
  let played = (await client.getRun({ path: runPath })).run;
  for (const untilMs = Date.now() + 60_000; played.finishedAtMs === undefined; await pause(30)) {
    assert.ok(Date.now() < untilMs, JSON.stringify(played));
    played = (await clientOf(anyNode(Date.now())).getRun({ path: runPath })).run;
    if (played.pendingInteraction === undefined) continue;
    const interactionId = played.pendingInteraction.interaction.id;
    const { access } = await client.createRunAccess({ path: runPath, body: { interactionId } });
    assert.equal(await comment(anyNode(2), access, `for ${interactionId}`), 200);
    const { revision: expectedRevision } = (await client.getRun({ path: runPath })).run;
    const targetResult = { status: 'completed' as const, attachments: [] };
    await client.completeInteraction({ path: runPath, body: { interactionId, expectedRevision, targetResult } });
    assert.equal(await comment(anyNode(1), access, 'after its end'), 401);
  }
  assert.equal(played.state, 'sealed', JSON.stringify(played));
});

test('callbacks leave from the owner, once each, and what was due when it ended leaves from the next', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const { projectId } = cluster.ids;
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const client = clientOf(await cluster.leader());
  const made = await client.createCallbackReceiver({ path: { projectId }, body: { receiverId: 'merchant', origin: receiver.url } });
  const { callbackReceiverBindingId, version } = made.callbackReceiver;
  await client.approveCallbackReceiver({ path: { projectId, callbackReceiverBindingId }, body: { expectedVersion: version } });
  const { session, owner } = await sessionWhere({ leads: false, receivers: [callbackReceiverBindingId] });
  const { sessionId, environmentId, buildHash, leaseGeneration } = session;
  const path = { projectId, sessionId };
  let isKilled = false;
  receiver.answer = async () => {
    // Its first attempt is under way: that is lost with its sender.
    if (!isKilled) {
      isKilled = true;
      await owner.kill();
    }
    return 204;
  };
  const body = { environmentId, buildHash, expectedLeaseGeneration: leaseGeneration, targetUs: 1_772_500_000_000_000, maxEvents: 1000 };
  const { operation } = await client.advanceTime({ path, body });
  const ended = await cluster.settle((any) => any.waitForOperation({ projectId, operationId: operation.operationId }), {
    withinMs: 40_000,
  });
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
  assert.notEqual(await cluster.ownerOf(sessionId), owner);
  const { entries } = await cluster.settle((any) => any.listEvidence({ path, query: { limit: 500 } }));
  const phases = entries.filter((entry): entry is CallbackEntry => entry.kind === 'callback').map(({ phase }) => phase);
  assert.equal(phases.filter((phase) => phase === 'delivered').length, phases.filter((phase) => phase === 'queued').length);
  assert.ok(phases.includes('delivered') && isKilled);
  await owner.start();
});

test('an owner that does not lead is killed: its worlds answer again, those of the others never stop', {
  skip,
  timeout: 120_000,
}, async () => {
  await untilSettled(async () => (await fetch(`${anyNode(0).url}/readyz`)).ok);
  const { session, owner } = await sessionWhere({ leads: false });
  const { session: led } = await sessionWhere({ leads: true });
  const [access, ledAccess] = [await accessTo(anyNode(0), session), await accessTo(anyNode(0), led)];
  const leader = await cluster.leader();
  assert.deepEqual([await comment(leader, access, 'before'), await comment(leader, ledAccess, 'before')], [200, 200]);
  await owner.kill();
  for (let call = 0; call < 10; call++) assert.equal(await comment(leader, ledAccess, `during ${call}`), 200);
  assert.equal(await commentAgain(leader, access, 'after'), 200);
  assert.equal(await cluster.leader(), leader);
  await owner.start();
  const journal = await journalOf(clientOf(leader), cluster.ids.projectId, session.sessionId);
  assert.deepEqual(await replayFaults(await exampleBuild(), journal), []);
});

test('a project is deleted with its worlds on every node', { skip, timeout: 120_000 }, async () => {
  const { projectId } = cluster.ids;
  const client = clientOf(await cluster.leader());
  const { operation } = await cluster.settle((any) => any.deleteProject({ path: { projectId }, body: { confirm: projectId } }));
  const ended = await client.waitForOperation({ projectId, operationId: operation.operationId });
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
});
