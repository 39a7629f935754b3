// Every code that a target can end with is reported in docs/targets.md, and every code reported there exists. Codes of the other areas
// have a row on some page.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const areas = ['assertion', 'cluster', 'control', 'framework', 'reporter', 'target', 'world'];
/** Of the source, by area. */
const inSource = new Map(areas.map((area) => [area, new Set<string>()]));
for (const name of readdirSync(join(root, 'src'), { recursive: true }) as string[]) {
  if (!/\.tsx?$/.test(name)) continue;
  for (const [, code = '', area = ''] of readFileSync(join(root, 'src', name), 'utf8').matchAll(/['"`](([a-z]+)\.[A-Z][A-Z_]+)['"`]/g))
    inSource.get(area)?.add(code);
}
const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');

test('the codes of targets are those of the docs', () => {
  const table = page('targets.md').split('## Errors')[1] ?? '';
  const inDocs = new Set([...table.matchAll(/`(target\.[A-Z_]+)`/g)].map(([, code]) => code as string));
  assert.deepEqual([...(inSource.get('target') ?? [])].sort(), [...inDocs].sort());
});

test('every code that the source names has a row on a page', () => {
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const rows = pages.flatMap((name) => page(name).split('\n')).filter((line) => line.startsWith('|'));
  const inRows = new Set(rows.flatMap((row) => [...row.matchAll(/`([a-z]+\.[A-Z][A-Z_]+)`/g)].map(([, code]) => code)));
  for (const [area, codes] of inSource) {
    assert.ok(codes.size > 0, area);
    const missing = [...codes].filter((code) => !inRows.has(code));
    assert.deepEqual(missing, [], area);
  }
});
