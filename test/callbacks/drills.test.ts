// Callbacks of drills: receivers that the run is given, an agent that receives by itself, and what is refused.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import { type RunDrillsOptions, runDrills } from '../../src/index.js';
import { drillyard } from '../cli/cli.js';
import { commandAgent, createRepository, drill, moduleAgent, noteIs, type Repository } from '../drills/repository.js';
import { startReceiver } from './receiver-kit.js';

const called = (phase: string, equals: number): object => ({
  id: phase,
  kind: 'callback.count',
  packageId: 'notes',
  callbackId: 'reported',
  phase,
  count: { equals },
});
const writes = "await context.world.call('notes', 'note.write', { id: 'a', text: 'one' });";

function repositoryFor(t: TestContext, files: { [path: string]: string | object }): Repository {
  const repository = createRepository(files);
  t.after(() => repository.remove());
  return repository;
}
const run = (repository: Repository, options: Partial<RunDrillsOptions> = {}) => runDrills({ root: repository.root, ...options });

test('a receiver of the run is called before the call is answered; callback.count counts phases', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const assertions = [called('queued', 1), called('attempt_started', 1), called('delivered', 1), called('failed', 0)];
  const repository = repositoryFor(t, { ...moduleAgent('agent', writes), ...drill('tells', 'agent', assertions) });
  const result = await run(repository, { callbackReceivers: { listener: receiver } });
  assert.equal(result.verdict, 'passed');
  const [arrival] = receiver.arrivals;
  assert.deepEqual([arrival!.method, arrival!.path, arrival!.body], ['POST', '/reported', '{"id":"a"}']);
  const { report } = result.drills[0]!.trials[0]!.attempts[0]!;
  for (const name of ['evidence.jsonl', 'report.json', 'index.html', 'run.json']) {
    const text = readFileSync(join(repository.root, report!, name), 'utf8');
    assert.equal(text.includes(receiver.secret) || text.includes(receiver.url), false, `${name} knows nothing of the receiver`);
  }
});

test('without a receiver a callback waits, and the drill continues', async (t) => {
  const assertions = [called('queued', 1), called('attempt_started', 0)];
  const timeline = {
    horizonUs: 10_000,
    interactions: [{ id: 'only', afterStartUs: 0, actorId: 'writer', task: { instruction: 'Write.' } }],
  };
  const repository = repositoryFor(t, { ...moduleAgent('agent', writes), ...drill('waits', 'agent', assertions, { timeline }) });
  assert.equal((await run(repository)).verdict, 'passed');
});

test('an agent that says where it listens is called as long as it has access, and calls the world while it is called', async (t) => {
  const agent = `
import { createServer } from 'node:http';
const { SERVICE_HTTP_URL: base, SERVICE_HTTP_TOKEN: token } = process.env;
const ask = async (method, path, body) => {
  const reply = await fetch(base + path, { method, headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return { status: reply.status, json: await reply.json() };
};
const write = (id, text) => ask('POST', '/v1/operations/notes/note.write', { arguments: { id, text } });
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { id } = JSON.parse(body);
  if (id === 'a') await write('b', 'because of a');
  response.writeHead(200).end();
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = 'http://127.0.0.1:' + server.address().port;
const secret = '0123456789abcdef';
const answers = [];
for (const [receiverId, target] of [['nobody', { url, secret }], ['listener', { url: 'ftp://127.0.0.1', secret }], ['listener', { url, secret: 'short' }], ['listener', { url, secret }], ['listener', { url, secret }]])
  answers.push(await ask('PUT', '/v1/receivers/' + receiverId, target));
await write('a', 'one');
server.close();
console.log(JSON.stringify(answers.map(({ status, json }) => [status, json.code ?? json.receiverId])));
`;
  const timeline = {
    horizonUs: 10_000,
    interactions: [{ id: 'first', afterStartUs: 0, actorId: 'writer', task: { instruction: 'Receive.' } }],
  };
  const assertions = [called('delivered', 2), noteIs('b', 'because of a')];
  const repository = repositoryFor(t, {
    ...commandAgent('receiver', agent),
    ...drill('receives', 'receiver', assertions, { timeline }),
  });
  const result = await run(repository);
  assert.equal(result.verdict, 'passed');
  const [{ result: attempt } = assert.fail()] = result.drills[0]!.trials[0]!.attempts;
  assert.deepEqual(attempt!.interactions[0]!.targetResult.output, [
    [404, 'control.NOT_FOUND'],
    [400, 'control.INVALID_REQUEST'],
    [400, 'control.INVALID_REQUEST'],
    [200, 'listener'],
    [409, 'control.STATE_CONFLICT'],
  ]);
});

test('a module says the same over direct, and gets the same refusals', async (t) => {
  const heard = `
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const target = { url: 'http://127.0.0.1:' + server.address().port, secret: '0123456789abcdef' };
    const receive = (...given) => context.world.receive(...given).then(() => 'received', ({ code }) => code);
    const answers = [await receive('nobody', target), await receive('listener', { ...target, secret: 'short' }), await receive('listener', target), await receive('listener', target)];
    ${writes}
    server.close();
    server.closeAllConnections();
    return answers;`;
  const repository = repositoryFor(t, { ...moduleAgent('agent', heard), ...drill('receives', 'agent', [called('delivered', 1)]) });
  const result = await run(repository);
  assert.equal(result.verdict, 'passed');
  const { targetResult } = result.drills[0]!.trials[0]!.attempts[0]!.result!.interactions[0]!;
  assert.deepEqual(targetResult.output, ['control.NOT_FOUND', 'control.INVALID_REQUEST', 'received', 'control.STATE_CONFLICT']);
});

test('receivers that fit nothing are refused before anything runs', async (t) => {
  const repository = repositoryFor(t, { ...moduleAgent('agent', writes), ...drill('tells', 'agent', [called('queued', 1)]) });
  const secret = 'a secret that is long enough';
  for (const callbackReceivers of [
    { nobody: { url: 'http://127.0.0.1:1', secret } },
    { listener: { url: 'http://user:word@127.0.0.1:1', secret } },
    { listener: { url: 'http://127.0.0.1:1?a=b', secret } },
    { listener: { url: 'mailto:me', secret } },
    { listener: { url: 'http://127.0.0.1:1', secret: 'short' } },
  ]) {
    await assert.rejects(run(repository, { callbackReceivers }), (error: ServiceError) => error.code === 'control.INVALID_REQUEST');
  }
});

test('a name or an address that is not of this machine is never connected to', async (t) => {
  const assertions = [called('failed', 1), called('delivered', 0)];
  const repository = repositoryFor(t, { ...moduleAgent('agent', writes), ...drill('tells', 'agent', assertions) });
  const callbackReceivers = { listener: { url: 'http://169.254.169.254', secret: 'a secret that is long enough' } };
  const result = await run(repository, { callbackReceivers });
  assert.equal(result.verdict, 'passed');
});

test('on the command line a receiver is named by a flag, its secret by the environment', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const repository = repositoryFor(t, { ...moduleAgent('agent', writes), ...drill('tells', 'agent', [called('delivered', 1)]) });
  const flag = `--receiver=listener=${receiver.url}`;
  const options = { cwd: repository.root };
  const passed = await drillyard(['run', '--json', flag], { ...options, env: { DRILLYARD_RECEIVER_SECRET_LISTENER: receiver.secret } });
  assert.equal(passed.code, 0, passed.stdout + passed.stderr);
  assert.equal(receiver.arrivals.length, 1);
  const unset = await drillyard(['run', flag], options);
  assert.notEqual(unset.code, 0);
  assert.match(unset.stdout + unset.stderr, /set DRILLYARD_RECEIVER_SECRET_LISTENER/);
  const wrong = await drillyard(['run', '--receiver', 'listener'], options);
  assert.match(wrong.stdout + wrong.stderr, /write it as id=url/);
});
