// Signing in with an identity provider, and reading one's own identity.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JWTPayload } from 'jose';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { authorities, authoritiesOf } from '../../src/contract/world/authority.js';
import { memberId, memberTable, organizationTable, userIdOf } from '../../src/control/catalog/organization-records.js';
import type { ControlServices } from '../../src/control/core/services.js';
import type { Endpoints } from '../../src/control/dispatch.js';
import { authEndpoints } from '../../src/control/organizations/auth-endpoints.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import { type ControlKit, openControlKit } from './control-kit.js';
import { startIdentityProvider, type TokenOptions } from './identity-provider.js';

const clock = { nowMs: 1_750_000_000_000 };
const provider = await startIdentityProvider(() => clock.nowMs);
const { issuer, audience, jwksUrl } = provider;
const endpoints = (services: ControlServices): Endpoints => ({
  ...authEndpoints(services),
  ...organizationEndpoints(services),
  ...projectEndpoints(services),
});
const kits: ControlKit[] = [];
async function open(): Promise<ControlKit> {
  const identity = { issuer, audience, jwksUrl, organizationClaim: 'org', roleClaim: 'role' };
  const kit = await openControlKit({ endpoints, clock, settings: { identity } });
  kits.push(kit);
  return kit;
}
after(async () => {
  for (const kit of kits) await kit.close();
  await provider.close();
});
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

const signIn = async (kit: ControlKit, claims: JWTPayload, key?: string) => {
  const caller = await kit.plane.authenticateIdentity(await provider.token(claims));
  return kit.dispatch('exchangeIdentityToken', { body: {} }, { caller, ...(key === undefined ? {} : { key }) });
};

test('an organization-scoped token becomes a credential, and its subject an active member at that moment', async () => {
  const kit = await open();
  const { reply } = await signIn(kit, { sub: 'ada', name: 'Ada', org: kit.organizationId, role: 'builder' });
  const { credential, secret } = reply;
  assert.equal(credential.userId, userIdOf({ issuer, subject: 'ada' }));
  assert.deepEqual([credential.role, credential.expiresAtMs], ['builder', clock.nowMs + limits.credentialDefaultTtlMs]);
  const { items } = await kit.call('listMembers');
  assert.deepEqual(
    items.map(({ userId, subject, name, role, state }) => ({ userId, subject, name, role, state })),
    [{ userId: credential.userId, subject: 'ada', name: 'Ada', role: 'builder', state: 'active' }],
  );
  const caller = kit.plane.authenticate(secret!);
  const me = await kit.call('getMe', {}, { caller });
  assert.deepEqual(me.authorities, [...authoritiesOf.builder]);
  assert.deepEqual(me.projects, [{ projectId: kit.projectId, name: 'default', authorities: [...authoritiesOf.builder] }]);
  assert.deepEqual(me.organization, { organizationId: kit.organizationId, name: 'default' });
});

test('without a role in the token a member may do nothing but what grants give', async () => {
  const kit = await open();
  for (const role of [undefined, 'owner', 7]) {
    const { reply } = await signIn(kit, { sub: 'bob', org: kit.organizationId, ...(role === undefined ? {} : { role }) });
    const caller = kit.plane.authenticate(reply.secret!);
    assert.deepEqual([caller.role, (await kit.call('getMe', {}, { caller })).projects], [null, []]);
    await assert.rejects(kit.call('getProject', {}, { caller }), refused('control.NOT_FOUND'));
  }
  const userId = userIdOf({ issuer, subject: 'bob' });
  await kit.call('createGrant', { body: { subject: { kind: 'user', id: userId }, role: 'viewer' } });
  const { reply } = await signIn(kit, { sub: 'bob', org: kit.organizationId });
  const caller = kit.plane.authenticate(reply.secret!);
  assert.equal((await kit.call('getProject', {}, { caller })).project.projectId, kit.projectId);
});

test('the role is what the token claims now, at each exchange; none where it claims none', async () => {
  const kit = await open();
  const role = async (claims: JWTPayload) => (await signIn(kit, { sub: 'eve', org: kit.organizationId, ...claims })).reply.credential.role;
  assert.deepEqual(
    [await role({ role: 'manager' }), await role({}), await role({ role: 'viewer' }), await role({})],
    ['manager', null, 'viewer', null],
  );
});

test('a repeated exchange makes no second credential and tells no secret; another subject with the same key gets one of its own', async () => {
  const kit = await open();
  const ada = { sub: 'ada', org: kit.organizationId };
  const first = await signIn(kit, ada, 'key-0001');
  const again = await signIn(kit, ada, 'key-0001');
  assert.deepEqual([again.replayed, again.reply], [true, { credential: first.reply.credential }]);
  const other = await signIn(kit, { ...ada, sub: 'mallory' }, 'key-0001');
  assert.equal(other.replayed, false);
  assert.notEqual(other.reply.secret, first.reply.secret);
});

test('a token that is scoped to nothing, to an organization that does not exist, or of a removed member opens nothing', async () => {
  const kit = await open();
  const organization = kit.organizationId;
  const refusals = [];
  for (const claims of [
    { sub: 'ada' },
    { sub: 'ada', org: 'org_000000000000' },
    { sub: 'ada', org: '' },
    { sub: 'ada', org: [organization] },
    { sub: 'ada', org: 7 },
  ]) {
    refusals.push(await signIn(kit, claims).catch((error: ServiceError) => error));
  }
  const { reply } = await signIn(kit, { sub: 'gone', org: organization, role: 'manager' });
  assert.equal(kit.plane.authenticate(reply.secret!).role, 'manager');
  const id = memberId({ organizationId: organization, userId: reply.credential.userId! });
  await kit.services.catalog.change((tx) => {
    const record = tx.get(memberTable, id)!;
    tx.put(memberTable, { ...record, member: { ...record.member, state: 'removed' } });
  });
  assert.throws(() => kit.plane.authenticate(reply.secret!), refused('control.UNAUTHENTICATED'));
  refusals.push(await signIn(kit, { sub: 'gone', org: organization }).catch((error: ServiceError) => error));
  for (const refusal of refusals) {
    assert.ok(refusal instanceof ServiceError);
    assert.deepEqual([refusal.code, refusal.message], ['control.FORBIDDEN', (refusals[0] as ServiceError).message]);
  }
});

test('the organizations of a subject: memberships and the one the token names, by id and in pages', async () => {
  const kit = await open();
  const total = limits.organizationsPageItems + 5;
  const ids = Array.from({ length: total }, (_, n) => `org_${String(n).padStart(12, '0')}`);
  await kit.services.catalog.change((tx) => {
    for (const organizationId of ids) tx.put(organizationTable, { organizationId, name: `the ${organizationId}`, createdAtMs: 0 });
  });
  for (const org of ids.slice(0, -1)) await signIn(kit, { sub: 'ada', org });
  const list = async (claims: JWTPayload, after?: string) => {
    const caller = await kit.plane.authenticateIdentity(await provider.token(claims));
    return kit.call('listCliOrganizations', { query: after === undefined ? {} : { after } }, { caller });
  };
  assert.deepEqual(await list({ sub: 'nobody' }), { schemaVersion: 1, organizations: [] });
  const first = await list({ sub: 'ada', org: ids.at(-1)! });
  assert.deepEqual(first.organizations[0], { id: ids[0], name: `the ${ids[0]}` });
  assert.equal(first.organizations.length, limits.organizationsPageItems);
  const second = await list({ sub: 'ada', org: ids.at(-1)! }, first.nextAfter);
  assert.deepEqual(
    [...first.organizations, ...second.organizations].map(({ id }) => id),
    ids,
  );
  assert.equal(second.nextAfter, undefined);
  assert.equal((await list({ sub: 'ada' }, ids.at(-1)!)).organizations.length, 0);
});

test('a token that does not hold in any way is refused, with one message', async () => {
  const kit = await open();
  const { organizationId: org } = kit;
  const wrong: TokenOptions[] = [
    { issuer: 'https://other.example' },
    { audience: 'other' },
    { expiresAtMs: clock.nowMs - limits.identityClockToleranceMs - 1000 },
    { forged: true },
    { confused: true },
    { unsigned: true },
    { kid: 'unknown' },
  ];
  const tokens = await Promise.all(wrong.map((how) => provider.token({ sub: 'ada', org }, how)));
  tokens.push('', 'x', 'a.b.c', kit.token, await provider.token({ org }), (await provider.token({ sub: 'ada', org })).slice(0, -3));
  for (const token of tokens) {
    const error = await kit.plane.authenticateIdentity(token).catch((thrown: ServiceError) => thrown);
    assert.ok(error instanceof ServiceError, `${token} opened`);
    assert.deepEqual([error.code, error.message], ['control.UNAUTHENTICATED', 'A valid credential is required.']);
  }
  const good = await provider.token({ sub: 'ada', org });
  assert.throws(() => kit.plane.authenticate(good), refused('control.UNAUTHENTICATED'), 'an identity token is no credential');
});

test('an identity opens the identity endpoints only, a credential all others only', async () => {
  const kit = await open();
  const caller = await kit.plane.authenticateIdentity(await provider.token({ sub: 'ada', org: kit.organizationId, role: 'manager' }));
  for (const id of ['getMe', 'listProjects', 'getProject'] as const)
    await assert.rejects(kit.call(id, {}, { caller }), refused('control.UNAUTHENTICATED'));
  await assert.rejects(kit.call('exchangeIdentityToken', { body: {} }), refused('control.UNAUTHENTICATED'));
  await assert.rejects(kit.call('listCliOrganizations'), refused('control.UNAUTHENTICATED'));
});

test('while the provider’s keys are not available, callers are asked to come again; its keys are fetched once', async () => {
  const kit = await open();
  const token = await provider.token({ sub: 'ada', org: kit.organizationId });
  for (const fail of ['status', 'nonsense'] as const) {
    provider.fail = fail;
    await assert.rejects(kit.plane.authenticateIdentity(token), refused('control.UNAVAILABLE'));
  }
  provider.fail = 'no';
  const before = provider.asked();
  for (let n = 0; n < 5; n++) assert.equal((await kit.plane.authenticateIdentity(token)).identity?.subject, 'ada');
  assert.equal(provider.asked() - before, 1);
});

test('without an identity provider its endpoints are closed', async () => {
  const kit = await openControlKit({ endpoints });
  kits.push(kit);
  await assert.rejects(kit.plane.authenticateIdentity('x'), refused('control.UNAUTHENTICATED'));
});

test('a session revokes itself and is over', async () => {
  const kit = await open();
  const { caller, token } = await kit.callerWith('viewer');
  const { credential } = await kit.call('revokeAuthSession', { body: {} }, { caller });
  assert.equal(credential.revokedAtMs, clock.nowMs);
  assert.throws(() => kit.plane.authenticate(token), refused('control.UNAUTHENTICATED'));
});

test('a manager sees that it may do everything', async () => {
  const kit = await open();
  const me = await kit.call('getMe');
  assert.deepEqual(me.authorities, authorities);
  assert.equal(me.credential.credentialId, kit.caller.credentialId);
});
