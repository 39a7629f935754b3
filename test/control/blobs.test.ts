import assert from 'node:assert/strict';
import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sha256Digest } from '../../src/contract/digest.js';
import { FileBlobs } from '../../src/control/core/blobs.js';

function place(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-blobs-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
const fileOf = (directory: string, digest: string): string => join(directory, 'blobs', digest.slice(7, 9), digest.slice(7));

// BLOBS-1, BLOBS-2
test('bytes come back by their digest, in this incarnation and the next, and equal bytes are one file', async (t) => {
  const directory = place(t);
  const blobs = new FileBlobs(directory);
  const texts = Array.from({ length: 100 }, (_, index) => Buffer.from(`text ${index % 50}`));
  const digests = await Promise.all(texts.map((bytes) => blobs.put(bytes)));
  assert.deepEqual(digests, texts.map(sha256Digest));
  const next = new FileBlobs(directory);
  for (const [index, digest] of digests.entries()) assert.deepEqual(Buffer.from(await next.get(digest)), texts[index]);
  const files = (readdirSync(join(directory, 'blobs'), { recursive: true }) as string[]).filter((name) => name.length > 60);
  assert.equal(files.length, 50);
  assert.deepEqual(Buffer.from(await blobs.get(await blobs.put(new Uint8Array()))), Buffer.alloc(0));
});

// BLOBS-3
test('what is not there, is damaged, or is no digest is refused, and a path never gets through', async (t) => {
  const directory = place(t);
  const blobs = new FileBlobs(directory);
  const digest = await blobs.put(Buffer.from('whole'));
  writeFileSync(fileOf(directory, digest), 'whol');
  await assert.rejects(blobs.get(digest), { name: 'StoredDamage' });
  // Put again it is whole again, however many bytes it had.
  for (const content of ['whol', 'whols']) {
    writeFileSync(fileOf(directory, digest), content);
    await blobs.put(Buffer.from('whole'));
    assert.equal(Buffer.from(await blobs.get(digest)).toString(), 'whole');
  }
  await assert.rejects(blobs.get(sha256Digest('other')), { name: 'StoredDamage', message: /is missing/ });
  for (const name of ['', '../../etc/passwd', `sha256:${'0'.repeat(63)}/`, 'sha256:'])
    await assert.rejects(blobs.get(name), /is no digest/);
});

// BLOBS-3
test('without a descriptor a read and a write are refused as what passes, and say no path', async (t) => {
  const directory = place(t);
  const blobs = new FileBlobs(directory);
  const digest = await blobs.put(Buffer.from('whole'));
  const none = async (path: unknown) => {
    throw Object.assign(new Error(`EMFILE: too many open files, open '${path}'`), { code: 'EMFILE', syscall: 'open', path });
  };
  t.after(() => syncBuiltinESMExports());
  const mocks = (['readFile', 'open'] as const).map((name) => t.mock.method(fs.promises, name, none));
  syncBuiltinESMExports();
  const refused = { code: 'control.UNAVAILABLE', message: 'The service has too many files open at the moment.' };
  await assert.rejects(blobs.get(digest), refused);
  await assert.rejects(blobs.put(Buffer.from('other')), refused);
  for (const { mock } of mocks) mock.restore();
  syncBuiltinESMExports();
  assert.equal(Buffer.from(await blobs.get(digest)).toString(), 'whole');
});

// BLOBS-1
test('what an earlier incarnation left half written goes away', (t) => {
  const directory = place(t);
  new FileBlobs(directory);
  const left = join(directory, 'blobs', 'drafts', '7');
  mkdirSync(join(directory, 'blobs', 'drafts', '8', 'below'), { recursive: true });
  writeFileSync(left, 'half');
  new FileBlobs(directory);
  assert.deepEqual(readdirSync(join(directory, 'blobs', 'drafts')), []);
});
