// The deletion of a project step by step: what is refused from its acknowledgment on, how it is cut into slices, and that any of them may
// be the last of an incarnation.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { projectTable } from '../../src/control/catalog/organization-records.js';
import { operationTable } from '../../src/control/core/operation-records.js';
import type { ServiceWorlds } from '../../src/control/core/services.js';
import { allEndpoints, defineRunners } from '../../src/control/open-control.js';
import { openCatalogFile, verifyCatalog } from '../../src/control/verify-catalog.js';
import { type ControlKit, type ControlKitOptions, openControlKit } from './control-kit.js';
import { refuses } from './session-kit.js';

/** Without worlds: the folder of a project goes when the test says so. */
function openKit(options: ControlKitOptions & { removed?: Promise<void> } = {}): Promise<ControlKit> {
  const { removed = Promise.resolve(), ...rest } = options;
  const worlds = { removeProject: () => removed } as unknown as ServiceWorlds;
  return openControlKit({ endpoints: allEndpoints, runners: defineRunners, services: { worlds }, ...rest });
}

const files = [{ path: 'a.txt', content: 'a' }];
/** Something of every kind that needs neither a world nor a compiler. */
async function filledProject({ call, caller }: ControlKit, environments: number): Promise<{ projectId: string }> {
  const { projectId } = (await call('createProject', { body: { name: 'to go' } })).project;
  const path = { projectId };
  await Promise.all(Array.from({ length: environments }, (_, at) => call('createEnvironment', { path, body: { name: `e${at}` } })));
  for (const name of ['one', 'two']) {
    const { sourceDraftId, version: expectedVersion } = (await call('createSourceDraft', { path, body: { name, files } })).sourceDraft;
    await call('createSourceRevision', {
      path: { ...path, sourceDraftId },
      body: { expectedVersion, files: [...files, ...files].slice(1) },
    });
    const body = { expectedVersion: expectedVersion + 1, confirm: sourceDraftId };
    if (name === 'two') await call('deleteSourceDraft', { path: { ...path, sourceDraftId }, body });
  }
  await call('createAuthoringSession', { path, body: { author: 'manual' } });
  await call('createDatasetUpload', { path, body: { bytes: 2, hash: `sha256:${'0'.repeat(64)}` } });
  await call('createCallbackReceiver', { path, body: { receiverId: 'hooks', origin: 'https://hooks.example.com' } });
  await call('createGrant', { path, body: { subject: { kind: 'credential', id: caller.credentialId }, role: 'viewer' } });
  return path;
}

const remove = (kit: ControlKit, { projectId }: { projectId: string }, key = 'delete-1234') =>
  kit.dispatch('deleteProject', { path: { projectId }, body: { confirm: projectId } }, { key });

// DISPATCH-5
test('a project that is being deleted takes nothing in and shows nothing but itself and its operations', async () => {
  let release = (): void => {};
  const removed = new Promise<void>((resolve) => {
    release = resolve;
  });
  const kit = await openKit({ removed });
  const { call } = kit;
  const path = await filledProject(kit, 1);
  const environmentKey = 'an-environment-1';
  const made = await call('createEnvironment', { path, body: { name: 'twice' } }, { key: environmentKey });
  const { caller: builder } = await kit.callerWith('builder');
  await refuses(call('deleteProject', { path, body: { confirm: path.projectId } }, { caller: builder }), 'control.FORBIDDEN', {
    required: 'project.manage',
  });
  const { caller: granted, credentialId } = await kit.callerWith(null);
  await call('createGrant', { path, body: { subject: { kind: 'credential', id: credentialId }, role: 'manager' } });
  const accepted = await remove(kit, path);
  const { project, operation } = accepted.reply as { project: { deletionRequestedAtMs?: number }; operation: { operationId: string } };
  assert.equal(project.deletionRequestedAtMs, kit.clock.nowMs);

  await refuses(call('createEnvironment', { path, body: { name: 'late' } }), 'control.STATE_CONFLICT', { state: 'deleting' });
  await refuses(call('createSourceDraft', { path, body: { name: 'late', files } }), 'control.STATE_CONFLICT', { state: 'deleting' });
  await refuses(call('updateProject', { path, body: { expectedVersion: 2, name: 'late' } }), 'control.STATE_CONFLICT');
  const about = { caller: kit.caller, correlationId: 'corr_1', idempotencyKey: 'another-key-1' };
  assert.throws(() => kit.plane.admit('createEnvironment', path, about), { code: 'control.STATE_CONFLICT' });
  const other = await refuses(remove(kit, path, 'another-key-1'), 'control.STATE_CONFLICT');
  assert.equal(other.extra.operationId, operation.operationId);
  for (const id of ['listEnvironments', 'listSourceDrafts', 'listGrants', 'listSessions'] as const)
    await refuses(call(id, { path }), 'control.NOT_FOUND');
  assert.deepEqual((await call('getProject', { path })).project, project);
  assert.ok((await call('listProjects')).items.some(({ projectId }) => projectId === path.projectId));
  await refuses(call('cancelOperation', { path: { ...path, operationId: operation.operationId } }), 'control.STATE_CONFLICT');
  // What was answered before is answered again.
  assert.deepEqual((await kit.dispatch('createEnvironment', { path, body: { name: 'twice' } }, { key: environmentKey })).reply, made);
  assert.deepEqual((await remove(kit, path)).reply, accepted.reply);
  const seen = await call('getOperation', { path: { ...path, operationId: operation.operationId } }, { caller: granted });
  assert.equal(seen.operation.state, 'running');

  release();
  assert.equal((await kit.services.operations.whenEnded(operation.operationId)).state, 'succeeded');
  const replay = await remove(kit, path);
  assert.deepEqual([replay.replayed, replay.reply], [true, accepted.reply]);
  await refuses(remove(kit, path, 'another-key-1'), 'control.NOT_FOUND');
  const ended = { path: { ...path, operationId: operation.operationId } };
  assert.equal((await call('getOperation', ended)).operation.state, 'succeeded');
  for (const id of ['getProject', 'listOperations', 'listEnvironments'] as const) await refuses(call(id, { path }), 'control.NOT_FOUND');
  // Who had a grant in it alone, who may not delete, and another tenant see what never was.
  const { caller: foreign } = await kit.foreigner();
  await refuses(call('getOperation', ended, { caller: granted }), 'control.NOT_FOUND');
  for (const caller of [builder, granted, foreign])
    await refuses(call('deleteProject', { path, body: { confirm: path.projectId } }, { caller }), 'control.NOT_FOUND');
  await kit.close();
});

// PROJECT-DELETION-3
test('much of it goes in slices, and others are answered in between', async () => {
  const kit = await openKit();
  const environments = 5 * limits.projectRecordsPerChange;
  const path = await filledProject(kit, environments);
  const { catalog, operations } = kit.services;
  const sizes: number[] = [];
  const { operation } = (await remove(kit, path)).reply as { operation: { operationId: string } };
  const seen = new Set<number>();
  while (catalog.view.get(projectTable, path.projectId) !== undefined) {
    await kit.call('createAuthoringSession', { body: { author: 'manual' } });
    const { result } = operations.find(operation.operationId) as { result?: { recordsRemoved?: number } };
    seen.add(result?.recordsRemoved ?? 0);
  }
  const counts = [...seen].sort((left, right) => left - right);
  for (let at = 1; at < counts.length; at++) sizes.push((counts[at] as number) - (counts[at - 1] as number));
  assert.ok(counts.length > 5, `another tenant was answered ${counts.length} times`);
  assert.ok(
    sizes.every((size) => size <= 3 * limits.projectRecordsPerChange),
    sizes.join(' '),
  );
  await kit.close();
});

// PROJECT-DELETION-2, PROJECT-PARTS-1
test('each incarnation may end after two changes of the catalog, and the last one finishes what the first began', async () => {
  let kit = await openKit();
  const { directory, projectId: other } = kit;
  const path = await filledProject(kit, limits.projectRecordsPerChange + 1);
  const { operation } = (await remove(kit, path)).reply as { operation: { operationId: string } };
  await kit.end('crash');
  let incarnations = 0;
  for (let isOver = false; !isOver; incarnations++) {
    assert.ok(incarnations < 40, 'it never ends');
    const checked = openCatalogFile(directory);
    const faults: string[] = [];
    // The kit's own project names an example that was never built.
    verifyCatalog(checked, (fault) => fault.includes(`build ${other} `) || faults.push(fault));
    await checked.close();
    assert.deepEqual(faults, [], `after ${incarnations} incarnations`);
    kit = await openKit({ directory });
    isOver = await endsWithin(kit, operation.operationId);
    if (!isOver) await kit.end('crash');
  }
  assert.ok(incarnations > 4, `${incarnations} incarnations`);
  const { catalog } = kit.services;
  assert.equal(catalog.view.get(operationTable, operation.operationId)?.operation.state, 'succeeded');
  assert.ok(catalog.view.get(projectTable, other));
  await kit.end();
  const left = openCatalogFile(directory);
  const keys = [...left.database.getRange({ snapshot: false })]
    .filter(({ key, value }) => key.toString('latin1').includes(path.projectId) || value.toString().includes(path.projectId))
    .map(({ key }) => key.toString('latin1').split(' '))
    .filter(([, table]) => table !== 'audit' && table !== 'operation');
  await left.close();
  // The claims of who made and who deleted it.
  assert.deepEqual(keys.map(([kind, table]) => `${kind} ${table}`).sort(), ['i claim', 'r claim', 'r claim']);
  rmSync(directory, { recursive: true, force: true });
});

/** The disk takes this many more flushes. Yields whether the operation ended by then. */
async function endsWithin(kit: ControlKit, operationId: string, flushes = 3): Promise<boolean> {
  const until = kit.services.catalog.commits + flushes;
  Object.defineProperty(kit.disk, 'full', { get: () => kit.services.catalog.commits >= until, set: () => {} });
  const { view } = kit.services.catalog;
  const isOver = (): boolean => view.get(operationTable, operationId)?.operation.state === 'succeeded';
  while (!isOver() && kit.services.catalog.commits < until) await new Promise((resolve) => setTimeout(resolve, 2));
  return isOver();
}
