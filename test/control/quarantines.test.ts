// Quarantines: what is counted, for whom, for how long, and what a closed build still does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { quarantineTable } from '../../src/control/guard/quarantine-records.js';
import { sweepRetention } from '../../src/control/retention.js';
import { sessionEndpoints } from '../../src/control/sessions/endpoints.js';
import { quarantineEndpoints } from '../../src/control/sessions/quarantine-endpoints.js';
import { buildHash, openSessionKit, refuses, type SessionKit } from './session-kit.js';

let kit: SessionKit;
const openKit = () => openSessionKit({ endpoints: (services) => ({ ...sessionEndpoints(services), ...quarantineEndpoints(services) }) });

const strikes = async (sessionId: string, count: number, kind: 'timeout' | 'hostEnd' = 'timeout'): Promise<void> => {
  for (let times = 0; times < count; times++) await kit.services.guard.quarantines.strike(kind, sessionId);
};
const listed = async () => (await kit.call('listQuarantines')).items;

test('strikes close a build at the bound, of either kind by itself, inside the window', async (t) => {
  kit = await openKit();
  t.after(() => kit.close());
  const { sessionId } = await kit.session();
  const max = limits.quarantineTimeoutsMax;
  await strikes(sessionId, max - 1);
  await strikes(sessionId, limits.quarantineHostEndsMax - 1, 'hostEnd');
  assert.deepEqual(await listed(), []);
  kit.clock.nowMs += limits.quarantineWindowMs;
  await strikes(sessionId, max - 1);
  assert.deepEqual(await listed(), [], 'the earlier ones are too old');
  await strikes(sessionId, 1);
  const [quarantine] = await listed();
  assert.deepEqual(
    [quarantine?.state, quarantine?.buildHash, quarantine?.timeouts, quarantine?.hostEnds, quarantine?.version],
    ['quarantined', buildHash, max, 0, 1],
  );
  await refuses(kit.call('createSession', { path: { environmentId: kit.environmentId }, body: { seed: '1' } }), 'world.BUILD_QUARANTINED');
});

test('a closed build is read, until that strikes as often again; its sessions can be destroyed', async (t) => {
  kit = await openKit();
  t.after(() => kit.close());
  const session = await kit.session();
  const { sessionId } = session;
  const { credential } = await kit.access(sessionId);
  await strikes(sessionId, limits.quarantineHostEndsMax, 'hostEnd');
  const refused = await kit.add(credential, 1);
  assert.deepEqual([refused.status, refused.body.code], [409, 'world.BUILD_QUARANTINED']);
  assert.equal(await kit.balance(sessionId), await kit.balance(sessionId));
  await strikes(sessionId, limits.quarantineHostEndsMax - 1, 'hostEnd');
  assert.equal((await kit.evidence(sessionId)).length > 0, true);
  await strikes(sessionId, 1, 'hostEnd');
  await refuses(kit.balance(sessionId), 'world.BUILD_QUARANTINED');
  const [quarantine] = await listed();
  assert.deepEqual([quarantine?.readsRefused, quarantine?.version], [true, 2]);
  const { operation } = await kit.call('destroySession', { path: { sessionId }, body: { confirm: sessionId, expectedLeaseGeneration: 1 } });
  await kit.done(operation);
});

test('what is released starts from zero, and what was counted long ago is forgotten', async (t) => {
  kit = await openKit();
  t.after(() => kit.close());
  const { sessionId } = await kit.session();
  const { credential } = await kit.access(sessionId);
  await strikes(sessionId, limits.quarantineTimeoutsMax);
  const { quarantine } = await kit.call('releaseQuarantine', { path: { buildHash }, body: { expectedVersion: 1 } });
  assert.deepEqual([quarantine.state, quarantine.version, quarantine.readsRefused], ['released', 2, false]);
  assert.equal((await kit.add(credential, 1)).status, 200);
  await strikes(sessionId, limits.quarantineTimeoutsMax - 1);
  assert.equal((await kit.add(credential, 1)).status, 200);
  await strikes(sessionId, 1);
  assert.deepEqual(
    (await listed()).map(({ state, version }) => [state, version]),
    [['quarantined', 3]],
  );
  kit.clock.nowMs += limits.quarantineWindowMs + 1;
  assert.equal((await sweepRetention(kit.services)).strikes, 0, 'a quarantine stays');
  const other = { organizationId: kit.organizationId, projectId: kit.projectId, buildHash: `sha256:${'1'.repeat(64)}` };
  await kit.services.catalog.change((tx) => tx.put(quarantineTable, { ...other, strikes: [{ kind: 'timeout', sessionId, atMs: 1 }] }));
  assert.equal((await sweepRetention(kit.services)).strikes, 1);
});

// QUARANTINES-2
test('a quarantine is its project’s; a build that never was in one is not found', async (t) => {
  kit = await openKit();
  t.after(() => kit.close());
  const { caller } = await kit.foreigner();
  const release = { path: { buildHash }, body: { expectedVersion: 1 } };
  await refuses(kit.call('releaseQuarantine', release), 'control.NOT_FOUND');
  const { sessionId } = await kit.session();
  await strikes(sessionId, limits.quarantineTimeoutsMax);
  await strikes('ses_unknown', limits.quarantineTimeoutsMax);
  await refuses(kit.call('releaseQuarantine', release, { caller }), 'control.NOT_FOUND');
  assert.equal((await listed()).length, 1);
});

test('a look that is answered late, or a step without a processor, is no strike, and holds no host; a look that ends its host is', async (t) => {
  kit = await openKit();
  t.after(() => kit.close());
  const { guard } = kit.services;
  const { sessionId } = await kit.session();
  const { credential } = await kit.access(sessionId);
  const ended = { event: 'host_ended', host: 0, actorId: sessionId, detail: '' } as const;
  for (let times = 0; times < limits.quarantineTimeoutsMax; times++) guard.noted({ ...ended, reason: 'timeout', kind: 'query' });
  guard.noted({ event: 'host_ended', host: 0, reason: 'silent', detail: '' });
  guard.noted({ ...ended, reason: 'timeout', kind: 'command', isStarved: true });
  guard.seen({ host: 0, actorId: sessionId, kind: 'query', runsForMs: 100_000, standsForMs: 100_000, heldMs: 100_000 });
  assert.equal((await kit.add(credential, 1)).status, 200);
  const noted = async () =>
    (await kit.services.catalog.change((tx) => tx.get(quarantineTable, `${kit.projectId} ${buildHash}`)))?.strikes.length;
  assert.equal(await noted(), undefined);
  guard.noted({ ...ended, reason: 'crashed', kind: 'query' });
  guard.noted({ ...ended, reason: 'timeout', kind: 'command' });
  assert.equal(await noted(), 2);
});

// GUARDED-WORLD-1
test('a world whose project may hold its hosts no longer is looked at all the same', async (t) => {
  kit = await openKit();
  t.after(() => kit.close());
  const { sessionId } = await kit.session();
  const { credential } = await kit.access(sessionId);
  assert.equal((await kit.add(credential, 1)).status, 200);
  kit.services.guard.seen({ host: 0, actorId: sessionId, kind: 'command', runsForMs: 100_000, standsForMs: 100_000, heldMs: 100_000 });
  const refused = await kit.add(credential, 1);
  assert.deepEqual([refused.status, refused.body.code], [429, 'control.RATE_LIMITED']);
  assert.equal(await kit.balance(sessionId), 101);
  assert.ok((await kit.evidence(sessionId)).length > 0);
});
