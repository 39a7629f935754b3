import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { lockFolder } from '../../src/files/folder-lock.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-lock-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const folderOf = (): string => mkdtempSync(join(scratch, 'folder-'));
const fileOf = (folder: string): string => join(folder, 'in-use.lock');
const holderOf = (folder: string): { [member: string]: unknown } => JSON.parse(readFileSync(fileOf(folder), 'utf8'));

test('a folder has one holder at a time, and is free again once released', () => {
  const folder = folderOf();
  const lock = lockFolder(folder);
  assert.throws(() => lockFolder(folder), { code: 'control.STATE_CONFLICT', message: new RegExp(`in use by process ${process.pid}\\.`) });
  lock.release();
  assert.deepEqual(readdirSync(folder), []);
  lockFolder(folder).release();
});

// FOLDER-LOCK-1
test('a holder that is gone holds nothing, nor does a later process of its id, nor a file cut short', () => {
  const folder = folderOf();
  lockFolder(folder).release();
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const lock = lockFolder(folder);
  const self = holderOf(folder);
  lock.release();
  const stale = [
    JSON.stringify({ ...self, pid: gone, begun: null, nonce: 'gone' }),
    ...(self.begun === null ? [] : [JSON.stringify({ ...self, begun: 'another boot', nonce: 'reused' })]),
    '{"pid":1',
    '',
  ];
  for (const text of stale) {
    writeFileSync(fileOf(folder), text);
    const taken = lockFolder(folder);
    assert.equal(holderOf(folder).pid, process.pid);
    assert.deepEqual(readdirSync(folder), ['in-use.lock']);
    taken.release();
  }
});

// FOLDER-LOCK-1
test('of a holder on another machine the time of the file tells', () => {
  const folder = folderOf();
  const file = fileOf(folder);
  writeFileSync(file, JSON.stringify({ pid: 1, host: 'another-machine', begun: null, nonce: 'elsewhere' }));
  assert.throws(() => lockFolder(folder), { code: 'control.STATE_CONFLICT', message: /process 1 on another-machine\. .* wait 15 s/ });
  const long = new Date(Date.now() - limits.folderLockStaleMs - 1_000);
  utimesSync(file, long, long);
  lockFolder(folder).release();
});

test('one that was taken over is not released by its former holder', () => {
  const folder = folderOf();
  const former = lockFolder(folder);
  rmSync(fileOf(folder));
  const present = lockFolder(folder);
  former.release();
  assert.ok(existsSync(fileOf(folder)));
  present.release();
  assert.equal(existsSync(fileOf(folder)), false);
});

test('a folder in which nothing can be written is refused with the reason', () => {
  assert.throws(() => lockFolder(join(folderOf(), 'absent')), { code: 'control.INVALID_REQUEST', message: /ENOENT/ });
});
