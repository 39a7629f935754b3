// The lifecycle of a session: made, used, moved in time, reset, snapshotted, forked, extended, destroyed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { countOf, quotaUsed } from '../../src/control/catalog/quotas.js';
import { openSessionKit, refuses, type SessionKit } from './session-kit.js';

let kit: SessionKit;
before(async () => {
  kit = await openSessionKit();
});
after(() => kit.close());

test('a session is creating in its reply, ready when its operation has succeeded, and starts at its setup', async () => {
  const { session, operation } = await kit.call('createSession', { path: { environmentId: kit.environmentId }, body: { seed: '7' } });
  assert.deepEqual([session.state, session.leaseGeneration, session.version, operation.state], ['creating', 1, 1, 'pending']);
  assert.deepEqual([operation.kind, operation.resourceType, operation.resourceId], ['world.session.create', 'session', session.sessionId]);
  assert.equal(session.expiresAtMs, kit.clock.nowMs + 3_600_000);
  await kit.done(operation);
  const runtime = await kit.call('getSessionRuntime', { path: { sessionId: session.sessionId } });
  assert.deepEqual([runtime.session.state, runtime.position.virtualTimeUs, runtime.position.evidenceSequence], ['ready', 500, 1]);
  assert.equal(runtime.session.version, 2);
  const clerk = runtime.actors.find(({ actorId }) => actorId === 'clerk');
  assert.ok(clerk?.capabilities.some(({ operationId }) => operationId === 'add'));
  const south = runtime.actors.find(({ actorInstanceId }) => actorInstanceId === 'south');
  assert.equal(south?.actorBindingId, 'teller:south');
});

test('a drill or a scenario is where the world starts', async () => {
  for (const named of [{ drillId: 'rich' }, { scenarioId: 'rich' }]) {
    const { sessionId, ...session } = await kit.session(named);
    assert.deepEqual({ drillId: session.drillId, scenarioId: session.scenarioId }, { drillId: undefined, scenarioId: undefined, ...named });
    assert.equal((await kit.call('getSessionRuntime', { path: { sessionId } })).position.virtualTimeUs, 9_000);
  }
});

test('an agent calls tools of its session as its actor, and sees what it did in state and evidence', async () => {
  const { sessionId } = await kit.session();
  const access = await kit.access(sessionId);
  assert.deepEqual(
    [access.worldHttpUrl, access.worldMcpUrl, access.worldCliUrl],
    ['http://127.0.0.1:8787/world', 'http://127.0.0.1:8787/world/mcp', 'http://127.0.0.1:8787/world'],
  );
  assert.equal(access.expiresAtMs, kit.clock.nowMs + 600_000);
  assert.deepEqual((await kit.add(access.credential, 5)).body.outcome, { kind: 'ok', value: { balance: 105 } });
  assert.equal(await kit.balance(sessionId), 105);
  // A control credential opens no world, and a world credential nothing else.
  assert.equal((await kit.add(kit.token, 5)).status, 401);
  assert.throws(() => kit.plane.authenticate(access.credential), { code: 'control.UNAUTHENTICATED' });
  const operations = (await kit.evidence(sessionId)).filter(({ kind }) => kind === 'operation');
  assert.equal(operations.length, 1);
  const namespaces = await kit.call('listStateNamespaces', { path: { sessionId } });
  assert.ok(namespaces.items.some(({ namespace, rowCount }) => namespace === 'accounts' && rowCount > 0));
});

test('a page of rows tells where the next begins, and a page of evidence too', async () => {
  const { sessionId } = await kit.session();
  const access = await kit.access(sessionId);
  for (const account of ['a', 'b', 'c']) {
    await kit.agent(access.credential, '/world/v1/operations/bank/add', { arguments: { account, amount: 1 } });
  }
  const accounts = { packageId: 'bank', namespace: 'accounts' };
  const first = await kit.call('listState', { path: { sessionId }, query: { ...accounts, limit: 2 } });
  assert.deepEqual([first.rows.map(({ rowId }) => rowId), first.nextAfterRowId], [['a', 'b'], 'b']);
  const rest = await kit.call('listState', { path: { sessionId }, query: { ...accounts, afterRowId: 'b' } });
  assert.equal(rest.rows[0]?.rowId, 'c');
  const page = await kit.call('listEvidence', { path: { sessionId }, query: { fromSequence: 2, limit: 1 } });
  assert.deepEqual([page.entries.map(({ sequence }) => sequence), page.nextSequence], [[2], 3]);
});

test('an advance fires what is due and tells all of it in the result of its operation', async () => {
  const session = await kit.session();
  const { sessionId } = session;
  const access = await kit.access(sessionId);
  for (const inUs of [10, 20, 3000]) {
    await kit.agent(access.credential, '/world/v1/operations/bank/later', { arguments: { inUs, account: 'main', amount: 1 } });
  }
  const pending = await kit.call('getPending', { path: { sessionId } });
  const beforeSequence = (await kit.evidence(sessionId)).length;
  const reply = await kit.call('advanceTime', { path: { sessionId }, body: { ...kit.fence(session), targetUs: 1000, maxEvents: 500_000 } });
  const operation = await kit.ended(reply.operation);
  assert.equal(operation.state, 'succeeded');
  const { correlationId, evidenceAfterSequence, ...result } = operation.result as { correlationId: string; evidenceAfterSequence: number };
  assert.match(correlationId, /^corr_/);
  assert.equal(evidenceAfterSequence, (await kit.evidence(sessionId)).length);
  assert.deepEqual(result, {
    schemaVersion: 1,
    kind: 'world.time.advance',
    operationId: operation.operationId,
    sessionId,
    leaseGeneration: 1,
    buildHash: session.buildHash,
    requestedUs: 1000,
    startedUs: 500,
    reachedUs: 1000,
    maxEvents: 500_000,
    scheduledEventsProcessed: pending.total - (await kit.call('getPending', { path: { sessionId } })).total,
    evidenceBeforeSequence: beforeSequence,
    status: 'completed',
    eventBudgetExhausted: false,
  });
});

// SESSION-MEMORY-1, SESSION-STATES-2
test('a reset makes a new lease: state and clock are as at the start, and the old access opens nothing', async () => {
  const session = await kit.session();
  const { sessionId } = session;
  const access = await kit.access(sessionId);
  await kit.add(access.credential, 5);
  const reply = await kit.call('resetSession', { path: { sessionId }, body: { expectedLeaseGeneration: 1 } });
  assert.equal(reply.session.state, 'resetting');
  assert.equal((await kit.add(access.credential, 5)).status, 401);
  await kit.done(reply.operation);
  const now = await kit.get(sessionId);
  assert.deepEqual([now.state, now.leaseGeneration], ['ready', 2]);
  assert.equal(await kit.balance(sessionId), 100);
  assert.equal((await kit.add(access.credential, 5)).status, 401);
  const fresh = await kit.access(sessionId);
  assert.equal(fresh.leaseGeneration, 2);
  assert.equal((await kit.add(fresh.credential, 5)).status, 200);
});

test('a reset by packages resets those alone', async () => {
  const session = await kit.session();
  const { sessionId } = session;
  const { credential } = await kit.access(sessionId);
  await kit.add(credential, 5);
  const { operation } = await kit.call('resetSession', { path: { sessionId }, body: { expectedLeaseGeneration: 1, packages: ['bank'] } });
  await kit.done(operation);
  assert.equal(await kit.balance(sessionId), 100);
  const { rows } = await kit.call('listState', { path: { sessionId }, query: { packageId: 'audit', namespace: 'seen' } });
  assert.ok(rows.some(({ rowId }) => rowId === 'main'));
});

test('a snapshot is deleted alone: its place is free again, and what was forked from it or asked of it before is unharmed', async () => {
  const session = await kit.session();
  const { sessionId } = session;
  const { credential } = await kit.access(sessionId);
  await kit.add(credential, 5);
  const lease = { expectedLeaseGeneration: 1 };
  const take = async (): Promise<string> => {
    const taken = await kit.call('createSnapshot', { path: { sessionId }, body: lease });
    await kit.done(taken.operation);
    return taken.snapshot.hostedSnapshotId;
  };
  const [first, second] = [await take(), await take()];
  await kit.add(credential, 7);
  const deletion = { path: { hostedSnapshotId: first }, body: { ...lease, confirm: first } };
  await refuses(kit.call('deleteSnapshot', { ...deletion, body: { ...lease, confirm: second } }), 'control.CONFIRMATION_MISMATCH');
  await refuses(
    kit.call('deleteSnapshot', { ...deletion, body: { expectedLeaseGeneration: 2, confirm: first } }),
    'control.LEASE_CONFLICT',
  );
  const fork = { ...lease, environmentId: kit.environmentId, hostedSnapshotId: first };
  const used = () => countOf(kit.services.catalog.view, `snapshots ${sessionId}`);
  assert.equal(used(), 2);
  // The fork is still to be made when its snapshot is deleted.
  const forked = await kit.call('forkSession', { path: { sessionId }, body: fork });
  const { snapshot, operation } = await kit.call('deleteSnapshot', deletion);
  assert.deepEqual([snapshot.state, operation.kind, used()], ['deleted', 'world.snapshot.delete', 1]);
  await kit.done(forked.operation);
  await kit.done(operation);
  assert.equal(await kit.balance(forked.session.sessionId), 105);
  await refuses(kit.call('forkSession', { path: { sessionId }, body: fork }), 'control.STATE_CONFLICT', { state: 'deleted' });
  await refuses(kit.call('deleteSnapshot', deletion), 'control.STATE_CONFLICT', { state: 'deleted' });
  const third = await take();
  await kit.add(credential, 1);
  for (const [hostedSnapshotId, balance] of [
    [third, 112],
    [second, 105],
  ] as const) {
    const { leaseGeneration } = await kit.get(sessionId);
    const reset = await kit.call('resetSession', {
      path: { sessionId },
      body: { expectedLeaseGeneration: leaseGeneration, hostedSnapshotId },
    });
    await kit.done(reset.operation);
    assert.equal(await kit.balance(sessionId), balance);
  }
});

test('a reset to a snapshot and a fork from it find the world as it was snapshotted', async () => {
  const session = await kit.session();
  const { sessionId } = session;
  const { credential } = await kit.access(sessionId);
  await kit.add(credential, 5);
  const taken = await kit.call('createSnapshot', { path: { sessionId }, body: { expectedLeaseGeneration: 1 } });
  assert.equal(taken.snapshot.state, 'creating');
  await kit.done(taken.operation);
  const { hostedSnapshotId } = taken.snapshot;
  const { snapshot } = await kit.call('getSnapshot', { path: { hostedSnapshotId } });
  assert.equal(snapshot.state, 'available');
  assert.ok(snapshot.position);
  await kit.add(credential, 7);
  const fork = { expectedLeaseGeneration: 1, environmentId: kit.environmentId, hostedSnapshotId };
  const forked = await kit.call('forkSession', { path: { sessionId }, body: fork });
  await kit.done(forked.operation);
  const child = await kit.get(forked.session.sessionId);
  assert.deepEqual(
    [child.state, child.leaseGeneration, child.parentSessionId, child.parentHostedSnapshotId, child.seed],
    ['ready', 1, sessionId, hostedSnapshotId, '7'],
  );
  assert.equal(await kit.balance(child.sessionId), 105);
  assert.equal(await kit.balance(sessionId), 112);
  const reset = await kit.call('resetSession', { path: { sessionId }, body: { expectedLeaseGeneration: 1, hostedSnapshotId } });
  await kit.done(reset.operation);
  assert.equal(await kit.balance(sessionId), 105);
  assert.deepEqual(
    (await kit.call('listSnapshots', { query: { sessionId } })).items.map((item) => item.hostedSnapshotId),
    [hostedSnapshotId],
  );
});

test('a fork at a sequence is the state at that sequence, and lives on by itself', async () => {
  const { sessionId } = await kit.session();
  const { credential } = await kit.access(sessionId);
  const ends: number[] = [];
  for (const amount of [1, 2, 3]) {
    await kit.add(credential, amount);
    ends.push((await kit.evidence(sessionId)).length);
  }
  for (const atSequence of ends) {
    const body = { expectedLeaseGeneration: 1, environmentId: kit.environmentId, atSequence };
    const { session, operation } = await kit.call('forkSession', { path: { sessionId }, body });
    await kit.done(operation);
    assert.equal(session.parentHostedSnapshotId, undefined);
    assert.equal(await kit.balance(session.sessionId), await kit.balance(sessionId, atSequence));
    const child = await kit.access(session.sessionId);
    await kit.add(child.credential, 50);
  }
  assert.equal(await kit.balance(sessionId), 106);
});

test('what was asked of a session before a fork is in the fork, and what was asked after is not', async () => {
  const session = await kit.session();
  const { sessionId } = session;
  const advance = (targetUs: number) =>
    kit.call('advanceTime', { path: { sessionId }, body: { ...kit.fence(session), targetUs, maxEvents: 10 } });
  const [, forked, last] = await Promise.all([
    advance(1000),
    kit.call('forkSession', { path: { sessionId }, body: { expectedLeaseGeneration: 1, environmentId: kit.environmentId } }),
    advance(2000),
  ]);
  await kit.done(last.operation);
  await kit.done(forked.operation);
  const clockOf = async (id: string) => (await kit.call('getSessionRuntime', { path: { sessionId: id } })).position.virtualTimeUs;
  assert.deepEqual([await clockOf(forked.session.sessionId), await clockOf(sessionId)], [1000, 2000]);
});

test('a fault is switched in the world, and a no-op says so', async () => {
  const session = await kit.session();
  const { sessionId } = session;
  const set = async (active: boolean) => {
    const body = { ...kit.fence(session), packageId: 'bank', faultId: 'busy', active };
    return await kit.done((await kit.call('setFault', { path: { sessionId }, body })).operation);
  };
  assert.equal((await set(true)).changed, true);
  assert.equal((await set(true)).changed, false);
  const { credential } = await kit.access(sessionId);
  assert.equal(((await kit.add(credential, 1)).body.outcome as { kind: string }).kind, 'tool_error');
  assert.equal((await set(false)).changed, true);
  assert.equal(((await kit.add(credential, 1)).body.outcome as { kind: string }).kind, 'ok');
});

test('an extension moves the end, and a destruction is the end of world, access, snapshots and place in the quota', async () => {
  const quota = { organizationId: kit.organizationId, name: 'sessionsLiveMax' } as const;
  const used = quotaUsed(kit.services.catalog.view, quota);
  const session = await kit.session();
  const { sessionId } = session;
  assert.equal(quotaUsed(kit.services.catalog.view, quota), used + 1);
  const extended = await kit.call('extendSession', {
    path: { sessionId },
    body: { expectedLeaseGeneration: 1, expectedVersion: session.version, ttlMs: 5_000_000 },
  });
  assert.deepEqual([extended.session.expiresAtMs, extended.session.version], [kit.clock.nowMs + 5_000_000, session.version + 1]);
  const { credential } = await kit.access(sessionId);
  const taken = await kit.call('createSnapshot', { path: { sessionId }, body: { expectedLeaseGeneration: 1 } });
  await kit.done(taken.operation);
  const { session: ending, operation } = await kit.call('destroySession', {
    path: { sessionId },
    body: { expectedLeaseGeneration: 1, confirm: sessionId as string },
  });
  assert.equal(ending.state, 'destroying');
  assert.equal((await kit.add(credential, 1)).status, 401);
  await kit.done(operation);
  const ended = await kit.get(sessionId);
  assert.deepEqual([ended.state, ended.destroyedAtMs], ['destroyed', kit.clock.nowMs]);
  await assert.rejects(kit.services.worlds.open(sessionId), { code: 'control.NOT_FOUND' });
  const { snapshot } = await kit.call('getSnapshot', { path: { hostedSnapshotId: taken.snapshot.hostedSnapshotId } });
  assert.equal(snapshot.state, 'deleted');
  assert.equal(quotaUsed(kit.services.catalog.view, quota), used);
});

test('a prepared session warms up, is claimed once by who prefers one like it, under a new lease', async () => {
  const prepared = await kit.session({ seed: '77', warmPool: 'prepare' });
  assert.deepEqual([prepared.state, prepared.warmPool?.state, prepared.version], ['ready', 'ready', 3]);
  const prefer = { path: { environmentId: kit.environmentId }, body: { seed: '77', warmPool: 'prefer' as const, ttlMs: 1000 } };
  const other = await kit.call('createSession', { ...prefer, body: { ...prefer.body, seed: '78' } });
  assert.notEqual(other.session.sessionId, prepared.sessionId);
  const [first, second] = await Promise.all([kit.call('createSession', prefer), kit.call('createSession', prefer)]);
  assert.equal(first.session.sessionId, prepared.sessionId);
  assert.deepEqual([first.session.state, first.session.warmPool?.state, first.session.leaseGeneration], ['ready', 'claimed', 2]);
  assert.equal(first.session.expiresAtMs, kit.clock.nowMs + 1000);
  assert.notEqual(second.session.sessionId, prepared.sessionId);
  await kit.done(first.operation);
  await kit.done(second.operation);
});

test('a prepared session that somebody uses is nobody else’s', async () => {
  const prepared = await kit.session({ seed: '79', warmPool: 'prepare' });
  await kit.access(prepared.sessionId);
  assert.equal((await kit.get(prepared.sessionId)).warmPool?.state, 'claimed');
  const { session } = await kit.call('createSession', {
    path: { environmentId: kit.environmentId },
    body: { seed: '79', warmPool: 'prefer' },
  });
  assert.notEqual(session.sessionId, prepared.sessionId);
});

test('lists are of one project, by environment and state, the newest first', async () => {
  const one = await kit.session();
  const two = await kit.session();
  const { operation } = await kit.call('destroySession', {
    path: { sessionId: one.sessionId },
    body: { expectedLeaseGeneration: 1, confirm: one.sessionId as string },
  });
  await kit.done(operation);
  const list = async (query: object) => (await kit.call('listSessions', { query })).items.map(({ sessionId }) => sessionId);
  assert.deepEqual(await list({ limit: 2 }), [two.sessionId, one.sessionId]);
  assert.equal((await list({ state: 'live' }))[0], two.sessionId);
  assert.equal((await list({ state: 'destroyed', environmentId: kit.environmentId }))[0], one.sessionId);
  assert.ok(!(await list({ state: 'ready' })).includes(one.sessionId));
  const page = await kit.call('listSessions', { query: { limit: 1 } });
  const next = await kit.call('listSessions', { query: { limit: 1, cursor: page.nextCursor as string } });
  assert.equal(next.items[0]?.sessionId, one.sessionId);
});

test('a destruction that finds something in its way is carried to its end', async (t) => {
  const { sessionId } = await kit.session();
  const { worlds } = kit.services;
  let refusals = 2;
  const open = t.mock.method(worlds, 'open', async () => {
    refusals -= 1;
    if (refusals === 0) open.mock.restore();
    throw new ServiceError('control.STORAGE_FULL');
  });
  const { operation } = await kit.call('destroySession', { path: { sessionId }, body: { expectedLeaseGeneration: 1, confirm: sessionId } });
  await kit.done(operation);
  assert.equal((await kit.get(sessionId)).state, 'destroyed');
  await assert.rejects(worlds.open(sessionId), { code: 'control.NOT_FOUND' });
});
