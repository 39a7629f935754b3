import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sha256Digest } from '../../src/contract/digest.js';
import type { ServiceError } from '../../src/contract/errors.js';
import type { DatasetCollectionInput } from '../../src/contract/hosted/source.js';
import { limits } from '../../src/contract/limits.js';
import { storageOf } from '../../src/control/catalog/storage-use.js';
import { compiler, noHash, openSourceKit } from './source-kit.js';

after(() => compiler.close());

const rows = (...texts: string[]): DatasetCollectionInput[] => [
  { namespace: 'notes', records: texts.map((text, index) => ({ rowId: `r${index}`, value: { text } })) },
];

test('a dataset holds rows of one tool in immutable revisions, each bound to its digest and to where it came from', async (t) => {
  const kit = await openSourceKit(t);
  const { draft, build } = await kit.builtFrom();
  const { buildHash } = build;
  const made = await kit.call('createDataset', { body: { name: 'few', buildHash, packageId: 'notes', collections: rows('a', 'b') } });
  const { datasetId } = made.dataset;
  assert.match(datasetId, /^dataset_[0-9a-f]{32}$/);
  assert.deepEqual([made.dataset.version, made.dataset.currentRevision, made.dataset.currentDigest], [1, 1, made.revision.digest]);
  const { manifestHash, artifactHash, version } = build.tools[0]!;
  assert.deepEqual(
    { ...made.revision.tool, stateSchemaDigest: '' },
    { packageId: 'notes', version, manifestHash, artifactHash, stateSchemaDigest: '' },
  );
  assert.deepEqual(
    { ...made.provenance, worldProjectionDigest: '' },
    {
      sourceDraftId: draft.sourceDraftId,
      sourceRevision: 1,
      sourceVersion: 1,
      sourceDigest: draft.sourceDigest,
      buildHash,
      worldProjectionDigest: '',
      toolArtifactId: artifactHash,
      instanceId: 'notes',
    },
  );
  assert.match(made.provenance!.worldProjectionDigest, /^sha256:/);
  const body = { expectedVersion: 1, buildHash, collections: rows('c') };
  const second = await kit.call('createDatasetRevision', { path: { datasetId }, body });
  assert.deepEqual([second.dataset.version, second.dataset.currentRevision], [2, 2]);
  await assert.rejects(kit.call('createDatasetRevision', { path: { datasetId }, body }), { code: 'control.VERSION_CONFLICT' });
  const first = await kit.call('getDatasetRevision', { path: { datasetId, revision: 1 } });
  assert.deepEqual(first, { ...made, dataset: second.dataset });
  await assert.rejects(kit.call('getDatasetRevision', { path: { datasetId, revision: 3 } }), { code: 'control.NOT_FOUND' });
});

test('equal rows are one digest, in whatever order they come', async (t) => {
  const kit = await openSourceKit(t);
  const { build } = await kit.builtFrom();
  const create = (collections: DatasetCollectionInput[]) =>
    kit.call('createDataset', { body: { name: 'x', buildHash: build.buildHash, packageId: 'notes', collections } });
  const records = rows('a', 'b')[0]!.records;
  const one = await create([{ namespace: 'notes', records }]);
  const other = await create([{ namespace: 'notes', records: [...records].reverse() }]);
  assert.equal(other.revision.digest, one.revision.digest);
  assert.deepEqual(other.revision.collections, one.revision.collections);
});

test('rows that do not fit are refused where they lie', async (t) => {
  const kit = await openSourceKit(t);
  const { build } = await kit.builtFrom();
  const create = (packageId: string, collections: DatasetCollectionInput[], buildHash: string = build.buildHash) =>
    kit.call('createDataset', { body: { name: 'x', buildHash, packageId, collections } });
  const issuesOf = async (work: Promise<unknown>): Promise<string[]> => {
    const error = await work.then(
      () => assert.fail('accepted'),
      (reason: ServiceError) => reason,
    );
    assert.equal(error.code, 'control.INVALID_REQUEST', error.stack);
    return error.extra.issues!.map(({ path, code }) => `${path} ${code}`);
  };
  const bad = [
    { rowId: 'r', value: { text: 1 } },
    { rowId: 'r', value: { text: 'fine' } },
    { rowId: 's', value: { text: '', more: true } },
  ];
  assert.deepEqual(
    (await issuesOf(create('notes', [...rows('a'), { namespace: 'note', records: [] }, { namespace: 'notes', records: [] }]))).map(
      (issue) => issue,
    ),
    ['/collections/1/namespace not_one_of', '/collections/2/namespace duplicate'],
  );
  const found = await issuesOf(create('notes', [{ namespace: 'notes', records: bad }]));
  assert.equal(found.length, 3);
  assert.match(found[0]!, /^\/collections\/0\/records\/0\/value\/text /);
  assert.equal(found[1], '/collections/0/records/1/rowId duplicate');
  assert.match(found[2]!, /^\/collections\/0\/records\/2\/value/);
  assert.deepEqual(await issuesOf(create('note', rows('a'))), ['/packageId not_one_of']);
  await assert.rejects(create('notes', rows('a'), noHash), { code: 'control.NOT_FOUND' });
  assert.deepEqual((await kit.call('listDatasets')).items, []);
});

test('datasets are listed by tool and state, archived with the right words, and another tenant sees none', async (t) => {
  const kit = await openSourceKit(t);
  const { build } = await kit.builtFrom();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const { dataset } = await kit.call('createDataset', {
      body: { name, buildHash: build.buildHash, packageId: 'notes', collections: rows(name) },
    });
    ids.push(dataset.datasetId);
  }
  const path = { datasetId: ids[1]! };
  await assert.rejects(kit.call('archiveDataset', { path, body: { expectedVersion: 1, confirm: ids[0]! } }), {
    code: 'control.CONFIRMATION_MISMATCH',
  });
  const { dataset } = await kit.call('archiveDataset', { path, body: { expectedVersion: 1, confirm: ids[1]! } });
  assert.deepEqual([dataset.state, dataset.version, dataset.archivedAtMs], ['archived', 2, kit.clock.nowMs]);
  await assert.rejects(kit.call('archiveDataset', { path, body: { expectedVersion: 2, confirm: ids[1]! } }), {
    code: 'control.STATE_CONFLICT',
  });
  const revision = { expectedVersion: 2, buildHash: build.buildHash, collections: rows('x') };
  await assert.rejects(kit.call('createDatasetRevision', { path, body: revision }), { code: 'control.STATE_CONFLICT' });
  const listed = async (query: object) => (await kit.call('listDatasets', { query })).items.map(({ name }) => name);
  assert.deepEqual(await listed({}), ['a', 'b', 'c']);
  assert.deepEqual(await listed({ state: 'available' }), ['a', 'c']);
  assert.deepEqual(await listed({ state: 'archived', packageId: 'notes' }), ['b']);
  assert.deepEqual(await listed({ packageId: 'other' }), []);
  const page = await kit.call('listDatasets', { query: { limit: 2 } });
  assert.deepEqual(
    (await kit.call('listDatasets', { query: { limit: 2, cursor: page.nextCursor! } })).items.map(({ name }) => name),
    ['c'],
  );
  const { caller } = await kit.foreigner();
  await assert.rejects(kit.call('getDataset', { path }, { caller }), { code: 'control.NOT_FOUND' });
});

// DATASET-UPLOADS-1, DATASET-UPLOADS-2
test('rows that do not fit a body are uploaded: the same digest, the same checks, bounded in number, size and time', async (t) => {
  const kit = await openSourceKit(t);
  const { buildHash } = (await kit.builtFrom()).build;
  const announce = (content: Buffer) => kit.call('createDatasetUpload', { body: { bytes: content.length, hash: sha256Digest(content) } });
  const send = async (collections: unknown): Promise<string> => {
    const content = Buffer.from(JSON.stringify({ collections }));
    const { uploadId } = (await announce(content)).upload;
    assert.equal((await kit.call('putDatasetUploadContent', { path: { uploadId }, body: content })).upload.state, 'uploaded');
    return uploadId;
  };
  const complete = (uploadId: string, body: object) =>
    kit.call('completeDatasetUpload', { path: { uploadId }, body: { buildHash, ...body } });
  const named = { name: 'many', packageId: 'notes' };

  const whole = await kit.call('createDataset', { body: { ...named, buildHash, collections: rows('a', 'b') } });
  const uploadId = await send(rows('a', 'b'));
  const { dataset, revision } = await complete(uploadId, named);
  assert.deepEqual(
    [dataset.currentDigest, revision.digest, revision.collections],
    [whole.revision.digest, whole.revision.digest, [{ namespace: 'notes', records: 2 }]],
  );
  const path = { datasetId: dataset.datasetId };
  assert.deepEqual(
    (await kit.call('getDatasetRevision', { path: { ...path, revision: 1 } })).revision.collections,
    whole.revision.collections,
  );
  await assert.rejects(complete(uploadId, named), { code: 'control.NOT_FOUND' });
  assert.ok(storageOf(kit.services.catalog.view, `${dataset.datasetId}.1`) > 0);
  const more = await complete(await send(rows('c')), { datasetId: dataset.datasetId, expectedVersion: 1 });
  assert.deepEqual([more.dataset.currentRevision, more.revision.revision], [2, 2]);

  const wrong = await send([{ namespace: 'notes', records: [{ rowId: 'r', value: { text: 1 } }] }]);
  await assert.rejects(complete(wrong, named), (error: ServiceError) => {
    assert.deepEqual([error.code, error.extra.issues?.[0]?.path], ['control.INVALID_REQUEST', '/collections/0/records/0/value/text']);
    return true;
  });
  await assert.rejects(complete(wrong, { ...named, datasetId: dataset.datasetId }), { code: 'control.INVALID_REQUEST' });
  await assert.rejects(complete(await send('none'), named), { code: 'control.INVALID_REQUEST' });
  const { upload } = await announce(Buffer.from('{}'));
  const place = { uploadId: upload.uploadId };
  await assert.rejects(complete(upload.uploadId, named), { code: 'control.STATE_CONFLICT' });
  await assert.rejects(kit.call('putDatasetUploadContent', { path: place, body: Buffer.from('[]') }), { code: 'control.INVALID_REQUEST' });
  const { caller } = await kit.foreigner();
  const content = { path: place, body: Buffer.from('{}') };
  await assert.rejects(kit.call('putDatasetUploadContent', content, { caller }), { code: 'control.NOT_FOUND' });
  kit.clock.nowMs += limits.datasetUploadKeptMs;
  await assert.rejects(kit.call('putDatasetUploadContent', content), { code: 'control.STATE_CONFLICT', message: /past its time/ });
  const begin = () => announce(Buffer.from('{}'));
  await assert.rejects(
    async () => {
      for (let count = 0; count <= limits.datasetUploadsMax; count++) await begin();
    },
    { code: 'control.QUOTA_EXCEEDED' },
  );
});
