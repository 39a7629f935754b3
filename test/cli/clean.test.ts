// Which runs stay: the newest, those that did not pass in a period, and whatever an invocation that is alive has made.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createRepository, drill, moduleAgent, noteIs } from '../drills/repository.js';
import { drillyard, jsonLines, start } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

// RETENTION-1, RUNS-IN-PROGRESS-1
test('a run removes what is old by what it was reported, clean shows and removes the rest, and a run in progress loses nothing', async (t) => {
  const { root, remove } = createRepository({
    ...moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });`),
    ...moduleAgent('endless', `await new Promise(() => setInterval(() => {}, 1000));`),
    ...drill('passes', 'agent', [noteIs('a', 'x')]),
    ...drill('fails', 'agent', [noteIs('a', 'y')]),
    ...drill('endless', 'endless', [noteIs('a', 'x')]),
  });
  t.after(remove);
  const runsIn = (folder: string) => readdirSync(join(root, '.service', folder)).sort();
  const play = async (...args: string[]) => {
    const { stdout, stderr } = await warmDrillyard(['run', '--json', '--root', root, ...args]);
    assert.equal(stderr, '');
    return jsonLines(stdout).flatMap(({ event, runId }) => (event === 'attempt' ? [runId as string] : []));
  };
  const clean = async (args: string[], command = warmDrillyard) => {
    const { code, stdout, stderr } = await command(['clean', '--root', root, ...args]);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  const [failed] = await play('fails');
  const [passed] = await play('passes');
  assert.match(await clean([]), /^Nothing to remove: 2 runs, all kept\./);
  // A run's own runs stay, whatever the number; the one that failed is kept for its period.
  const own = await play('passes', 'fails', '--keep', '1');
  assert.deepEqual(runsIn('runs'), [failed, ...own].sort());
  assert.deepEqual(runsIn('reports'), runsIn('runs'));
  assert.equal(existsSync(join(root, '.service/runs', passed as string)), false);
  assert.match(
    await clean(['--keep', '0']),
    /^Old are 1 run of 3, with worlds and reports: 0\.\d MB\. Nothing was removed; --yes removes them\.$/m,
  );
  assert.equal(runsIn('runs').length, 3);

  // A mark of a process that is gone counts for nothing.
  const mark = join(root, '.service/runs/.playing-run_00000000000000000000000000');
  mkdirSync(mark);
  writeFileSync(join(mark, 'in-use.lock'), JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), begun: null, nonce: 'n' }));
  const endless = start(['run', 'endless', '--json', '--root', root]);
  t.after(() => endless.child.kill('SIGKILL'));
  await endless.says('"phase":"started"');
  const inProgress = jsonLines(endless.soFar().replace(/[^\n]*$/, '')).find(({ event }) => event === 'attempt_started')?.runId as string;
  const lines = jsonLines(await clean(['--keep', '0', '--keep-failed-days', '0', '--yes', '--json'], drillyard));
  assert.deepEqual(
    lines.flatMap(({ event, runId }) => (event === 'old_run' ? [runId] : [])),
    [failed, ...own].sort(),
  );
  assert.deepEqual([lines.at(-1)?.runs, lines.at(-1)?.old, lines.at(-1)?.removed], [4, 3, true]);
  assert.deepEqual(
    runsIn('runs').filter((name) => name.startsWith('run_')),
    [inProgress],
  );
  assert.deepEqual(runsIn('reports'), []);
  endless.child.kill('SIGINT');
  assert.equal((await endless.ended).code, 130);
  assert.deepEqual(runsIn('runs'), [inProgress]);
});
