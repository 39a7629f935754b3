import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { validateSourceBaseline } from '../../src/contract/validate/validators.js';
import { sound } from '../compiler/repository.js';
import { compiler, openSourceKit, soundFiles } from './source-kit.js';

after(() => compiler.close());

test('the baseline is there with the rows of every instance once the current revision is built', async (t) => {
  const kit = await openSourceKit(t);
  const world = sound['drillyard/world.yaml'].replace(
    'initialEvents',
    '  - { action: upsert, packageId: notes, instanceId: other, namespace: notes, rowId: "2", value: { text: b } }\n  - { action: upsert, packageId: notes, instanceId: other, namespace: notes, rowId: "1", value: { text: a } }\ninitialEvents',
  );
  const draft = await kit.draftOf(soundFiles.map((file) => (file.path === 'drillyard/world.yaml' ? { ...file, content: world } : file)));
  const path = { sourceDraftId: draft.sourceDraftId };
  const before = await kit.call('getSourceBaseline', { path });
  assert.deepEqual(
    [before.eligibility, before.buildHash, before.collections, before.reason],
    ['unavailable', undefined, [], 'Revision 1 has not been built with its present data choices.'],
  );
  const { attempt } = await kit.buildOf(draft);
  const baseline = await kit.call('getSourceBaseline', { path });
  assert.deepEqual(validateSourceBaseline(baseline), { ok: true, value: baseline });
  assert.deepEqual([baseline.eligibility, baseline.buildHash], ['available', attempt.buildHash]);
  assert.deepEqual([baseline.file?.path, baseline.file?.content, baseline.file?.revision], ['drillyard/world.yaml', world, 1]);
  assert.deepEqual(baseline.source, {
    organizationId: kit.organizationId,
    projectId: kit.projectId,
    ...path,
    revision: 1,
    version: 1,
    sourceDigest: draft.sourceDigest,
  });
  const rows = baseline.collections.map(({ instanceId, namespace, editable, records }) => ({
    instanceId,
    namespace,
    editable,
    rows: records.map(({ rowId }) => rowId),
  }));
  assert.deepEqual(rows, [
    { instanceId: 'notes', namespace: 'notes', editable: true, rows: ['n1'] },
    { instanceId: 'other', namespace: 'notes', editable: true, rows: ['1', '2'] },
  ]);
  assert.equal(baseline.collections[0]!.schema.type, 'object');
});

test('a new revision has no baseline until it is built, and says why', async (t) => {
  const kit = await openSourceKit(t);
  const { draft } = await kit.builtFrom();
  const path = { sourceDraftId: draft.sourceDraftId };
  const body = { expectedVersion: 1, changes: [{ action: 'put' as const, path: 'drillyard/world.yaml', content: 'schemaVersion: 2' }] };
  const { sourceDraft } = await kit.call('createSourceRevision', { path, body });
  assert.equal((await kit.call('getSourceBaseline', { path })).eligibility, 'unavailable');
  await kit.buildOf(sourceDraft);
  assert.equal((await kit.call('getSourceBaseline', { path })).reason, 'Revision 2 does not compile.');
});

test('a world with too many collections, or too much of schemas in them, is unsupported before a collection is made', async (t) => {
  const kit = await openSourceKit(t);
  const baselineOf = async (instances: number, title: string) => {
    const rows = Array.from({ length: instances }, (_, index) => ({
      ...{ action: 'upsert', packageId: 'notes', instanceId: `i${index}` },
      ...{ namespace: 'notes', rowId: 'n', value: { text: '' } },
    }));
    const changed: { [path: string]: string } = {
      'drillyard/world.yaml': sound['drillyard/world.yaml'].replace(
        /state:[\s\S]*?initialEvents/,
        `state: ${JSON.stringify(rows)}\ninitialEvents`,
      ),
      'drillyard/notes.tool.yaml': sound['drillyard/notes.tool.yaml'].replace(
        '{ type: object, required: [text],',
        `{ type: object, description: "${title}", required: [text],`,
      ),
    };
    const { draft } = await kit.builtFrom(soundFiles.map(({ path, content }) => ({ path, content: changed[path] ?? content })));
    const { eligibility, reason, collections } = await kit.call('getSourceBaseline', { path: { sourceDraftId: draft.sourceDraftId } });
    return { eligibility, reason, shown: collections.length };
  };
  const most = limits.baselineCollectionsMax;
  assert.deepEqual(await baselineOf(most - 1, 'few'), { eligibility: 'available', reason: undefined, shown: most });
  const many = `The world has ${most + 1} collections; at most ${most} can be shown.`;
  assert.deepEqual(await baselineOf(most, 'few'), { eligibility: 'unsupported', reason: many, shown: 0 });
  const large = await baselineOf(20, 'x'.repeat(900_000));
  assert.deepEqual([large.eligibility, large.shown], ['unsupported', 0]);
  assert.match(large.reason ?? '', /^The schemas of all collections have 189\d{5} bytes; at most 16777216 can be shown\.$/);
});
