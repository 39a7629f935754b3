// A data directory among other users of the machine, and how much of what code in boxes has left there counts.
import assert from 'node:assert/strict';
import { chmodSync, closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { requireSpace } from '../../src/control/backup-folder.js';
import { makeDataFolder } from '../../src/control/data-folder.js';
import { DiskUse } from '../../src/control/disk-use.js';
import { projectFolder } from '../../src/control/sessions/project-worlds.js';

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-data-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const rightsOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

test('a data directory is entered by its owner alone; a folder of something else stays as it is', (t) => {
  const folder = scratch(t);
  const made = join(folder, 'above', 'made');
  makeDataFolder(made);
  const early = join(folder, 'early');
  mkdirSync(join(early, 'catalog'), { recursive: true });
  writeFileSync(join(early, 'catalog', 'data.mdb'), '');
  chmodSync(early, 0o755);
  makeDataFolder(early);
  assert.deepEqual([made, early].map(rightsOf), ['700', '700']);
  const [others, shared] = [join(folder, 'others'), join(folder, 'shared')];
  for (const [place, mode] of [
    [others, 0o755],
    [shared, 0o1777],
  ] as const) {
    mkdirSync(place);
    chmodSync(place, mode);
  }
  writeFileSync(join(others, 'file'), '');
  for (const place of [others, shared]) makeDataFolder(place);
  assert.deepEqual([others, shared].map(rightsOf), ['755', '1777']);
});

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
