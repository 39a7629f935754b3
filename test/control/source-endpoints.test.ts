import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { sha256Digest } from '../../src/contract/digest.js';
import type { ServiceError } from '../../src/contract/errors.js';
import { quietSettings } from './control-kit.js';
import { compiler, openSourceKit, soundFiles } from './source-kit.js';

after(() => compiler.close());

async function filesIn(archive: Uint8Array): Promise<{ [path: string]: string }> {
  const files: { [path: string]: string } = {};
  const reader = extract();
  reader.end(gunzipSync(archive));
  for await (const entry of reader) {
    assert.deepEqual([entry.header.type, entry.header.mtime?.getTime(), entry.header.mode], ['file', 0, 0o644]);
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(piece as Buffer);
    files[entry.header.name] = Buffer.concat(pieces).toString();
  }
  return files;
}

test('a draft grows by immutable revisions, of files or of changes, each with its archive', async (t) => {
  const kit = await openSourceKit(t);
  const { sourceDraft, revision } = await kit.call('createSourceDraft', { body: { name: 'shop', files: soundFiles } });
  const { sourceDraftId } = sourceDraft;
  assert.deepEqual([sourceDraft.version, sourceDraft.currentRevision, sourceDraft.state], [1, 1, 'available']);
  assert.equal(revision.sourceDigest, sourceDraft.sourceDigest);
  assert.deepEqual(
    revision.files.map(({ path }) => path),
    soundFiles.map(({ path }) => path).sort(),
  );
  const long = `${'deep/'.repeat(30)}${'é'.repeat(100)}.md`;
  const second = await kit.call('createSourceRevision', {
    path: { sourceDraftId },
    body: {
      expectedVersion: 1,
      changes: [
        { action: 'put', path: long, content: 'ünï' },
        { action: 'delete', path: 'agent.mjs' },
      ],
    },
  });
  assert.deepEqual([second.sourceDraft.version, second.sourceDraft.currentRevision, second.revision.revision], [2, 2, 2]);
  const first = await kit.call('getSourceArchive', { path: { sourceDraftId, revision: 1 } });
  assert.deepEqual(await filesIn(first), Object.fromEntries(soundFiles.map(({ path, content }) => [path, content])));
  const next = await filesIn(await kit.call('getSourceArchive', { path: { sourceDraftId, revision: 2 } }));
  assert.deepEqual([next[long], next['agent.mjs']], ['ünï', undefined]);
  const again = await kit.draftOf([...soundFiles].reverse());
  assert.equal(again.sourceDigest, sourceDraft.sourceDigest);
  const same = await kit.call('getSourceArchive', { path: { sourceDraftId: again.sourceDraftId, revision: 1 } });
  assert.equal(sha256Digest(same), sha256Digest(first));
});

test('an old version, both or neither of files and changes, and a bad path are refused and change nothing', async (t) => {
  const kit = await openSourceKit(t);
  const { sourceDraftId } = await kit.draftOf();
  const path = { sourceDraftId };
  const revise = (body: object) => kit.call('createSourceRevision', { path, body: { expectedVersion: 1, ...body } });
  await assert.rejects(
    revise({ expectedVersion: 2, files: soundFiles }),
    (error: ServiceError) => error.code === 'control.VERSION_CONFLICT' && error.extra.details?.version === 1,
  );
  await assert.rejects(revise({}), { code: 'control.INVALID_REQUEST' });
  await assert.rejects(revise({ files: soundFiles, changes: [{ action: 'delete', path: 'agent.mjs' }] }), {
    code: 'control.INVALID_REQUEST',
  });
  await assert.rejects(
    revise({ changes: [{ action: 'put', path: '../x', content: '' }] }),
    (error: ServiceError) => error.extra.issues?.[0]?.path === '/changes/0/path',
  );
  const { sourceDraft } = await kit.call('getSourceDraft', { path });
  assert.deepEqual([sourceDraft.version, sourceDraft.currentRevision], [1, 1]);
});

test('of two revisions at once on one version one is made', async (t) => {
  const kit = await openSourceKit(t);
  const { sourceDraftId } = await kit.draftOf();
  const revise = (content: string) =>
    kit.call('createSourceRevision', {
      path: { sourceDraftId },
      body: { expectedVersion: 1, changes: [{ action: 'put', path: 'x', content }] },
    });
  const results = await Promise.allSettled(['1', '2', '3'].map(revise));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal((await kit.call('getSourceDraft', { path: { sourceDraftId } })).sourceDraft.currentRevision, 2);
});

test('a deleted draft can be read and frees its place; its content is gone', async (t) => {
  const kit = await openSourceKit(t, {
    settings: { quotas: { ...quietSettings.quotas, sourceDraftsMax: 1 } },
  });
  const { sourceDraftId } = await kit.draftOf();
  await assert.rejects(kit.draftOf(), { code: 'control.QUOTA_EXCEEDED' });
  const path = { sourceDraftId };
  await assert.rejects(kit.call('deleteSourceDraft', { path, body: { expectedVersion: 1, confirm: 'yes' } }), {
    code: 'control.CONFIRMATION_MISMATCH',
  });
  await assert.rejects(kit.call('deleteSourceDraft', { path, body: { expectedVersion: 4, confirm: sourceDraftId } }), {
    code: 'control.VERSION_CONFLICT',
  });
  const { sourceDraft } = await kit.call('deleteSourceDraft', { path, body: { expectedVersion: 1, confirm: sourceDraftId } });
  assert.deepEqual([sourceDraft.state, sourceDraft.deletedAtMs], ['deleted', kit.clock.nowMs]);
  assert.deepEqual((await kit.call('getSourceDraft', { path })).sourceDraft, sourceDraft);
  assert.deepEqual((await kit.call('listSourceDrafts')).items, []);
  await assert.rejects(kit.call('getSourceArchive', { path: { sourceDraftId, revision: 1 } }), { code: 'control.NOT_FOUND' });
  await assert.rejects(kit.call('createSourceRevision', { path, body: { expectedVersion: 2, files: soundFiles } }), {
    code: 'control.STATE_CONFLICT',
  });
  await kit.draftOf();
});

test('drafts of another tenant and of another project do not exist', async (t) => {
  const kit = await openSourceKit(t);
  const { sourceDraftId } = await kit.draftOf();
  const { organizationId } = await kit.foreigner();
  const { caller } = await kit.callerWith('manager', { organizationId });
  for (const [id, input] of [
    ['getSourceDraft', {}],
    ['getSourceArchive', { revision: 1 }],
    ['getSourceBaseline', {}],
  ] as const) {
    await assert.rejects(kit.call(id, { path: { sourceDraftId, ...input } }, { caller }), { code: 'control.NOT_FOUND' });
    await assert.rejects(kit.call(id, { path: { sourceDraftId, ...input, projectId: 'prj_000000000000' } }), { code: 'control.NOT_FOUND' });
  }
});
