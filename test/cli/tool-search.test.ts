// `drillyard tool search` and `tool inspect`, of the library and of a folder.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createRepository } from '../drills/repository.js';
import { jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

test('search finds packages of the library by their words', async () => {
  const { code, stdout } = await warmDrillyard(['tool', 'search', 'REFUND', '--json']);
  assert.equal(code, 0);
  const lines = jsonLines(stdout);
  const names = lines.filter(({ event }) => event === 'package').map((line) => line.package);
  assert.ok(names.includes('library:payments'), stdout);
  assert.ok(!names.includes('library:mailbox'), stdout);
  assert.deepEqual(lines.at(-1), { event: 'summary', packages: names.length });
  const nothing = await warmDrillyard(['tool', 'search', 'no such thing anywhere']);
  assert.deepEqual([nothing.code, nothing.stdout], [1, 'The library has no such package.\n']);
});

test('inspect says what a package asks for, and what is wrong with one that does not compile', async (t) => {
  const repository = createRepository();
  t.after(() => repository.remove());
  const folder = join(repository.root, 'notes');
  const { code, stdout } = await warmDrillyard(['tool', 'inspect', folder, '--json']);
  assert.equal(code, 0, stdout);
  const [line] = jsonLines(stdout) as unknown as {
    packageId: string;
    digest: string;
    files: number;
    parts: { faults: string[]; operations: string[] };
  }[];
  assert.deepEqual([line?.packageId, line?.files, line?.parts.faults], ['notes', 2, ['down']]);
  assert.match(line?.digest ?? '', /^sha256:[0-9a-f]{64}$/);
  const shown = await warmDrillyard(['tool', 'inspect', folder]);
  assert.match(shown.stdout, /^notes 1\.0\.0 \(active\), for Drillyard >=0\.1\.0\n2 files, [\d,]+ bytes, sha256:/);
  assert.match(shown.stdout, / {2}- \{ packageId: notes, operationId: note\.write \}/);
  for (const place of [join(repository.root, 'nowhere'), join(folder, 'package.json')]) {
    const missing = await warmDrillyard(['tool', 'inspect', place]);
    assert.equal(missing.code, 2, missing.stdout + missing.stderr);
    assert.match(missing.stdout + missing.stderr, /DY5001.*there is no folder/);
  }
  repository.write('notes/behavior.ts', 'no behavior');
  const broken = await warmDrillyard(['tool', 'inspect', folder]);
  assert.equal(broken.code, 2, broken.stdout + broken.stderr);
  assert.match(broken.stdout + broken.stderr, /DY6003/);
});
