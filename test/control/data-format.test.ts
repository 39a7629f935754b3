// The format of a data directory stands in its catalog, and decides whether a version may use it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { catalogFolder } from '../../src/control/data-folder.js';
import { dataFormat, formatTable, takeUpFormat } from '../../src/control/data-format.js';
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

test('a start names the format where none is named, and takes its own', async (t) => {
  const directory = dataDirectory(t);
  for (const start of ['first', 'second']) {
    const { format } = await withCatalog(directory, async (catalog) => {
      await takeUpFormat(catalog, directory);
      return catalog.view.get(formatTable, 'data')!;
    });
    assert.equal(format, dataFormat, start);
  }
  assert.deepEqual(await verified(directory), []);
});

// DATA-FORMAT-1
test('a format of a later or an earlier version is refused with the way out, at a start and by a verification, and stays', async (t) => {
  for (const [format, whose] of [
    [dataFormat + 1, 'a later version of Drillyard wrote; .* Start that version, or put a backup of this one back'],
    [dataFormat - 1, 'an earlier version of Drillyard wrote; .* Start that version, or begin with another data directory'],
  ] as const) {
    const directory = dataDirectory(t);
    await withCatalog(directory, async (catalog) => {
      await catalog.change((tx) => tx.put(formatTable, { name: 'data', format }));
      const refusal = { code: 'control.STATE_CONFLICT', message: new RegExp(`${directory} .*format ${format}, which ${whose}`) };
      await assert.rejects(takeUpFormat(catalog, directory), refusal);
      assert.deepEqual(catalog.view.get(formatTable, 'data'), { name: 'data', format });
    });
    const [found, ...others] = await verified(directory);
    assert.match(found!, new RegExp(`format ${format}, which ${whose}`));
    assert.deepEqual(others, []);
  }
});
