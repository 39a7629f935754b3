// Control credentials: what opens, what does not, and what is noted of their use.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { defineTable } from '../../src/control/catalog/tables.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { type ControlKit, type ControlKitOptions, openControlKit } from './control-kit.js';

const kits: ControlKit[] = [];
after(async () => {
  for (const kit of kits) await kit.close();
});
async function open(options: ControlKitOptions = {}): Promise<ControlKit> {
  const kit = await openControlKit({ endpoints: organizationEndpoints, ...options });
  kits.push(kit);
  return kit;
}
const message = 'A valid credential is required.';
function refuses(kit: ControlKit, token: string): void {
  assert.throws(
    () => kit.plane.authenticate(token),
    (error) => error instanceof ServiceError && error.code === 'control.UNAUTHENTICATED' && error.message === message,
  );
}

// AUTHENTICATION-1
test('unknown, expired, revoked and world credentials are refused alike', async () => {
  const kit = await open();
  const short = await kit.callerWith('viewer', { ttlMs: 1000 });
  const revoked = await kit.callerWith('manager');
  assert.equal(kit.plane.authenticate(short.token).role, 'viewer');
  await kit.call('revokeCredential', { path: { credentialId: revoked.credentialId as never }, body: { confirm: revoked.credentialId } });
  refuses(kit, revoked.token);
  kit.clock.nowMs += 999;
  assert.equal(kit.plane.authenticate(short.token).role, 'viewer');
  kit.clock.nowMs += 1;
  refuses(kit, short.token);
  const world = kit.services.keyring.token('world', kit.caller.credentialId);
  for (const token of ['', 'x', world, kit.token.slice(0, -1), `${kit.token}x`, kit.token.toUpperCase(), 'dyc_', 'ü'.repeat(100)])
    refuses(kit, token);
  assert.equal(kit.plane.authenticate(kit.token).role, 'manager');
});

test('a credential opens in the next incarnation too, and a revoked one does not', async () => {
  const kit = await open();
  const { token } = await kit.callerWith('builder');
  const gone = await kit.callerWith('builder');
  await kit.call('revokeCredential', { path: { credentialId: gone.credentialId as never }, body: { confirm: gone.credentialId } });
  await kit.end('crash');
  const next = await open({ directory: kit.directory });
  assert.equal(next.plane.authenticate(token).role, 'builder');
  refuses(next, gone.token);
});

test('no secret is on the disk', async () => {
  const kit = await open();
  const { secret } = await kit.call('createCredential', { body: { name: 'ci', role: 'viewer' } });
  kit.plane.authenticate(secret!);
  await kit.end();
  const bytes = readFileSync(join(kit.directory, 'catalog', 'data.mdb'));
  for (const token of [secret!, kit.token]) {
    assert.ok(bytes.includes(token.slice(0, 12)), 'its prefix is shown');
    assert.ok(!bytes.includes(token.slice(0, 20)));
  }
});

const nothing = defineTable({ name: 'x', idOf: () => '', indexes: {} });

test('the last use is noted, but not at every use', async () => {
  const kit = await open();
  const { token, credentialId } = await kit.callerWith('viewer');
  const lastUsed = async (): Promise<number | undefined> => {
    const { items } = await kit.call('listCredentials');
    return items.find((item) => item.credentialId === credentialId)?.lastUsedAtMs;
  };
  const settled = () => kit.services.catalog.change((tx) => tx.get(nothing, 'x'));
  const start = kit.clock.nowMs;
  await settled();
  assert.equal(await lastUsed(), start);
  const before = kit.services.catalog.commits;
  for (let n = 0; n < 100; n++) kit.plane.authenticate(token);
  kit.clock.nowMs += limits.credentialUseNotedMs - 1;
  kit.plane.authenticate(token);
  await settled();
  assert.deepEqual([kit.services.catalog.commits - before, await lastUsed()], [0, start]);
  kit.clock.nowMs += 1;
  for (let n = 0; n < 100; n++) kit.plane.authenticate(token);
  await settled();
  assert.equal(await lastUsed(), start + limits.credentialUseNotedMs);
  assert.equal(kit.services.catalog.commits - before, 1);
});

test('a full disk does not keep anybody out', async () => {
  const kit = await open();
  const { token } = await kit.callerWith('viewer');
  kit.clock.nowMs += limits.credentialUseNotedMs;
  kit.disk.full = true;
  assert.equal(kit.plane.authenticate(token).role, 'viewer');
  await new Promise(setImmediate);
  kit.disk.full = false;
});

// AUTHENTICATION-2
test('rates are of one credential, counted once it is known', async () => {
  const kit = await open({ settings: { rate: { perSecond: 1, burst: 3 } } });
  const { token } = await kit.callerWith('viewer');
  for (let n = 0; n < 50; n++) refuses(kit, 'dyc_wrong');
  kit.plane.authenticate(token);
  kit.plane.authenticate(token);
  assert.throws(
    () => kit.plane.authenticate(token),
    (error: ServiceError) => error.code === 'control.RATE_LIMITED' && error.extra.retryAfterMs === 1000,
  );
  assert.equal(kit.plane.authenticate(kit.token).role, 'manager', 'another one is not concerned');
  kit.clock.nowMs += 1000;
  kit.plane.authenticate(token);
});
