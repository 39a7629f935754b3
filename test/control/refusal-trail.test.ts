// Refusals of authority in the audit trail: who was refused what, sampled, with a count of the others, and never a secret.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AuditEvent } from '../../src/contract/hosted/organization.js';
import { newId } from '../../src/contract/ids.js';
import { limits } from '../../src/contract/limits.js';
import type { Caller } from '../../src/control/catalog/endpoint.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import { type ControlKit, openControlKit } from './control-kit.js';

const kits: ControlKit[] = [];
after(async () => {
  for (const kit of kits) await kit.close();
});
async function open(directory?: string): Promise<ControlKit> {
  const kit = await openControlKit({
    endpoints: (services) => ({ ...projectEndpoints(services), ...organizationEndpoints(services) }),
    ...(directory === undefined ? {} : { directory }),
  });
  kits.push(kit);
  return kit;
}
async function refusalsOf(kit: ControlKit, caller = kit.caller, query: object = {}): Promise<AuditEvent[]> {
  // What nobody waits for is on the disk when something later is.
  await kit.services.catalog.change(() => undefined);
  return (await kit.call('listAuditEvents', { query: { outcome: 'refused', limit: 100, ...query } as never }, { caller })).items;
}
const attempt = (kit: ControlKit, caller: Caller) =>
  kit.call('createCredential', { body: { name: 'x', role: 'manager' } }, { caller }).catch(() => {});
const newer = (left: AuditEvent, right: AuditEvent): number => (left.auditEventId < right.auditEventId ? -1 : 1);

test('a refusal says who, what, which authority and of which project, apart from accepted changes', async () => {
  const kit = await open();
  const viewer = await kit.callerWith('viewer');
  await attempt(kit, viewer.caller);
  await kit.call('updateProject', { body: { expectedVersion: 1, name: 'x' } }, { caller: viewer.caller }).catch(() => {});
  const nobody = await kit.callerWith(null);
  await kit.call('getProject', {}, { caller: nobody.caller }).catch(() => {});
  const seen = (await refusalsOf(kit)).sort(newer).map(({ action, credentialId, projectId, resourceId, refusal }) => ({
    action,
    by: credentialId,
    ...(projectId === undefined ? {} : { projectId }),
    resourceId,
    ...refusal,
  }));
  const { projectId, organizationId } = kit;
  assert.deepEqual(seen, [
    {
      action: 'createCredential',
      by: viewer.credentialId,
      resourceId: organizationId,
      code: 'control.FORBIDDEN',
      required: 'credential.manage',
    },
    {
      action: 'updateProject',
      by: viewer.credentialId,
      projectId,
      resourceId: projectId,
      code: 'control.FORBIDDEN',
      required: 'project.manage',
    },
    { action: 'getProject', by: nobody.credentialId, projectId, resourceId: projectId, code: 'control.NOT_FOUND' },
  ]);
  assert.deepEqual((await kit.call('listAuditEvents')).items, []);
  const ofProject = await refusalsOf(kit, kit.caller, { projectId });
  assert.deepEqual(
    ofProject.sort(newer).map(({ action }) => action),
    ['updateProject', 'getProject'],
  );
});

test('a project of another organization stands in nobody else’s trail, and by its own name in that of who asked', async () => {
  const kit = await open();
  const { caller: foreigner } = await kit.foreigner();
  for (const projectId of [kit.projectId, 'prj_0123456789ab'])
    await kit.call('getProject', { path: { projectId: projectId as never } }, { caller: foreigner }).catch(() => {});
  assert.deepEqual(await refusalsOf(kit), []);
  const theirs = (await refusalsOf(kit, foreigner)).sort(newer);
  assert.deepEqual(
    theirs.map(({ projectId, resourceId, refusal }) => [projectId, resourceId, refusal?.code]),
    [
      [undefined, kit.projectId, 'control.NOT_FOUND'],
      [undefined, 'prj_0123456789ab', 'control.NOT_FOUND'],
    ],
  );
  assert.deepEqual(await refusalsOf(kit, foreigner, { projectId: kit.projectId }), []);
});

// AUTHENTICATION-3
test('a credential that opens nothing any more is noted, and no secret of it; a token that nobody knows is in no trail', async () => {
  const kit = await open();
  const gone = await kit.callerWith('manager');
  await kit.call('revokeCredential', { path: { credentialId: gone.credentialId as never }, body: { confirm: gone.credentialId } });
  for (const token of [gone.token, `${gone.token}x`, 'dyc_unknown', ''])
    assert.throws(() => kit.plane.authenticate(token, { route: 'getMe', correlationId: newId('corr') }));
  const events = await refusalsOf(kit);
  assert.deepEqual(
    events.map(({ action, credentialId, refusal }) => [action, credentialId, refusal?.code]),
    [['getMe', gone.credentialId, 'control.UNAUTHENTICATED']],
  );
  assert.equal(JSON.stringify(events).includes(gone.token.slice(4, 20)), false);
});

// REFUSAL-TRAIL-1
test('so many of one credential and of one organization in a window; the others are counted, also when the service ends', async () => {
  const kit = await open();
  const callers = await Promise.all(Array.from({ length: 20 }, () => kit.callerWith('viewer')));
  const one = callers[0]!;
  for (let n = 0; n < 30; n++) await attempt(kit, one.caller);
  assert.equal((await refusalsOf(kit)).length, limits.auditRefusalsOfCredentialMax);
  for (const { caller } of callers) for (let n = 0; n < 10; n++) await attempt(kit, caller);
  assert.equal((await refusalsOf(kit)).length, limits.auditRefusalsOfOrganizationMax);
  const { caller: foreigner } = await kit.foreigner();
  await kit.call('getProject', {}, { caller: foreigner }).catch(() => {});
  assert.equal((await refusalsOf(kit, foreigner)).length, 1, 'another organization is not concerned');

  await kit.plane.flushRefusals();
  assert.equal((await refusalsOf(kit)).length, limits.auditRefusalsOfOrganizationMax, 'not before the window is over');
  kit.clock.nowMs += limits.auditRefusalWindowMs;
  const commits = kit.services.catalog.commits;
  await kit.plane.flushRefusals();
  await kit.plane.flushRefusals();
  const [latest, ...rest] = await refusalsOf(kit);
  assert.deepEqual([latest!.action, latest!.refusal], ['refusalsLeftOut', { leftOut: 30 + 200 - limits.auditRefusalsOfOrganizationMax }]);
  assert.deepEqual([rest.length, kit.services.catalog.commits - commits], [limits.auditRefusalsOfOrganizationMax, 1]);

  await attempt(kit, one.caller);
  assert.equal((await refusalsOf(kit)).length, limits.auditRefusalsOfOrganizationMax + 2, 'a new window takes again');
  for (let n = 0; n < 7; n++) await attempt(kit, one.caller);
  await kit.end();
  const next = await open(kit.directory);
  kits.splice(kits.indexOf(kit), 1);
  const reader = await next.callerWith('manager');
  assert.deepEqual((await refusalsOf(next, reader.caller))[0]!.refusal, { leftOut: 8 - limits.auditRefusalsOfCredentialMax });
});

// REFUSAL-TRAIL-2
test('a full disk keeps nothing from being refused', async () => {
  const kit = await open();
  const { caller } = await kit.callerWith('viewer');
  kit.disk.full = true;
  await assert.rejects(kit.call('createProject', { body: { name: 'x' } }, { caller }), /project.manage/);
  await new Promise(setImmediate);
  kit.disk.full = false;
  assert.deepEqual(await refusalsOf(kit), []);
});
