// Every code that a target can end with is reported in docs/targets.md, and every code reported there exists.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('the codes of targets are those of the docs', () => {
  const sources = ['drills', 'desk', 'contract'].flatMap((folder) =>
    (readdirSync(join(root, 'src', folder), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, 'src', folder, name)),
  );
  const inSource = new Set(
    sources.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/'(target\.[A-Z_]+)'/g)].map(([, code]) => code as string)),
  );
  const table = readFileSync(join(root, 'docs/targets.md'), 'utf8').split('## Errors')[1] ?? '';
  const inDocs = new Set([...table.matchAll(/`(target\.[A-Z_]+)`/g)].map(([, code]) => code as string));
  assert.deepEqual([...inSource].sort(), [...inDocs].sort());
});
