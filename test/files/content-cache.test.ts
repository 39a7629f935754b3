import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ContentCache } from '../../src/files/content-cache.js';
import { tuning } from '../../src/files/tuning.js';
import { userCacheFolder } from '../../src/files/user-cache-folder.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-cache-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const folderOf = (): string => join(mkdtempSync(join(scratch, 'cache-')), 'build');

test('what was kept is there for the next command, under its kind and its key', () => {
  const folder = folderOf();
  new ContentCache(folder).keep('document', 'a: 1', { a: [1, null, { b: 'ü' }] });
  const later = new ContentCache(folder);
  assert.deepEqual(later.read('document', 'a: 1'), { a: [1, null, { b: 'ü' }] });
  assert.equal(later.read('bundle', 'a: 1'), undefined);
  assert.equal(later.read('document', 'a: 2'), undefined);
  assert.equal(new ContentCache(folderOf()).read('document', 'a: 1'), undefined);
});

// CONTENT-CACHE-1
test('an entry that was cut short or changed is not there', () => {
  const folder = folderOf();
  const cache = new ContentCache(folder);
  const fileOf = (): string => join(folder, readdirSync(folder)[0]!);
  cache.keep('document', 'key', { paid: false });
  writeFileSync(fileOf(), readFileSync(fileOf(), 'utf8').replace('false', 'true'));
  assert.equal(cache.read('document', 'key'), undefined);
  for (const length of [0, 10, 64, 66, 70]) {
    cache.keep('document', 'key', { paid: false });
    assert.deepEqual(cache.read('document', 'key'), { paid: false });
    truncateSync(fileOf(), length);
    assert.equal(cache.read('document', 'key'), undefined);
  }
});

// CONTENT-CACHE-2
test('where nothing can be written nothing is kept, and nothing fails', () => {
  const folder = folderOf();
  writeFileSync(folder, 'a file in its place');
  const cache = new ContentCache(folder);
  cache.keep('document', 'key', 1);
  assert.equal(cache.read('document', 'key'), undefined);
  const large = new ContentCache(folderOf());
  large.keep('document', 'key', 'x'.repeat(tuning.cachedCharactersMax));
  assert.equal(large.read('document', 'key'), undefined);
});

test('of too many builds the oldest go', () => {
  const builds = mkdtempSync(join(scratch, 'builds-'));
  const names = Array.from({ length: tuning.cachedBuildsMax }, (_, index) => `build-${index}`);
  for (const [index, name] of names.entries()) {
    mkdirSync(join(builds, name));
    utimesSync(join(builds, name), 1000 + index, 1000 + index);
  }
  new ContentCache(join(builds, 'newest')).keep('document', 'key', 1);
  assert.deepEqual(readdirSync(builds).sort(), [...names.slice(names.length + 1 - tuning.cachedBuildsMax / 2), 'newest'].sort());
});

test('the folder of a user is named by the environment or the system, and is the user’s own', () => {
  const own = mkdtempSync(join(scratch, 'own-'));
  assert.equal(userCacheFolder({ DRILLYARD_CACHE_DIR: own }), own);
  assert.equal(userCacheFolder({ DRILLYARD_CACHE_DIR: join(own, 'later') }), join(own, 'later'));
  assert.equal(userCacheFolder({ DRILLYARD_CACHE_DIR: 'off' }), undefined);
  assert.equal(userCacheFolder({ DRILLYARD_CACHE_DIR: 'relative/folder' }), undefined);
  if (process.platform === 'linux') assert.equal(userCacheFolder({ XDG_CACHE_HOME: own }), join(own, 'drillyard'));
  chmodSync(own, 0o777);
  assert.equal(userCacheFolder({ DRILLYARD_CACHE_DIR: own }), undefined);
});

test('what came with the program is found, and nothing is written into it', () => {
  const [own, shipped] = [folderOf(), folderOf()];
  new ContentCache(shipped).keep('document', 'shipped', 1);
  const before = readdirSync(shipped);
  const cache = new ContentCache(own, shipped);
  cache.keep('document', 'own', 2);
  assert.deepEqual([cache.read('document', 'shipped'), cache.read('document', 'own')], [1, 2]);
  const strangers = new ContentCache(undefined, shipped);
  strangers.keep('document', 'theirs', 3);
  assert.deepEqual([strangers.read('document', 'shipped'), strangers.read('document', 'theirs')], [1, undefined]);
  assert.deepEqual(readdirSync(shipped), before);
});

// CONTENT-CACHE-2
test('a cache where the file system allows no folder keeps nothing, and does not hang', { skip: process.platform !== 'linux' }, () => {
  const cache = new ContentCache('/proc/drillyard/cache');
  cache.keep('kind', 'key', { value: 1 });
  assert.equal(cache.read('kind', 'key'), undefined);
});
