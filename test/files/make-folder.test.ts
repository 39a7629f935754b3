import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { makeFolder } from '../../src/files/make-folder.js';

const here = mkdtempSync(join(tmpdir(), 'drillyard-files-'));
after(() => rmSync(here, { recursive: true, force: true }));

function refusalOf(path: string): string {
  try {
    makeFolder(path);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return `${error.code} ${error.message}`;
  }
  return 'made';
}

test('a folder and those above it are made; one that is there is fine, through a link too', () => {
  makeFolder(join(here, 'a/b/c'));
  makeFolder(join(here, 'a/b/c'));
  mkdirSync(join(here, 'real'));
  symlinkSync(join(here, 'real'), join(here, 'link'));
  makeFolder(join(here, 'link/below'));
  makeFolder('/');
  for (const path of ['a/b/c', 'real/below']) assert.ok(statSync(join(here, path)).isDirectory());
});

test('what is in the way is said', () => {
  writeFileSync(join(here, 'file'), '');
  symlinkSync('circle', join(here, 'circle'));
  assert.match(
    refusalOf(join(here, 'file')),
    /^control\.INVALID_REQUEST The folder .*\/file cannot be made: a file is in its place\. Name another folder\.$/,
  );
  assert.match(refusalOf(join(here, 'file/x/y')), /a file is in its way/);
  assert.match(refusalOf(join(here, 'n'.repeat(300))), /the name is too long/);
  assert.match(refusalOf(join(here, 'circle/x')), /lead in a circle/);
});

test('a file system that allows no folder is reported, and does not hang', { skip: process.platform !== 'linux' }, () => {
  assert.match(refusalOf('/proc/drillyard/a/b'), /the file system allows none there/);
});
