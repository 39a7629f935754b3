// Projects and grants: who sees what, and what a stranger learns.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { authoritiesOf, type Role } from '../../src/contract/world/authority.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import fc from '../fast-check.js';
import { type ControlKit, openControlKit } from './control-kit.js';

const kit: ControlKit = await openControlKit({
  endpoints: (services) => ({ ...projectEndpoints(services), ...organizationEndpoints(services) }),
});
after(() => kit.close());
const { call } = kit;
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;
const newProject = async (name = 'one', caller = kit.caller) => (await call('createProject', { body: { name } }, { caller })).project;
const grant = async (projectId: string, credentialId: string, role: Role) =>
  (await call('createGrant', { path: { projectId }, body: { subject: { kind: 'credential', id: credentialId }, role } })).grant;

test('a project is made, found, listed and renamed by who saw its version', async () => {
  const project = await newProject();
  assert.match(project.projectId, /^prj_[0-9a-z]{26}$/);
  assert.deepEqual(project, {
    schemaVersion: 1,
    organizationId: kit.organizationId,
    projectId: project.projectId,
    name: 'one',
    version: 1,
    createdBy: kit.caller.credentialId,
    createdAtMs: kit.clock.nowMs,
    updatedAtMs: kit.clock.nowMs,
  });
  const path = { projectId: project.projectId };
  assert.deepEqual((await call('getProject', { path })).project, project);
  kit.clock.nowMs += 5;
  const renamed = (await call('updateProject', { path, body: { expectedVersion: 1, name: 'two' } })).project;
  assert.deepEqual(renamed, { ...project, name: 'two', version: 2, updatedAtMs: kit.clock.nowMs });
  await assert.rejects(call('updateProject', { path, body: { expectedVersion: 1, name: 'three' } }), (error: ServiceError) => {
    assert.deepEqual([error.code, error.extra.details], ['control.VERSION_CONFLICT', { expectedVersion: 1, version: 2 }]);
    return true;
  });
  assert.deepEqual((await call('getProject', { path })).project, renamed);
  const ids = (await call('listProjects')).items.map(({ projectId }) => projectId);
  assert.deepEqual(ids, [kit.projectId, project.projectId]);
});

test('another tenant’s project does not exist, whatever is asked of it', async () => {
  const { caller: foreigner } = await kit.foreigner();
  const theirs = await newProject('theirs', foreigner);
  const path = { projectId: theirs.projectId };
  const own = await call('getProject', { path }, { caller: foreigner });
  const answers = await Promise.all(
    [
      ...[path, { projectId: 'prj_000000000000' }].flatMap((where) => [
        call('getProject', { path: where }),
        call('updateProject', { path: where, body: { expectedVersion: 1, name: 'mine now' } }),
        call('updateProject', { path: where, body: { expectedVersion: 99, name: 'mine now' } }),
        call('listGrants', { path: where }),
        call('createGrant', { path: where, body: { subject: { kind: 'credential', id: kit.caller.credentialId }, role: 'manager' } }),
        call('deleteGrant', { path: where, body: { grantId: 'grant_000000000000', confirm: '' } }),
      ]),
    ].map((answer) => (answer as Promise<unknown>).catch((error: unknown) => error)),
  );
  for (const error of answers) {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.code, error.message, error.extra], ['control.NOT_FOUND', 'There is no such project.', {}]);
  }
  assert.deepEqual(await call('getProject', { path }, { caller: foreigner }), own);
  assert.ok(!(await call('listProjects')).items.some(({ projectId }) => projectId === theirs.projectId));
  assert.deepEqual((await call('listProjects', {}, { caller: foreigner })).items, [own.project]);
});

test('a grant opens one project and nothing else, and taking it back closes it', async () => {
  const [open, shut] = [await newProject('open'), await newProject('shut')];
  const { caller, credentialId } = await kit.callerWith(null);
  const ids = async () => (await call('listProjects', {}, { caller })).items.map(({ projectId }) => projectId);
  assert.deepEqual(await ids(), []);
  await assert.rejects(call('createProject', { body: { name: 'x' } }, { caller }), refused('control.FORBIDDEN'));
  const given = await grant(open.projectId, credentialId, 'builder');
  assert.deepEqual(await ids(), [open.projectId]);
  await assert.rejects(call('getProject', { path: { projectId: shut.projectId } }, { caller }), refused('control.NOT_FOUND'));
  const rename = call('updateProject', { path: { projectId: open.projectId }, body: { expectedVersion: 1, name: 'x' } }, { caller });
  await assert.rejects(
    rename,
    (error: ServiceError) => error.code === 'control.FORBIDDEN' && error.extra.details?.required === 'project.manage',
  );
  assert.deepEqual((await call('listGrants', { path: { projectId: open.projectId } }, { caller })).items, [given]);
  const body = { grantId: given.grantId, confirm: given.grantId };
  await assert.rejects(call('deleteGrant', { path: { projectId: shut.projectId }, body }), refused('control.NOT_FOUND'));
  await assert.rejects(
    call('deleteGrant', { path: { projectId: open.projectId }, body: { ...body, confirm: 'yes' } }),
    refused('control.CONFIRMATION_MISMATCH'),
  );
  assert.deepEqual((await call('deleteGrant', { path: { projectId: open.projectId }, body })).grant, given);
  assert.deepEqual(await ids(), []);
});

test('a subject has one grant in a project, and is of this organization', async () => {
  const { projectId } = await newProject('strict');
  const { credentialId } = await kit.callerWith(null);
  const first = await grant(projectId, credentialId, 'viewer');
  await assert.rejects(grant(projectId, credentialId, 'manager'), (error: ServiceError) => {
    assert.deepEqual([error.code, error.extra.details], ['control.STATE_CONFLICT', { grantId: first.grantId, role: 'viewer' }]);
    return true;
  });
  const { caller: foreigner } = await kit.foreigner();
  for (const id of [foreigner.credentialId, 'cred_000000000000'])
    await assert.rejects(grant(projectId, id, 'viewer'), refused('control.NOT_FOUND'));
  const user = call('createGrant', { path: { projectId }, body: { subject: { kind: 'user', id: 'usr_000000000000' }, role: 'viewer' } });
  await assert.rejects(user, refused('control.NOT_FOUND'));
});

test('what a caller may do in a project is the greater of its role and its grant', async () => {
  const roles: (Role | null)[] = [null, 'viewer', 'builder', 'manager'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...roles), fc.constantFrom(...roles), async (role, granted) => {
      const { caller, credentialId } = await kit.callerWith(role);
      const given = granted === null ? undefined : await grant(kit.projectId, credentialId, granted);
      const expected = roles[Math.max(roles.indexOf(role), roles.indexOf(granted))];
      assert.deepEqual(caller.authoritiesIn(kit.projectId), expected ? authoritiesOf[expected] : new Set());
      const elsewhere = role === null ? new Set() : authoritiesOf[role];
      assert.deepEqual(caller.authoritiesIn((await newestProject()).projectId), elsewhere);
      if (given) await call('deleteGrant', { body: { grantId: given.grantId, confirm: given.grantId } });
      await call('revokeCredential', { path: { credentialId: credentialId as never }, body: { confirm: credentialId } });
    }),
    { numRuns: 16 },
  );
});
const newestProject = async () => (await call('listProjects')).items.at(-1)!;

test('a cursor of who sees everything is not one for who sees some', async () => {
  const { caller, credentialId } = await kit.callerWith(null);
  await grant(kit.projectId, credentialId, 'viewer');
  await grant((await newestProject()).projectId, credentialId, 'viewer');
  const { nextCursor } = await call('listProjects', { query: { limit: 1 } });
  await assert.rejects(call('listProjects', { query: { cursor: nextCursor! } }, { caller }), refused('control.CURSOR_INVALID'));
  const own = await call('listProjects', { query: { limit: 1 } }, { caller });
  const rest = await call('listProjects', { query: { limit: 1, cursor: own.nextCursor! } }, { caller });
  assert.equal(own.items.length + rest.items.length, 2);
});
