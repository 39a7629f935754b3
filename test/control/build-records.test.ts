// Two tenants whose sources differ in what no hash covers have builds of one hash, and each has its own all the same.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import type { Build, BuildAttempt, SourceFileInput } from '../../src/contract/hosted/source.js';
import { sweepBlobs } from '../../src/control/blob-sweep.js';
import { buildContentTable, buildTable, loadBuild, putBuild } from '../../src/control/builds/build-records.js';
import { projectTable } from '../../src/control/catalog/organization-records.js';
import { noteStorage, storageOf } from '../../src/control/catalog/storage-use.js';
import { removeBuildParts } from '../../src/control/record-parts.js';
import { folder, sound } from '../compiler/repository.js';
import { compiler, openSourceKit, type SourceKit, soundFiles } from './source-kit.js';

after(() => compiler.close());

/** The same world in a file of another name, and a file that the compiler warns of. */
const secretFiles: SourceFileInput[] = [
  ...soundFiles.map((file) => {
    if (file.path === 'drillyard/world.yaml') return { ...file, path: 'drillyard/merger/world.yaml' };
    return file.path === 'drillyard.json' ? { ...file, content: '{ "schemaVersion": 1, "world": "merger/world.yaml" }\n' } : file;
  }),
  { path: 'drillyard/drills/layoffs.yaml', content: 'x: 1\n' },
];

/** A project of another organization in the same service. */
async function openOther(kit: SourceKit) {
  const { caller, organizationId } = await kit.foreigner();
  const projectId = 'prj_000000000001';
  const { catalog, operations } = kit.services;
  const own = catalog.view.get(projectTable, kit.projectId)!;
  await catalog.change((tx) => tx.put(projectTable, { ...own, projectId, organizationId }));
  const by = { caller };
  return {
    ...{ organizationId, projectId, by },
    builtFrom: async (files: SourceFileInput[]): Promise<{ sourceDraftId: string; build: Build }> => {
      const { sourceDraft } = await kit.call('createSourceDraft', { path: { projectId }, body: { name: 'shop', files } }, by);
      const { sourceDraftId } = sourceDraft;
      const { operation } = await kit.call('createBuild', { path: { projectId, sourceDraftId, revision: 1 }, body: {} }, by);
      const { attempt } = (await operations.whenEnded(operation.operationId)).result as unknown as { attempt: BuildAttempt };
      const { build } = await kit.call('getBuild', { path: { projectId, buildHash: attempt.buildHash! } }, by);
      return { sourceDraftId, build };
    },
  };
}

const idOf = (build: Build): string => buildTable.idOf(build);

async function openTwo(t: TestContext) {
  const kit = await openSourceKit(t);
  const first = await kit.builtFrom(secretFiles);
  const other = await openOther(kit);
  const second = await other.builtFrom(soundFiles);
  assert.equal(second.build.buildHash, first.build.buildHash);
  return { kit, first, other, second, buildHash: first.build.buildHash };
}

// BUILD-RECORDS-1
test('each of two tenants with equal builds is shown its own files and diagnostics, and pays for its own bytes', async (t) => {
  const { kit, other, first, second, buildHash } = await openTwo(t);
  const { projectId, by } = other;
  const shown = async (path: { projectId?: string }, how?: typeof by) => {
    const { world } = await kit.call('getBuildWorld', { path: { ...path, buildHash } }, how);
    return [world.world?.provenance.file, world.diagnostics.map(({ file }) => file)];
  };
  assert.deepEqual(await shown({}), ['drillyard/merger/world.yaml', ['drillyard/drills/layoffs.yaml']]);
  assert.deepEqual(await shown({ projectId }, by), ['drillyard/world.yaml', []]);
  const { sourceDraftId } = second;
  assert.equal((await kit.call('getSourceBaseline', { path: { projectId, sourceDraftId } }, by)).file?.path, 'drillyard/world.yaml');

  const { blobs, catalog } = kit.services;
  for (const { build } of [first, second]) {
    const { content } = catalog.view.get(buildTable, idOf(build))!;
    const sizes = await Promise.all([content!.build, content!.view].map(async (digest) => (await blobs.get(digest)).length));
    assert.equal(storageOf(catalog.view, idOf(build)), sizes[0]! + sizes[1]!);
  }
  const listed = await kit.call('listBuilds', { path: { projectId } }, by);
  assert.deepEqual(listed.items, [second.build]);
  assert.equal('content' in second.build, false, 'digests of blobs are nobody’s business');
});

// BUILD-RECORDS-1
test('what another project has put under the hash of a build is not what runs', async (t) => {
  const kit = await openSourceKit(t);
  const { organizationId, projectId } = await openOther(kit);
  const { blobs, catalog, nowMs } = kit.services;
  const { compiled } = await compiler.compile({ root: folder(t, sound) });
  const { summary, build: honest, view } = compiled!;
  const forged = Buffer.from(Buffer.from(honest).toString().replace('"first"', '"forged"'));
  const content = { build: await blobs.put(forged), view: await blobs.put(view), bytes: 1 };
  await catalog.change((tx) => putBuild(tx, { organizationId, projectId, summary, content, nowMs: nowMs() }));
  const { build } = await kit.builtFrom();
  assert.equal(build.buildHash, summary.buildHash);
  const rowsOf = async (project: string): Promise<string> =>
    JSON.stringify((await loadBuild(kit.services, { projectId: project, buildHash: build.buildHash })).world.state);
  assert.match(await rowsOf(projectId), /"forged"/);
  assert.match(await rowsOf(kit.projectId), /"first"/);
});

// BUILD-RECORDS-2
test('a build of an early version has what its hash has, until it is built again', async (t) => {
  const { kit, other, first, second, buildHash } = await openTwo(t);
  const { projectId, by } = other;
  const { catalog } = kit.services;
  const fileOf = async (): Promise<string | undefined> =>
    (await kit.call('getBuildWorld', { path: { projectId, buildHash } }, by)).world.world?.provenance.file;
  const bytes = storageOf(catalog.view, idOf(second.build));
  await catalog.change((tx) => {
    const { content: _, ...early } = tx.get(buildTable, idOf(second.build))!;
    tx.put(buildTable, early);
    noteStorage(tx, { ownerId: idOf(early), organizationId: early.organizationId, projectId, bytes: 1 });
  });
  assert.equal(await fileOf(), 'drillyard/merger/world.yaml');
  assert.equal((await loadBuild(kit.services, { projectId, buildHash })).buildHash, buildHash);
  kit.clock.nowMs += 1000;
  const again = await other.builtFrom(soundFiles);
  assert.deepEqual(again.build, second.build, 'the first stays');
  assert.equal(await fileOf(), 'drillyard/world.yaml');
  assert.equal(storageOf(catalog.view, idOf(second.build)), bytes);
  // What a version before reads is there: the content of the hash, whole.
  const shared = catalog.view.get(buildContentTable, buildHash)!;
  assert.deepEqual(shared, { buildHash, ...catalog.view.get(buildTable, idOf(first.build))!.content });
});

// BUILD-RECORDS-1, BLOB-SWEEP-1
test('the content of each of two equal builds stays for as long as its project has the build', async (t) => {
  const { kit, other, first, buildHash } = await openTwo(t);
  const { projectId, by } = other;
  /** What was put until now is old enough. */
  const sweep = (): Promise<number> => sweepBlobs(kit.services, { keptMs: -60_000 });
  assert.equal(await sweep(), 0);
  await kit.services.catalog.change((tx) => {
    removeBuildParts(tx, first.build);
    tx.remove(buildTable, idOf(first.build));
  });
  await sweep();
  assert.equal((await kit.call('getBuildWorld', { path: { projectId, buildHash } }, by)).buildHash, buildHash);
  assert.equal((await loadBuild(kit.services, { projectId, buildHash })).buildHash, buildHash);
  await assert.rejects(loadBuild(kit.services, { projectId: kit.projectId, buildHash }));
});
