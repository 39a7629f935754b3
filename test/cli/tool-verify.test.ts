// `drillyard tool verify`, with the real program.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { copyPackage } from '../compat-kit/package-copy.js';
import { drillyard, jsonLines } from './cli.js';

const copy = copyPackage();
after(() => copy.remove());

test('tool verify: the page is written when asked for, compared otherwise, and a finding is a line and exit code 1', async () => {
  const stale = await drillyard(['tool', 'verify', copy.folder]);
  assert.equal(stale.code, 1, stale.stderr);
  assert.match(stale.stdout, /^page_stale: COMPAT\.md is not there; write it with --write\.$/m);
  assert.match(stale.stdout, /^members_stale: compat\/members\.json is not there; write it with --write\.$/m);
  assert.match(stale.stdout, /^NOT PROVED {2}notes 1\.0\.0 with notes-client 2\.4\.1$/m);
  const written = await drillyard(['tool', 'verify', 'package', '--write', '--date', '2026-01-05'], { cwd: join(copy.folder, '..') });
  assert.equal(written.code, 0, written.stdout + written.stderr);
  assert.match(written.stdout, /^Written: package\/COMPAT\.md$/m);
  assert.match(written.stdout, /^PROVED {2}notes 1\.0\.0 with notes-client 2\.4\.1\n {2}routes driven {6}4 of 4\n/m);
  assert.match(copy.read('COMPAT.md'), /Proved on 2026-01-05\./);
  assert.equal(existsSync(join(copy.folder, 'conformance/.service')), false);

  copy.replace('behavior.ts', '  title,\n', '');
  const broken = await drillyard(['tool', 'verify', copy.folder, '--json']);
  assert.equal(broken.code, 1, broken.stderr);
  const lines = jsonLines(broken.stdout);
  assert.deepEqual(
    [...new Set(lines.filter(({ event }) => event === 'finding').map(({ kind }) => kind))],
    ['flow_failed', 'route_not_driven', 'response_refused', 'page_stale'],
  );
  const { verdict, packageId, findings } = lines.find(({ event }) => event === 'summary') ?? assert.fail();
  assert.deepEqual([verdict, packageId, findings], ['failed', 'notes', lines.filter(({ event }) => event === 'finding').length]);
});

test('tool verify: a package that says nothing of a vendor, or is none, is bad usage', async () => {
  const silent = await drillyard(['tool', 'verify', 'library:payments', '--json']);
  assert.equal(silent.code, 2, silent.stderr);
  assert.deepEqual(jsonLines(silent.stdout), [
    { event: 'error', code: 'control.NOT_FOUND', message: 'There is no compat/compat.ts in payments.' },
  ]);
  assert.equal((await drillyard(['tool', 'verify', 'library:nothing'])).code, 2);
  assert.equal((await drillyard(['tool', 'verify', copy.folder, '--write', '--date', 'tomorrow'])).code, 2);
});
