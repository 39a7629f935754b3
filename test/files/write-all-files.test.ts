import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isServiceError } from '../../src/contract/errors.js';
import { writeAllFiles } from '../../src/files/write-all-files.js';

test('where one file cannot be written none is, what was there before is back, and a refusal says which and why', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeAllFiles(folder, { 'kept.txt': 'kept', 'below/one.txt': Buffer.from('one') });
  mkdirSync(join(folder, 'a-folder'));
  const files = { 'kept.txt': 'other', 'below/two.txt': 'two', 'a-folder': 'three' };
  assert.throws(
    () => writeAllFiles(folder, files),
    (error) => isServiceError(error, 'control.INVALID_REQUEST') && error.message.includes(`${join(folder, 'a-folder')} cannot be written`),
  );
  assert.equal(readFileSync(join(folder, 'kept.txt'), 'utf8'), 'kept');
  assert.deepEqual(readdirSync(join(folder, 'below')), ['one.txt']);
  rmSync(join(folder, 'a-folder'), { recursive: true });
  writeAllFiles(folder, files);
  assert.equal(readFileSync(join(folder, 'kept.txt'), 'utf8'), 'other');
  assert.equal(readFileSync(join(folder, 'a-folder'), 'utf8'), 'three');
});
