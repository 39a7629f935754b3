import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleBehavior } from '../../src/compiler/behavior-bundle.js';
import { parseSourceDocument } from '../../src/compiler/source-document.js';
import type { JsonValue } from '../../src/contract/json.js';
import { ContentCache } from '../../src/files/content-cache.js';
import { folder } from './repository.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-kept-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Notes what it was asked for and had. */
class WatchedCache extends ContentCache {
  readonly found: string[] = [];
  override read(kind: string, key: string): JsonValue | undefined {
    const value = super.read(kind, key);
    if (value !== undefined) this.found.push(kind);
    return value;
  }
}

// KEPT-BUNDLES-1
test('a bundle is taken from the cache while all that it imports is the same', async (t) => {
  const cache = new WatchedCache(join(scratch, 'bundles'));
  const files = {
    'b.ts':
      "import { defineToolBehavior } from 'drillyard/tool-sdk';\nimport { one } from './lib/one.js';\nexport default defineToolBehavior({ operations: { x: () => one } });\n",
    'lib/one.js': "import { two } from './two';\nexport const one = two - 1;\n",
    'lib/two.js': 'export const two = 2;\n',
  };
  const root = realpathSync(folder(t, files));
  const request = { root, toolFile: 'x.tool.yaml', module: './b.ts', isSdk: () => false };
  const steps: [what: string, change: () => void, isKept: boolean][] = [
    ['nothing is kept yet', () => {}, false],
    ['nothing has changed', () => {}, true],
    ['a helper has', () => writeFileSync(join(root, 'lib/two.js'), 'export const two = 3;\n'), false],
    ['nothing has since', () => {}, true],
    ['another file goes before it', () => writeFileSync(join(root, 'lib/two.ts'), 'export const two: number = 4;\n'), false],
    ['the entry has', () => writeFileSync(join(root, 'b.ts'), `${files['b.ts']}// later\n`), false],
    [
      'a helper imports what is not there',
      () => writeFileSync(join(root, 'lib/one.js'), "import './gone.js'; export const one = 1;\n"),
      false,
    ],
    ['and still does', () => {}, false],
  ];
  for (const [what, change, isKept] of steps) {
    change();
    cache.found.length = 0;
    const withCache = await bundleBehavior({ ...request, cache });
    const without = await bundleBehavior(request);
    assert.deepEqual(withCache, without, what);
    if (isKept) assert.deepEqual(cache.found, ['bundle'], what);
  }
});

test('a document that was kept has the same value and the same places', () => {
  const cache = new WatchedCache(join(scratch, 'documents'));
  const library = fileURLToPath(new URL('../../../library/', import.meta.url));
  const names = readdirSync(library, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
  assert.ok(names.length > 50);
  for (const name of [...names.slice(0, 40), 'own.yaml']) {
    const text =
      name === 'own.yaml' ? '# first\n\nid: a\nlist: [1, { "__proto__": x, 1: -0 }]\n' : readFileSync(join(library, name), 'utf8');
    const first = parseSourceDocument(name, text, cache).document!;
    const kept = parseSourceDocument(name, text, cache).document!;
    const plain = parseSourceDocument(name, text).document!;
    assert.equal(JSON.stringify(kept.value), JSON.stringify(plain.value), name);
    assert.deepEqual(kept.value, first.value);
    for (const pointer of ['', ...Object.keys(plain.value as object).map((member) => `/${member}`), '/none/there', '/list/1'])
      for (const part of [undefined, 'key'] as const)
        assert.deepEqual(kept.place(pointer, part), plain.place(pointer, part), `${name} ${pointer}`);
  }
  assert.equal(cache.found.length, 41);
});

test('what has a fault is not kept: it is reported each time', () => {
  const cache = new WatchedCache(join(scratch, 'faults'));
  for (let time = 0; time < 2; time++) {
    const { faults } = parseSourceDocument('x.yaml', 'a: 1\na: 2\n', cache);
    assert.deepEqual(
      faults.map(({ code, place }) => `${code} ${place.line}`),
      ['DY1004 2'],
    );
  }
  assert.deepEqual(cache.found, []);
});
