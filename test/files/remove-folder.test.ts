// Folders that foreign code has filled go, whatever it has put there.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeFolder } from '../../src/files/remove-folder.js';
import { makeDeepFolder } from '../deep-folder.js';

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-remove-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// REMOVE-FOLDER-1
test('a folder goes with what is deeper than any path, and with what nobody may enter', async (t) => {
  const place = join(scratch(t), 'place');
  makeDeepFolder(place);
  mkdirSync(join(place, 'closed', 'inner', 'more'), { recursive: true });
  for (const closed of ['closed/inner/more', 'closed/inner', 'closed']) chmodSync(join(place, closed), 0);
  for (let number = 0; number < 500; number++) mkdirSync(join(place, `wide-${number}`));
  writeFileSync(Buffer.concat([Buffer.from(`${place}/`), Buffer.from([0xff, 0xfe])]), 'a name in no encoding');
  assert.throws(() => rmSync(place, { recursive: true }));
  await removeFolder(place);
  assert.ok(!existsSync(place));
  await removeFolder(place);
});

// REMOVE-FOLDER-2
test('a link goes, and what it leads to stays', async (t) => {
  const directory = scratch(t);
  const other = join(directory, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'file'), 'kept');
  mkdirSync(join(directory, 'place'));
  symlinkSync(other, join(directory, 'place', 'link'));
  symlinkSync(other, join(directory, 'link'));
  await removeFolder(join(directory, 'place'));
  await removeFolder(join(directory, 'link'));
  assert.deepEqual(readdirSync(directory), ['other']);
  assert.equal(readFileSync(join(other, 'file'), 'utf8'), 'kept');
});
