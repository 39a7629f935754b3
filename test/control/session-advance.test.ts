// Advances that are long, stopped, or go wrong.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import type { WorldSession } from '../../src/contract/hosted/resources.js';
import { openSessionKit, refuses, type SessionKit } from './session-kit.js';

let kit: SessionKit;
before(async () => {
  kit = await openSessionKit();
});
after(() => kit.close());

const events = 40_000;
/** A session with so many events ahead of it, one a microsecond, that an advance takes many slices. */
async function busySession(): Promise<WorldSession> {
  const session = await kit.session();
  const event = { event: { packageId: 'bank', eventId: 'due' }, payload: { account: 'main', amount: 0 }, actorId: 'clerk' };
  const world = await kit.services.worlds.open(session.sessionId);
  await world.command({ kind: 'schedule', events: Array.from({ length: events }, (_, index) => ({ ...event, atUs: 1000 + index })) });
  return session;
}
async function advance(session: WorldSession): Promise<LongRunningOperation> {
  const body = { ...kit.fence(session), targetUs: 1_000_000, maxEvents: 1_000_000 };
  return (await kit.call('advanceTime', { path: { sessionId: session.sessionId }, body })).operation;
}
type Progress = { reachedUs: number; scheduledEventsProcessed: number };
async function underWay({ operationId }: LongRunningOperation): Promise<Progress> {
  for (;;) {
    const operation = kit.services.operations.find(operationId);
    if (operation?.state === 'running' && operation.result !== undefined) return operation.result as Progress;
    assert.ok(operation?.state !== 'succeeded', 'it was over before it was read');
    await new Promise(setImmediate);
  }
}

test('the progress of an advance is on its operation and in what is pending, and other sessions are answered meanwhile', async () => {
  const session = await busySession();
  const other = await kit.session();
  const operation = await advance(session);
  const progress = await underWay(operation);
  assert.ok(progress.scheduledEventsProcessed > 0 && progress.scheduledEventsProcessed < events);
  const pending = await kit.call('getPending', { path: { sessionId: session.sessionId } });
  assert.equal(pending.advance?.requestedUs, 1_000_000);
  assert.equal(pending.events.length, 200);
  assert.equal((await kit.add((await kit.access(other.sessionId)).credential, 1)).status, 200);
  assert.equal(kit.services.operations.find(operation.operationId)?.state, 'running');
  const result = await kit.done(operation);
  assert.deepEqual([result.scheduledEventsProcessed, result.reachedUs], [events, 1_000_000]);
});

test('a cancelled advance stands where it was stopped, and says where', async () => {
  const session = await busySession();
  const operation = await advance(session);
  await underWay(operation);
  await kit.services.catalog.change((tx) => kit.services.operations.cancel(tx, operation.operationId));
  const { state, result } = await kit.ended(operation);
  const { status, reachedUs, scheduledEventsProcessed } = result as Progress & { status: string };
  assert.deepEqual([state, status], ['cancelled', 'cancelled']);
  assert.ok(scheduledEventsProcessed < events);
  const { position } = await kit.call('getSessionRuntime', { path: { sessionId: session.sessionId } });
  assert.equal(position.virtualTimeUs, reachedUs);
});

test('a destruction stops the advance that runs, and what waits behind it', async () => {
  const session = await busySession();
  const { sessionId } = session;
  const running = await advance(session);
  const waiting = await advance(session);
  await underWay(running);
  const { operation } = await kit.call('destroySession', {
    path: { sessionId },
    body: { expectedLeaseGeneration: 1, confirm: sessionId as string },
  });
  await kit.done(operation);
  assert.deepEqual([(await kit.ended(running)).state, (await kit.ended(waiting)).state], ['cancelled', 'cancelled']);
  assert.ok(((await kit.ended(running)).result as Progress).scheduledEventsProcessed < events);
});

test('an advance with too small a budget, and one whose handler throws, have a result that says so', async () => {
  const session = await kit.session();
  const { sessionId } = session;
  const { credential } = await kit.access(sessionId);
  const later = (inUs: number, amount: number) =>
    kit.agent(credential, '/world/v1/operations/bank/later', { arguments: { inUs, account: 'main', amount } });
  for (const [inUs, amount] of [
    [10, 1],
    [20, 565],
    [30, 1],
  ] as const) {
    await later(inUs, amount);
  }
  const body = { ...kit.fence(session), targetUs: 2000, maxEvents: 1 };
  const small = await kit.done((await kit.call('advanceTime', { path: { sessionId }, body })).operation);
  assert.deepEqual([small.status, small.eventBudgetExhausted, small.reachedUs], ['completed', true, 510]);
  // 100 + 1 + 565: the one balance the bank cannot bear.
  const failed = await kit.done((await kit.call('advanceTime', { path: { sessionId }, body: { ...body, maxEvents: 10 } })).operation);
  assert.deepEqual([failed.status, failed.reachedUs, (failed.failure as { code: string }).code], ['failed', 520, 'HANDLER_FAILED']);
  const rest = await kit.done((await kit.call('advanceTime', { path: { sessionId }, body: { ...body, maxEvents: 10 } })).operation);
  assert.deepEqual([rest.status, rest.scheduledEventsProcessed], ['completed', 1]);
});

test('what was cancelled before it began leaves the session as it was', async () => {
  const session = await busySession();
  const path = { sessionId: session.sessionId };
  const lease = { expectedLeaseGeneration: 1 };
  const { operations, catalog } = kit.services;
  const running = await advance(session);
  const taken = await kit.call('createSnapshot', { path, body: lease });
  const forked = await kit.call('forkSession', { path, body: { ...lease, environmentId: kit.environmentId } });
  const reset = await kit.call('resetSession', { path, body: lease });
  assert.equal((await kit.get(session.sessionId)).state, 'resetting');
  await catalog.change((tx) => {
    for (const { operation } of [reset, forked, taken]) operations.cancel(tx, operation.operationId);
    operations.cancel(tx, running.operationId);
  });
  for (const { operation } of [reset, forked, taken]) assert.equal((await kit.ended(operation)).state, 'cancelled');
  await kit.ended(running);
  const { state, leaseGeneration } = await kit.get(session.sessionId);
  assert.deepEqual([state, leaseGeneration], ['ready', 1]);
  assert.equal((await kit.call('getSnapshot', { path: { hostedSnapshotId: taken.snapshot.hostedSnapshotId } })).snapshot.state, 'deleted');
  assert.ok(['destroying', 'destroyed'].includes((await kit.get(forked.session.sessionId)).state));
});

test('the end of a session cannot be called off', async () => {
  const session = await busySession();
  const { sessionId } = session;
  await advance(session);
  const { operation } = await kit.call('destroySession', {
    path: { sessionId },
    body: { expectedLeaseGeneration: 1, confirm: sessionId as string },
  });
  const { operations, catalog } = kit.services;
  await refuses(
    catalog.change((tx) => operations.cancel(tx, operation.operationId)),
    'control.STATE_CONFLICT',
  );
  await kit.done(operation);
});
