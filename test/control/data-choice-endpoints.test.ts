import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import type { PutSourceDatasetsRequest } from '../../src/contract/hosted/source.js';
import { loadBuild } from '../../src/control/builds/build-records.js';
import { storageOf } from '../../src/control/catalog/storage-use.js';
import { dataChoicesTable } from '../../src/control/source/source-records.js';
import { compiler, noHash, openSourceKit, type SourceKit } from './source-kit.js';

after(() => compiler.close());

type Selection = PutSourceDatasetsRequest['selections'][number];

async function chosenFor(kit: SourceKit, text: string) {
  const { draft, build } = await kit.builtFrom();
  const collections = [{ namespace: 'notes', records: [{ rowId: 'n9', value: { text } }] }];
  const { dataset, revision } = await kit.call('createDataset', {
    body: { name: 'few', buildHash: build.buildHash, packageId: 'notes', collections },
  });
  const selection: Selection = {
    packageId: 'notes',
    datasetId: dataset.datasetId,
    revision: 1,
    digest: revision.digest,
    instanceId: 'notes',
  };
  const path = { sourceDraftId: draft.sourceDraftId, revision: 1 };
  const body: PutSourceDatasetsRequest = { sourceDigest: draft.sourceDigest, target: { kind: 'baseline' }, selections: [selection] };
  return { draft, build, path, body, selection };
}

test('data is chosen once for a source version; its builds and its baseline have the chosen rows', async (t) => {
  const kit = await openSourceKit(t);
  const { draft, build, path, body, selection } = await chosenFor(kit, 'chosen');
  await assert.rejects(kit.call('getSourceDatasets', { path }), { code: 'control.NOT_FOUND' });
  const before = await kit.call('getSourceBaseline', { path: { sourceDraftId: draft.sourceDraftId } });
  assert.deepEqual(before.collections[0]!.records, [{ rowId: 'n1', value: { text: 'first' } }]);
  const { reply: choices, isKnown } = await kit.dispatch('putSourceDatasets', { path, body });
  assert.equal(isKnown, false);
  assert.deepEqual(choices, { schemaVersion: 1, sourceDraftId: draft.sourceDraftId, sourceRevision: 1, ...body });
  assert.deepEqual(await kit.call('getSourceDatasets', { path }), choices);
  // The same once more is the same; another is refused.
  const again = await kit.dispatch('putSourceDatasets', { path, body });
  assert.deepEqual([again.reply, again.replayed, again.isKnown], [choices, false, true]);
  const other = { ...body, selections: [{ ...selection, instanceId: 'other' }] };
  await assert.rejects(kit.call('putSourceDatasets', { path, body: other }), { code: 'control.STATE_CONFLICT' });
  // What was built before has other rows, so it is not the baseline of this version any more.
  const between = await kit.call('getSourceBaseline', { path: { sourceDraftId: draft.sourceDraftId } });
  assert.equal(between.eligibility, 'unavailable');
  const { attempt } = await kit.buildOf(draft);
  assert.notEqual(attempt.buildHash, build.buildHash);
  const compiled = await loadBuild(kit.services, { projectId: kit.projectId, buildHash: attempt.buildHash! });
  assert.deepEqual(
    compiled.baseline.setup.state.map(({ rowId }) => rowId),
    ['n9'],
  );
  const after = await kit.call('getSourceBaseline', { path: { sourceDraftId: draft.sourceDraftId } });
  assert.deepEqual([after.eligibility, after.buildHash], ['available', attempt.buildHash]);
  const { editable, records, recordCount } = after.collections[0]!;
  assert.deepEqual(
    { editable, records, recordCount },
    { editable: false, records: [{ rowId: 'n9', value: { text: 'chosen' } }], recordCount: 1 },
  );
});

test('a choice names the digests as they are, a tool once an instance, and what there is', async (t) => {
  const kit = await openSourceKit(t);
  const { path, body, selection } = await chosenFor(kit, 'x');
  const put = (changes: Partial<PutSourceDatasetsRequest>) => kit.call('putSourceDatasets', { path, body: { ...body, ...changes } });
  const selecting = (changes: Partial<Selection>) => put({ selections: [{ ...selection, ...changes }] });
  await assert.rejects(
    put({ sourceDigest: noHash }),
    (error: ServiceError) => error.code === 'control.STATE_CONFLICT' && error.extra.details?.sourceDigest === body.sourceDigest,
  );
  await assert.rejects(
    selecting({ digest: noHash }),
    (error: ServiceError) => error.code === 'control.STATE_CONFLICT' && error.extra.details?.digest === selection.digest,
  );
  await assert.rejects(selecting({ revision: 2 }), { code: 'control.NOT_FOUND' });
  await assert.rejects(selecting({ datasetId: `dataset_${'0'.repeat(32)}` }), { code: 'control.NOT_FOUND' });
  await assert.rejects(
    selecting({ packageId: 'other' }),
    (error: ServiceError) => error.extra.issues?.[0]?.path === '/selections/0/packageId',
  );
  await assert.rejects(
    put({ selections: [selection, selection] }),
    (error: ServiceError) => error.extra.issues?.[0]?.path === '/selections/1/instanceId',
  );
  await assert.rejects(kit.call('getSourceDatasets', { path }), { code: 'control.NOT_FOUND' });
  await kit.call('archiveDataset', {
    path: { datasetId: selection.datasetId },
    body: { expectedVersion: 1, confirm: selection.datasetId },
  });
  await assert.rejects(selecting({}), { code: 'control.STATE_CONFLICT' });
});

/** Rows of some 8 MB. */
async function largeChosen(kit: SourceKit) {
  const { draft, build } = await kit.builtFrom();
  const records = Array.from({ length: 8 }, (_, row) => ({ rowId: `n${row}`, value: { text: 'x'.repeat(1_000_000) } }));
  const { dataset, revision } = await kit.call('createDataset', {
    body: { name: 'large', buildHash: build.buildHash, packageId: 'notes', collections: [{ namespace: 'notes', records }] },
  });
  const { datasetId } = dataset;
  const selections = (count: number): Selection[] =>
    Array.from({ length: count }, (_, index) => ({
      ...{ packageId: 'notes', datasetId, revision: 1, digest: revision.digest },
      instanceId: index === 0 ? 'notes' : `notes-${index}`,
    }));
  const path = { sourceDraftId: draft.sourceDraftId, revision: 1 };
  return { draft, path, selections, body: { sourceDigest: draft.sourceDigest, target: { kind: 'baseline' as const } } };
}

test('every selection counts towards the bytes that may be chosen, also of rows that another one has', async (t) => {
  const kit = await openSourceKit(t);
  const { draft, path, selections, body } = await largeChosen(kit);
  await assert.rejects(kit.call('putSourceDatasets', { path, body: { ...body, selections: selections(5) } }), (error: ServiceError) => {
    const { path: pointer, code } = error.extra.issues![0]!;
    assert.deepEqual([error.code, pointer, code], ['control.INVALID_REQUEST', '/selections/4', 'too_large']);
    return true;
  });
  // What was chosen before there was a bound fails when it is built.
  const old = { schemaVersion: 1 as const, sourceDraftId: draft.sourceDraftId, sourceRevision: 1, ...body, selections: selections(200) };
  await kit.services.catalog.change((tx) => tx.put(dataChoicesTable, old));
  const { operation } = await kit.buildOf(draft);
  assert.deepEqual([operation.state, operation.error?.code], ['failed', 'control.SOURCE_INVALID']);
  assert.deepEqual(operation.error?.issues?.[0]?.path, '/selections/4');
});

test('rows that several instances have are read once', async (t) => {
  const kit = await openSourceKit(t);
  const { draft, build } = await kit.builtFrom();
  const { blobs } = kit.services;
  const records = [{ rowId: 'n1', value: { text: 'shared' } }];
  const { dataset, revision } = await kit.call('createDataset', {
    body: { name: 'shared', buildHash: build.buildHash, packageId: 'notes', collections: [{ namespace: 'notes', records }] },
  });
  const selected = { packageId: 'notes', datasetId: dataset.datasetId, revision: 1, digest: revision.digest };
  let reads = 0;
  const get = blobs.get.bind(blobs);
  t.mock.method(blobs, 'get', (digest: string) => {
    if (digest === revision.digest) reads++;
    return get(digest);
  });
  const selections = ['notes', 'other', 'third'].map((instanceId) => ({ ...selected, instanceId }));
  const path = { sourceDraftId: draft.sourceDraftId, revision: 1 };
  const stored = () => storageOf(kit.services.catalog.view, draft.sourceDraftId);
  const before = stored();
  const body: PutSourceDatasetsRequest = { sourceDigest: draft.sourceDigest, target: { kind: 'baseline' }, selections };
  const choices = await kit.call('putSourceDatasets', { path, body });
  // STORAGE-USE-2
  assert.equal(stored() - before, Buffer.byteLength(JSON.stringify(choices)));
  const { operation, attempt } = await kit.buildOf(draft);
  assert.equal(operation.state, 'succeeded', JSON.stringify(operation.error));
  assert.equal(reads, 1);
  const { state } = (await loadBuild(kit.services, { projectId: kit.projectId, buildHash: attempt.buildHash! })).baseline.setup;
  assert.deepEqual(state.map(({ instanceId }) => instanceId).sort(), ['notes', 'other', 'third']);
});

test('a choice for a scenario that does not exist shows when it is built', async (t) => {
  const kit = await openSourceKit(t);
  const { draft, path, body } = await chosenFor(kit, 'x');
  await kit.call('putSourceDatasets', { path, body: { ...body, target: { kind: 'scenario', scenarioId: 'none' } } });
  const { operation } = await kit.buildOf(draft);
  assert.deepEqual([operation.state, operation.error?.issues?.[0]?.code], ['failed', 'DY3003']);
});
