import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { zipOf } from '../../src/reports/zip.js';

const members = [
  { path: 'run/manifest.json', bytes: Buffer.from('{"a":1}\n') },
  { path: 'run/attachments/größe.bin', bytes: Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919) & 0xff)) },
  { path: 'run/empty.txt', bytes: Buffer.alloc(0) },
];

const noPython = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3 on this machine';

test('another program opens the archive and finds every file as it was', { skip: noPython }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-zip-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'a.zip'), await zipOf(members));
  // Python reads and checks each checksum.
  const script =
    'import zipfile,sys; z=zipfile.ZipFile("a.zip"); assert z.testzip() is None; z.extractall("out"); print("\\n".join(z.namelist()))';
  const names = execFileSync('python3', ['-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'utf8' },
  });
  assert.deepEqual(
    names.trim().split('\n'),
    members.map(({ path }) => path),
  );
  for (const { path, bytes } of members) assert.deepEqual(readFileSync(join(folder, 'out', path)), bytes);
});

test('equal files make equal bytes', async () => {
  assert.deepEqual(await zipOf(members), await zipOf(members));
});
