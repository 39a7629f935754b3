import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { FileBlobs } from '../../src/control/core/blobs.js';
import {
  applyChanges,
  filesOf,
  keepTree,
  loadTree,
  requireSourcePath,
  treeDigest,
  treeOfFiles,
  withMaterialized,
} from '../../src/control/source/source-trees.js';
import fc from '../fast-check.js';

function ground(t: TestContext) {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'drillyard-trees-'));
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }));
  return { blobs: new FileBlobs(dataDirectory), settings: { dataDirectory } };
}
const issueOf = (error: unknown) => (error as ServiceError).extra.issues?.[0];

// SOURCE-TREES-1
test('paths that could mean anything but a place below the root are refused', () => {
  const bad = [
    '',
    '/a',
    'a//b',
    'a/',
    './a',
    'a/../b',
    '..',
    'a/..',
    'a\\b',
    'C:a',
    'C:/a',
    'a\0b',
    'a\nb',
    'a\u2028',
    'a\ud800',
    'x'.repeat(513),
    'é'.repeat(128),
  ];
  for (const path of bad) {
    assert.throws(
      () => requireSourcePath(path, '/files/3/path'),
      (error: ServiceError) => error.code === 'control.INVALID_REQUEST' && issueOf(error)?.path === '/files/3/path',
      JSON.stringify(path),
    );
  }
  for (const path of ['a', 'a/b.yaml', '.hidden', 'a b', '...', 'é', 'node_modules/x']) requireSourcePath(path, '');
});

// SOURCE-TREES-1
test('a tree holds no two names that a file system may take for one, and nothing below a file', async (t) => {
  const { blobs } = ground(t);
  for (const paths of [
    ['a', 'A'],
    ['x/é', 'x/e\u0301'],
    ['a', 'a/b'],
    ['A', 'a/b/c'],
    ['d/B', 'D/b'],
  ]) {
    const files = paths.map((path) => ({ path, content: '' }));
    await assert.rejects(treeOfFiles(files, blobs), (error) => issueOf(error)?.code === 'conflict', paths.join(' '));
  }
  const twice = ['a', 'a'].map((path) => ({ path, content: '' }));
  await assert.rejects(treeOfFiles(twice, blobs), (error) => issueOf(error)?.path === '/files/1/path');
  await assert.rejects(treeOfFiles([{ path: 'a', content: 'x\ud800' }], blobs), (error) => issueOf(error)?.path === '/files/0/content');
});

test('changes make a new tree, in order, and leave the old one', async (t) => {
  const { blobs } = ground(t);
  const tree = await treeOfFiles([{ path: 'a', content: '1' }], blobs);
  const after = await applyChanges(
    tree,
    [
      { action: 'delete', path: 'a' },
      { action: 'put', path: 'a/b', content: '2' },
      { action: 'put', path: 'a/b', content: '3' },
    ],
    blobs,
  );
  assert.deepEqual([...tree.keys()], ['a']);
  assert.deepEqual([...after.keys()], ['a/b']);
  assert.equal(Buffer.from(await blobs.get(after.get('a/b')!.digest)).toString(), '3');
  await assert.rejects(applyChanges(tree, [{ action: 'delete', path: 'b' }], blobs), (error) => issueOf(error)?.path === '/changes/0/path');
  await assert.rejects(applyChanges(tree, [{ action: 'delete', path: 'a' }], blobs), (error) => issueOf(error)?.code === 'too_few');
});

// SOURCE-TREES-2
test('the digest is that of the files, in whatever order they were given, and leads back to them', async (t) => {
  const { blobs } = ground(t);
  const name = fc.stringMatching(/^[a-z]{1,6}$/);
  const given = fc.uniqueArray(
    fc.record({ path: fc.tuple(name, name).map(([a, b]) => `${a}_/${b}`), content: fc.string({ unit: 'grapheme' }) }),
    {
      selector: ({ path }) => path,
      minLength: 1,
      maxLength: 8,
    },
  );
  await fc.assert(
    fc.asyncProperty(given, fc.nat(7), async (files, turn) => {
      const tree = await treeOfFiles(files, blobs);
      const turned = await treeOfFiles([...files.slice(turn), ...files.slice(0, turn)], blobs);
      assert.equal(treeDigest(tree), treeDigest(turned));
      assert.equal(await keepTree(tree, blobs), treeDigest(tree));
      assert.deepEqual(filesOf(await loadTree(treeDigest(tree), blobs)), filesOf(tree));
      const changed = await applyChanges(tree, [{ action: 'put', path: files[0]!.path, content: `${files[0]!.content}!` }], blobs);
      assert.notEqual(treeDigest(changed), treeDigest(tree));
    }),
    { numRuns: 30 },
  );
});

test('a tree is extracted as it is, and gone afterwards, however the work ends', async (t) => {
  const services = ground(t);
  const tree = await treeOfFiles(
    [
      { path: 'a/b/c.txt', content: 'é' },
      { path: 'd', content: '' },
    ],
    services.blobs,
  );
  let seen = '';
  const { signal } = new AbortController();
  const names = await withMaterialized(services, tree, signal, async (layOut) => {
    const root = await layOut();
    seen = root;
    assert.equal(readFileSync(join(root, 'a/b/c.txt'), 'utf8'), 'é');
    return readdirSync(root, { recursive: true }).sort();
  });
  assert.deepEqual(names, ['a', 'a/b', 'a/b/c.txt', 'd']);
  assert.equal(existsSync(seen), false);
  await assert.rejects(
    withMaterialized(services, tree, signal, async (layOut) => {
      seen = await layOut();
      throw new Error('no');
    }),
    /no/,
  );
  assert.equal(existsSync(seen), false);
  // Not what nobody asks for, or wants any more.
  const work = join(services.settings.dataDirectory, 'work');
  await withMaterialized(services, tree, signal, async () => assert.deepEqual(readdirSync(work), []));
  const late = withMaterialized(services, tree, AbortSignal.abort(), (layOut) => layOut());
  await assert.rejects(late, { name: 'AbortError' });
  assert.deepEqual(readdirSync(work), []);
});

// SOURCE-TREES-3
test('a path has so many segments and a tree so many folders; one that was kept with more is not extracted', async (t) => {
  const services = ground(t);
  const { blobs } = services;
  const deep = (names: number, first = 'a'): string => `${first}/${'a/'.repeat(names - 2)}f`;
  requireSourcePath(deep(limits.sourcePathNamesMax), '');
  assert.throws(
    () => requireSourcePath(deep(limits.sourcePathNamesMax + 1), '/files/3/path'),
    (error) => issueOf(error)?.path === '/files/3/path' && issueOf(error)?.code === 'format',
  );
  const folders = (count: number) => Array.from({ length: count - 1 }, (_, index) => ({ path: `top/${index}/f`, content: '' }));
  assert.equal((await treeOfFiles(folders(limits.sourceFoldersMax), blobs)).size, limits.sourceFoldersMax - 1);
  await assert.rejects(treeOfFiles(folders(limits.sourceFoldersMax + 1), blobs), (error) => issueOf(error)?.code === 'too_many');
  // Spellings of one name are folders of their own where files are told apart by case.
  const spelled = Array.from({ length: limits.projectFilesMax }, (_, index) => ({
    path: `${[...index.toString(2).padStart(14, '0')].map((bit) => (bit === '0' ? 'a' : 'A')).join('/')}/${index}`,
    content: '',
  }));
  await assert.rejects(treeOfFiles(spelled, blobs), (error) => issueOf(error)?.code === 'too_many');

  const digest = await blobs.put(Buffer.from('x'));
  const kept = new Map(['one', deep(254, 'b')].map((path) => [path, { digest, bytes: 1 }]));
  const laidOut = withMaterialized(services, kept, new AbortController().signal, (layOut) => layOut());
  await assert.rejects(laidOut, (error) => issueOf(error)?.message.includes(deep(254, 'b')) === true);
  assert.equal(existsSync(join(services.settings.dataDirectory, 'work')), false);
  await assert.rejects(
    applyChanges(kept, [{ action: 'put', path: 'two', content: '' }], blobs),
    (error) => issueOf(error)?.code === 'format',
  );
  assert.deepEqual([...(await applyChanges(kept, [{ action: 'delete', path: deep(254, 'b') }], blobs)).keys()], ['one']);
});
