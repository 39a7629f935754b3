// Accesses of a session: who sees them, how they are revoked, and what they fall with.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { credentialTable, memberId, memberTable, projectTable, requireProject } from '../../src/control/catalog/organization-records.js';
import { removeMember } from '../../src/control/organizations/member-records.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { sessionEndpoints } from '../../src/control/sessions/endpoints.js';
import { openSessionKit, refuses, type SessionKit } from './session-kit.js';

let kit: SessionKit;
before(async () => {
  kit = await openSessionKit({ endpoints: (services) => ({ ...sessionEndpoints(services), ...organizationEndpoints(services) }) });
});
after(() => kit.close());

const status = async (credential: string): Promise<number> => (await kit.add(credential, 1)).status;

// SESSION-MEMORY-1
test('accesses are listed without their credentials, and one that is revoked opens nothing', async () => {
  const { sessionId } = await kit.session();
  const [first, second] = [await kit.access(sessionId), await kit.access(sessionId)];
  const { items } = await kit.call('listSessionAccess', { path: { sessionId } });
  assert.deepEqual(
    items.map(({ accessId, actorId, createdBy, expiresAtMs }) => ({ accessId, actorId, createdBy, expiresAtMs })),
    [first, second].map(({ accessId, actorId, expiresAtMs }) => ({ accessId, actorId, createdBy: kit.caller.credentialId, expiresAtMs })),
  );
  assert.ok(![first, second].some(({ credential }) => JSON.stringify(items).includes(credential)));
  const path = { sessionId, accessId: first.accessId };
  await refuses(kit.call('revokeSessionAccess', { path, body: { confirm: second.accessId } }), 'control.CONFIRMATION_MISMATCH');
  assert.equal(await status(first.credential), 200);
  const { access } = await kit.call('revokeSessionAccess', { path, body: { confirm: first.accessId } });
  assert.deepEqual(access, items[0]);
  assert.deepEqual([await status(first.credential), await status(second.credential)], [401, 200]);
  await refuses(kit.call('revokeSessionAccess', { path, body: { confirm: first.accessId } }), 'control.NOT_FOUND');
  const { caller } = await kit.foreigner();
  await refuses(kit.call('listSessionAccess', { path: { sessionId } }, { caller }), 'control.NOT_FOUND');
  kit.clock.nowMs = second.expiresAtMs;
  assert.deepEqual((await kit.call('listSessionAccess', { path: { sessionId } })).items, []);
});

test("an access says whose calls and whose bytes its agent's are", async () => {
  const { bindings, organizationId } = kit;
  const { sessionId, projectId } = await kit.session();
  const { open } = bindings;
  const asked: unknown[] = [];
  bindings.open = (request) => {
    asked.push([request.owner, request.organizationId]);
    return open(request);
  };
  await kit.access(sessionId);
  bindings.open = open;
  assert.deepEqual(asked, [[projectId, organizationId]]);
});

test('an access falls with the credential that made it, and with the member behind that', async () => {
  const { organizationId, services } = kit;
  const { sessionId } = await kit.session({ ttlMs: 86_400_000 });
  const accessBy = async (credentialId: string) => {
    const caller = { ...kit.caller, credentialId };
    return (await kit.call('createSessionAccess', { path: { sessionId }, body: { actorId: 'clerk' } }, { caller })).access;
  };
  const [plain, ofMember] = [(await kit.callerWith('manager')).credentialId, (await kit.callerWith('manager')).credentialId];
  const which = { organizationId, userId: 'usr_0123456789ab' };
  await services.catalog.change((tx) => {
    const member = {
      schemaVersion: 1 as const,
      ...which,
      subject: 'ada',
      state: 'active' as const,
      role: 'manager' as const,
      createdAtMs: 0,
    };
    tx.put(memberTable, { member: member as never, issuer: 'https://id.example' });
    const record = tx.get(credentialTable, ofMember);
    assert.ok(record);
    tx.put(credentialTable, { ...record, makerId: which.userId });
  });
  assert.ok(services.catalog.view.get(memberTable, memberId(which)));
  const [byPlain, byMember] = [await accessBy(plain), await accessBy(ofMember)];
  assert.deepEqual([await status(byPlain.credential), await status(byMember.credential)], [200, 200]);
  await kit.call('revokeCredential', { path: { credentialId: plain as never }, body: { confirm: plain } });
  assert.deepEqual([await status(byPlain.credential), await status(byMember.credential)], [401, 200]);
  await services.catalog.change((tx) => removeMember(tx, { ...which, nowMs: kit.clock.nowMs }, { confirm: which.userId }));
  assert.equal(await status(byMember.credential), 401);
  assert.deepEqual((await kit.call('listSessionAccess', { path: { sessionId } })).items, []);
});

// PROJECT-DELETION-1
test('an access falls in the moment in which its project is to be deleted', async () => {
  const { sessionId } = await kit.session();
  const { credential } = await kit.access(sessionId);
  assert.equal(await status(credential), 200);
  const { catalog, nowMs } = kit.services;
  const project = requireProject(catalog.view, kit);
  await catalog.change((tx) => tx.put(projectTable, { ...project, deletionRequestedAtMs: nowMs() }));
  assert.equal(await status(credential), 401);
  await catalog.change((tx) => tx.put(projectTable, project));
  assert.equal(await status(credential), 200);
});
