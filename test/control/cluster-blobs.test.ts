// Blobs and evidence of several machines: what one of them has put, another gives, whatever lies in its own folder.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { SharedBlobs } from '../../src/contract/cluster-store.js';
import { sha256Digest } from '../../src/contract/digest.js';
import { isServiceError } from '../../src/contract/errors.js';
import { blobFile, FileBlobs } from '../../src/control/core/blobs.js';
import { ClusterBlobs } from '../../src/control/core/cluster-blobs.js';
import { bundleFolder, type EvidenceRecord } from '../../src/control/runs/evidence-records.js';
import { SharedBundles } from '../../src/control/runs/shared-bundles.js';
import { SealedReport } from '../../src/drills/stored/sealed-report.js';
import { MemoryLog } from '../cluster/memory-log.js';
import { catalogFolderOf } from './catalog-kit.js';

const storeOf = (): SharedBlobs => new MemoryLog({ homes: 1 }).door('n').blobs;
const blobsOn = (directory: string, store: SharedBlobs): ClusterBlobs => new ClusterBlobs({ here: new FileBlobs(directory), store });
async function* each(...pieces: string[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}
const isUnavailable = (error: unknown): boolean => isServiceError(error, 'control.UNAVAILABLE');

// CLUSTER-BLOBS-1, CLUSTER-BLOBS-2
test('what was put on one machine is read on another, and lies there afterwards', async (t) => {
  const root = catalogFolderOf(t);
  const store = storeOf();
  const [one, other] = [blobsOn(join(root, 'one'), store), blobsOn(join(root, 'other'), store)];
  const digest = await one.put(Buffer.from('whole'));
  assert.equal(await store.has(digest), true);
  const file = blobFile(join(root, 'other'), digest) as string;
  assert.equal(existsSync(file), false);
  const read = await Promise.all([other.get(digest), other.get(digest)]);
  assert.deepEqual(read.map(String), ['whole', 'whole']);
  assert.equal(readFileSync(file, 'utf8'), 'whole');
  // Damaged here, it comes from the store again.
  writeFileSync(file, 'whol');
  assert.equal(String(await other.get(digest)), 'whole');
  assert.equal(readFileSync(file, 'utf8'), 'whole');
  await assert.rejects(other.get(sha256Digest('none')), { name: 'StoredDamage' });
});

test('a put whose store fails is refused, and bytes of the store that are others are not given', async (t) => {
  const root = catalogFolderOf(t);
  const store = storeOf();
  const failing = { ...store, put: () => Promise.reject(new Error('the link is down')) };
  await assert.rejects(blobsOn(join(root, 'one'), failing).put(Buffer.from('x')), isUnavailable);
  const digest = sha256Digest('real');
  await store.put(digest, each('fal', 'se'));
  await assert.rejects(blobsOn(join(root, 'one'), store).get(digest), /damaged/);
});

// CLUSTER-BLOBS-3
test('one goes by its age, from the store and from here; what was put elsewhere meanwhile stays', async (t) => {
  const root = catalogFolderOf(t);
  const store = storeOf();
  const [one, other] = [blobsOn(join(root, 'one'), store), blobsOn(join(root, 'other'), store)];
  const young = await one.put(Buffer.from('young'));
  const hour = 3_600_000;
  assert.equal(await one.removeOld(young, Date.now() - hour), false);
  assert.equal(await store.has(young), true);
  await other.put(Buffer.from('young'));
  assert.equal(String(await other.get(young)), 'young');
  // What the store has no more, a sweep still finds where it lies.
  while (!(await store.removeOld(young, 0)));
  const listed: string[] = [];
  for await (const digest of other.digests()) listed.push(digest);
  assert.ok(listed.includes(young));
  assert.equal(await other.removeOld(young, Date.now() + hour), true);
  await assert.rejects(other.get(young), { name: 'StoredDamage' });
});

/** A report folder as a seal leaves it. */
function sealedIn(folder: string, files: { [path: string]: string }): string {
  const listed = Object.entries(files).map(([path, text]) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    return { path, bytes: Buffer.byteLength(text), sha256: `sha256:${createHash('sha256').update(text).digest('hex')}` };
  });
  const manifest = JSON.stringify({ schemaVersion: 1, runId: 'run_1', projectionRevision: 1, files: listed });
  writeFileSync(join(folder, 'manifest.json'), manifest);
  return sha256Digest(manifest);
}
const recordOf = (manifestDigest: string, archive: string): EvidenceRecord => ({
  bundle: { evidenceBundleId: 'ev_1', state: 'sealed', manifestDigest } as EvidenceRecord['bundle'],
  runId: 'run_1',
  archive,
});
const files = { 'run.json': '{}', 'evidence.jsonl': 'line\n'.repeat(100_000), 'attachments/a/b.txt': 'attached', 'empty.txt': '' };

// SHARED-BUNDLES-1, SHARED-BUNDLES-2
test('a sealed bundle is read on a machine that never had it, with every file as it was sealed', async (t) => {
  const root = catalogFolderOf(t);
  const store = storeOf();
  const [one, other] = [join(root, 'one'), join(root, 'other')];
  const folder = join(bundleFolder(one, 'ev_1'), 'run_1');
  const manifestDigest = sealedIn(folder, files);
  const archive = await new SharedBundles({ dataDirectory: one, store }).keep({ folder, manifestDigest });
  const there = new SharedBundles({ dataDirectory: other, store });
  const record = recordOf(manifestDigest, archive);
  await Promise.all([there.bring(record), there.bring(record)]);
  const fetched = new SealedReport(join(bundleFolder(other, 'ev_1'), 'run_1'), manifestDigest);
  for (const [path, text] of Object.entries(files)) assert.equal(String(await fetched.file(path)), text);
  assert.deepEqual(readdirSync(join(other, 'evidence-drafts')), []);
  // What was deleted elsewhere goes; what is there stays.
  mkdirSync(bundleFolder(other, 'ev_2'));
  assert.equal(await there.sweep((id) => id === 'ev_1'), 1);
  assert.deepEqual(readdirSync(join(other, 'evidence')), ['ev_1']);
  // It is here now, and the store is not asked.
  await new SharedBundles({ dataDirectory: other, store: { ...store, get: () => Promise.reject(new Error('down')) } }).bring(record);
});

// SHARED-BUNDLES-2
test('an archive that is cut, longer, changed or not there leaves no folder, and a later look may find it whole', async (t) => {
  const root = catalogFolderOf(t);
  const store = storeOf();
  const [one, other] = [join(root, 'one'), join(root, 'other')];
  const folder = join(bundleFolder(one, 'ev_1'), 'run_1');
  const manifestDigest = sealedIn(folder, files);
  const archive = await new SharedBundles({ dataDirectory: one, store }).keep({ folder, manifestDigest });
  const pieces: Buffer[] = [];
  for await (const piece of (await store.get(archive)) as AsyncIterable<Buffer>) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  const changedAt = (at: number): Buffer => {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ 1;
    return bytes;
  };
  const record = recordOf(manifestDigest, archive);
  for (const bytes of [
    whole.subarray(0, 2),
    whole.subarray(0, 200),
    whole.subarray(0, -1),
    changedAt(0),
    changedAt(40),
    changedAt(whole.length - 1),
  ]) {
    const bad = {
      ...store,
      get: async () =>
        (async function* () {
          yield bytes;
        })(),
    };
    await assert.rejects(new SharedBundles({ dataDirectory: other, store: bad }).bring(record));
    assert.equal(existsSync(bundleFolder(other, 'ev_1')), false);
  }
  const down = { ...store, get: () => Promise.reject(new Error('the link is down')) };
  await assert.rejects(new SharedBundles({ dataDirectory: other, store: down }).bring(record), isUnavailable);
  // Another folder of a run that ended elsewhere gives way.
  sealedIn(join(bundleFolder(other, 'ev_1'), 'run_1'), { 'run.json': '{"other":1}' });
  await new SharedBundles({ dataDirectory: other, store }).bring(record);
  const fetched = new SealedReport(join(bundleFolder(other, 'ev_1'), 'run_1'), manifestDigest);
  assert.equal(String(await fetched.file('run.json')), '{}');
});
