// What the command line says and ends with, for every kind of target: an agent that dies is distinguished from a drill that fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { RunResult } from '../../src/contract/run/run.js';
import { commandAgent, createRepository, drill, moduleAgent, noteIs, type Repository } from '../drills/repository.js';
import { jsonLines, start } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const write = `const write = (text) => fetch(process.env.SERVICE_HTTP_URL + '/v1/operations/notes/note.write', { method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.SERVICE_HTTP_TOKEN, 'content-type': 'application/json' }, body: JSON.stringify({ arguments: { id: 'a', text } }) });`;

/** An HTTP agent that does what its task's input says. */
const agent = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { environment, drillId } = JSON.parse(text) as { environment: { [name: string]: string }; drillId: string };
  if (drillId.endsWith('dies')) return void response.destroy();
  if (drillId.endsWith('waits')) return;
  await fetch(`${environment.SERVICE_HTTP_URL}/v1/operations/notes/note.write`, {
    method: 'POST',
    headers: { authorization: `Bearer ${environment.SERVICE_HTTP_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: { id: 'a', text: drillId.endsWith('wrong') ? 'y' : 'x' } }),
  });
  response.writeHead(204).end();
});
let repository: Repository;
before(async () => {
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  const { port } = agent.address() as AddressInfo;
  const http = (id: string, url: string) => ({
    [`drillyard/${id}.target.json`]: {
      schemaVersion: 1,
      target: { id, kind: 'http', url, method: 'POST', bindings: ['http'], timeoutMs: 20_000 },
    },
  });
  const inModule = (text: string) => `await context.world.call('notes', 'note.write', { id: 'a', text: '${text}' });`;
  const waits = 'setInterval(() => {}, 1000); await new Promise(() => {});';
  repository = createRepository({
    ...moduleAgent('module-right', inModule('x')),
    ...moduleAgent('module-wrong', inModule('y')),
    ...moduleAgent('module-dies', 'console.log("last words"); process.exit(0);'),
    ...moduleAgent('module-waits', waits),
    ...commandAgent('command-right', `${write} await write('x');`),
    ...commandAgent('command-wrong', `${write} await write('y');`),
    ...commandAgent('command-dies', 'console.error("last words"); process.exit(7);'),
    ...commandAgent('command-waits', 'setInterval(() => {}, 1000);'),
    ...http('http', `http://127.0.0.1:${port}/`),
    ...http('http-away', `http://0.0.0.0:${port}/`),
    ...Object.assign(
      {},
      ...['right', 'wrong', 'dies', 'waits'].flatMap((how) =>
        ['module', 'command'].map((kind) => drill(`${kind}-${how}`, `${kind}-${how}`, [noteIs('a', 'x')])),
      ),
    ),
    ...Object.assign({}, ...['right', 'wrong', 'dies', 'waits'].map((how) => drill(`http-${how}`, 'http', [noteIs('a', 'x')]))),
    ...drill('http-away', 'http-away', [noteIs('a', 'x')]),
  });
});
after(() => {
  agent.closeAllConnections();
  agent.close();
  repository.remove();
});

const deaths = { command: 'target.EXIT_CODE', http: 'target.CONNECTION_LOST', module: 'target.CRASHED' };
const kinds = Object.keys(deaths) as (keyof typeof deaths)[];
const all = (how: string) => kinds.map((kind) => `${kind}-${how}`);

/**
 * Of one run of drills of every kind: the exit code, and of each its verdict, its agent's status and the code of what went wrong with it.
 */
async function run(how: string): Promise<{ code: number | null; reported: unknown[] }> {
  const { code, stdout } = await warmDrillyard(['run', '--json', ...all(how), '--root', repository.root]);
  const lines = jsonLines(stdout);
  const reported = lines.flatMap(({ event, drillId, runId, verdict, report }) => {
    if (event !== 'attempt') return [];
    const finished = lines.find((line) => line.event === 'interaction' && line.phase === 'finished' && line.runId === runId);
    const error = (finished?.error as { code?: string } | undefined)?.code;
    const result = JSON.parse(readFileSync(join(repository.root, report as string, 'run.json'), 'utf8')) as RunResult;
    assert.equal(result.interactions[0]?.targetResult.error?.code, error);
    return [[drillId, verdict, finished?.status, error]];
  });
  return { code, reported };
}

test('0 when agents of every kind did right; 1 when they did wrong; 1, and another verdict, when they died', async () => {
  const [right, wrong, dies] = await Promise.all([run('right'), run('wrong'), run('dies')]);
  assert.deepEqual(right, { code: 0, reported: all('right').map((id) => [id, 'passed', 'completed', undefined]) });
  assert.deepEqual(wrong, { code: 1, reported: all('wrong').map((id) => [id, 'failed', 'completed', undefined]) });
  assert.deepEqual(dies, { code: 1, reported: kinds.map((kind) => [`${kind}-dies`, 'inconclusive', 'failed', deaths[kind]]) });
});

test('people are shown who died, with its last words, and what was wrong', async () => {
  const { code, stdout } = await warmDrillyard(['run', ...all('dies'), 'module-wrong', '--root', repository.root]);
  assert.equal(code, 1);
  for (const kind of kinds) assert.match(stdout, new RegExp(`The agent failed: .* ${deaths[kind]}\\n +in interaction main`));
  assert.equal(stdout.match(/\| last words/g)?.length, 2);
  assert.match(stdout, /\/text of row a is "y"; expected "x"/);
});

test('130 when they are interrupted at work, whatever their kind', async () => {
  const { child, ended } = start(['run', '--json', ...all('waits'), '--concurrency', '3', '--root', repository.root]);
  let stdout = '';
  let isTold = false;
  child.stdout?.on('data', (text: string) => {
    stdout += text;
    // A second one would end it at once.
    if (!isTold && stdout.match(/"phase":"started"/g)?.length === kinds.length) isTold = child.kill('SIGINT');
  });
  const reported = await ended;
  const statuses = jsonLines(reported.stdout).flatMap(({ event, status }) => (event === 'attempt' ? [status] : []));
  assert.deepEqual([reported.code, statuses], [130, ['cancelled', 'cancelled', 'cancelled']]);
});

test('an HTTP agent elsewhere is refused unless --allow-remote says otherwise', async () => {
  const flags = ['run', '--json', 'http-away', '--root', repository.root];
  const [refused, allowed] = await Promise.all([warmDrillyard(flags), warmDrillyard([...flags, '--allow-remote'])]);
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /"code":"target\.ADDRESS_REFUSED"/);
  assert.equal(allowed.code, 0, allowed.stdout);
});

test('2 for what no target may say, whatever its kind', async () => {
  const targets = {
    module: { module: 'agents/none.mjs', bindings: ['direct'] },
    command: { executable: 'node', workingDirectory: 'nowhere', bindings: ['http'] },
    http: { url: 'not a url', method: 'POST', bindings: ['http'] },
    external: { bindings: [] },
  };
  const files = Object.entries(targets).map(([kind, more]) => [
    `drillyard/${kind}.target.json`,
    { schemaVersion: 1, target: { id: kind, kind, timeoutMs: 1000, ...more } },
  ]);
  const wrong = createRepository(Object.fromEntries(files) as { [path: string]: object });
  const { code, stdout } = await warmDrillyard(['run', '--json', '--root', wrong.root]);
  wrong.remove();
  assert.equal(code, 2);
  const reported = new Set(jsonLines(stdout).flatMap(({ event, file }) => (event === 'diagnostic' ? [file] : [])));
  assert.deepEqual([...reported].sort(), files.map(([file]) => file).sort());
});

test('1 for what could not run, 2 for bad usage, around an agent desk', async () => {
  const desk = (...folder: string[]) => ['--external-file', join(repository.root, ...folder, 'desk.json'), '--root', repository.root];
  const cases = [
    [1, 'run', 'module-dies', ...desk('made', 'for-it')],
    // Below a file, where not even root can write.
    [2, 'run', 'module-dies', ...desk('drillyard.json')],
    [2, 'agent', 'next', '--wait', 'x'],
    [2, 'agent', 'complete', 'run_x'],
    [2, 'agent', 'next'],
  ] as [number, ...string[]][];
  await Promise.all(cases.map(async ([code, ...args]) => assert.equal((await warmDrillyard(args)).code, code, args.join(' '))));
});
