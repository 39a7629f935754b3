// `doctor`: each check with its fix, exit codes, and nothing left behind.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, type statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freeDisk, nodeVersion, writableFolder } from '../../src/cli/doctor-command.js';
import { createRepository, drill, moduleAgent, noteIs } from '../drills/repository.js';
import { drillyard, jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

test('a sound machine and repository: 0, every check reported, nothing written', async () => {
  const { root, remove } = createRepository({ ...moduleAgent('agent', ''), ...drill('d', 'agent', [noteIs('a', 'x')]) });
  const { code, stdout } = await drillyard(['doctor', '--json', '--root', root]);
  const lines = jsonLines(stdout);
  assert.deepEqual(
    lines.filter(({ event }) => event === 'check').map(({ id }) => id),
    ['node', 'storage', 'http-server', 'bundler', 'loopback', 'folder', 'disk', 'repository'],
  );
  assert.ok(lines.filter(({ event }) => event === 'check').every(({ status, fix }) => (status === 'ok') === (fix === undefined)));
  assert.deepEqual([code, lines.at(-1)?.healthy], [0, true]);
  assert.equal(existsSync(join(root, '.service')), false);
  const people = await warmDrillyard(['doctor', '--root', root]);
  assert.match(people.stdout, /✓ repository {3}the repository compiles: 1 drill\n\nReady\./);
  remove();
});

test('a bundler that does not start is said in words, by every command, without a stack', {
  skip: process.platform === 'win32',
}, async () => {
  const { root, remove } = createRepository({ ...moduleAgent('agent', ''), ...drill('d', 'agent', [noteIs('a', 'x')]) });
  // esbuild takes the program it is named. Bundles that another test left would not need it.
  const env = { ESBUILD_BINARY_PATH: '/bin/false', DRILLYARD_CACHE_DIR: 'off' };
  const checked = await drillyard(['doctor', '--root', root], { env });
  const run = await drillyard(['run', '--root', root], { env });
  remove();
  assert.equal(checked.code, 1);
  assert.match(checked.stdout, /✗ bundler {6}esbuild, which bundles tools and agents, does not start: [\s\S]*npm install/);
  assert.equal(run.code, 1);
  assert.match(run.stderr, /^error esbuild, which bundles tools and agents, does not start: .*\.$/m);
  assert.doesNotMatch(run.stderr, /^\s+at /m);
});

test('a repository that does not compile is 1 and says what shows it; a folder without one is no fault', async () => {
  const { root, remove } = createRepository({ 'drillyard/x.target.yaml': 'schemaVersion: 2\n' });
  const broken = await warmDrillyard(['doctor', '--root', root]);
  remove();
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /✗ repository {3}The repository does not compile: \d+ errors?\.\n\s+`drillyard validate` shows each/);
  const cwd = mkdtempSync(join(tmpdir(), 'drillyard-doctor-test-'));
  const empty = await warmDrillyard(['doctor'], { cwd });
  rmSync(cwd, { recursive: true });
  assert.equal(empty.code, 0);
  assert.match(empty.stdout, /! repository {3}There is no drillyard\.json[\s\S]*drillyard init/);
});

test('an old Node.js, a full disk and a folder that is none are reported with what mends them', () => {
  assert.deepEqual(
    ['20.12.0', '22.1.0', '24.0.0', '26.1.0'].map((version) => nodeVersion(version).status),
    ['warning', 'ok', 'ok', 'ok'],
  );
  assert.deepEqual([nodeVersion('18.20.0').status, nodeVersion('18.20.0').fix !== undefined], ['failed', true]);
  const free = (mebibytes: number) =>
    freeDisk('/', (() => ({ bavail: mebibytes, bsize: 1024 * 1024 })) as unknown as typeof statfsSync).status;
  assert.deepEqual([free(5000), free(500), free(10)], ['ok', 'warning', 'failed']);
  assert.equal(writableFolder('/proc/none').status, 'failed');
});
