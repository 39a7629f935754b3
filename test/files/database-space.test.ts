// A disk that is filled to its last byte, by a data file in a process of its own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dataFileOf, openDatabase } from '../../src/files/database.js';
import { DatabaseSpace } from '../../src/files/database-space.js';
import { type DiskKind, smallDisk } from '../small-disk.js';

const writer = fileURLToPath(new URL('./full-disk-writer.js', import.meta.url));

function fillsUp(context: TestContext, kind: DiskKind): void {
  const disk = smallDisk(context, { kind, megabytes: 4 });
  if (disk === undefined) return;
  const run = spawnSync(process.execPath, [writer, join(disk.path, 'data'), '1'], { encoding: 'utf8' });
  assert.deepEqual([run.status, run.signal, run.stderr], [0, null, '']);
  const { kept, ...found } = JSON.parse(run.stdout) as { kept: number; freed: number };
  assert.ok(kept > 50, `${kept}`);
  // What frees space is done with the space that the file has.
  assert.deepEqual(found, { freed: kept, refusedAgain: 0, isWhole: true, codes: ['ENOSPC'] });
}

// DATABASE-SPACE-1
test('no write of LMDB finds a tmpfs full: a transaction that lacks space is refused before', (context) => fillsUp(context, 'tmpfs'));
// DATABASE-SPACE-1
test('no write of LMDB finds an ext4 full: a transaction that lacks space is refused before', (context) => fillsUp(context, 'ext4'));

// DATABASE-SPACE-1
test('a file with holes gets its pages, and space behind them', (context) => {
  const disk = smallDisk(context, { kind: 'ext4', megabytes: 8 });
  if (disk === undefined) return;
  const directory = join(disk.path, 'data');
  const database = openDatabase({ directory, flushed: true });
  context.after(() => database.close());
  database.putSync(Buffer.from('key'), Buffer.from('value'));
  truncateSync(dataFileOf(directory), 1024 * 1024);
  const before = statSync(dataFileOf(directory));
  assert.ok(before.blocks * 512 < before.size, 'it has a hole');
  new DatabaseSpace(database, directory).require({ changes: 1, bytes: 100_000 });
  const after = statSync(dataFileOf(directory));
  assert.ok(after.blocks * 512 >= after.size && after.size === before.size);
  assert.deepEqual(database.getBinary(Buffer.from('key')), Buffer.from('value'));
});
