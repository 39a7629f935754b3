// Credentials of an organization, and its audit trail.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { CreateCredentialReply } from '../../src/contract/hosted/organization.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import { type ControlKit, openControlKit, quietSettings } from './control-kit.js';

const kits: ControlKit[] = [];
after(async () => {
  for (const kit of kits) await kit.close();
});
async function open(credentialsMax = 100): Promise<ControlKit> {
  const kit = await openControlKit({
    endpoints: (services) => ({ ...projectEndpoints(services), ...organizationEndpoints(services) }),
    settings: { quotas: { ...quietSettings.quotas, credentialsMax } },
  });
  kits.push(kit);
  return kit;
}
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

test('a credential shows its prefix and its times, its secret once', async () => {
  const kit = await open();
  const { credential, secret } = (await kit.call('createCredential', {
    body: { name: 'ci', role: 'builder', ttlMs: 5000 },
  })) as Required<CreateCredentialReply>;
  assert.deepEqual(credential, {
    schemaVersion: 1,
    credentialId: credential.credentialId,
    organizationId: kit.organizationId,
    name: 'ci',
    prefix: secret.slice(0, 12),
    role: 'builder',
    createdBy: kit.caller.credentialId,
    createdAtMs: kit.clock.nowMs,
    expiresAtMs: kit.clock.nowMs + 5000,
  });
  const { items } = await kit.call('listCredentials');
  assert.deepEqual(items[1], credential);
  assert.equal(JSON.stringify(items).includes(secret), false);
  const caller = kit.plane.authenticate(secret);
  assert.deepEqual([caller.role, caller.organizationId], ['builder', kit.organizationId]);
});

test('revoking is for ever, and twice is once', async () => {
  const kit = await open();
  const { credentialId } = await kit.callerWith('viewer');
  const path = { credentialId: credentialId as never };
  const { credential } = await kit.call('revokeCredential', { path, body: { confirm: path.credentialId } });
  kit.clock.nowMs += 10;
  assert.deepEqual((await kit.call('revokeCredential', { path, body: { confirm: path.credentialId } })).credential, credential);
});

test('credentials of another organization do not exist', async () => {
  const kit = await open();
  const foreigner = await kit.foreigner();
  const path = { credentialId: foreigner.caller.credentialId as never };
  await assert.rejects(kit.call('revokeCredential', { path, body: { confirm: path.credentialId } }), refused('control.NOT_FOUND'));
  const theirs = await kit.call('listCredentials', {}, { caller: foreigner.caller });
  assert.deepEqual(
    theirs.items.map(({ credentialId, revokedAtMs }) => [credentialId, revokedAtMs]),
    [[foreigner.caller.credentialId, undefined]],
  );
});

test('organization endpoints need the authority in the organization; a grant in a project does not help', async () => {
  const kit = await open();
  for (const role of [null, 'viewer', 'builder'] as const) {
    const { caller, credentialId } = await kit.callerWith(role);
    await kit.call('createGrant', { body: { subject: { kind: 'credential', id: credentialId }, role: 'manager' } });
    await assert.rejects(kit.call('createCredential', { body: { name: 'x', role: 'manager' } }, { caller }), refused('control.FORBIDDEN'));
    await assert.rejects(kit.call('createProject', { body: { name: 'x' } }, { caller }), refused('control.FORBIDDEN'));
    const members = kit.call('listMembers', {}, { caller });
    if (role === null) await assert.rejects(members, refused('control.FORBIDDEN'));
    else assert.deepEqual((await members).items, []);
  }
});

test('revoked and expired credentials do not count against the bound', async () => {
  const kit = await open(3);
  const create = (ttlMs?: number) =>
    kit.call('createCredential', { body: { name: 'x', role: null, ...(ttlMs === undefined ? {} : { ttlMs }) } });
  const [kept] = [await create(), await create(1000)];
  await assert.rejects(create(), refused('control.QUOTA_EXCEEDED'));
  kit.clock.nowMs += 1000;
  const late = await create(1000);
  await assert.rejects(create(), refused('control.QUOTA_EXCEEDED'));
  for (const { credential } of [kept, late])
    await kit.call('revokeCredential', {
      path: { credentialId: credential.credentialId as never },
      body: { confirm: credential.credentialId },
    });
  kit.clock.nowMs += 1000;
  await create();
  await create();
  await assert.rejects(create(), refused('control.QUOTA_EXCEEDED'));
});

test('the audit trail has every accepted change, the newest first, by project or all', async () => {
  const kit = await open();
  const { project } = await kit.call('createProject', { body: { name: 'p' } });
  const path = { projectId: project.projectId };
  await kit.call('updateProject', { path, body: { expectedVersion: 1, name: 'q' } });
  await kit.call('updateProject', { path, body: { expectedVersion: 1, name: 'r' } }).catch(() => {});
  await kit.call('createCredential', { body: { name: 'x', role: null } });
  const all = await kit.call('listAuditEvents');
  assert.deepEqual(
    all.items.map(({ action }) => action),
    ['createCredential', 'updateProject', 'createProject'],
  );
  const ofProject = await kit.call('listAuditEvents', { query: { projectId: project.projectId as never, limit: 1 } });
  assert.deepEqual(
    ofProject.items.map(({ action, projectId }) => [action, projectId]),
    [['updateProject', project.projectId]],
  );
  const { caller } = await kit.foreigner();
  assert.deepEqual((await kit.call('listAuditEvents', {}, { caller })).items, []);
  assert.deepEqual((await kit.call('listAuditEvents', { query: { projectId: project.projectId as never } }, { caller })).items, []);
});
