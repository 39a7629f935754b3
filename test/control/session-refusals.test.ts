// What is asked of a session and not done: each refusal by its code, and nothing changed by it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import { environmentTable } from '../../src/control/builds/environment-records.js';
import { sessionTable } from '../../src/control/catalog/session-records.js';
import { releaseLease, takeLease } from '../../src/control/sessions/states.js';
import type { CallInput } from './control-kit.js';
import { buildHash, openSessionKit, refuses, type SessionKit } from './session-kit.js';

let kit: SessionKit;
before(async () => {
  kit = await openSessionKit();
});
after(() => kit.close());

const unknownSession = 'ses_00000000000000000000000000';
const unknownSnapshot = 'hsnap_00000000000000000000000000';

/** Every endpoint that changes a session, as it would succeed. */
function changes(
  kit: SessionKit,
  session: { sessionId: string; version: number; leaseGeneration: number },
): [EndpointId, CallInput<EndpointId>][] {
  const path = { sessionId: session.sessionId };
  const lease = { expectedLeaseGeneration: session.leaseGeneration };
  const fence = { ...lease, environmentId: kit.environmentId, buildHash };
  return [
    ['advanceTime', { path, body: { ...fence, targetUs: 10_000, maxEvents: 1 } }],
    ['setFault', { path, body: { ...fence, packageId: 'bank', faultId: 'busy', active: true } }],
    ['createSnapshot', { path, body: lease }],
    ['forkSession', { path, body: { ...lease, environmentId: kit.environmentId } }],
    ['resetSession', { path, body: lease }],
    ['extendSession', { path, body: { ...lease, expectedVersion: session.version, ttlMs: 1000 } }],
    ['destroySession', { path, body: { ...lease, confirm: session.sessionId as string } }],
  ] as unknown as [EndpointId, CallInput<EndpointId>][];
}
const reads: EndpointId[] = ['getSessionRuntime', 'listStateNamespaces', 'listState', 'listEvidence', 'getPending'];
const readInput = (sessionId: string) =>
  ({ path: { sessionId }, query: { packageId: 'bank', namespace: 'accounts' } }) as unknown as CallInput<EndpointId>;
const issuePaths = (error: { extra: { issues?: { path: string }[] } }): string[] => (error.extra.issues ?? []).map(({ path }) => path);

test('a session that does not exist and one of another tenant are the same nothing', async () => {
  const session = await kit.session();
  const { caller } = await kit.foreigner();
  const access = { path: { sessionId: session.sessionId }, body: { actorId: 'clerk' } };
  for (const [id, input] of [...changes(kit, session), ['createSessionAccess', access] as const]) {
    const foreign = await refuses(kit.call(id, input as CallInput<EndpointId>, { caller }), 'control.NOT_FOUND');
    assert.equal(foreign.extra.details?.sessionId, undefined, id);
    const path = { sessionId: unknownSession };
    await refuses(kit.call(id, { ...input, path } as CallInput<EndpointId>), 'control.NOT_FOUND');
  }
  for (const id of [...reads, 'getSession'] as EndpointId[]) {
    await refuses(kit.call(id, readInput(session.sessionId), { caller }), 'control.NOT_FOUND');
    await refuses(kit.call(id, readInput(unknownSession)), 'control.NOT_FOUND');
  }
  await refuses(kit.call('getSnapshot', { path: { hostedSnapshotId: unknownSnapshot } }), 'control.NOT_FOUND');
  assert.deepEqual(await kit.get(session.sessionId), session);
});

test('another lease generation than the present one is given the present one, before anything else is checked', async () => {
  const session = await kit.session();
  for (const [id, input] of changes(kit, { ...session, leaseGeneration: 9 })) {
    await refuses(kit.call(id, input), 'control.LEASE_CONFLICT', { leaseGeneration: 1 });
  }
  assert.deepEqual(await kit.get(session.sessionId), session);
});

test('a request that believes the session to be of another environment or build is shown which it is', async () => {
  const session = await kit.session();
  const path = { sessionId: session.sessionId };
  const fault = { packageId: 'bank', faultId: 'busy', active: true };
  const time = { targetUs: 10_000, maxEvents: 1 };
  const other = `sha256:${'1'.repeat(64)}`;
  const moved = { ...kit.fence(session), environmentId: 'env_000000000000' };
  const rebuilt = { ...kit.fence(session), buildHash: other };
  await refuses(kit.call('advanceTime', { path, body: { ...moved, ...time } }), 'control.STATE_CONFLICT', {
    environmentId: kit.environmentId,
  });
  await refuses(kit.call('advanceTime', { path, body: { ...rebuilt, ...time } }), 'control.STATE_CONFLICT', { buildHash });
  await refuses(kit.call('setFault', { path, body: { ...moved, ...fault } }), 'control.STATE_CONFLICT', {
    environmentId: kit.environmentId,
  });
  await refuses(kit.call('setFault', { path, body: { ...rebuilt, ...fault } }), 'control.STATE_CONFLICT', { buildHash });
});

test('a session starts from what its build has: one drill or one scenario, a build of the project, a seed of 64 bits', async () => {
  const path = { environmentId: kit.environmentId };
  const create = (body: object) => kit.call('createSession', { path, body: { seed: '7', ...body } });
  assert.deepEqual(issuePaths(await refuses(create({ drillId: 'poor' }), 'control.INVALID_REQUEST')), ['/drillId']);
  assert.deepEqual(issuePaths(await refuses(create({ scenarioId: 'poor' }), 'control.INVALID_REQUEST')), ['/scenarioId']);
  assert.deepEqual(issuePaths(await refuses(create({ drillId: 'rich', scenarioId: 'rich' }), 'control.INVALID_REQUEST')), ['/scenarioId']);
  assert.deepEqual(issuePaths(await refuses(create({ seed: '18446744073709551616' }), 'control.INVALID_REQUEST')), ['/seed']);
  await refuses(create({ buildHash: `sha256:${'1'.repeat(64)}` }), 'control.NOT_FOUND');
  await refuses(create({ callbackReceiverBindingIds: ['cbr_00000000000000000000000000'] }), 'control.NOT_FOUND');
  await refuses(kit.call('createSession', { path: { environmentId: 'env_000000000000' }, body: { seed: '7' } }), 'control.NOT_FOUND');
});

test('no session begins in an archived environment, nor in one without a build, nor beyond the quota', async () => {
  const { catalog } = kit.services;
  const environment = catalog.view.get(environmentTable, kit.environmentId);
  assert.ok(environment);
  const { buildHash: _, ...bare } = environment;
  await catalog.change((tx) => {
    tx.put(environmentTable, { ...bare, environmentId: 'env_bare00000000' });
    tx.put(environmentTable, { ...environment, environmentId: 'env_archived0000', state: 'archived' });
  });
  const create = (environmentId: string) => kit.call('createSession', { path: { environmentId }, body: { seed: '7' } });
  await refuses(create('env_bare00000000'), 'control.STATE_CONFLICT');
  await refuses(create('env_archived0000'), 'control.STATE_CONFLICT', { state: 'archived' });
  const narrow = await openSessionKit({ settings: { quotas: { ...kit.services.settings.quotas, sessionsLiveMax: 1 } } });
  const session = await narrow.session();
  const refused = await refuses(
    narrow.call('createSession', { path: { environmentId: narrow.environmentId }, body: { seed: '7' } }),
    'control.QUOTA_EXCEEDED',
  );
  assert.ok((refused.extra.retryAfterMs as number) > 0);
  const path = { sessionId: session.sessionId };
  await refuses(
    narrow.call('forkSession', { path, body: { expectedLeaseGeneration: 1, environmentId: narrow.environmentId } }),
    'control.QUOTA_EXCEEDED',
  );
  await narrow.close();
});

test('an access is for an actor of the world', async () => {
  const { sessionId } = await kit.session();
  const ask = (body: { actorId: string; actorInstanceId?: string }) => kit.call('createSessionAccess', { path: { sessionId }, body });
  assert.deepEqual(issuePaths(await refuses(ask({ actorId: 'nobody' }), 'control.INVALID_REQUEST')), ['/actorId']);
  // Two of this id: which one has to be said.
  assert.deepEqual(issuePaths(await refuses(ask({ actorId: 'teller' }), 'control.INVALID_REQUEST')), ['/actorInstanceId']);
  assert.equal((await ask({ actorId: 'teller', actorInstanceId: 'north' })).access.actorInstanceId, 'north');
});

test('faults and packages are those of the build; a target before the clock is refused where the service knows the clock', async () => {
  const session = await kit.session();
  const path = { sessionId: session.sessionId };
  const fence = kit.fence(session);
  const fault = (packageId: string, faultId: string) =>
    kit.call('setFault', { path, body: { ...fence, packageId, faultId, active: true } });
  assert.deepEqual(issuePaths(await refuses(fault('bonk', 'busy'), 'control.INVALID_REQUEST')), ['/packageId']);
  assert.deepEqual(issuePaths(await refuses(fault('bank', 'hungry'), 'control.INVALID_REQUEST')), ['/faultId']);
  const nowhere = { ...fence, packageId: 'bank', instanceId: 'bonk', faultId: 'busy', active: true };
  assert.deepEqual(issuePaths(await refuses(kit.call('setFault', { path, body: nowhere as never }), 'control.INVALID_REQUEST')), [
    '/instanceId',
  ]);
  const reset = (body: object) => kit.call('resetSession', { path, body: { expectedLeaseGeneration: 1, ...body } });
  assert.deepEqual(issuePaths(await refuses(reset({ packages: ['bank', 'bonk'] }), 'control.INVALID_REQUEST')), ['/packages/1']);
  assert.deepEqual(issuePaths(await refuses(reset({ packages: ['bank'], hostedSnapshotId: unknownSnapshot }), 'control.INVALID_REQUEST')), [
    '/packages',
  ]);
  await refuses(reset({ hostedSnapshotId: unknownSnapshot }), 'control.NOT_FOUND');
  const advance = (targetUs: number) => kit.call('advanceTime', { path, body: { ...fence, targetUs, maxEvents: 10 } });
  assert.deepEqual(issuePaths(await refuses(advance(499), 'control.INVALID_REQUEST')), ['/targetUs']);
  await kit.done((await advance(2000)).operation);
  assert.deepEqual(issuePaths(await refuses(advance(1999), 'control.INVALID_REQUEST')), ['/targetUs']);
  // An agent that waits moves the clock without the service's knowledge.
  const { credential } = await kit.access(session.sessionId);
  await kit.agent(credential, '/world/v1/wait', { untilUs: 3000 });
  const late = await kit.ended((await advance(2500)).operation);
  assert.deepEqual([late.state, late.error?.code], ['failed', 'control.INVALID_REQUEST']);
});

test('a fork has one place to continue from, of its own session, and an environment', async () => {
  const one = await kit.session();
  const two = await kit.session();
  const taken = await kit.call('createSnapshot', { path: { sessionId: two.sessionId }, body: { expectedLeaseGeneration: 1 } });
  const fork = (body: object) => {
    const whole = { expectedLeaseGeneration: 1, environmentId: kit.environmentId, ...body };
    return kit.call('forkSession', { path: { sessionId: one.sessionId }, body: whole });
  };
  const { hostedSnapshotId } = taken.snapshot;
  assert.deepEqual(issuePaths(await refuses(fork({ hostedSnapshotId, atSequence: 1 }), 'control.INVALID_REQUEST')), ['/atSequence']);
  assert.deepEqual(issuePaths(await refuses(fork({ atSequence: 0 }), 'control.INVALID_REQUEST')), ['/atSequence']);
  await refuses(fork({ hostedSnapshotId }), 'control.NOT_FOUND');
  await refuses(fork({ environmentId: 'env_000000000000' }), 'control.NOT_FOUND');
  await kit.done(taken.operation);
  const before = await kit.call('listSessions', { query: { state: 'live' } });
  assert.deepEqual(issuePaths(await refuses(fork({ atSequence: 1000 }), 'control.INVALID_REQUEST')), ['/atSequence']);
  assert.deepEqual(await kit.call('listSessions', { query: { state: 'live' } }), before);
});

test('a destruction wants the session named again; a session that has ended is not ended twice, nor used', async () => {
  const session = await kit.session();
  const path = { sessionId: session.sessionId };
  await refuses(
    kit.call('destroySession', { path, body: { expectedLeaseGeneration: 1, confirm: 'yes' } }),
    'control.CONFIRMATION_MISMATCH',
  );
  const { operation } = await kit.call('destroySession', {
    path,
    body: { expectedLeaseGeneration: 1, confirm: session.sessionId as string },
  });
  await kit.done(operation);
  for (const [id, input] of changes(kit, session)) {
    if (id === 'destroySession') await refuses(kit.call(id, input), 'control.STATE_CONFLICT', { state: 'destroyed' });
    else if (id !== 'extendSession') await refuses(kit.call(id, input), 'world.NOT_READY', { state: 'destroyed' });
  }
  for (const id of reads) {
    const error = await refuses(kit.call(id, readInput(session.sessionId)), 'world.NOT_READY', { state: 'destroyed' });
    assert.equal(error.extra.retryAfterMs, undefined);
  }
});

test('a session that is being made or reset says when to come back', async () => {
  const { session } = await kit.call('createSession', { path: { environmentId: kit.environmentId }, body: { seed: '7' } });
  const early = await refuses(kit.call('getSessionRuntime', { path: { sessionId: session.sessionId } }), 'world.NOT_READY', {
    state: 'creating',
  });
  assert.ok((early.extra.retryAfterMs as number) > 0);
  const ready = await kit.session();
  const reset = await kit.call('resetSession', { path: { sessionId: ready.sessionId }, body: { expectedLeaseGeneration: 1 } });
  // Asked all at once, in the very moment of the reply: the reset needs longer.
  const asked = changes(kit, { ...ready, version: reset.session.version }).filter(
    ([id]) => id === 'advanceTime' || id === 'createSnapshot' || id === 'forkSession' || id === 'extendSession',
  );
  await Promise.all(asked.map(([id, input]) => refuses(kit.call(id, input), 'world.NOT_READY', { state: 'resetting' })));
  await kit.done(reset.operation);
});

test('an extension wants the version it was thought about', async () => {
  const session = await kit.session();
  const body = { expectedLeaseGeneration: 1, expectedVersion: session.version + 1, ttlMs: 1000 };
  await refuses(kit.call('extendSession', { path: { sessionId: session.sessionId }, body }), 'control.VERSION_CONFLICT', {
    version: session.version,
  });
});

test('while a run owns the lease its world is the run’s alone; after its end it may be looked into, branched, reset and destroyed', async () => {
  const session = await kit.session();
  const { sessionId } = session;
  const { catalog } = kit.services;
  const hostedRunId = 'hrun_00000000000000000000000000';
  const change = (move: typeof releaseLease): Promise<void> =>
    catalog.change((tx) => {
      const record = tx.get(sessionTable, sessionId);
      assert.ok(record);
      tx.put(sessionTable, move(record));
    });
  await change((record) => takeLease(record, hostedRunId, kit.clock.nowMs));
  const access = { path: { sessionId }, body: { actorId: 'clerk' } };
  await refuses(kit.call('createSessionAccess', access), 'world.RUN_OWNS_LEASE', { hostedRunId });
  for (const [id, input] of changes(kit, session)) {
    if (id !== 'extendSession') await refuses(kit.call(id, input), 'world.RUN_OWNS_LEASE', { hostedRunId });
  }
  assert.equal((await kit.call('getSessionRuntime', { path: { sessionId } })).hostedRunId, hostedRunId);
  await change(releaseLease);
  await refuses(kit.call('createSessionAccess', access), 'world.RUN_OWNS_LEASE', { hostedRunId });
  const forked = await kit.call('forkSession', {
    path: { sessionId },
    body: { expectedLeaseGeneration: 1, environmentId: kit.environmentId },
  });
  await kit.done(forked.operation);
  await kit.done((await kit.call('resetSession', { path: { sessionId }, body: { expectedLeaseGeneration: 1 } })).operation);
  assert.equal((await kit.call('getSessionRuntime', { path: { sessionId } })).hostedRunId, undefined);
  assert.equal((await kit.access(sessionId)).leaseGeneration, 2);
});

test('a session takes a bounded number of operations', async () => {
  const session = await kit.session();
  const path = { sessionId: session.sessionId };
  const body = { ...kit.fence(session), targetUs: 1000, maxEvents: 1 };
  const asked = await Promise.allSettled(Array.from({ length: 70 }, () => kit.call('advanceTime', { path, body })));
  const refused = asked.filter((one) => one.status === 'rejected');
  assert.ok(refused.length > 0);
  for (const { reason } of refused) assert.equal((reason as { code: string }).code, 'control.WORLD_BUSY');
  for (const one of asked) if (one.status === 'fulfilled') await kit.done(one.value.operation);
});
