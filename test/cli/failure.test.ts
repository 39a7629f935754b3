// What a command that cannot do its work says: a sentence with the next step, no stack, and the right exit code.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createRepository, drill, moduleAgent, written } from '../drills/repository.js';
import { drillyard, jsonLines, start } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const agent = moduleAgent('agent', '');
const { root, remove } = createRepository({ ...agent, ...drill('first', 'agent', [written({ equals: 0 })]) });
const here = mkdtempSync(join(tmpdir(), 'drillyard-failure-'));
after(() => {
  remove();
  rmSync(here, { recursive: true, force: true });
});

const stack = /\n\s+at /;

test('folders that cannot be made: the run ends, and says which and why', { skip: process.platform !== 'linux' }, async () => {
  const worlds = await drillyard(['run', '--root', root, '--run-dir', '/proc/x']);
  assert.equal(worlds.code, 1);
  assert.match(
    worlds.stdout,
    /Could not run: The folder \/proc\/x\/run_\w+ cannot be made: the file system allows none there \(ENOENT\)\. Name another folder\./,
  );
  const reports = await warmDrillyard(['run', '--root', root, '--report-dir', '/proc/x']);
  assert.equal(reports.code, 1);
  assert.match(reports.stderr, /run_\w+: The folder \/proc\/x cannot be made: [^.]+\. Name another folder\.\n/);
  const repository = await warmDrillyard(['init', '/proc/x', '--yes']);
  assert.equal(repository.code, 2);
  for (const { stderr } of [worlds, reports, repository]) assert.doesNotMatch(stderr, stack);
});

test('a file where worlds are to lie: the run ends by itself, and says what is in the way of which folder', {
  timeout: 60_000,
}, async () => {
  writeFileSync(join(here, 'taken'), '');
  for (const place of [join(here, 'taken'), '/dev/full']) {
    const run = await drillyard(['run', '--root', root, '--run-dir', place]);
    assert.equal(run.code, 1);
    assert.match(
      run.stdout,
      new RegExp(`The folder ${place}/run_\\w+ cannot be made below ${place}: a file is in its way\\. Name another folder\\.`),
    );
    assert.doesNotMatch(run.stderr, stack);
  }
});

test('init where a file is in the way: exit code 2, and nothing is left', async () => {
  mkdirSync(join(here, 'half'));
  // The third file of the new repository finds this in its way.
  writeFileSync(join(here, 'half/agents'), '');
  const { code, stderr } = await warmDrillyard(['init', 'half', '--yes'], { cwd: here });
  assert.equal(code, 2);
  assert.match(stderr, /agents cannot be made: a file is in its place\. Name another folder\./);
  assert.doesNotMatch(stderr, stack);
  assert.equal(existsSync(join(here, 'half/drillyard.json')), false);
  assert.deepEqual(readdirSync(join(here, 'half/drillyard/drills')), []);
});

test('bad usage with --json is an error line, too', async () => {
  for (const args of [
    ['run', '--no-such-flag'],
    ['run', '--trials', '1e9'],
    ['report', 'verify'],
  ]) {
    const { code, stdout } = await warmDrillyard([...args, '--json']);
    assert.equal(code, 2, args.join(' '));
    const [line, ...more] = jsonLines(stdout);
    assert.deepEqual([line?.event, line?.code, more.length], ['error', 'control.INVALID_REQUEST', 0]);
  }
});

test('a name with a slip of the hand is understood, a choice of nothing explained', async () => {
  assert.match((await warmDrillyard(['run', 'frist', '--root', root])).stderr, /There is no drill "frist"\. Did you mean "first"\?/);
  assert.match(
    (await warmDrillyard(['run', '--filter', 'zz', '--root', root])).stderr,
    /No drill is selected\. There are: first\. 'drillyard plan' shows/,
  );
  const library = await warmDrillyard(['tool', 'test', 'library:../payments']);
  assert.equal(library.code, 2);
  assert.match(library.stderr, /the library has no package '\.\.\/payments'/);
});

test('a pipe, a device or a binary in the place of a source file is not shown, nor waited for', async () => {
  const hostile = createRepository(agent);
  try {
    execFileSync('mkfifo', [join(hostile.root, 'drillyard/x.drill.yaml')]);
    hostile.write('drillyard/y.drill.yaml', '\u0007\u001b[2J: [\n');
    symlinkSync('/dev/zero', join(hostile.root, 'drillyard/z.drill.yaml'));
    const { code, stderr } = await warmDrillyard(['validate', '--root', hostile.root]);
    assert.equal(code, 2);
    assert.match(stderr, /x\.drill\.yaml:1:1 error DY1002 the file is not a regular file/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there.
    assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f]/);
  } finally {
    hostile.remove();
  }
});

test('an address that is no world: said in a sentence', async () => {
  const server = createServer((_, reply) => reply.end('<html>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { code, stdout } = await warmDrillyard(['world', 'tools'], {
    env: { SERVICE_CLI_URL: `http://127.0.0.1:${port}`, SERVICE_CLI_TOKEN: 'x' },
  });
  server.close();
  assert.equal(code, 2);
  assert.equal(jsonLines(stdout)[0]?.code, 'control.UNAVAILABLE');
});

test('a reader that goes away does not end a run, nor change its exit code', async () => {
  const { child, ended } = start(['run', '--json', '--root', root, '--report-dir', join(here, 'unread')]);
  child.stdout?.once('data', () => child.stdout?.destroy());
  assert.equal((await ended).code, 0);
  assert.equal(readdirSync(join(here, 'unread')).length, 1);
});

test('a current folder that is gone: a sentence, no stack', { skip: process.platform !== 'linux' }, () => {
  // Node.js itself evaluates no text there.
  const program = fileURLToPath(new URL('../../../bin/drillyard.js', import.meta.url));
  const inGone = 'mkdir "$1" && cd "$1" && rmdir "$1" && shift && exec "$@"';
  for (const words of [['run'], ['run', '--json', '--root', root], ['validate', '--root', root]]) {
    const args = ['-c', inGone, 'sh', join(here, 'gone'), process.execPath, program, ...words];
    const { status, stdout, stderr } = spawnSync('/bin/sh', args, { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
    const sentence = 'The folder that this was started in does not exist any more. Start it in another one.';
    assert.deepEqual([status, stderr], [2, `error ${sentence}\n`]);
    assert.equal(
      stdout,
      words.includes('--json') ? `${JSON.stringify({ event: 'error', code: 'control.NOT_FOUND', message: sentence })}\n` : '',
    );
  }
});

test('a TMPDIR in which no folder can be made: the run ends, and says so in its reports too', async () => {
  writeFileSync(join(here, 'no-folder'), '');
  const TMPDIR = join(here, 'no-folder');
  const { code, stderr, stdout } = await drillyard(['run', '--json', '--root', root], { env: { TMPDIR } });
  const sentence = `A temporary folder cannot be made in ${TMPDIR}: a file is in its way. The variable TMPDIR names another place.`;
  assert.deepEqual([code, stderr], [1, `error ${sentence}\n`]);
  assert.deepEqual(jsonLines(stdout).at(-1), { event: 'error', code: 'framework.INTERNAL', message: sentence });
});
