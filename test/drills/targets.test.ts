// Targets by themselves: module and command agents of every temper, with an access that records the order of what happens.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ModuleTarget } from '../../src/contract/run/target.js';
import { command, file, invocation, module, pools, recordedAccess, root, run } from './targets-kit.js';

for (const isolation of ['thread', 'process'] as const) {
  test(`module in a ${isolation}: gets its invocation, calls the world, logs, attaches, answers`, async () => {
    const target = module(`
      export default async function (invocation, context) {
        console.log('hello %d', 1); console.error('oops'); process.stdout.write('raw\\n'); (await import('node:fs')).writeSync(1, 'direct\\n');
        context.log('structured', { a: 1 });
        context.attach('note.txt', 'text'); context.attach('shot.png', new Uint8Array([1, 2]), { mediaType: 'image/png' });
        const outcome = await context.world.call('desk', 'ticket.close', { id: 1 }, { idempotencyKey: 'k', instanceId: 'i' });
        return { outcome, task: invocation.task, token: context.binding.http.token.length, aborted: context.signal.aborted };
      }`);
    const recorded = recordedAccess();
    const { status, output, log, files } = await run(target, { recorded, isolation });
    assert.equal(status, 'completed');
    assert.deepEqual(output, {
      outcome: { kind: 'ok', value: 1 },
      task: { instruction: 'do it', input: { n: 1 } },
      token: 13,
      aborted: false,
    });
    assert.equal(log, 'hello 1\noops\nraw\ndirect\nstructured {"a":1}\n');
    assert.deepEqual(
      files.map(({ name, mediaType, bytes }) => [name, mediaType, [...bytes]]),
      [
        ['note.txt', 'text/plain', [...Buffer.from('text')]],
        ['shot.png', 'image/png', [1, 2]],
      ],
    );
    assert.deepEqual(recorded.calls, [
      { packageId: 'desk', operationId: 'ticket.close', arguments: { id: 1 }, idempotencyKey: 'k', instanceId: 'i' },
    ]);
  });

  test(`module in a ${isolation}: an endless loop is ended at its time, its access revoked before`, async () => {
    const recorded = recordedAccess();
    const { status, error } = await run(module('export default () => { for (;;); }'), { recorded, isolation, timeoutMs: 300 });
    assert.equal(status, 'timed_out');
    assert.equal(error?.code, 'target.TIMED_OUT');
    assert.match(error.message, /did not finish within 300 ms/);
    assert.equal(recorded.revoked, true);
  });

  test(`module in a ${isolation}: exiting the process is a crash, not ours`, async () => {
    const { status, error } = await run(module('export default () => { process.exit(3); }'), { isolation });
    assert.equal(status, 'failed');
    assert.equal(error?.code, 'target.CRASHED');
  });
}

test('module: when time is up its calls are refused before its signal aborts', async () => {
  const target = module(`
    export default async (_, { signal, world }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      const refused = await world.call('desk', 'x').then(() => 'answered', (error) => error.code);
      console.log(refused);
      return refused;
    }`);
  const recorded = recordedAccess();
  const { status, log, output } = await run(target, { recorded, timeoutMs: 1500 });
  assert.equal(status, 'timed_out');
  assert.equal(log, 'control.UNAUTHENTICATED\n');
  assert.equal(output, undefined);
  assert.deepEqual(recorded.calls, []);
});

test('module: a cancelled run ends its target as cancelled', async () => {
  const abort = new AbortController();
  const running = run(module('export default (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve))'), {
    signal: abort.signal,
  });
  abort.abort();
  const { status, error } = await running;
  assert.equal(status, 'cancelled');
  assert.equal(error?.code, 'target.CANCELLED');
});

test('module: what it throws, now or from a timer, is a failure with its stack in the log', async () => {
  const thrown = await run(module('export default () => {\n  throw new Error("boom");\n}', 'agents/thrower.mjs'));
  assert.equal(thrown.error?.code, 'target.THREW');
  assert.match(thrown.error?.message ?? '', /boom/);
  assert.match(thrown.log, /agents\/thrower\.mjs:2/);
  assert.equal(
    (await run(module('export default () => new Promise(() => { setTimeout(() => { throw new Error("late"); }, 1); })'))).error?.message,
    'late',
  );
  assert.equal(
    (await run(module('export default () => new Promise(() => { Promise.reject(new Error("lost")); })'))).error?.message,
    'lost',
  );
  assert.equal((await run(module('export default () => { throw "a string"; }'))).error?.message, 'a string');
});

test('module: what cannot be loaded is reported with its place', async () => {
  const syntax = await run(module('export default (', 'agents/broken.mjs'));
  assert.equal(syntax.error?.code, 'target.LOAD_FAILED');
  assert.match(syntax.error?.message ?? '', /broken\.mjs:1:/);
  assert.match((await run(module('export const other = 1;'))).error?.message ?? '', /no function exported as "default"$/);
  assert.match(
    (await run(module('export function work() {}'))).error?.message ?? '',
    /exported as "default"; it has "work", which the member/,
  );
  assert.match((await run(module('throw new Error("at load"); export default 1;'))).error?.message ?? '', /at load/);
  assert.match((await run({ ...module(''), module: 'agents/missing.mjs' })).error?.message ?? '', /does not exist inside the repository/);
  symlinkSync(tmpdir(), join(root, 'out'));
  assert.match(
    (await run({ ...module(''), module: 'out/../../../../etc/hostname' })).error?.message ?? '',
    /does not exist inside the repository/,
  );
  assert.match((await run(module('import "./nowhere.mjs"; export default () => 1;'))).error?.message ?? '', /nowhere/);
});

test('module: output must be JSON, and bounded', async () => {
  assert.equal((await run(module('export default () => undefined'))).status, 'completed');
  assert.equal((await run(module('export default () => 10n'))).error?.code, 'target.OUTPUT_INVALID');
  assert.equal((await run(module('export default () => "x".repeat(2 * 1024 * 1024)'))).error?.code, 'target.OUTPUT_TOO_LARGE');
  const deep = 'export default () => { let value = 1; for (let i = 0; i < 100; i++) value = [value]; return value; }';
  assert.equal((await run(module(deep))).error?.code, 'target.OUTPUT_INVALID');
});

test('module: without the binding direct there is no world', async () => {
  const recorded = recordedAccess();
  const { direct: _, ...access } = recorded.access;
  const { output } = await run(module('export default (_, { world }) => world === undefined'), { recorded: { ...recorded, access } });
  assert.equal(output, true);
});

test('module: TypeScript, own imports, packages of the repository, CommonJS and its own place', async () => {
  file('node_modules/helper-package/package.json', '{"name":"helper-package","type":"module","exports":"./index.js"}');
  file(
    'node_modules/helper-package/index.js',
    'export const loads = (globalThis.loads = (globalThis.loads ?? 0) + 1); export const where = import.meta.url;',
  );
  file('lib/words.cjs', 'module.exports = { word: require("node:path").basename(__filename) };');
  file('lib/typed.ts', 'export const twice = (n: number): number => n * 2;');
  const target = module(
    `import { where } from 'helper-package';
     import words from '../lib/words.cjs';
     import { twice } from '../lib/typed.ts';
     import { readFileSync } from 'node:fs';
     export default async (): Promise<unknown> => [twice(21), words.word, where.endsWith('node_modules/helper-package/index.js'),
       readFileSync(new URL('./data.txt', import.meta.url), 'utf8'), (await import('../lib/typed.ts')).twice(1)];`,
    'agents/agent.ts',
  );
  file('agents/data.txt', 'data');
  const { output, error } = await run(target);
  assert.deepEqual(output, [42, 'words.cjs', true, 'data', 2], error?.message);
});

test('module: one attempt is one incarnation: state stays between interactions and is gone in the next attempt', async () => {
  file('lib/counter.mjs', 'let count = 0; export const next = () => ++count;');
  const target = module('import { next } from "../lib/counter.mjs"; let own = 0; export default () => [next(), ++own];');
  const attempt = async (): Promise<unknown[]> => {
    const runner = pools.thread.runnerFor(target);
    const outputs: unknown[] = [];
    for (const id of ['one', 'two']) {
      const { output } = await runner.run({
        invocation: invocation(id),
        access: recordedAccess().access,
        timeoutMs: 5000,
        signal: new AbortController().signal,
      });
      outputs.push(output);
    }
    await runner.release();
    return outputs;
  };
  for (let index = 0; index < 3; index++)
    assert.deepEqual(await attempt(), [
      [1, 1],
      [2, 2],
    ]);
});

test('module: a thread that comes to rest serves the next attempt', async () => {
  const quiet = module('import { threadId } from "node:worker_threads"; export default () => threadId;');
  assert.equal((await run(quiet)).output, (await run(quiet)).output);
});

test('module: a thread in which something still runs is not used again', async () => {
  const busy = module(
    'export default () => { globalThis.mark = (globalThis.mark ?? 0) + 1; setInterval(() => {}, 1000); return globalThis.mark; }',
  );
  assert.equal((await run(busy)).output, 1);
  assert.equal((await run(busy)).output, 1);
});

// FETCH-CONNECTIONS-1
test('module: a thread that has fetched serves the next attempt, which opens a connection of its own', async () => {
  const connections: Socket[] = [];
  const server = createServer((_, response) => response.end('{}')).on('connection', (socket) => connections.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const fetched = `await (await fetch('http://127.0.0.1:${port}/')).text();`;
  const agent = (before = ''): ModuleTarget =>
    module(`import { threadId } from 'node:worker_threads'; export default async () => { ${before} ${fetched} return threadId; };`);
  const [first, second] = [await run(agent()), await run(agent())];
  assert.equal(second.output, first.output);
  assert.equal(connections.length, 2);
  // Options of an agent go with its attempt; a dispatcher of another kind is a changed global name.
  const place = `globalThis[Symbol.for('undici.globalDispatcher.1')]`;
  const ofItsOwn = await run(
    agent(`${place} = new (class { dispatch(...all) { return this.real.dispatch(...all); } real = ${place}; })();`),
  );
  assert.equal(ofItsOwn.output, first.output);
  assert.notEqual((await run(agent())).output, first.output);
  server.close();
  server.closeAllConnections();
});

test('module: a flood of log is bounded and says so', async () => {
  const { log } = await run(
    module('export default () => { const line = "x".repeat(100000); for (let i = 0; i < 500; i++) console.log(line); }'),
  );
  assert.ok(log.length < 4.2 * 1024 * 1024);
  assert.match(log, /\[the rest, at least \d+ characters, was not kept\]\n$/);
});

test('command: invocation on stdin, bindings in an otherwise empty environment, output from stdout, log from stderr', async () => {
  process.env.DRILLYARD_TEST_SECRET = 'from the host';
  const target = command(
    `let text = ''; for await (const chunk of process.stdin) text += chunk;
     console.error('token', process.env.SERVICE_HTTP_TOKEN);
     console.log(JSON.stringify({ invocation: JSON.parse(text), env: Object.keys(process.env).sort(), mapped: process.env.MAPPED.toUpperCase(), alias: process.env.DESK_URL }));`,
    {
      bindingEnvironment: { DESK_URL: 'SERVICE_HTTP_URL' },
      environmentFromHost: { MAPPED: 'DRILLYARD_TEST_SECRET', ABSENT: 'DRILLYARD_TEST_ABSENT' },
    },
  );
  const { status, output, log, error } = await run(target);
  assert.equal(status, 'completed', error?.message);
  const { invocation: reported, env, mapped, alias } = output as { invocation: unknown; env: string[]; mapped: string; alias: string };
  assert.deepEqual(reported, invocation('one'));
  const bound = ['OTHER', 'SERVICE'].flatMap((prefix) =>
    ['ATTACHMENTS_DIR', 'CLI_TOKEN', 'CLI_URL', 'HTTP_TOKEN', 'HTTP_URL'].map((name) => `${prefix}_${name}`),
  );
  assert.deepEqual(env, ['DESK_URL', 'MAPPED', ...bound].sort());
  assert.equal(mapped, 'FROM THE HOST');
  assert.equal(alias, 'http://127.0.0.1:1');
  assert.equal(log, 'token [redacted]\n');
});

test('command: no output is fine; output that is not one JSON value, or too much of it, is not', async () => {
  const silent = await run(command(''));
  assert.deepEqual([silent.status, silent.output], ['completed', undefined]);
  assert.equal((await run(command('console.log("{} {}")'))).error?.code, 'target.OUTPUT_INVALID');
  const beyond = await run(command(`console.log('{"n":[1,1e400]}')`));
  assert.deepEqual(
    [beyond.status, beyond.error?.code, beyond.error?.message, beyond.output],
    ['failed', 'target.OUTPUT_INVALID', 'The output at /n/1 is Infinity; JSON numbers are finite.', undefined],
  );
  const flood = command(
    'const chunk = "x".repeat(1 << 20); for (;;) if (!process.stdout.write(chunk)) await new Promise((r) => process.stdout.once("drain", r));',
  );
  assert.equal((await run(flood)).error?.code, 'target.OUTPUT_TOO_LARGE');
});

test('command: a bad exit is a failure with the code and the end of stderr', async () => {
  const { status, error } = await run(command('console.error("why", process.env.SERVICE_HTTP_TOKEN); process.exit(7)'));
  assert.equal(status, 'failed');
  assert.equal(error?.code, 'target.EXIT_CODE');
  assert.deepEqual(error?.details, { exitCode: 7, signal: null, stderr: 'why [redacted]' });
  const members = await run(
    command(
      `const headers = Object.fromEntries(Array.from({ length: 90 }, (_, n) => ['x-header-' + n, 'a value '.repeat(9)]));
      console.error('begun'); throw Object.assign(new RangeError('the account is closed'), { code: 'closed', headers, last: 1 });`,
    ),
  );
  const shown = String(members.error?.details.stderr);
  assert.match(
    shown,
    /RangeError: the account is closed\n {4}at [\s\S]*code: 'closed'[\s\S]*lines left out[\s\S]* {2}last: 1\n\}\n\nNode\.js/,
  );
  const unset = { NOTHING: 'DRILLYARD_TEST_UNSET', PATH: 'PATH' };
  const without = await run(command('process.exitCode = 1', { environmentFromHost: unset }));
  assert.match(without.error?.message ?? '', /code 1\. Of its environmentFromHost, DRILLYARD_TEST_UNSET is not set here\.$/);
  const killed = await run(command('process.kill(process.pid, "SIGKILL")'));
  assert.deepEqual([killed.error?.code, killed.error?.details.signal], ['target.SIGNALED', 'SIGKILL']);
});

// RUN-COMMAND-1
test('command: time up means SIGTERM with its access revoked, and what it started ends with it', async () => {
  const recorded = recordedAccess();
  const target = command(`
    import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    process.on('SIGTERM', () => { console.error('asked to end'); process.exit(0); });
    console.error('ready'); setInterval(() => {}, 1000);`);
  const { status, log, error } = await run(target, { recorded, timeoutMs: 1200 });
  assert.equal(status, 'timed_out');
  assert.equal(error?.code, 'target.TIMED_OUT');
  assert.equal(log, 'ready\nasked to end\n');
  assert.equal(recorded.revoked, true);
});

test('command: one that ignores SIGTERM is killed after the grace', async () => {
  const started = Date.now();
  const { status } = await run(command('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);'), { timeoutMs: 200 });
  assert.equal(status, 'timed_out');
  assert.ok(Date.now() - started < 6000);
});

test('command: what cannot be started is reported', async () => {
  assert.equal((await run(command('', { executable: 'no-such-program-here' }))).error?.code, 'target.EXECUTABLE_NOT_FOUND');
  assert.equal((await run(command('', { executable: './agents' }))).error?.code, 'target.EXECUTABLE_NOT_FOUND');
  const line = await run(command('', { executable: 'node agent.mjs' }));
  assert.match(line.error?.message ?? '', /no executable "node agent\.mjs" .* belongs in the list "arguments"/);
  file('agents/plain.txt', 'no program');
  assert.equal((await run(command('', { executable: './agents/plain.txt' }))).error?.code, 'target.NOT_EXECUTABLE');
  assert.equal((await run(command('', { arguments: ['a\0b'] }))).error?.code, 'target.SPAWN_FAILED');
  assert.equal((await run(command('', { workingDirectory: '../..' }))).error?.code, 'target.SPAWN_FAILED');
  assert.equal((await run(command('', { workingDirectory: 'missing' }))).error?.code, 'target.SPAWN_FAILED');
});

test('command: the shell is not asked: arguments arrive as they are, in the working directory', async () => {
  file('work/here.txt', '');
  const target = command('console.log(JSON.stringify([process.cwd().endsWith("work"), process.argv.slice(2)]))', {
    workingDirectory: 'work',
  });
  const { output } = await run({ ...target, arguments: [...target.arguments, '$HOME', '; rm -rf x', '*'] });
  assert.deepEqual(output, [true, ['$HOME', '; rm -rf x', '*']]);
});
