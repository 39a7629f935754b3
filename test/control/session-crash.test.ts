// An incarnation of the service that ends without a word, at the worst moments, and what the next one makes of it. What was acknowledged is
// there; what an operation did to a world before the crash is not done again. Accesses: access-restart.test.ts.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import type { WorldQuery } from '../../src/contract/world/world-protocol.js';
import { until } from '../until.js';
import { openSessionKit, type SessionKit } from './session-kit.js';

let kit: SessionKit;
const endKit = async (): Promise<void> => {
  await kit.end('crash').catch(() => {});
  rmSync(kit.directory, { recursive: true, force: true });
};

/** The process is gone; another one finds what is on the disk. */
async function nextIncarnation(): Promise<void> {
  const { directory, clock } = kit;
  await kit.end('crash');
  kit = await openSessionKit({ directory, clock });
}

/** The world has done what the operation asked for; the catalog never hears of it. */
async function crashAfterWorld(operation: LongRunningOperation, done: () => Promise<boolean>): Promise<void> {
  kit.disk.full = true;
  await until(done);
  assert.equal(kit.services.operations.find(operation.operationId)?.state === 'succeeded', false);
  await nextIncarnation();
  await kit.done(operation);
}
const ask = async <Q extends WorldQuery>(sessionId: string, query: Q) => (await kit.services.worlds.open(sessionId)).query(query);
const kinds = async (sessionId: string, kind: string): Promise<number> =>
  (await kit.evidence(sessionId)).filter((entry) => entry.kind === kind).length;

test('a fault that the world has switched is switched once', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const session = await kit.session();
  const { sessionId } = session;
  const body = { ...kit.fence(session), packageId: 'bank', faultId: 'busy', active: true };
  const { operation } = await kit.call('setFault', { path: { sessionId }, body });
  await crashAfterWorld(operation, async () =>
    (await ask(sessionId, { kind: 'faults' })).some(({ faultId, active }) => faultId === 'busy' && active),
  );
  assert.equal(await kinds(sessionId, 'fault_control'), 1);
});

test('a snapshot that the world has taken is taken once', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const { sessionId } = await kit.session();
  const { operation, snapshot } = await kit.call('createSnapshot', { path: { sessionId }, body: { expectedLeaseGeneration: 1 } });
  const isTaken = async () => (await ask(sessionId, { kind: 'evidence', fromSequence: 2, limit: 10 })).entries.length > 0;
  await crashAfterWorld(operation, isTaken);
  assert.equal(await kinds(sessionId, 'lifecycle'), 2);
  const { snapshot: available } = await kit.call('getSnapshot', { path: { hostedSnapshotId: snapshot.hostedSnapshotId } });
  assert.equal(available.state, 'available');
});

test('a reset that the world has made is made once, and its lease begins once', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const { sessionId } = await kit.session();
  const { credential } = await kit.access(sessionId);
  await kit.add(credential, 5);
  const { operation } = await kit.call('resetSession', { path: { sessionId }, body: { expectedLeaseGeneration: 1 } });
  const isReset = async () => (await ask(sessionId, { kind: 'evidence', fromSequence: 2, limit: 1 })).entries[0]?.kind === 'lifecycle';
  await crashAfterWorld(operation, isReset);
  const session = await kit.get(sessionId);
  assert.deepEqual([session.state, session.leaseGeneration], ['ready', 2]);
  assert.equal((await kit.add(credential, 5)).status, 401);
  assert.equal(await kinds(sessionId, 'lifecycle'), 2);
  assert.equal(await kit.balance(sessionId), 100);
});

test('a reset by packages that the world has made is made once', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const { sessionId } = await kit.session();
  const { operation } = await kit.call('resetSession', { path: { sessionId }, body: { expectedLeaseGeneration: 1, packages: ['bank'] } });
  const isReset = async () => (await ask(sessionId, { kind: 'evidence', fromSequence: 2, limit: 1 })).entries.length > 0;
  await crashAfterWorld(operation, isReset);
  assert.equal(await kinds(sessionId, 'lifecycle'), 2);
});

test('an advance continues where its last committed slice ended, and fires everything once', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const session = await kit.session();
  const { sessionId } = session;
  const { credential } = await kit.access(sessionId);
  const twin = await kit.session();
  const twinAccess = await kit.access(twin.sessionId);
  for (const holder of [credential, twinAccess.credential]) {
    for (let inUs = 1; inUs <= 20; inUs++) {
      await kit.agent(holder, '/world/v1/operations/bank/later', { arguments: { inUs, account: 'main', amount: 1 } });
    }
  }
  const time = { targetUs: 5000, maxEvents: 1000 };
  const { operation } = await kit.call('advanceTime', { path: { sessionId }, body: { ...kit.fence(session), ...time } });
  await crashAfterWorld(operation, async () => (await ask(sessionId, { kind: 'pending', limit: 1 })).total === 0);
  const undisturbed = await kit.call('advanceTime', {
    path: { sessionId: twin.sessionId },
    body: { ...kit.fence(await kit.get(twin.sessionId)), ...time },
  });
  await kit.done(undisturbed.operation);
  assert.equal(await kit.balance(sessionId), 120);
  const position = async (id: string) => (await kit.call('getSessionRuntime', { path: { sessionId: id } })).position;
  assert.deepEqual(await position(sessionId), await position(twin.sessionId));
});

const exists = (sessionId: string): Promise<boolean> =>
  kit.services.worlds.open(sessionId).then(
    () => true,
    () => false,
  );

test('a session whose world was made is finished with that world', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const { session, operation } = await kit.call('createSession', { path: { environmentId: kit.environmentId }, body: { seed: '7' } });
  await crashAfterWorld(operation, () => exists(session.sessionId));
  const { state, leaseGeneration } = await kit.get(session.sessionId);
  assert.deepEqual([state, leaseGeneration], ['ready', 1]);
  assert.equal(await kit.balance(session.sessionId), 100);
});

test('a fork whose world was made is finished with that world, whatever its parent did since', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const { sessionId } = await kit.session();
  const { credential } = await kit.access(sessionId);
  const body = { expectedLeaseGeneration: 1, environmentId: kit.environmentId };
  const { session, operation } = await kit.call('forkSession', { path: { sessionId }, body });
  await crashAfterWorld(operation, async () => {
    if (!(await exists(session.sessionId))) return false;
    return (await kit.add(credential, 5)).status === 200;
  });
  assert.deepEqual([await kit.balance(session.sessionId), await kit.balance(sessionId)], [100, 105]);
});

test('a destruction is carried to its end by the next incarnation', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const { sessionId } = await kit.session();
  const { operation } = await kit.call('destroySession', {
    path: { sessionId },
    body: { expectedLeaseGeneration: 1, confirm: sessionId as string },
  });
  await nextIncarnation();
  await kit.done(operation);
  assert.equal((await kit.get(sessionId)).state, 'destroyed');
});

test('a request that is asked again after the crash gets its first answer, and nothing happens twice', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const input = { path: { environmentId: kit.environmentId }, body: { seed: '7' } };
  const first = await kit.dispatch('createSession', input, { key: 'one-session' });
  await nextIncarnation();
  const again = await kit.dispatch('createSession', input, { key: 'one-session' });
  assert.deepEqual([again.replayed, again.reply], [true, first.reply]);
  await kit.done(first.reply.operation);
  assert.equal((await kit.call('listSessions')).items.length, 1);
});

test('no answer with a secret is stored with it', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const { sessionId } = await kit.session();
  const { credential } = await kit.access(sessionId);
  const { directory } = kit;
  await kit.end();
  const { readFileSync } = await import('node:fs');
  assert.equal(readFileSync(`${directory}/catalog/data.mdb`).includes(credential), false);
  kit = await openSessionKit({ directory });
});

test('a host that dies under an operation is survived, and done by it once', async (t) => {
  kit = await openSessionKit();
  t.after(endKit);
  const session = await kit.session();
  const { sessionId } = session;
  const body = { ...kit.fence(session), packageId: 'bank', faultId: 'busy', active: true };
  const set = await kit.call('setFault', { path: { sessionId }, body });
  await kit.services.worlds.killHost(0);
  await kit.done(set.operation);
  assert.equal(await kinds(sessionId, 'fault_control'), 1);
});
