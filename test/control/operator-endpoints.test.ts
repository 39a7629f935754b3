// What the operator's token opens: organizations with limits of their own, suspension, members, credentials, the server key.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type ErrorCode, ServiceError } from '../../src/contract/errors.js';
import type { Caller } from '../../src/control/catalog/endpoint.js';
import { tokenHash } from '../../src/control/catalog/keyring.js';
import { bearerTable, credentialTable, memberId, memberTable, organizationTable } from '../../src/control/catalog/organization-records.js';
import { noteStorage } from '../../src/control/catalog/storage-use.js';
import { takeUpServerKey } from '../../src/control/core/server-key.js';
import { allEndpoints } from '../../src/control/open-control.js';
import { callbackReceiverTable, signingSecretOf } from '../../src/control/organizations/callback-receiver-records.js';
import { readOperatorToken } from '../../src/control/organizations/operator-token.js';
import { until } from '../until.js';
import { type ControlKit, type ControlKitOptions, openControlKit } from './control-kit.js';

const kits: ControlKit[] = [];
after(async () => {
  for (const kit of kits) await kit.close();
});
interface Operated {
  kit: ControlKit;
  operator: Caller;
}
async function open(options: ControlKitOptions = {}): Promise<Operated> {
  const kit = await openControlKit({ endpoints: allEndpoints, ...options });
  kits.push(kit);
  await readOperatorToken(kit.services.catalog, kit.directory);
  const token = readFileSync(join(kit.directory, 'operator.token'), 'utf8').trim();
  return { kit, operator: kit.plane.authenticateOperator(token) };
}
const refused = (code: ErrorCode) => (error: unknown) => error instanceof ServiceError && error.code === code;
async function newOrganization(
  { kit, operator }: Operated,
  body: object = {},
): Promise<{ path: { organizationId: never }; manager: Caller; token: string }> {
  const { organization } = await kit.call('createOrganization', { body: { name: 'acme', ...body } }, { caller: operator });
  const path = { organizationId: organization.organizationId as never };
  const { secret } = await kit.call('createOrganizationCredential', { path, body: { name: 'first' } }, { caller: operator });
  return { path, manager: kit.plane.authenticate(secret!), token: secret! };
}

test('the token is made once, for its owner alone; the catalog has its hash, and no other token opens', async () => {
  const { kit } = await open();
  const file = join(kit.directory, 'operator.token');
  const token = readFileSync(file, 'utf8').trim();
  assert.match(token, /^dyo_[\w-]{43}$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  for (const wrong of ['', 'x', token.slice(0, -1), `${token}x`, token.toUpperCase(), kit.token, tokenHash(token), 'ü'])
    assert.throws(() => kit.plane.authenticateOperator(wrong), refused('control.UNAUTHENTICATED'));
  assert.throws(() => kit.plane.authenticate(token), refused('control.UNAUTHENTICATED'), 'it is no credential');
  const again = (): Promise<void> => readOperatorToken(kit.services.catalog, kit.directory);
  await again();
  rmSync(file);
  await again();
  assert.equal(kit.plane.authenticateOperator(token).credentialId, 'operator', 'the file may be taken away');
  const other = `dyo_${'A'.repeat(43)}`;
  writeFileSync(file, other, { mode: 0o600 });
  await again();
  assert.throws(() => kit.plane.authenticateOperator(token), refused('control.UNAUTHENTICATED'), 'another in its place replaces it');
  assert.equal(kit.plane.authenticateOperator(other).operator, true);
  writeFileSync(file, 'dyo_short', { mode: 0o600 });
  await assert.rejects(again(), /operator.token is damaged/);
  writeFileSync(file, other, { mode: 0o600 });
  rmSync(file);
  writeFileSync(file, other, { mode: 0o644 });
  if (process.platform !== 'win32') await assert.rejects(again(), /can be read or written by others/);
  await kit.end();
  const bytes = readFileSync(join(kit.directory, 'catalog', 'data.mdb'));
  for (const one of [token, other]) assert.ok(!bytes.includes(one.slice(0, 20)), 'no token is in the catalog');
  kits.splice(kits.indexOf(kit), 1);
  rmSync(kit.directory, { recursive: true });
});

test('organizations are made, listed, renamed and changed; what each may use is its own or the service’s', async () => {
  const operated = await open();
  const { kit, operator } = operated;
  const { path, manager } = await newOrganization(operated, { quotas: { projectsMax: 1 }, rate: { perSecond: 5, burst: 7 } });
  const shown = async () => (await kit.call('getOrganization', { path }, { caller: operator })).organization;
  const first = await shown();
  assert.deepEqual([first.name, first.state, first.version, first.own], ['acme', 'active', 1, ['projectsMax', 'rate']]);
  assert.deepEqual([first.quotas.projectsMax, first.quotas.datasetsMax, first.rate], [1, 100, { perSecond: 5, burst: 7 }]);
  const { projectId } = (await kit.call('createProject', { body: { name: 'one' } }, { caller: manager })).project;
  const create = () => kit.call('createProject', { body: { name: 'another' } }, { caller: manager });
  await assert.rejects(create(), refused('control.QUOTA_EXCEEDED'));
  await kit.call('createProject', { body: { name: 'theirs' } });
  const usage = await kit.call('getUsage', {}, { caller: manager });
  assert.deepEqual(
    usage.usage.quotas.find(({ quota }) => quota === 'projectsMax'),
    { quota: 'projectsMax', used: 1, max: 1 },
  );
  assert.deepEqual(await kit.call('getOrganizationUsage', { path }, { caller: operator }), usage);
  await kit.services.catalog.change((tx) => noteStorage(tx, { ownerId: 'a', ...path, projectId, bytes: 7 }));
  const { quotas } = (await kit.call('getUsage', { query: { projectId } }, { caller: manager })).usage;
  assert.deepEqual(quotas.at(-1), { quota: 'projectBytesMax', used: 7, max: first.quotas.projectBytesMax });
  await assert.rejects(kit.call('getUsage', { query: { projectId: kit.projectId } }, { caller: manager }), refused('control.NOT_FOUND'));
  await kit.services.catalog.change((tx) => noteStorage(tx, { ownerId: 'a', ...path, projectId, bytes: 0 }));
  await kit.call(
    'updateOrganization',
    { path, body: { name: 'acme 2', quotas: { projectsMax: 2, datasetsMax: 0 } } },
    { caller: operator },
  );
  await create();
  await assert.rejects(create(), refused('control.QUOTA_EXCEEDED'));
  await kit.call('updateOrganization', { path, body: { quotas: { projectsMax: null }, rate: null } }, { caller: operator });
  await create();
  const last = await shown();
  assert.deepEqual([last.name, last.version, last.own, last.quotas.projectsMax], ['acme 2', 3, ['datasetsMax'], 100]);
  const { items } = await kit.call('listOrganizations', {}, { caller: operator });
  assert.deepEqual(items.map(({ name }) => name).sort(), ['acme 2', 'default']);
  const { items: trail } = await kit.call('listAuditEvents', {}, { caller: manager });
  const byOperator = trail.filter(({ credentialId }) => credentialId === 'operator').map(({ action }) => action);
  assert.deepEqual(byOperator.reverse(), [
    'createOrganization',
    'createOrganizationCredential',
    'updateOrganization',
    'updateOrganization',
  ]);
  assert.equal(
    (await kit.call('listAuditEvents')).items.some(({ credentialId }) => credentialId === 'operator'),
    false,
  );
});

test('rates are of one credential and of an organization, each by its own; a change holds at once', async () => {
  const operated = await open({ settings: { rate: { perSecond: 10, burst: 10 }, organizationRate: { perSecond: 12, burst: 12 } } });
  const { kit, operator } = operated;
  const { path, token } = await newOrganization(operated, { rate: { perSecond: 1, burst: 2 } });
  const limited = (one: string) => assert.throws(() => kit.plane.authenticate(one), refused('control.RATE_LIMITED'));
  kit.plane.authenticate(token);
  limited(token);
  await kit.call(
    'updateOrganization',
    { path, body: { rate: { perSecond: 100, burst: 100 }, organizationRate: { perSecond: 3, burst: 3 } } },
    { caller: operator },
  );
  kit.clock.nowMs += 10_000;
  for (let n = 0; n < 3; n++) kit.plane.authenticate(token);
  limited(token);
  // The neighbour: one credential has 10, and all of them together 12.
  const one = await kit.callerWith('viewer');
  const other = await kit.callerWith('viewer');
  kit.clock.nowMs += 10_000;
  for (let n = 0; n < 10; n++) kit.plane.authenticate(one.token);
  limited(one.token);
  kit.plane.authenticate(other.token);
  kit.plane.authenticate(other.token);
  limited(other.token);
});

test('a suspended organization keeps everything and may do nothing; the others are not concerned', async () => {
  const operated = await open();
  const { kit, operator } = operated;
  const { path, token, manager } = await newOrganization(operated);
  const { project } = await kit.call('createProject', { body: { name: 'kept' } }, { caller: manager });
  const { organization } = await kit.call('suspendOrganization', { path, body: { reason: 'unpaid' } }, { caller: operator });
  assert.deepEqual(
    [organization.state, organization.suspendedReason, organization.suspendedAtMs],
    ['suspended', 'unpaid', kit.clock.nowMs],
  );
  assert.throws(
    () => kit.plane.authenticate(token),
    (error: ServiceError) => refused('control.ORGANIZATION_SUSPENDED')(error) && !error.message.includes('unpaid'),
  );
  kit.plane.authenticate(kit.token);
  kit.clock.nowMs += 5000;
  const again = await kit.call('suspendOrganization', { path, body: {} }, { caller: operator });
  assert.deepEqual([again.organization.suspendedAtMs, again.organization.suspendedReason], [organization.suspendedAtMs, undefined]);
  const { items } = await kit.call('listOrganizationAuditEvents', { path, query: { outcome: 'refused' } }, { caller: operator });
  assert.deepEqual(
    items.map(({ refusal }) => refusal?.code),
    ['control.ORGANIZATION_SUSPENDED'],
  );
  await kit.end('crash');
  const next = await open({ directory: kit.directory, clock: kit.clock });
  kits.splice(kits.indexOf(kit), 1);
  assert.throws(() => next.kit.plane.authenticate(token), refused('control.ORGANIZATION_SUSPENDED'), 'in the next incarnation too');
  await next.kit.call('resumeOrganization', { path, body: {} }, { caller: next.operator });
  const caller = next.kit.plane.authenticate(token);
  const { project: kept } = await next.kit.call('getProject', { path: { projectId: project.projectId as never } }, { caller });
  assert.deepEqual(kept, project);
});

test('a suspension asks the work that runs to stop, and nobody else’s', async () => {
  const began = new Set<string>();
  const operated = await open({
    runners: ({ operations }) => {
      for (const kind of ['world.time.advance', 'world.session.create'] as const) {
        operations.define(kind, {
          run: async ({ operation }, { signal }) => {
            began.add(operation.operationId);
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            return { state: 'cancelled', apply: () => null };
          },
        });
      }
    },
  });
  const { kit, operator } = operated;
  const { operations, catalog } = kit.services;
  const { path } = await newOrganization(operated);
  const begin = async (organizationId: string, kind: 'world.time.advance' | 'world.session.create', lane: string): Promise<string> => {
    const request = { idempotencyKey: 'key-0001', requestHash: 'x', correlationId: 'corr_1', projectId: 'prj_1', input: null };
    const made = { ...request, organizationId, kind, lane, resource: { type: 'session', id: lane } };
    return (await catalog.change((tx) => operations.create(tx, made))).operationId;
  };
  const running = await begin(path.organizationId, 'world.time.advance', 'a');
  const waiting = await begin(path.organizationId, 'world.time.advance', 'a');
  const short = await begin(path.organizationId, 'world.session.create', 'b');
  const theirs = await begin(kit.organizationId, 'world.time.advance', 'c');
  await until(() => [running, short, theirs].every((one) => began.has(one)));
  await kit.call('suspendOrganization', { path, body: {} }, { caller: operator });
  assert.deepEqual(await Promise.all([running, waiting].map(async (one) => (await operations.whenEnded(one)).state)), [
    'cancelled',
    'cancelled',
  ]);
  assert.deepEqual(
    [short, theirs].map((one) => operations.find(one)?.state),
    ['running', 'running'],
  );
  for (const one of [short, theirs]) await catalog.change((tx) => operations.cancel(tx, one));
  await Promise.all([short, theirs].map((one) => operations.whenEnded(one)));
});

test('the operator issues, lists and revokes credentials, and changes members, of the organization that is named', async () => {
  const operated = await open();
  const { kit, operator } = operated;
  const { path, token } = await newOrganization(operated);
  const by = { caller: operator };
  const key = 'issue-0001';
  const body = { name: 'ci', role: 'builder' as const, ttlMs: 60_000 };
  const { credential, secret } = await kit.call('createOrganizationCredential', { path, body }, { ...by, key });
  assert.deepEqual([credential.role, credential.createdBy], ['builder', 'operator']);
  assert.equal((await kit.call('createOrganizationCredential', { path, body }, { ...by, key })).secret, undefined);
  const named = { ...path, credentialId: credential.credentialId as never };
  await assert.rejects(
    kit.call('revokeOrganizationCredential', { path: named, body: { confirm: 'yes' } }, by),
    refused('control.CONFIRMATION_MISMATCH'),
  );
  await kit.call('revokeOrganizationCredential', { path: named, body: { confirm: credential.credentialId } }, by);
  assert.throws(() => kit.plane.authenticate(secret!), refused('control.UNAUTHENTICATED'));
  assert.equal((await kit.call('listOrganizationCredentials', { path }, by)).items.length, 2);
  kit.plane.authenticate(token);

  const member = { schemaVersion: 1 as const, organizationId: path.organizationId, userId: `usr_${'0'.repeat(26)}`, subject: 'ada' };
  await kit.services.catalog.change((tx) =>
    tx.put(memberTable, { member: { ...member, role: 'viewer', state: 'active', createdAtMs: 1 }, issuer: 'https://issuer.example' }),
  );
  const who = { ...path, userId: member.userId as never };
  assert.equal((await kit.call('updateOrganizationMember', { path: who, body: { role: 'manager' } }, by)).member.role, 'manager');
  assert.equal((await kit.call('removeOrganizationMember', { path: who, body: { confirm: member.userId } }, by)).member.state, 'removed');
  assert.equal((await kit.call('restoreOrganizationMember', { path: who, body: { role: null } }, by)).member.state, 'active');
  const { items } = await kit.call('listOrganizationMembers', { path }, by);
  assert.deepEqual(
    items.map(({ userId, role }) => [userId, role]),
    [[member.userId, null]],
  );
  assert.ok(kit.services.catalog.view.get(memberTable, memberId(member)) !== undefined);
});

test('a secret that derives from the key is returned again to who asked first, and to nobody else', async () => {
  const { kit } = await open();
  const other = await kit.callerWith('manager');
  const asked = { body: { receiverId: 'hooks', origin: 'https://hooks.example.com' } };
  const key = 'receiver-0001';
  const first = await kit.dispatch('createCallbackReceiver', asked, { key });
  const again = await kit.dispatch('createCallbackReceiver', asked, { key });
  assert.deepEqual([again.replayed, again.reply], [true, first.reply]);
  await assert.rejects(
    kit.dispatch('createCallbackReceiver', asked, { key, caller: other.caller }),
    refused('control.IDEMPOTENCY_KEY_REUSED'),
  );
  const credential = await kit.dispatch('createCredential', { body: { name: 'ci', role: null } }, { key });
  const theirs = await kit.dispatch('createCredential', { body: { name: 'ci', role: null } }, { key, caller: other.caller });
  assert.deepEqual([theirs.replayed, theirs.reply], [true, { credential: credential.reply.credential }]);
});

test('a rotation: receivers keep their secret for the grace, unless they are given the new one; cursors begin again', async () => {
  const { kit, operator } = await open();
  const by = { caller: operator };
  const body = { receiverId: 'hooks', origin: 'https://hooks.example.com' };
  const made = await kit.call('createCallbackReceiver', { body }, { key: 'receiver-0001' });
  const other = await kit.call('createCallbackReceiver', { body });
  const signs = ({ callbackReceiver }: typeof made): string =>
    signingSecretOf(
      kit.services.keyring,
      kit.services.catalog.view.get(callbackReceiverTable, callbackReceiver.callbackReceiverBindingId)!,
    );
  for (let n = 0; n < 2; n++) await kit.callerWith('viewer');
  const { nextCursor } = await kit.call('listCredentials', { query: { limit: 1 } });
  const page = () => kit.call('listCredentials', { query: { limit: 1, cursor: nextCursor as never } });
  const key = 'rotate-0001';
  const { generations } = await kit.call('rotateServerKey', { body: { graceMs: 60_000 } }, { ...by, key });
  assert.deepEqual(generations, (await kit.call('rotateServerKey', { body: { graceMs: 60_000 } }, { ...by, key })).generations);
  assert.deepEqual(
    generations.map(({ generation }) => generation),
    [2, 1],
  );
  assert.deepEqual([signs(made), signs(other)], [made.signingSecret, other.signingSecret]);
  assert.equal((await kit.call('createCallbackReceiver', { body }, { key: 'receiver-0001' })).signingSecret, made.signingSecret);
  const path = { callbackReceiverBindingId: made.callbackReceiver.callbackReceiverBindingId as never };
  const renewed = await kit.call('renewCallbackSecret', { path, body: { expectedVersion: 1 } });
  assert.deepEqual([renewed.callbackReceiver.keyGeneration, renewed.callbackReceiver.version], [2, 2]);
  assert.notEqual(renewed.signingSecret, made.signingSecret);
  assert.deepEqual([signs(made), signs(other)], [renewed.signingSecret, other.signingSecret]);
  await page();
  kit.clock.nowMs += 60_000;
  assert.equal(signs(made), renewed.signingSecret);
  assert.notEqual(signs(other), other.signingSecret, 'after the grace it is of the present key');
  await assert.rejects(page(), refused('control.CURSOR_INVALID'));
  kit.plane.authenticate(kit.token);
  await kit.call('revokeCallbackReceiver', { path, body: { expectedVersion: 2 } });
  await assert.rejects(kit.call('renewCallbackSecret', { path, body: { expectedVersion: 3 } }), refused('control.STATE_CONFLICT'));
});

test('the catalog of an early version opens and continues: one organization, derived credentials, until its key is accepted no more', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-early-'));
  const key = Buffer.alloc(32, 9);
  writeFileSync(join(directory, 'server.key'), key.toString('hex'), { mode: 0o600 });
  const { kit, operator } = await open({ directory });
  await takeUpServerKey(kit.services);
  const organizationId = 'org_0000000000early';
  const derived = (credentialId: string): string =>
    `dyc_${createHmac('sha256', key).update(`token control ${credentialId}`).digest('base64url')}`;
  const early = (credentialId: string, createdBy: string, role: 'manager' | null) => ({
    credential: { schemaVersion: 1 as const, credentialId, organizationId, name: 'early', prefix: 'dyc_', role, createdBy, createdAtMs: 5 },
    counted: true,
  });
  const userId = `usr_${'1'.repeat(26)}`;
  await kit.services.catalog.change((tx) => {
    tx.put(organizationTable, { organizationId, name: 'early', createdAtMs: 5 });
    const member = {
      schemaVersion: 1 as const,
      organizationId,
      userId,
      subject: 'ada',
      role: 'manager' as const,
      state: 'active' as const,
      createdAtMs: 5,
    };
    tx.put(memberTable, { member, issuer: 'https://issuer.example' });
    for (const record of [
      early('cred_0first', 'first start', 'manager'),
      early('cred_0second', userId, 'manager'),
      early('cred_0third', 'cred_0second', 'manager'),
    ]) {
      tx.put(credentialTable, record);
      tx.put(bearerTable, { hash: tokenHash(derived(record.credential.credentialId)), credentialId: record.credential.credentialId });
    }
  });
  const [first, second, third] = ['cred_0first', 'cred_0second', 'cred_0third'].map(derived) as [string, string, string];
  for (const token of [first, second, third]) assert.equal(kit.plane.authenticate(token).role, 'manager');
  // What early records do not say is found: whose member made them.
  await kit.call(
    'updateMember',
    { path: { userId: userId as never }, body: { role: 'viewer' } },
    { caller: kit.plane.authenticate(first) },
  );
  assert.deepEqual(
    [first, second, third].map((token) => kit.plane.authenticate(token).role),
    ['manager', 'viewer', 'viewer'],
  );
  const path = { organizationId: organizationId as never };
  const { organization } = await kit.call('getOrganization', { path }, { caller: operator });
  assert.deepEqual([organization.version, organization.state, organization.own], [1, 'active', []]);
  await kit.call('rotateServerKey', { body: { graceMs: 1000 } }, { caller: operator });
  kit.plane.authenticate(first);
  kit.clock.nowMs += 1000;
  assert.throws(() => kit.plane.authenticate(first), refused('control.UNAUTHENTICATED'));
  assert.equal(kit.plane.authenticate(kit.token).role, 'manager', 'a random one is no affair of the key');
});
