// Accesses of agents over the incarnations of a service: what was valid stays valid under the same lease, what had ended stays ended.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import type { AccessBundle } from '../../src/contract/hosted/sessions.js';
import { accessTable } from '../../src/control/catalog/access-records.js';
import { sessionTable } from '../../src/control/catalog/session-records.js';
import { everyRecord } from '../../src/control/catalog/tables.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { purge } from '../../src/control/purge.js';
import { sessionEndpoints } from '../../src/control/sessions/endpoints.js';
import { sweepSessions } from '../../src/control/sessions/expiry.js';
import { openSessionKit, refuses, type SessionKit } from './session-kit.js';

const endpoints = (services: SessionKit['services']) => ({ ...sessionEndpoints(services), ...organizationEndpoints(services) });
let kit: SessionKit;
const endKit = async (): Promise<void> => {
  await kit.end('crash').catch(() => {});
  rmSync(kit.directory, { recursive: true, force: true });
};
async function nextIncarnation(how: 'gently' | 'crash' = 'crash'): Promise<void> {
  const { directory, clock } = kit;
  await kit.end(how);
  kit = await openSessionKit({ directory, clock, endpoints });
}
const kept = (): string[] => [...everyRecord(kit.services.catalog.view, accessTable)].map(({ access }) => access.accessId);
const status = async ({ credential }: Pick<AccessBundle, 'credential'>): Promise<number> => (await kit.add(credential, 1)).status;
/** Counts the worlds that are opened from now on, each of which waits for `gate`. */
function watchOpening(gate: Promise<void> = Promise.resolve()): string[] {
  const { worlds } = kit.services;
  const opened: string[] = [];
  const open = worlds.open.bind(worlds);
  worlds.open = async (worldId) => {
    opened.push(worldId);
    await gate;
    return await open(worldId);
  };
  return opened;
}

for (const how of ['gently', 'crash'] as const) {
  // OPEN-ACCESS-1
  test(`a credential is good in the next incarnation (${how}), under the same lease; its world opens when it is used`, async (t) => {
    kit = await openSessionKit({ endpoints });
    t.after(endKit);
    const used = await kit.session();
    const unused = await kit.session();
    const input = { path: { sessionId: used.sessionId }, body: { actorId: 'clerk' } };
    const first = await kit.dispatch('createSessionAccess', input, { key: 'one-access' });
    const other = await kit.access(unused.sessionId);
    assert.equal(await status(first.reply.access), 200);
    const listed = await kit.call('listSessionAccess', { path: { sessionId: used.sessionId } });
    for (let round = 1; round <= 2; round++) {
      await nextIncarnation(how);
      const opened = watchOpening();
      assert.deepEqual(await kit.dispatch('createSessionAccess', input, { key: 'one-access' }), { reply: first.reply, replayed: true });
      assert.deepEqual(await kit.call('listSessionAccess', { path: { sessionId: used.sessionId } }), listed);
      assert.equal((await kit.agent(`dyw_${'A'.repeat(43)}`, '/world/v1/tools')).status, 401);
      assert.deepEqual(opened, []);
      // However many come at once, it is opened once.
      assert.deepEqual(await Promise.all([1, 2, 3].map(() => status(first.reply.access))), [200, 200, 200]);
      assert.deepEqual(opened, [used.sessionId]);
      assert.equal((await kit.get(used.sessionId)).leaseGeneration, 1);
    }
    assert.equal(await kit.balance(used.sessionId), 107);
    assert.deepEqual([await status(other), await kit.balance(unused.sessionId)], [200, 101]);
  });
}

// ACCESS-RECORDS-1
test('what ended before a crash opens nothing after it, and has left no record', async (t) => {
  kit = await openSessionKit({ endpoints });
  t.after(endKit);
  const [revoked, reset, destroyed, sparing] = await Promise.all([kit.session(), kit.session(), kit.session(), kit.session()]);
  const accesses = {
    revoked: await kit.access(revoked.sessionId),
    reset: await kit.access(reset.sessionId),
    destroyed: await kit.access(destroyed.sessionId),
  };
  const { credentialId } = await kit.callerWith('manager');
  const by = { caller: { ...kit.caller, credentialId } };
  const { access: orphan } = await kit.call(
    'createSessionAccess',
    { path: { sessionId: sparing.sessionId }, body: { actorId: 'clerk' } },
    by,
  );
  const spared = await kit.access(sparing.sessionId);
  const { accessId } = accesses.revoked;
  await kit.call('revokeSessionAccess', { path: { sessionId: revoked.sessionId, accessId }, body: { confirm: accessId } });
  await kit.call('resetSession', { path: { sessionId: reset.sessionId }, body: { expectedLeaseGeneration: 1 } });
  const { sessionId } = destroyed;
  await kit.call('destroySession', { path: { sessionId }, body: { expectedLeaseGeneration: 1, confirm: sessionId as string } });
  await kit.call('revokeCredential', { path: { credentialId: credentialId as never }, body: { confirm: credentialId } });
  assert.deepEqual(kept(), [spared.accessId]);
  await nextIncarnation();
  for (const [name, access] of Object.entries({ ...accesses, orphan })) assert.equal(await status(access), 401, name);
  assert.equal(await status(spared), 200);
});

// OPEN-ACCESS-2
test('an access that is revoked while it opens again opens nothing', async (t) => {
  kit = await openSessionKit({ endpoints });
  t.after(endKit);
  const { sessionId } = await kit.session();
  const { credential, accessId } = await kit.access(sessionId);
  await nextIncarnation();
  let pass = (): void => {};
  const opened = watchOpening(new Promise((resolve) => (pass = resolve)));
  const asked = kit.add(credential, 5);
  assert.deepEqual(opened, [sessionId]);
  await kit.call('revokeSessionAccess', { path: { sessionId, accessId }, body: { confirm: accessId } });
  pass();
  assert.deepEqual([(await asked).status, await status({ credential })], [401, 401]);
  assert.equal(await kit.balance(sessionId), 100);
});

test('time, the server key and the end of a session end what nobody has opened, and their records go', async (t) => {
  kit = await openSessionKit({ endpoints });
  t.after(endKit);
  const { sessionId } = await kit.session({ ttlMs: 86_400_000 });
  const brief = await kit.access(sessionId);
  const body = { actorId: 'clerk', ttlMs: 3_600_000 };
  const { access: long } = await kit.call('createSessionAccess', { path: { sessionId }, body });
  await nextIncarnation();
  kit.clock.nowMs = brief.expiresAtMs;
  assert.equal(await status(brief), 401);
  await sweepSessions(kit.services);
  assert.deepEqual(kept(), [long.accessId]);
  kit.services.keyring.rotate({ graceMs: 1000 });
  assert.equal(await status(long), 200);
  await nextIncarnation();
  assert.equal(await status(long), 200);
  await nextIncarnation();
  kit.clock.nowMs += 1000;
  assert.equal(await status(long), 401);
  assert.deepEqual(await purge(kit.services), { access: 1 });
  assert.deepEqual(kept(), []);
});

test('a session keeps no more accesses than it may, over a restart, too', async (t) => {
  kit = await openSessionKit({ endpoints });
  t.after(endKit);
  const { sessionId } = await kit.session({ ttlMs: 86_400_000 });
  const one = await kit.access(sessionId);
  const { catalog } = kit.services;
  const like = catalog.view.get(accessTable, one.accessId)!;
  await catalog.change((tx) => {
    for (let at = 1; at < 1024; at++) {
      const accessId = `${one.accessId}-${at}` as never;
      tx.put(accessTable, { ...like, tokenHash: `none-${at}`, access: { ...like.access, accessId } });
    }
  });
  await nextIncarnation();
  await refuses(kit.access(sessionId), 'control.QUOTA_EXCEEDED', { quota: 'accessesMax' });
  kit.clock.nowMs = one.expiresAtMs;
  const next = await kit.access(sessionId);
  assert.deepEqual(kept(), [next.accessId]);
});

test('what an earlier version left, which kept no accesses, moves its lease on once', async (t) => {
  kit = await openSessionKit({ endpoints });
  t.after(endKit);
  const { sessionId } = await kit.session();
  const other = await kit.session();
  const { catalog } = kit.services;
  await catalog.change((tx) => tx.put(sessionTable, { ...tx.get(sessionTable, sessionId)!, accessGeneration: 1 }));
  await nextIncarnation();
  assert.equal((await kit.get(sessionId)).leaseGeneration, 2);
  const access = await kit.access(sessionId);
  await nextIncarnation();
  assert.deepEqual([(await kit.get(sessionId)).leaseGeneration, (await kit.get(other.sessionId)).leaseGeneration], [2, 1]);
  assert.equal(await status(access), 200);
});

test('two tenants keep their own', async (t) => {
  kit = await openSessionKit({ endpoints });
  t.after(endKit);
  const [mine, other] = [await kit.session(), await kit.session()];
  const [own, others] = [await kit.access(mine.sessionId), await kit.access(other.sessionId)];
  await nextIncarnation();
  assert.equal((await kit.add(own.credential, 5)).status, 200);
  assert.equal((await kit.add(others.credential, 7)).status, 200);
  assert.deepEqual([await kit.balance(mine.sessionId), await kit.balance(other.sessionId)], [105, 107]);
  const { caller } = await kit.foreigner();
  await refuses(kit.call('listSessionAccess', { path: { sessionId: mine.sessionId } }, { caller }), 'control.NOT_FOUND');
});
