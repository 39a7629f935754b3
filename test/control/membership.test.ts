// What a member's credentials may do follows what the member is now: demoted, removed, taken in again, reported again by the provider.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { Role } from '../../src/contract/world/authority.js';
import type { Caller } from '../../src/control/catalog/endpoint.js';
import { organizationTable } from '../../src/control/catalog/organization-records.js';
import { authEndpoints } from '../../src/control/organizations/auth-endpoints.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import { type ControlKit, openControlKit } from './control-kit.js';
import { startIdentityProvider } from './identity-provider.js';

const clock = { nowMs: 1_750_000_000_000 };
const provider = await startIdentityProvider(() => clock.nowMs);
const { issuer, audience, jwksUrl } = provider;
const kits: ControlKit[] = [];
after(async () => {
  for (const kit of kits) await kit.close();
  await provider.close();
});
async function open(): Promise<ControlKit> {
  const identity = { issuer, audience, jwksUrl, organizationClaim: 'org', roleClaim: 'role' };
  const kit = await openControlKit({
    endpoints: (services) => ({ ...authEndpoints(services), ...organizationEndpoints(services), ...projectEndpoints(services) }),
    clock,
    settings: { identity },
  });
  kits.push(kit);
  return kit;
}
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;
const closed = refused('control.UNAUTHENTICATED');

interface SignedIn {
  userId: never;
  secret: string;
}
async function signIn(kit: ControlKit, sub: string, role?: unknown): Promise<SignedIn> {
  clock.nowMs += 1000;
  const claims = { sub, org: kit.organizationId, ...(role === undefined ? {} : { role }) };
  const caller = await kit.plane.authenticateIdentity(await provider.token(claims));
  const { credential, secret } = await kit.call('exchangeIdentityToken', { body: { ttlMs: 2_592_000_000 } }, { caller });
  return { userId: credential.userId as never, secret: secret! };
}
const as = (kit: ControlKit, secret: string): Caller => kit.plane.authenticate(secret);
async function make(kit: ControlKit, by: string, role: Role | null): Promise<{ credentialId: never; secret: string }> {
  clock.nowMs += 1000;
  const { credential, secret } = await kit.call('createCredential', { body: { name: 'made', role } }, { caller: as(kit, by) });
  return { credentialId: credential.credentialId as never, secret: secret! };
}
const grant = (kit: ControlKit, by: string, subject: { kind: 'credential' | 'user'; id: never }, role: Role) =>
  kit.call('createGrant', { body: { subject, role } }, { caller: as(kit, by) });
const canBuild = (kit: ControlKit, secret: string): boolean => as(kit, secret).authoritiesIn(kit.projectId).has('build.publish');
const canManage = (kit: ControlKit, secret: string): boolean => as(kit, secret).authoritiesIn(kit.projectId).has('grant.manage');

// STANDING-2
test('a demoted member has lost it at the next request, with every credential it holds, until the provider says another role', async () => {
  const kit = await open();
  const first = await signIn(kit, 'ada', 'manager');
  const second = await signIn(kit, 'ada', 'manager');
  const before = as(kit, first.secret);
  await kit.call('updateMember', { path: { userId: first.userId }, body: { role: 'viewer' } });
  for (const { secret } of [first, second]) {
    assert.equal(as(kit, secret).role, 'viewer');
    const caller = as(kit, secret);
    await assert.rejects(kit.call('createCredential', { body: { name: 'x', role: 'manager' } }, { caller }), refused('control.FORBIDDEN'));
    await assert.rejects(
      kit.call('updateMember', { path: { userId: first.userId }, body: { role: 'manager' } }, { caller }),
      refused('control.FORBIDDEN'),
    );
    assert.equal((await kit.call('getMe', {}, { caller })).authorities.includes('project.manage'), false);
  }
  assert.equal(before.role, 'manager', 'a request that had begun is what it was');
  await signIn(kit, 'ada', 'builder');
  assert.equal(as(kit, first.secret).role, 'builder');
  // Its own role bounds a credential, too: a promotion makes no old one more than it was.
  const low = await signIn(kit, 'bob', 'viewer');
  await signIn(kit, 'bob', 'manager');
  assert.equal(as(kit, low.secret).role, 'viewer');
});

test('a role claim that names no role takes the role away, and so does a token without the claim', async () => {
  const kit = await open();
  const { secret } = await signIn(kit, 'eve', 'manager');
  await signIn(kit, 'eve');
  assert.equal(as(kit, secret).role, null);
  for (const none of ['none', '', 7, null]) {
    await signIn(kit, 'eve', 'manager');
    assert.equal(as(kit, secret).role, 'manager');
    await signIn(kit, 'eve', none);
    assert.equal(as(kit, secret).role, null, JSON.stringify(none));
  }
});

// STANDING-2, STANDING-3
test('what a manager made is never more than the manager is now: roles, credentials of credentials, grants to itself', async () => {
  const kit = await open();
  const ada = await signIn(kit, 'ada', 'manager');
  const made = await make(kit, ada.secret, 'manager');
  const ofMade = await make(kit, made.secret, 'manager');
  const plain = await make(kit, ofMade.secret, null);
  const viewer = await make(kit, ada.secret, 'viewer');
  await grant(kit, made.secret, { kind: 'credential', id: plain.credentialId }, 'manager');
  await grant(kit, ofMade.secret, { kind: 'user', id: ada.userId }, 'manager');
  assert.ok(canManage(kit, plain.secret) && canManage(kit, ofMade.secret));
  await kit.call('updateMember', { path: { userId: ada.userId }, body: { role: 'builder' } });
  for (const { secret } of [made, ofMade]) assert.equal(as(kit, secret).role, 'builder');
  for (const { secret } of [ada, made, ofMade, plain]) assert.deepEqual([canManage(kit, secret), canBuild(kit, secret)], [false, true]);
  assert.equal(as(kit, viewer.secret).role, 'viewer');
  await kit.call('updateMember', { path: { userId: ada.userId }, body: { role: null } });
  for (const { secret } of [ada, made, ofMade, plain, viewer]) assert.equal(as(kit, secret).authoritiesIn(kit.projectId).size, 0);
});

test('a grant that somebody else gave holds without a role, for the member and for a credential of that member', async () => {
  const kit = await open();
  const bob = await signIn(kit, 'bob');
  const other = await kit.callerWith('manager');
  await grant(kit, other.token, { kind: 'user', id: bob.userId }, 'builder');
  assert.ok(canBuild(kit, bob.secret));
  const ci = await make(kit, kit.token, null);
  await grant(kit, kit.token, { kind: 'credential', id: ci.credentialId }, 'builder');
  assert.ok(canBuild(kit, ci.secret), 'what no member made is bounded by none');
});

// STANDING-1
test('a removed member is out at once, with all it made; taken in again it starts without any', async () => {
  const kit = await open();
  const ada = await signIn(kit, 'ada', 'manager');
  const made = await make(kit, ada.secret, 'builder');
  const ofMade = await make(kit, (await make(kit, ada.secret, 'manager')).secret, 'viewer');
  const others = await kit.callerWith('viewer');
  await grant(kit, kit.token, { kind: 'user', id: ada.userId }, 'manager');
  const path = { userId: ada.userId };
  await assert.rejects(kit.call('removeMember', { path, body: { confirm: 'ada' } }), refused('control.CONFIRMATION_MISMATCH'));
  const { member } = await kit.call('removeMember', { path, body: { confirm: ada.userId } });
  assert.deepEqual([member.state, member.role], ['removed', null]);
  for (const { secret } of [ada, made, ofMade]) assert.throws(() => as(kit, secret), closed);
  assert.equal(as(kit, others.token).role, 'viewer');
  await assert.rejects(signIn(kit, 'ada', 'manager'), refused('control.FORBIDDEN'));
  await assert.rejects(kit.call('updateMember', { path, body: { role: 'manager' } }), refused('control.STATE_CONFLICT'));
  await assert.rejects(kit.call('removeMember', { path, body: { confirm: ada.userId } }), refused('control.STATE_CONFLICT'));

  clock.nowMs += 1000;
  await kit.call('restoreMember', { path, body: { role: null } });
  for (const { secret } of [ada, made, ofMade]) assert.throws(() => as(kit, secret), closed, 'nothing of before holds again');
  const again = await signIn(kit, 'ada');
  assert.equal(as(kit, again.secret).authoritiesIn(kit.projectId).size, 0, 'nor a grant of before');
  await assert.rejects(kit.call('restoreMember', { path, body: { role: null } }), refused('control.STATE_CONFLICT'));
});

test('members of another organization do not exist, and only managers change them', async () => {
  const kit = await open();
  const ada = await signIn(kit, 'ada', 'viewer');
  const path = { userId: ada.userId };
  const { caller: foreigner } = await kit.foreigner();
  const asked = [
    ['updateMember', { path, body: { role: 'manager' } }],
    ['removeMember', { path, body: { confirm: ada.userId } }],
    ['restoreMember', { path, body: { role: 'manager' } }],
  ] as const;
  for (const [id, input] of asked) {
    await assert.rejects(kit.call(id, input as never, { caller: foreigner }), refused('control.NOT_FOUND'));
    for (const role of ['viewer', 'builder', null] as const) {
      const { caller } = await kit.callerWith(role);
      await assert.rejects(kit.call(id, input as never, { caller }), refused('control.FORBIDDEN'));
    }
  }
  assert.equal(as(kit, ada.secret).role, 'viewer');
});

test('nobody signs in to a suspended organization', async () => {
  const kit = await open();
  const { organizationId } = kit;
  const ada = await signIn(kit, 'ada', 'builder');
  await kit.services.catalog.change((tx) =>
    tx.put(organizationTable, { ...tx.get(organizationTable, organizationId)!, suspendedAtMs: clock.nowMs }),
  );
  await assert.rejects(signIn(kit, 'ada', 'manager'), refused('control.ORGANIZATION_SUSPENDED'));
  assert.throws(() => as(kit, ada.secret), refused('control.ORGANIZATION_SUSPENDED'));
});
