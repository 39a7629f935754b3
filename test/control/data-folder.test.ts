// How much of what code in boxes has left in a data directory counts.
import assert from 'node:assert/strict';
import { chmodSync, closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { requireSpace } from '../../src/control/backup-folder.js';
import { DiskUse } from '../../src/control/disk-use.js';
import { projectFolder } from '../../src/control/sessions/project-worlds.js';

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-data-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const written = 64 * 1024;
/** A file of which only the beginning takes space. */
function sparseFile(path: string): void {
  const descriptor = openSync(path, 'w');
  writeSync(descriptor, Buffer.alloc(written, 1));
  ftruncateSync(descriptor, 15 * 1000 ** 4);
  closeSync(descriptor);
}

test('a file with holes counts by what it takes of the disk, and of a backup the data files of hosts alone', async (t) => {
  const directory = scratch(t);
  const host = join(directory, 'worlds', projectFolder('one'), 'host-0');
  mkdirSync(join(host, 'closed'), { recursive: true });
  for (const name of ['data.mdb', 'beside']) sparseFile(join(host, name));
  chmodSync(join(host, 'closed'), 0);
  await requireSpace(directory, directory);
  const use = new DiskUse(directory);
  const { worlds = 0 } = (await use.sizes()) ?? {};
  await use.close();
  assert.ok(worlds >= 2 * written && worlds < 1000 ** 3, `${worlds} bytes`);
});
