// The end of a session's time, on a clock that only the test moves.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { quotaUsed } from '../../src/control/catalog/quotas.js';
import { sessionTable } from '../../src/control/catalog/session-records.js';
import { sweepSessions } from '../../src/control/sessions/expiry.js';
import { releaseLease, takeLease } from '../../src/control/sessions/states.js';
import { until } from '../until.js';
import { openSessionKit, refuses, type SessionKit } from './session-kit.js';

let kit: SessionKit;
before(async () => {
  kit = await openSessionKit();
});
after(() => kit.close());

const sweep = () => sweepSessions(kit.services);
async function allEnded(): Promise<void> {
  for (const operation of kit.services.catalog.view.list(sessionTable, { index: 'byProject', prefix: [kit.projectId], limit: 100 })
    .records) {
    const { sessionId } = operation.session;
    if ((await kit.get(sessionId)).state === 'expired') await until(async () => (await kit.get(sessionId)).destroyedAtMs !== undefined);
  }
}

test('when its time is over a session is refused at once, expired by the sweep, and its world removed', async () => {
  const session = await kit.session({ ttlMs: 1000, warmPool: 'prepare' });
  const { sessionId } = session;
  const used = quotaUsed(kit.services.catalog.view, { organizationId: kit.organizationId, name: 'sessionsLiveMax' });
  assert.deepEqual(await sweep(), { expired: 0, forgotten: 0 });
  kit.clock.nowMs += 1000;
  const body = { ...kit.fence(session), targetUs: 1000, maxEvents: 1 };
  await refuses(kit.call('advanceTime', { path: { sessionId }, body }), 'world.NOT_READY', { state: 'expired' });
  await refuses(kit.call('getSessionRuntime', { path: { sessionId } }), 'world.NOT_READY', { state: 'expired' });
  assert.deepEqual(await sweep(), { expired: 1, forgotten: 0 });
  await allEnded();
  const expired = await kit.get(sessionId);
  assert.deepEqual([expired.state, expired.warmPool?.state, expired.destroyedAtMs], ['expired', 'retired', kit.clock.nowMs]);
  await assert.rejects(kit.services.worlds.open(sessionId), { code: 'control.NOT_FOUND' });
  assert.equal(quotaUsed(kit.services.catalog.view, { organizationId: kit.organizationId, name: 'sessionsLiveMax' }), used - 1);
});

test('a prepared session whose time is over is nobody’s to claim', async () => {
  const prepared = await kit.session({ seed: '70', ttlMs: 1000, warmPool: 'prepare' });
  kit.clock.nowMs += 1000;
  const { session } = await kit.call('createSession', {
    path: { environmentId: kit.environmentId },
    body: { seed: '70', warmPool: 'prefer' },
  });
  assert.notEqual(session.sessionId, prepared.sessionId);
});

test('an access ends with its own time, and with its session’s', async () => {
  const { sessionId } = await kit.session({ ttlMs: 10_000 });
  const ask = (ttlMs: number) => kit.call('createSessionAccess', { path: { sessionId }, body: { actorId: 'clerk', ttlMs } });
  const short = (await ask(1000)).access;
  const long = (await ask(3_600_000)).access;
  assert.deepEqual([short.expiresAtMs, long.expiresAtMs], [kit.clock.nowMs + 1000, kit.clock.nowMs + 10_000]);
  kit.clock.nowMs += 1000;
  assert.deepEqual([(await kit.add(short.credential, 1)).status, (await kit.add(long.credential, 1)).status], [401, 200]);
  kit.clock.nowMs += 9000;
  assert.equal((await kit.add(long.credential, 1)).status, 401);
  await sweep();
});

test('more access than a session may have is refused until some is over', async () => {
  const { sessionId } = await kit.session();
  const ask = () => kit.call('createSessionAccess', { path: { sessionId }, body: { actorId: 'clerk', ttlMs: 5000 } });
  await Promise.all(Array.from({ length: limits.accessesMax }, ask));
  const refused = await refuses(ask(), 'control.QUOTA_EXCEEDED', { quota: 'accessesMax' });
  assert.equal(refused.extra.retryAfterMs, 5000);
  kit.clock.nowMs += 5000;
  await ask();
});

test('a session with a run in it does not expire until the run has ended', async () => {
  const { sessionId } = await kit.session({ ttlMs: 1000 });
  const { catalog } = kit.services;
  const change = (move: typeof releaseLease): Promise<void> =>
    catalog.change((tx) => {
      const record = tx.get(sessionTable, sessionId);
      assert.ok(record);
      tx.put(sessionTable, move(record));
    });
  await change((record) => takeLease(record, 'hrun_00000000000000000000000000', kit.clock.nowMs));
  kit.clock.nowMs += 1000;
  assert.equal((await sweep()).expired, 0);
  assert.equal((await kit.call('getSessionRuntime', { path: { sessionId } })).session.state, 'ready');
  await change(releaseLease);
  assert.equal((await sweep()).expired, 1);
  await allEnded();
});

test('a session with as many operations as it may have expires when one of them is over', async () => {
  const session = await kit.session({ ttlMs: 1000 });
  const path = { sessionId: session.sessionId };
  const body = { ...kit.fence(session), targetUs: 1000, maxEvents: 1 };
  const asked = await Promise.allSettled(Array.from({ length: limits.lanePendingMax + 1 }, () => kit.call('advanceTime', { path, body })));
  kit.clock.nowMs += 1000;
  // At once, while they wait.
  const first = sweep();
  for (const one of asked) if (one.status === 'fulfilled') await kit.ended(one.value.operation);
  assert.equal((await first).expired + (await sweep()).expired, 1);
  await allEnded();
});

test('an ended session is forgotten after its time', async () => {
  const { sessionId } = await kit.session({ ttlMs: 1 });
  kit.clock.nowMs += 1;
  await sweep();
  await allEnded();
  kit.clock.nowMs += limits.endedSessionKeptMs;
  assert.equal((await kit.get(sessionId)).state, 'expired');
  kit.clock.nowMs += 1;
  assert.ok((await sweep()).forgotten >= 1);
  await refuses(kit.get(sessionId), 'control.NOT_FOUND');
});
