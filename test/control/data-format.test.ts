// Formats of a data directory: named at the first start, refused where another version wrote it, and migrated by steps, with a backup
// before. There is no earlier format so far, so the tests make some.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readManifest } from '../../src/control/backup-manifest.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { defineTable } from '../../src/control/catalog/tables.js';
import { catalogFolder } from '../../src/control/data-folder.js';
import { dataFormat, formatOf, formatTable } from '../../src/control/data-format.js';
import { type FormatStep, takeUpFormat } from '../../src/control/format-steps.js';
import { openCatalogFile, verifyCatalog } from '../../src/control/verify-catalog.js';

function dataDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-format-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
async function withCatalog<T>(directory: string, work: (catalog: Catalog) => Promise<T>): Promise<T> {
  const catalog = new Catalog({ directory: catalogFolder(directory) });
  try {
    return await work(catalog);
  } finally {
    await catalog.close();
  }
}
async function verified(directory: string): Promise<string[]> {
  const found: string[] = [];
  const catalog = openCatalogFile(directory);
  verifyCatalog(catalog, (fault) => found.push(fault));
  await catalog.close();
  return found;
}
const place = (directory: string) => ({ dataDirectory: directory, mayMigrate: true, nowMs: () => 1_000 });

test('a start names the format where none is named, and takes its own', async (t) => {
  const directory = dataDirectory(t);
  for (const start of ['first', 'second']) {
    const { format } = await withCatalog(directory, async (catalog) => {
      await takeUpFormat(catalog, place(directory));
      return catalog.view.get(formatTable, 'data')!;
    });
    assert.equal(format, dataFormat, start);
  }
  assert.deepEqual(await verified(directory), []);
  assert.deepEqual(readdirSync(directory), ['catalog']);
});

// FORMAT-STEPS-1
test('a format of a later or an earlier version is refused with the way out, at a start and by a verification, and stays', async (t) => {
  for (const [format, whose] of [
    [dataFormat + 1, 'a later version of Drillyard wrote; .* Start that version, or put a backup of this one back'],
    [dataFormat - 1, 'an earlier version of Drillyard wrote; .* Start that version, or begin with another data directory'],
  ] as const) {
    const directory = dataDirectory(t);
    await withCatalog(directory, async (catalog) => {
      await catalog.change((tx) => tx.put(formatTable, { name: 'data', format }));
      const refusal = { code: 'control.STATE_CONFLICT', message: new RegExp(`${directory} .*format ${format}, which ${whose}`) };
      await assert.rejects(takeUpFormat(catalog, place(directory)), refusal);
      assert.deepEqual(catalog.view.get(formatTable, 'data'), { name: 'data', format });
    });
    const [found, ...others] = await verified(directory);
    assert.match(found!, new RegExp(`format ${format}, which ${whose}`));
    assert.deepEqual(others, []);
  }
});

interface Thing {
  id: string;
  words: string[];
}
const things = defineTable<Thing>({ name: 'format-test', idOf: ({ id }) => id, indexes: {} });
const stepFrom = (from: number, fails = false): FormatStep => ({
  from,
  change: (tx) => {
    const thing = tx.get(things, 'a') as Thing;
    tx.put(things, { id: 'a', words: [...thing.words, `from ${from}`] });
    if (fails) throw new Error('the step is wrong');
  },
});

// FORMAT-STEPS-2
test('an earlier format is migrated step by step after a backup; a step that fails changes nothing; a cluster is left as it is', async (t) => {
  const directory = dataDirectory(t);
  writeFileSync(join(directory, 'server.key'), 'key', { mode: 0o600 });
  mkdirSync(join(directory, 'blobs', 'aa'), { recursive: true });
  writeFileSync(join(directory, 'blobs', 'aa', 'aab'), 'blob');
  const backup = join(directory, 'backups', 'format-1');
  const stored = (catalog: Catalog): unknown => [formatOf(catalog.view), catalog.view.get(things, 'a')?.words];
  await withCatalog(directory, async (catalog) => {
    await takeUpFormat(catalog, place(directory));
    await catalog.change((tx) => tx.put(things, { id: 'a', words: ['old'] }));
    const own = { format: dataFormat + 2, steps: [stepFrom(1), stepFrom(2, true)] };
    await assert.rejects(takeUpFormat(catalog, { ...place(directory), own, mayMigrate: false }), { code: 'control.STATE_CONFLICT' });
    const gap = { format: dataFormat + 2, steps: [stepFrom(2)] };
    await assert.rejects(takeUpFormat(catalog, { ...place(directory), own: gap }), { code: 'control.STATE_CONFLICT' });
    assert.deepEqual(readdirSync(directory).sort(), ['blobs', 'catalog', 'server.key']);
    await assert.rejects(takeUpFormat(catalog, { ...place(directory), own }), /the step is wrong/);
    assert.deepEqual(stored(catalog), [1, ['old']]);
    // What an earlier version has changed since is in the backup of the next try.
    await catalog.change((tx) => tx.put(things, { id: 'a', words: ['newer'] }));
    await takeUpFormat(catalog, { ...place(directory), own: { format: 3, steps: [stepFrom(2), stepFrom(1)] } });
    assert.deepEqual(stored(catalog), [3, ['newer', 'from 1', 'from 2']]);
    await takeUpFormat(catalog, { ...place(directory), own: { format: 3, steps: [] } });
  });
  assert.deepEqual(readdirSync(join(directory, 'backups')), ['format-1']);
  assert.equal(readManifest(backup).dataFormat, 1);
  assert.equal(readFileSync(join(backup, 'blobs', 'aa', 'aab'), 'utf8'), 'blob');
  assert.equal(readFileSync(join(backup, 'server.key'), 'utf8'), 'key');
  await withCatalog(backup, async (catalog) => assert.deepEqual(stored(catalog), [1, ['newer']]));
});
