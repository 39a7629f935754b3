// Bytes of sessions, projects and organizations: bounded, counted once, and freed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { countOf } from '../../src/control/catalog/quotas.js';
import { noteStorage, requireStorage, storageOf } from '../../src/control/catalog/storage-use.js';
import { purge } from '../../src/control/purge.js';
import { quietSettings } from './control-kit.js';
import { openSessionKit, type SessionKit } from './session-kit.js';
import { compiler, openSourceKit, soundFiles } from './source-kit.js';

const kits: SessionKit[] = [];
after(async () => {
  for (const kit of kits) await kit.close();
  await compiler.close();
});
async function open(quotas: Partial<typeof quietSettings.quotas>, directory?: string): Promise<SessionKit> {
  const settings = { quotas: { ...quietSettings.quotas, ...quotas } };
  const kit = await openSessionKit({ settings, ...(directory === undefined ? {} : { directory }) });
  kits.push(kit);
  return kit;
}
function isQuota(name: string) {
  return (error: unknown): boolean =>
    error instanceof ServiceError && error.code === 'control.QUOTA_EXCEEDED' && error.extra.details?.quota === name;
}
const sweep = ({ services }: SessionKit): Promise<number> => services.storageWatch.sweep();

// STORAGE-WATCH-1
test('a session at its bound refuses calls of agents and advances; a reset frees space', async () => {
  const kit = await open({ sessionBytesMax: 100_000 });
  const session = await kit.session();
  const { sessionId } = session;
  const { credential } = await kit.access(sessionId);
  let status = 200;
  let calls = 0;
  let body = {};
  for (; status === 200 && calls < 1_000; calls++) ({ status, body } = await kit.add(credential, 1));
  assert.deepEqual([status, (body as { code: string }).code], [429, 'control.QUOTA_EXCEEDED']);
  assert.ok(calls > 10);
  const { storage } = await kit.call('getSessionRuntime', { path: { sessionId } });
  assert.ok(storage.bytes >= 100_000 && storage.bytesMax === 100_000);
  const advance = await kit.call('advanceTime', { path: { sessionId }, body: { ...kit.fence(session), targetUs: 1_000, maxEvents: 10 } });
  const { state, error } = await kit.ended(advance.operation);
  assert.deepEqual([state, error?.code], ['failed', 'control.QUOTA_EXCEEDED']);
  const { session: now } = await kit.call('getSession', { path: { sessionId } });
  const reset = await kit.call('resetSession', { path: { sessionId }, body: { expectedLeaseGeneration: now.leaseGeneration } });
  await kit.done(reset.operation);
  assert.equal((await kit.add((await kit.access(sessionId)).credential, 1)).status, 200);
});

// STORAGE-WATCH-1
test('a project at its bound begins no session and no command; what ends gives its bytes back', async () => {
  const kit = await open({ projectBytesMax: 120_000 });
  const [first, second] = [await kit.session(), await kit.session()];
  const { credential } = await kit.access(first.sessionId);
  const quiet = await kit.access(second.sessionId);
  let calls = 0;
  for (let status = 200; status === 200 && calls < 1_000; calls++) {
    ({ status } = await kit.add(credential, 1));
    if (calls % 20 === 0) await sweep(kit);
  }
  assert.ok(calls > 20 && calls < 1_000, `${calls}`);
  const { status, body } = await kit.add(quiet.credential, 1);
  assert.deepEqual([status, (body.details as { quota: string }).quota], [429, 'projectBytesMax']);
  await assert.rejects(kit.session(), isQuota('projectBytesMax'));
  // Reads, and the end, continue.
  assert.equal((await kit.get(first.sessionId)).state, 'ready');
  const { leaseGeneration: expectedLeaseGeneration, sessionId } = first;
  const ending = await kit.call('destroySession', { path: { sessionId }, body: { expectedLeaseGeneration, confirm: sessionId } });
  await kit.done(ending.operation);
  assert.equal(storageOf(kit.services.catalog.view, sessionId), 0);
  assert.equal((await kit.add(quiet.credential, 1)).status, 200);
  await kit.session();
});

test('sums are of the project and of the organization, each share counts once, and they outlive a crash', async () => {
  const kit = await open({ projectBytesMax: 1_000, organizationBytesMax: 1_500 });
  const { services, organizationId } = kit;
  const note = (ownerId: string, projectId: string, bytes: number) =>
    services.catalog.change((tx) => noteStorage(tx, { ownerId, organizationId, projectId, bytes }));
  const check = (projectId: string, of = kit) => requireStorage(of.services.catalog.view, of.services, { organizationId, projectId });
  await note('a', 'prj_one', 600);
  await note('a', 'prj_one', 600);
  await note('b', 'prj_one', 399);
  check('prj_one');
  await note('b', 'prj_one', 400);
  assert.throws(() => check('prj_one'), isQuota('projectBytesMax'));
  await note('c', 'prj_two', 499);
  check('prj_two');
  await note('c', 'prj_two', 500);
  assert.throws(() => check('prj_two'), isQuota('organizationBytesMax'));
  await kit.end('crash');
  const next = await open({ projectBytesMax: 1_000, organizationBytesMax: 1_500 }, kit.directory);
  assert.throws(() => check('prj_one', next), isQuota('projectBytesMax'));
  await next.services.catalog.change((tx) => noteStorage(tx, { ownerId: 'a', organizationId, projectId: 'prj_one', bytes: 0 }));
  check('prj_one', next);
  check('prj_two', next);
});

// STORAGE-USE-1
test('what is sent counts: drafts, conversations, rows, builds; what is deleted or removed gives its bytes back', async (t) => {
  const kit = await openSourceKit(t);
  const { services, organizationId, projectId } = kit;
  const { catalog, settings } = services;
  const place = { organizationId, projectId };
  const used = (): number => countOf(catalog.view, `quota ${projectId} projectBytesMax`);
  const bytesOf = (files: readonly { content: string }[]): number =>
    files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  assert.equal(used(), 0);
  const draft = await kit.draftOf();
  assert.equal(used(), bytesOf(soundFiles));
  const twin = (await kit.draftOf()).sourceDraftId;
  assert.equal(used(), 2 * bytesOf(soundFiles), 'though the disk has equal files once');
  await kit.call('deleteSourceDraft', { path: { sourceDraftId: twin }, body: { expectedVersion: 1, confirm: twin } });
  assert.equal(used(), bytesOf(soundFiles));
  const { sourceDraftId } = draft;
  const changes = [{ action: 'put' as const, path: 'notes.md', content: 'ünd' }];
  const revised = await kit.call('createSourceRevision', { path: { sourceDraftId }, body: { expectedVersion: 1, changes } });
  assert.equal(used(), bytesOf(soundFiles) + 4, 'of a revision what was sent');
  const { attempt } = await kit.buildOf(draft);
  const withBuild = used();
  assert.ok(withBuild > bytesOf(soundFiles) + 4);
  const rows = { buildHash: attempt.buildHash as string, packageId: 'notes', collections: [] };
  const { dataset } = await kit.call('createDataset', { body: { name: 'none', ...rows } });
  const { datasetId } = dataset;
  assert.ok(used() > withBuild);

  await catalog.change((tx) => noteStorage(tx, { ownerId: 'a world', ...place, bytes: settings.quotas.projectBytesMax }));
  const refused: Promise<unknown>[] = [
    kit.draftOf(),
    kit.call('createSourceRevision', { path: { sourceDraftId }, body: { expectedVersion: 2, changes } }),
    kit.call('createBuild', { path: { sourceDraftId, revision: 2 }, body: {} }),
    kit.call('createDataset', { body: { name: 'more', ...rows } }),
    kit.call('createDatasetRevision', { path: { datasetId }, body: { expectedVersion: 1, ...rows } }),
  ];
  await Promise.all(refused.map((one) => assert.rejects(one, isQuota('projectBytesMax'))));
  await catalog.change((tx) => noteStorage(tx, { ownerId: 'a world', ...place, bytes: 0 }));

  const confirm = { expectedVersion: revised.sourceDraft.version, confirm: sourceDraftId };
  const before = used();
  await kit.call('deleteSourceDraft', { path: { sourceDraftId }, body: confirm });
  assert.equal(before - used(), bytesOf(soundFiles) + 4);
  await kit.call('archiveDataset', { path: { datasetId }, body: { expectedVersion: 1, confirm: datasetId } });
  kit.clock.nowMs += 1_000 * 86_400_000;
  await purge(services);
  assert.deepEqual([used(), countOf(catalog.view, `quota ${organizationId} organizationBytesMax`)], [0, 0]);
});

// STORAGE-USE-2
test('turns and proposals count until retention removes them, tool setups until they are deleted', async (t) => {
  const kit = await openSourceKit(t);
  const { services, projectId } = kit;
  const used = (): number => countOf(services.catalog.view, `quota ${projectId} projectBytesMax`);
  const { catalog } = services;
  let { session } = await kit.call('createAuthoringSession', { body: { author: 'manual' } });
  const path = { authoringSessionId: session.authoringSessionId };
  for (let turn = 1; turn <= 3; turn++) {
    const changes = [
      { action: 'put' as const, path: 'large.txt', content: 'x'.repeat(100_000) },
      { action: 'delete' as const, path: 'large.txt' },
      { action: 'put' as const, path: 'a.txt', content: String(turn) },
    ];
    const body = { expectedVersion: session.version, prompt: 'p'.repeat(1_000), changes };
    const { operation } = await kit.call('createAuthoringTurn', { path, body });
    await services.operations.whenEnded(operation.operationId);
    session = (await kit.call('getAuthoringSession', { path })).session;
    assert.ok(used() > turn * 101_000, `${used()} after ${turn}`);
  }
  const confirm = session.authoringSessionId;
  await kit.call('discardAuthoringSession', { path, body: { expectedVersion: session.version, confirm } });
  assert.ok(used() > 303_000);
  kit.clock.nowMs += 1_000 * 86_400_000;
  await purge(services);
  assert.equal(used(), 0);

  const [tool] = (await kit.call('listToolLibrary')).items;
  const { libraryEntryId, packageArchiveDigest: expectedPackageArchiveDigest } = tool!;
  const tools = [{ libraryEntryId, expectedPackageArchiveDigest, initialState: 'empty' as const }];
  const made = await kit.call('createToolSetup', { body: { use: 'reusable', name: 'n'.repeat(100), tools } });
  await services.operations.whenEnded(made.operation.operationId);
  const { setupId, sourceDraftId } = made.setup;
  const ofSetup = storageOf(catalog.view, setupId);
  assert.ok(ofSetup > 400);
  const before = used();
  await kit.call('deleteToolSetup', { path: { setupId }, body: { confirm: setupId } });
  assert.deepEqual([before - used(), storageOf(catalog.view, setupId)], [ofSetup, 0]);
  assert.ok(storageOf(catalog.view, sourceDraftId) > 0);
});
