// `run --external`: agents in processes of their own, over the protocol and over the command line.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { RunResult } from '../../src/contract/run/run.js';
import { createRepository, drill, noteIs, type Repository } from '../drills/repository.js';
import { drillyard, jsonLines, start } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const repositories: Repository[] = [];
after(() => {
  for (const repository of repositories) repository.remove();
});
function repository(timeoutMs = 30_000, bindings = ['http']): Repository {
  const target = { id: 'agent', kind: 'external', bindings, bindingEnvironment: { NOTES: 'SERVICE_HTTP_URL' }, timeoutMs };
  const created = createRepository({
    'drillyard/agent.target.json': { schemaVersion: 1, target },
    ...drill('first', 'agent', [noteIs('a', 'from outside')], { capture: { logs: 'always', files: 'always' } }),
    ...drill('second', 'agent', [noteIs('a', 'from outside')]),
  });
  repositories.push(created);
  return created;
}
const resultsOf = (root: string, stdout: string): RunResult[] =>
  jsonLines(stdout)
    .filter(({ event }) => event === 'attempt')
    .map(({ report }) => JSON.parse(readFileSync(join(root, report as string, 'run.json'), 'utf8')) as RunResult);

/** Reads nothing but where the desk is; everything else it asks for. */
const poller = `
  const [url, token] = process.argv.slice(1);
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
  for (;;) {
    const { state, interaction } = await (await fetch(url + '/v1/interaction', { headers })).json();
    if (state === 'ended') break;
    if (state === 'waiting') continue;
    const { NOTES, SERVICE_HTTP_TOKEN } = interaction.environment;
    const call = { method: 'POST', headers: { authorization: 'Bearer ' + SERVICE_HTTP_TOKEN, 'content-type': 'application/json' }, body: JSON.stringify({ arguments: { id: 'a', text: 'from outside' } }) };
    const { outcome } = await (await fetch(NOTES + '/v1/operations/notes/note.write', call)).json();
    const targetResult = { status: 'completed', output: outcome.kind, log: 'with ' + SERVICE_HTTP_TOKEN + ' and ' + token + '\\n', attachments: [{ name: 'note.txt', text: 'hello ' + token }] };
    const { runId, interactionId } = interaction;
    const reply = await fetch(url + '/v1/interaction/complete', { method: 'POST', headers, body: JSON.stringify({ runId, interactionId, targetResult }) });
    if (!reply.ok) throw new Error(await reply.text());
  }`;

test('a process that polls plays every interaction; secrets are on stdout alone', async () => {
  const { root } = repository();
  const run = start(['run', '--external', '--concurrency', '2', '--root', root]);
  await run.says('"event":"agent_desk"');
  const [desk] = jsonLines(`${run.soFar().split('\n')[0]}\n`) as unknown as [{ url: string; token: string }];
  const agent = spawn(process.execPath, ['--input-type=module', '--eval', poller, '--', desk.url, desk.token], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const agentEnded = new Promise((resolve) => agent.once('close', resolve));
  const { code, stdout, stderr } = await run.ended;
  assert.equal(code, 0, stderr);
  assert.equal(await agentEnded, 0);
  const lines = jsonLines(stdout);
  const interactions = lines
    .filter(({ event }) => event === 'interaction_pending')
    .map(({ interaction }) => interaction as { environment: { [name: string]: string } });
  assert.equal(interactions.length, 2);
  const tokens = [desk.token, ...interactions.map(({ environment }) => environment.SERVICE_HTTP_TOKEN as string)];
  assert.equal(new Set(tokens).size, 3);
  for (const token of tokens) assert.ok(!stderr.includes(token));
  assert.match(stderr, /first/, 'people read stderr');
  const [result] = resultsOf(root, stdout).filter(({ identity }) => identity.drillId === 'first');
  assert.equal(result?.interactions[0]?.targetResult.output, 'ok');
  assert.equal(result?.bindingEvidence, 'observed');
  assert.deepEqual(
    result?.capture.attachments.map(({ kind, attachment: { name, redaction } }) => [kind, name, redaction.status]),
    [
      ['file', 'note.txt', 'applied'],
      ['log', 'main.log', 'applied'],
    ],
  );
  const { report } = lines.find(({ event, drillId }) => event === 'attempt' && drillId === 'first') as unknown as { report: string };
  assert.equal(readFileSync(join(root, report, 'attachments/log-2.log'), 'utf8'), 'with [redacted] and [redacted]\n');
});

test('a shell plays it with `agent next` and `agent complete`, from a file that only its owner reads', async () => {
  const { root } = repository();
  const file = join(root, 'desk.json');
  const run = start(['run', 'first', '--external-file', file, '--root', root, '--reporter', 'none']);
  await run.says('"event":"interaction_pending"');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { token } = JSON.parse(readFileSync(file, 'utf8')) as { token: string };
  const env = { SERVICE_AGENT_FILE: file };
  assert.equal((await drillyard(['agent', 'next', '--wait', '0'], { env })).code, 0);
  assert.deepEqual([(await warmDrillyard(['agent', 'next', '--wait', '0'], { env })).code], [1]);
  const { code, stdout } = await warmDrillyard(['agent', 'next', '--again', '--file', file]);
  assert.equal(code, 0);
  const { interaction } = jsonLines(stdout)[0] as unknown as {
    interaction: { runId: string; interactionId: string; environment: { [name: string]: string } };
  };
  const { SERVICE_HTTP_URL, SERVICE_HTTP_TOKEN = '' } = interaction.environment;
  const called = await warmDrillyard(['world', 'call', 'notes', 'note.write', '{"id":"a","text":"from outside"}'], {
    env: { SERVICE_CLI_URL: SERVICE_HTTP_URL as string, SERVICE_CLI_TOKEN: SERVICE_HTTP_TOKEN },
  });
  assert.equal(called.code, 0, called.stdout);
  writeFileSync(join(root, 'note.txt'), 'kept');
  const { runId, interactionId } = interaction;
  assert.equal((await warmDrillyard(['agent', 'complete', runId, 'no-such', '1'], { env })).code, 1);
  assert.equal((await warmDrillyard(['agent', 'complete', runId, interactionId, '{'], { env })).code, 2);
  const handedIn = await drillyard(['agent', 'complete', runId, interactionId, '{"done":true}', '--attach', 'note.txt'], {
    env,
    cwd: root,
  });
  assert.equal(handedIn.code, 0, handedIn.stderr);
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  assert.ok(!ended.stdout.includes(token) && !ended.stdout.includes(SERVICE_HTTP_TOKEN), 'no secret on stdout');
  assert.equal(existsSync(file), false);
  const [result] = resultsOf(root, ended.stdout);
  assert.deepEqual(result?.interactions[0]?.targetResult.output, { done: true });
  assert.equal(result?.interactions[0]?.targetResult.attachments[0]?.name, 'note.txt');
  assert.equal((await warmDrillyard(['agent', 'next'], { env })).code, 2);
  const gone = { SERVICE_AGENT_URL: 'http://127.0.0.1:1', SERVICE_AGENT_TOKEN: 'x' };
  const over = await warmDrillyard(['agent', 'next'], { env: gone });
  assert.deepEqual([over.code, jsonLines(over.stdout)], [1, [{ schemaVersion: 1, state: 'ended' }]]);
});

const endOf = (stdout: string): unknown[] => {
  const finished = jsonLines(stdout).find(({ event, phase }) => event === 'interaction' && phase === 'finished');
  return [finished?.status, (finished?.error as { code: string } | undefined)?.code];
};

// EXTERNAL-TARGET-1
test('an agent that says it failed, one that never comes, and Ctrl-C while it is awaited', async () => {
  const { root } = repository();
  const file = join(root, 'desk.json');
  const run = start(['run', 'first', '--external-file', file, '--root', root, '--json']);
  await run.says('"event":"interaction_pending"');
  const { interaction } = jsonLines((await warmDrillyard(['agent', 'next', '--file', file])).stdout)[0] as unknown as {
    interaction: { runId: string };
  };
  await warmDrillyard(['agent', 'complete', interaction.runId, 'main', '--failed', 'no idea', '--file', file]);
  const { code, stdout } = await run.ended;
  assert.deepEqual([code, endOf(stdout)], [1, ['failed', 'target.AGENT_FAILED']]);
  const nobody = await warmDrillyard(['run', 'first', '--external', '--root', repository(300).root]);
  assert.deepEqual([nobody.code, endOf(nobody.stdout)], [1, ['timed_out', 'target.TIMED_OUT']]);
  const waiting = start(['run', 'first', '--external', '--root', repository().root]);
  await waiting.says('"event":"interaction_pending"');
  waiting.child.kill('SIGINT');
  const cancelled = await waiting.ended;
  assert.equal(cancelled.code, 130);
  assert.equal(jsonLines(cancelled.stdout).find(({ event }) => event === 'attempt')?.status, 'cancelled');
});

test('the file of the desk gets its folder; a file in the way is said in a sentence', async () => {
  const { root } = repository(30_000, ['direct']);
  const run = (file: string) => warmDrillyard(['run', 'first', '--json', '--external-file', join(root, file), '--root', root]);
  const made = await run('new/folder/desk.json');
  assert.match(made.stdout, /"event":"agent_desk".*desk\.json/);
  const refused = await run('drillyard.json/desk.json');
  assert.notEqual(refused.code, 0);
  assert.match(refused.stdout, /"code":"control\.INVALID_REQUEST".*: a file is in its /);
  assert.doesNotMatch(refused.stderr, /\n\s+at /);
});

test('a target that lists only direct, and no --external at all', async () => {
  const { root } = repository(30_000, ['direct']);
  const direct = await warmDrillyard(['run', 'first', '--external', '--root', root]);
  assert.equal(direct.code, 1);
  assert.match(direct.stdout, /"code":"target\.BINDING_UNAVAILABLE"/);
  const without = await warmDrillyard(['run', 'first', '--json', '--root', root]);
  assert.equal(without.code, 1);
  assert.equal(resultsOf(root, without.stdout)[0]?.failure?.code, 'target.UNSUPPORTED');
});

test('what is no desk is bad usage, not the end of a run', async () => {
  const { root } = repository(30_000, ['direct']);
  const file = join(root, 'bad.json');
  for (const text of ['{"url":5}', 'null', '{"url":"garbage","token":"x"}']) {
    writeFileSync(file, text);
    const { code, stdout, stderr } = await warmDrillyard(['agent', 'next', '--file', file]);
    assert.deepEqual([code, JSON.parse(stdout).code], [2, 'control.INVALID_REQUEST'], stdout);
    assert.match(stderr, /bad\.json is not the file of an agent desk/);
  }
  const env = { SERVICE_AGENT_URL: 'garbage', SERVICE_AGENT_TOKEN: 'x' };
  const { code, stderr } = await warmDrillyard(['agent', 'next'], { env });
  assert.deepEqual([code, stderr], [2, 'SERVICE_AGENT_URL is not the address of an agent desk.\n']);
});
