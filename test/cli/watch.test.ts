// `run --watch` in a process of its own, with files edited under it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type KeyInput, readKeys, type WatchKey } from '../../src/cli/watch-keys.js';
import { commandAgent, drill, moduleAgent, noteIs, type Repository, temporaryRepositories } from '../drills/repository.js';
import { until } from '../until.js';
import { jsonLines, nodeArguments, type Started, start } from './cli.js';

const cleanUp: (() => void)[] = [];
after(() => {
  for (const clean of cleanUp) clean();
});
const repository = temporaryRepositories();
const writes = (text: string): string => `await context.world.call('notes', 'note.write', { id: 'a', text: '${text}' });`;

/** A watching process, and the lines it has printed since `next` was last called, up to the line `waiting`. */
function watching({ root }: Repository, ...args: string[]): Started & { next(): Promise<{ event?: string; [name: string]: unknown }[]> } {
  const started = start(['run', '--watch', '--json', '--root', root, ...args]);
  cleanUp.push(() => started.child.kill('SIGKILL'));
  let text = '';
  let wake = (): void => {};
  started.child.stdout?.on('data', (chunk: string) => {
    text += chunk;
    wake();
  });
  const marker = '{"event":"waiting"}\n';
  return {
    ...started,
    next: async () => {
      while (!text.includes(marker)) await new Promise<void>((resolve) => (wake = resolve));
      const end = text.indexOf(marker) + marker.length;
      const lines = jsonLines(text.slice(0, end));
      text = text.slice(end);
      return lines;
    },
  };
}
const ran = (lines: { event?: string; [name: string]: unknown }[]): unknown[] =>
  lines
    .filter(({ event }) => event === 'drill')
    .map(({ drillId, verdict }) => `${drillId} ${verdict}`)
    .sort();

// DRILL-INPUTS-1, DRILL-INPUTS-2, WATCH-COMMAND-1, WATCH-COMMAND-2, SOURCE-WATCH-1
test('a change runs again the drills it concerns and those that did not pass; Ctrl-C ends with 130', async () => {
  const project = repository(
    moduleAgent('one', `import('../helper.mjs').then(() => {}); ${writes('x')}`),
    moduleAgent('two', writes('x')),
    drill('first', 'one', [noteIs('a', 'x')]),
    drill('second', 'two', [noteIs('a', 'x')]),
    drill('wrong', 'two', [noteIs('a', 'z')]),
    { 'helper.mjs': 'export const helped = 1;\n' },
  );
  const watch = watching(project);
  assert.deepEqual(ran(await watch.next()), ['first passed', 'second passed', 'wrong failed']);

  // A drill's own file, and what failed last; then only that.
  project.write('drillyard/first.drill.json', {
    ...JSON.parse(readFileSync(join(project.root, 'drillyard/first.drill.json'), 'utf8')),
    title: 'New',
  });
  const second = await watch.next();
  assert.deepEqual(second[0], { event: 'changed', files: second[0]?.files, drills: ['first', 'wrong'] });
  assert.match(String(second[0]?.files), /drillyard\/first\.drill\.json$/);
  assert.deepEqual(ran(second), ['first passed', 'wrong failed']);

  // What a module imports belongs to it.
  project.write('helper.mjs', 'export const helped = 2;\n');
  assert.deepEqual(ran(await watch.next()), ['first passed', 'wrong failed']);

  // Source that does not compile is reported and waited out.
  project.write('drillyard/wrong.drill.json', '{ "schemaVersion": 1, ');
  const broken = await watch.next();
  assert.deepEqual([broken[0]?.event, ran(broken)], ['diagnostic', []]);
  project.write('drillyard/wrong.drill.json', { ...drill('wrong', 'two', [noteIs('a', 'x')])['drillyard/wrong.drill.json'] });
  assert.deepEqual(ran(await watch.next()), ['wrong passed']);

  // A tool is in every world.
  const behavior = readFileSync(join(project.root, 'notes/behavior.ts'), 'utf8');
  project.write('notes/behavior.ts', behavior.replace('return input;', 'return { ...input };'));
  assert.deepEqual(ran(await watch.next()), ['first passed', 'second passed', 'wrong passed']);

  // Nothing that a run writes, and nothing in node_modules, is source; the next thing reported is of the file written last.
  mkdirSync(join(project.root, 'node_modules/x'), { recursive: true });
  writeFileSync(join(project.root, 'node_modules/x/index.js'), 'x');
  writeFileSync(join(project.root, '.service/reports/index.html'), 'x');
  project.write('agents/two.mjs', `export default async (_, context) => {\n${writes('y')}\n};\n`);
  const last = (await watch.next()).find(({ event }) => event === 'changed');
  assert.deepEqual([String(last?.files).split('/').at(-1), last?.drills], ['two.mjs', ['second', 'wrong']]);
  watch.child.kill('SIGINT');
  assert.equal((await watch.ended).code, 130);
});

// DRILL-INPUTS-2, SOURCE-WATCH-2
test('a change during a run is not lost; a command agent is watched by the files it names', async () => {
  const started = (root: string): string => join(root, '.started');
  const body = (text: string): string => `
    import { existsSync, writeFileSync } from 'node:fs';
    writeFileSync('.started', '');
    while (!existsSync('.go')) await new Promise((resolve) => setTimeout(resolve, 5));
    await fetch(process.env.SERVICE_HTTP_URL + '/v1/operations/notes/note.write', { method: 'POST',
      headers: { authorization: 'Bearer ' + process.env.SERVICE_HTTP_TOKEN, 'content-type': 'application/json' }, body: JSON.stringify({ arguments: { id: 'a', text: '${text}' } }) });`;
  const project = repository(commandAgent('agent', body('x')), drill('d', 'agent', [noteIs('a', 'x')]));
  const watch = watching(project);
  await watch.says('"phase":"started"');
  await until(() => existsSync(started(project.root)));
  project.write('agents/agent.mjs', body('y'));
  writeFileSync(join(project.root, '.go'), '');
  assert.deepEqual(ran(await watch.next()), ['d passed']);
  assert.deepEqual(ran(await watch.next()), ['d failed']);
  rmSync(join(project.root, '.go'));
  watch.child.kill('SIGTERM');
  assert.equal((await watch.ended).code, 130);
});

// WATCH-COMMAND-1, WATCH-COMMAND-2
test('source that is mended to what it was is reported, and nothing runs again', async () => {
  const project = repository(moduleAgent('one', writes('x')), drill('d', 'one', [noteIs('a', 'x')]));
  const watch = watching(project);
  assert.deepEqual(ran(await watch.next()), ['d passed']);
  const file = join(project.root, 'drillyard/d.drill.json');
  const sound = readFileSync(file, 'utf8');
  project.write('drillyard/d.drill.json', sound.replace('"schemaVersion": 1', '"schemaVersion": 1,'));
  assert.equal((await watch.next())[0]?.code, 'DY1003');
  project.write('drillyard/d.drill.json', sound);
  const mended = await watch.next();
  assert.deepEqual([mended[0]?.event, mended[0]?.drills, ran(mended)], ['changed', [], []]);
  watch.child.kill('SIGINT');
  assert.equal((await watch.ended).code, 130);
});

test('a tool package beside the repository is watched, too', async () => {
  const outer = repository(
    Object.fromEntries(
      Object.entries({ ...moduleAgent('agent', writes('x')), ...drill('d', 'agent', [noteIs('a', 'x')]) }).map(([path, content]) => [
        `inner/${path}`,
        content,
      ]),
    ),
  );
  outer.write('inner/drillyard/world.json', readFileSync(join(outer.root, 'drillyard/world.json'), 'utf8'));
  outer.write('inner/drillyard.json', { schemaVersion: 1, world: 'world.json', toolPackages: ['../notes'] });
  const watch = watching({ ...outer, root: join(outer.root, 'inner') });
  assert.deepEqual(ran(await watch.next()), ['d passed']);
  const behavior = readFileSync(join(outer.root, 'notes/behavior.ts'), 'utf8');
  outer.write(
    'notes/behavior.ts',
    behavior.replace("context.state.put('notes', input.id, input);", "context.state.put('notes', input.id, { ...input, text: 'y' });"),
  );
  assert.deepEqual(ran(await watch.next()), ['d failed']);
  watch.child.kill('SIGINT');
  assert.equal((await watch.ended).code, 130);
});

test('keys are read from a terminal alone, and it is restored', () => {
  const heard: WatchKey[] = [];
  const modes: boolean[] = [];
  let listener: ((chunk: string) => void) | undefined;
  const source = (isTTY: boolean): KeyInput => ({
    isTTY,
    setRawMode: (mode) => modes.push(mode),
    on: (_, reported) => (listener = reported),
    off: () => (listener = undefined),
    resume: () => {},
    pause: () => {},
  });
  readKeys(source(false), (key) => heard.push(key))();
  assert.deepEqual([listener, modes], [undefined, []]);
  const giveBack = readKeys(source(true), (key) => heard.push(key));
  listener?.('axq\u0003\r');
  giveBack();
  assert.deepEqual(heard, ['all', 'quit', 'interrupt', 'all']);
  assert.deepEqual([listener, modes], [undefined, [true, false]]);
});

// SOURCE-WATCH-3, WATCH-COMMAND-2
for (const where of ['> watch.log 2>&1', '2>&1 | tee watch.log > /dev/null'])
  test(`what it says into a file of the repository (${where}) is no reason to say it again`, {
    skip: process.platform === 'win32',
  }, async () => {
    const project = repository(moduleAgent('one', writes('x')), drill('first', 'one', [noteIs('a', 'x')]));
    const command = [process.execPath, ...nodeArguments, 'run', '--watch', '--root', '.'];
    const child = spawn('sh', ['-c', `"$@" ${where}`, 'sh', ...command], { cwd: project.root, stdio: 'ignore', detached: true });
    cleanUp.push(() => child.kill('SIGKILL'));
    const log = join(project.root, 'watch.log');
    const times = (text: string): number => (existsSync(log) ? readFileSync(log, 'utf8').split(text).length - 1 : 0);
    await until(() => times('Waiting for a change') === 1);
    const whole = readFileSync(join(project.root, 'drillyard.json'), 'utf8');
    project.write('drillyard.json', '{');
    await until(() => times('Waiting for a change') === 2);
    // The same mistake: nothing new is to be said of it.
    project.write('notes.md', 'a change that mends nothing');
    project.write('drillyard.json', whole);
    await until(() => times('compiles again') === 1);
    process.kill(-(child.pid as number), 'SIGINT');
    assert.equal(times('DY1003'), 1);
  });
