// Blobs that nothing leads to any more go, those that anything leads to stay, and one that is put again meanwhile is there.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256Digest } from '../../src/contract/digest.js';
import { limits } from '../../src/contract/limits.js';
import { sweepBlobs } from '../../src/control/blob-sweep.js';
import { FileBlobs } from '../../src/control/core/blobs.js';
import { compiler, openSourceKit, soundFiles } from './source-kit.js';

after(() => compiler.close());
/** What was put until now is old enough. */
const now = { keptMs: -60_000 };
const fileOf = (directory: string, digest: string): string => join(directory, 'blobs', digest.slice(7, 9), digest.slice(7));

// BLOB-SWEEP-1
test('the source of a deleted draft goes; drafts, builds and what they share stay', async (t) => {
  const kit = await openSourceKit(t);
  const gone = { path: 'gone.txt', content: 'only in the deleted draft' };
  const kept = await kit.builtFrom();
  const deleted = await kit.draftOf([...soundFiles, gone]);
  const { sourceDraftId, version } = deleted;
  assert.equal(await sweepBlobs(kit.services, now), 0, 'everything is referenced');
  await kit.call('deleteSourceDraft', { path: { sourceDraftId }, body: { expectedVersion: version, confirm: sourceDraftId } });
  assert.equal(await sweepBlobs(kit.services, now), 0, 'it was deleted only now');
  kit.clock.nowMs += limits.blobUnreferencedKeptMs;
  assert.equal(await sweepBlobs(kit.services), 0, 'its files are young');
  // Its tree and its own file.
  assert.equal(await sweepBlobs(kit.services, now), 2);
  assert.ok(!existsSync(fileOf(kit.directory, sha256Digest(Buffer.from(gone.content)))));
  const path = { sourceDraftId: kept.draft.sourceDraftId, revision: 1 };
  assert.ok((await kit.call('getSourceArchive', { path })).length > 0);
  assert.equal((await kit.call('getBuildWorld', { path: { buildHash: kept.build.buildHash } })).buildHash, kept.build.buildHash);
  // And the same source can come again.
  assert.equal((await kit.buildOf(await kit.draftOf([...soundFiles, gone]))).operation.state, 'succeeded');
});

// BLOB-SWEEP-2
test('a sweep that cannot read what is referenced removes nothing', async (t) => {
  const kit = await openSourceKit(t);
  const { sourceDigest } = await kit.draftOf();
  const stray = await kit.services.blobs.put(Buffer.from('nobody wants it'));
  rmSync(fileOf(kit.directory, sourceDigest));
  await assert.rejects(sweepBlobs(kit.services, now), { name: 'StoredDamage' });
  assert.ok(existsSync(fileOf(kit.directory, stray)));
});

// BLOBS-4
test('a blob that is put again while it is removed is there when the put has resolved', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-blobs-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const blobs = new FileBlobs(directory);
  const bytes = Buffer.from('wanted after all');
  const digest = await blobs.put(bytes);
  const [later, past] = [Date.now() + 60_000, new Date(0)];
  for (let round = 0; round < 50; round++) {
    const removed = blobs.removeOld(digest, later);
    const put = blobs.put(bytes);
    assert.equal(await removed, true);
    await put;
    assert.deepEqual(Buffer.from(await blobs.get(digest)), bytes);
  }
  const put = blobs.put(bytes);
  assert.equal(await blobs.removeOld(digest, later), false, 'it is being put');
  await put;
  utimesSync(fileOf(directory, digest), past, past);
  await blobs.put(bytes);
  assert.equal(await blobs.removeOld(digest, Date.now() - 60_000), false, 'it was put again');
  const left: string[] = [];
  for await (const one of blobs.digests()) left.push(one);
  assert.deepEqual(left, [digest]);
});
