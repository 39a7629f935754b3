// Ctrl-C as a terminal sends it: to every process of the group. The moments are found by what the run waits for.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runOnce } from '../../src/cli/run-command.js';
import { commandAgent, createRepository, drill, moduleAgent, written } from '../drills/repository.js';
import { isGone, jsonLines, pidIn, type Started, start } from './cli.js';

const stopped = /Cancelling; once more to end at once\./;

function interruptGroup({ child }: Started): Promise<unknown> {
  const isHeard = new Promise((resolve) => child.stderr?.on('data', (text: string) => stopped.test(text) && resolve(undefined)));
  process.kill(-(child.pid as number), 'SIGINT');
  return isHeard;
}

test('before the first attempt: said in words, reports written with each drill in them, 130', async (t) => {
  const { root, remove } = createRepository({ ...moduleAgent('agent', ''), ...drill('d', 'agent', [written({ equals: 1 })]) });
  t.after(remove);
  const warned: string[] = [];
  const interrupted = async (folder: string) =>
    await runOnce({
      options: { root: folder, reportDirectory: 'reports' },
      choices: [{ name: 'junit' }, { name: 'none' }],
      output: { json: false, line: () => {}, say: () => {}, warn: (text) => warned.push(text) },
      terminal: undefined,
      signal: AbortSignal.abort(),
    });
  assert.equal((await interrupted(root)).code, 130);
  assert.ok(warned.includes('Interrupted before the first attempt; nothing ran.'), warned.join('\n'));
  assert.match(readFileSync(join(root, 'reports/junit.xml'), 'utf8'), /errors="1".*\n.*name="d" tests="1"[\s\S]*type="not_run"/);
  // What is wrong with the source is said as well.
  assert.equal((await interrupted(join(root, 'missing'))).code, 130);
});

test('while an agent is bundled: what began is reported, 130', { skip: process.platform === 'win32', timeout: 60_000 }, async (t) => {
  const { root, remove } = createRepository({
    ...moduleAgent('agent', ''),
    'agents/agent.mjs':
      "import { text } from './slow.mjs'; export default (_, { world }) => world.call('notes', 'note.write', { id: 'a', text });",
    ...drill('d', 'agent', [written({ equals: 1 })]),
  });
  t.after(remove);
  // A writer to a pipe waits until somebody reads it: then the bundle is being made.
  const slow = join(root, 'agents/slow.mjs');
  execFileSync('mkfifo', [slow]);
  const run = start(['run', '--json', '--reporter', `junit=${join(root, 'junit.xml')}`, '--root', root], { ownGroup: true });
  t.after(() => run.child.kill('SIGKILL'));
  const pipe = await open(slow, 'w');
  await run.says('"phase":"started"');
  await interruptGroup(run);
  await pipe.writeFile("export const text = 'x';");
  await pipe.close();
  const { code, stdout, stderr } = await run.ended;
  assert.equal(code, 130, stderr);
  const attempt = jsonLines(stdout).find(({ event }) => event === 'attempt');
  assert.deepEqual([attempt?.status, attempt?.verdict], ['cancelled', 'inconclusive']);
  assert.ok(existsSync(join(root, attempt?.report as string, 'report.json')));
  assert.equal(jsonLines(stdout).at(-1)?.event, 'summary');
  assert.match(readFileSync(join(root, 'junit.xml'), 'utf8'), /type="framework.CANCELLED"/);
});

for (const isolate of ['thread', 'process']) {
  test(`while an agent works, hosts in a ${isolate}: sealed, reported, 130`, {
    skip: process.platform === 'win32',
    timeout: 60_000,
  }, async (t) => {
    const { root, remove } = createRepository({
      ...moduleAgent(
        'agent',
        `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' }); await new Promise(() => setInterval(() => {}, 1000));`,
      ),
      ...drill('d', 'agent', [written({ equals: 1 })]),
    });
    t.after(remove);
    const run = start(['run', '--json', '--isolate', isolate, '--root', root], { ownGroup: true });
    t.after(() => run.child.kill('SIGKILL'));
    await run.says('"phase":"started"');
    await interruptGroup(run);
    const { code, stdout, stderr } = await run.ended;
    assert.equal(code, 130, stderr);
    const attempt = jsonLines(stdout).find(({ event }) => event === 'attempt');
    assert.deepEqual([attempt?.status, attempt?.verdict], ['cancelled', 'inconclusive']);
    assert.ok(existsSync(join(root, attempt?.report as string, 'report.json')));
  });
}

const posix = { skip: process.platform === 'win32', timeout: 60_000 };

test('a terminal that closes cancels too, however often it says so: the agent is ended, what ran is reported, 130', posix, async (t) => {
  const source = "import { writeFileSync } from 'node:fs'; writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);";
  const { root, remove } = createRepository({ ...commandAgent('agent', source), ...drill('d', 'agent', [written({ equals: 1 })]) });
  t.after(remove);
  const { child, ended } = start(['run', '--json', '--root', root]);
  const pid = await pidIn(join(root, 'pid'));
  t.after(() => endAnyway(pid));
  child.kill('SIGHUP');
  child.stderr?.once('data', () => child.kill('SIGHUP'));
  const { code, stdout } = await ended;
  assert.equal(code, 130);
  assert.equal(jsonLines(stdout).find(({ event }) => event === 'attempt')?.status, 'cancelled');
  await isGone(pid);
});

// END-WITH-US-1
for (const [what, signals] of [
  ['a second Ctrl-C', ['SIGINT', 'SIGINT']],
  ['the end of the run by force', ['SIGKILL']],
] as const) {
  test(`${what} ends an agent in a process of its own, whatever it is busy with`, posix, async (t) => {
    const busy = `(await import('node:fs')).writeFileSync(process.cwd() + '/pid', String(process.pid)); for (;;);`;
    const { root, remove } = createRepository({ ...moduleAgent('agent', busy), ...drill('d', 'agent', [written({ equals: 1 })]) });
    t.after(remove);
    const { child, ended } = start(['run', '--json', '--isolate', 'process', '--root', root], { cwd: root });
    const pid = await pidIn(join(root, 'pid'));
    t.after(() => endAnyway(pid));
    const [first, second] = signals;
    child.kill(first);
    if (second !== undefined) child.stderr?.once('data', () => child.kill(second));
    assert.equal((await ended).code, second === undefined ? null : 130);
    await isGone(pid);
  });
}

// END-WITH-US-1
test('the end of the run by force ends agents that are commands, and what they have started', posix, async (t) => {
  const source = `
    import { spawn } from 'node:child_process';
    import { writeFileSync } from 'node:fs';
    const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' });
    const name = JSON.parse((await import('node:fs')).readFileSync(0, 'utf8')).drillId;
    writeFileSync(name + '-child', String(pid));
    writeFileSync(name, String(process.pid));
    for (;;);`;
  const files = {
    ...commandAgent('agent', source),
    ...drill('a', 'agent', [written({ equals: 1 })]),
    ...drill('b', 'agent', [written({ equals: 1 })]),
  };
  const { root, remove } = createRepository(files);
  t.after(remove);
  const { child, ended } = start(['run', '--json', '--concurrency', '2', '--root', root]);
  const pids: number[] = [];
  for (const name of ['a', 'a-child', 'b', 'b-child']) pids.push(await pidIn(join(root, name)));
  t.after(() => pids.forEach(endAnyway));
  child.kill('SIGKILL');
  assert.equal((await ended).code, null);
  for (const pid of pids) await isGone(pid);
});

function endAnyway(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // As it has to be.
  }
}
