// A tool that does not work is reported as what it is, never as the agent's trouble.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLocalWorld, runDrills } from '../../src/index.js';
import { drillyard, jsonLines } from '../cli/cli.js';
import { commandAgent, createRepository, drill, moduleAgent, notesBehavior, written } from './repository.js';

const shrugs = moduleAgent('agent', "await context.world.call('notes', 'note.write', { id: 'a', text: 'b' });");
/** Of code that never ends: a processor is busy for as long. What does end takes a tenth of it. */
const endlessMs = 500;
/** Ids that the compiler cannot read. */
const madeUp = (behavior: string): string =>
  behavior.replace("'note.write':", "['note' + '.write']:").replace(/'note\.get'/, "'note.gett'");

test('a tool that cannot be loaded refuses the run before its first attempt, with its name and what it lacks', async (t) => {
  const broken = {
    "Tool 'notes' (notes/behavior.ts) cannot be loaded: its behavior lacks operations 'note.get'.": madeUp(notesBehavior),
    "Tool 'notes' (notes/behavior.ts) cannot be loaded: Error: no table.": `${notesBehavior}\nthrow new Error('no table');`,
  };
  for (const [message, behavior] of Object.entries(broken)) {
    const repository = createRepository({ 'notes/behavior.ts': behavior, ...shrugs, ...drill('hello', 'agent', [written({ atMost: 1 })]) });
    t.after(() => repository.remove());
    const { root } = repository;
    const events: string[] = [];
    const refused = { code: 'world.HANDLER_FAILED', message };
    await assert.rejects(runDrills({ root, onEvent: ({ event }) => events.push(event) }), refused);
    assert.deepEqual(events, ['plan']);
    assert.deepEqual(readdirSync(join(root, '.service/runs')), []);
    assert.equal(existsSync(join(root, '.service/reports')), false);
    await assert.rejects(createLocalWorld({ root }), refused);
  }
});

test('a handler that breaks is loud in every report of a drill that passes, with its place and its words', async (t) => {
  const behavior = notesBehavior
    .replace("'note.get': ({ id }: any", "'note.get': broken,\n    'note.unused': ({ id }: any")
    .concat('\nfunction broken(input: any) {\n  return input.missing.text;\n}\n');
  const body = `await context.world.call('notes', 'note.get', { id: 'a' });
    await context.world.call('notes', 'note.get', { id: 'b' });`;
  const repository = createRepository({
    'notes/behavior.ts': behavior,
    ...moduleAgent('agent', body),
    ...drill('shrugs', 'agent', [written({ atMost: 1 })]),
  });
  t.after(() => repository.remove());
  const { root } = repository;
  const { code, stdout, stderr } = await drillyard(
    ['run', '--reporter', 'terminal,junit,ctrf=ctrf.json,html=page.html,github,json=lines.jsonl'],
    { cwd: root },
  );
  assert.equal(code, 0, stdout);
  // Once is enough.
  assert.doesNotMatch(stderr, /Cannot read properties/);
  const line = behavior.split('\n').indexOf('function broken(input: any) {') + 1;
  const called = `'note.get' of tool 'notes' \\(notes/behavior.ts:${line}\\) failed 2 times: TypeError: Cannot read properties of undefined`;
  assert.match(stdout, new RegExp(`^! ${called}`, 'm'));
  assert.match(stdout, new RegExp(`^::warning file=[^:]*notes/behavior.ts,line=${line},col=1,title=tool notes failed::'note.get'`, 'm'));
  const event = jsonLines(readFileSync(join(root, 'lines.jsonl'), 'utf8')).find((one) => one.event === 'attempt') as {
    report: string;
    toolFailures: object[];
  };
  assert.equal(event.toolFailures.length, 1);
  const page = readFileSync(join(root, event.report, 'index.html'), 'utf8').replaceAll('&#39;', "'");
  const files = ['page.html', '.service/reports/junit.xml', `${event.report}/report.txt`].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  for (const text of [page, ...files]) assert.match(text.replaceAll('&#39;', "'"), new RegExp(called));
  const { results } = JSON.parse(readFileSync(join(root, 'ctrf.json'), 'utf8')) as { results: { tests: { stderr: string[] }[] } };
  assert.match(results.tests[0]?.stderr[0] ?? '', new RegExp(called));
});

test('what was misspelled or left out is reported in words, before anything runs', async (t) => {
  const repository = createRepository({ 'drillyard/drills/first.yaml': 'schemaVersion: 1\n' });
  t.after(() => repository.remove());
  const { root } = repository;
  const refused = (options: object) =>
    runDrills(options as { root: string }).then(
      () => assert.fail('it ran'),
      (error: Error) => error.message,
    );
  assert.match(await refused({ root, concurency: 2 }), /no option "concurency"\. Did you mean "concurrency"\?/);
  assert.match(await refused({ rot: '.' }), /no option "rot"\. Did you mean "root"\?/);
  assert.match(await refused({ root }), /^The repository has no drills\. /);
  const { stderr } = await drillyard(['validate'], { cwd: root });
  assert.match(stderr, /DY1011.*'\.drill\.yaml'[\s\S]*first\.drill\.yaml/);
});

test('a handler that does not end is named, with how long it had', async (t) => {
  const body = `await context.world.call('notes', 'note.get', { id: 'a' }).catch((error) => console.error(error.message)); throw new Error('reported');`;
  const repository = createRepository({
    'notes/behavior.ts': notesBehavior.replace(
      "'note.get': ({ id }: any, context: any) =>",
      "'note.get': ({ id }: any, context: any) => { for (;;); },\n 'other': ({ id }: any, context: any) =>",
    ),
    ...moduleAgent('agent', body),
    ...drill('waits', 'agent', [written({ equals: 0 })]),
  });
  t.after(() => repository.remove());
  const { drills } = await runDrills({ root: repository.root, handlerTimeoutMs: endlessMs, reportDirectory: false });
  const error = drills[0]?.trials[0]?.attempts[0]?.result.interactions[0]?.targetResult.error;
  assert.match(String(error?.details.log), new RegExp(`'note\\.get' of tool 'notes' took longer than ${endlessMs} ms and was ended\\.`));
});

test('an agent whose time is up while a handler does not end has timed out in its call, which is named', async (t) => {
  const repository = createRepository({
    'notes/behavior.ts': notesBehavior.replace(
      "'note.get': ({ id }: any, context: any) =>",
      "'note.get': ({ id }: any, context: any) => { for (;;); },\n 'other': ({ id }: any, context: any) =>",
    ),
    'drillyard/targets/agent.target.yaml': `schemaVersion: 1\ntarget: { id: agent, kind: external, bindings: [direct], timeoutMs: 500 }\n`,
    ...drill('waits', 'agent', [written({ equals: 0 })]),
  });
  t.after(() => repository.remove());
  const options = { handlerTimeoutMs: 1500, reportDirectory: false } as const;
  const { drills } = await runDrills({
    root: repository.root,
    ...options,
    agent: async (_task, { world }) => {
      await world?.call('notes', 'note.get', { id: 'a' });
    },
  });
  const { targetResult } = drills[0]!.trials[0]!.attempts[0]!.result.interactions[0]!;
  assert.equal(targetResult.status, 'timed_out');
  const named = /^The target did not finish within 500 ms: 'note\.get' of tool 'notes' had run for \d+ ms by then\. /;
  assert.match(targetResult.error!.message, named);
});

test('a module that does not end, and a handler of an event that does not, are named with how long they had', async (t) => {
  const options = { handlerTimeoutMs: endlessMs, reportDirectory: false } as const;
  const endless = createRepository({
    'notes/behavior.ts': `${notesBehavior}\nfor (;;);`,
    ...shrugs,
    ...drill('hello', 'agent', [written({ atMost: 1 })]),
  });
  t.after(() => endless.remove());
  const message = `Tool 'notes' (notes/behavior.ts) cannot be loaded: its module did not end within ${endlessMs} ms.`;
  await assert.rejects(runDrills({ root: endless.root, ...options }), { code: 'world.HANDLER_TIMEOUT', message });
  const late = createRepository({
    'notes/behavior.ts': notesBehavior.replace(
      'due: ({ id }: any, context: any) =>',
      'due: () => { for (;;); }, other: ({ id }: any, context: any) =>',
    ),
    ...moduleAgent('agent', "await context.world.call('notes', 'note.remind', { id: 'a', afterUs: 1 });"),
    ...drill('waits', 'agent', [written({ equals: 0 })], {
      timeline: { horizonUs: 10, interactions: [{ id: 'main', actorId: 'writer', task: { instruction: 'Go.' } }] },
    }),
  });
  t.after(() => late.remove());
  const { drills } = await runDrills({ root: late.root, ...options });
  const failure = drills[0]?.trials[0]?.attempts[0]?.result.failure;
  assert.equal(failure?.message, `A handler of an event that was due took longer than ${endlessMs} ms and was ended.`);
});

test('an agent that says it failed has failed, and its failure is reported first', async (t) => {
  const said = { status: 'failed', error: { message: 'no model answers' } };
  const repository = createRepository({
    ...moduleAgent('says', `return ${JSON.stringify(said)};`),
    ...moduleAgent('reports', "return { status: 'failed', tickets: 2 };"),
    ...commandAgent('command', `process.stdout.write(JSON.stringify({ schemaVersion: 1, status: 'failed' }));`),
    ...drill('a', 'says', [written({ equals: 0 })]),
    ...drill('b', 'reports', [written({ equals: 0 })]),
    ...drill('c', 'command', [written({ equals: 0 })]),
  });
  t.after(() => repository.remove());
  const { drills } = await runDrills({ root: repository.root });
  const [says, reports, command] = drills.map(({ verdict, trials }) => ({ verdict, attempt: trials[0]!.attempts[0]! }));
  assert.deepEqual([says?.verdict, reports?.verdict, command?.verdict], ['inconclusive', 'passed', 'inconclusive']);
  const { targetResult } = says!.attempt.result.interactions[0]!;
  assert.deepEqual([targetResult.status, targetResult.error?.code, targetResult.output], ['failed', 'target.AGENT_FAILED', said]);
  const text = readFileSync(join(repository.root, says!.attempt.report, 'report.txt'), 'utf8');
  assert.match(text, /^INCONCLUSIVE {2}a\n {2}The agent failed: target\.AGENT_FAILED: no model answers\n/);
  assert.match(text, /The agent failed: [\s\S]* in interaction main\n[\s\S]*1 assertion could not be decided: .*\n +written /);
});

test('an agent that fails beside an assertion that is satisfied has not passed, and every reporter says so', async (t) => {
  const write = "await context.world.call('notes', 'note.write', { id: 'a', text: 'b' });";
  const overHttp = `const { SERVICE_HTTP_URL, SERVICE_HTTP_TOKEN } = process.env;
    await fetch(SERVICE_HTTP_URL + '/v1/operations/notes/note.write', { method: 'POST', body: JSON.stringify({ arguments: { id: 'a', text: 'b' } }),
      headers: { authorization: 'Bearer ' + SERVICE_HTTP_TOKEN, 'content-type': 'application/json' } });`;
  const repository = createRepository({
    ...moduleAgent('says', `${write} return { status: 'failed', error: { message: 'lost its way' } };`),
    ...moduleAgent('throws', `${write} throw new Error('lost its way');`),
    ...commandAgent(
      'command',
      `${overHttp} console.log(JSON.stringify({ schemaVersion: 1, status: 'failed', error: { message: 'lost its way' } }));`,
    ),
    ...commandAgent('exits', `${overHttp} process.exitCode = 3;`),
    ...drill('says', 'says', [written({ atLeast: 1 })]),
    ...drill('throws', 'throws', [written({ atLeast: 1 })]),
    ...drill('command', 'command', [written({ atLeast: 1 })]),
    ...drill('exits', 'exits', [written({ atLeast: 1 })]),
  });
  t.after(() => repository.remove());
  const { root } = repository;
  const files = ['--reporter', `junit=${join(root, 'junit.xml')}`, '--reporter', `ctrf=${join(root, 'ctrf.json')}`];
  const { code, stdout } = await drillyard(['run', '--root', root, '--json', ...files]);
  assert.equal(code, 1);
  const lines = jsonLines(stdout);
  const attempts = lines.filter(({ event }) => event === 'attempt') as unknown as { drillId: string; verdict: string; report: string }[];
  assert.deepEqual(attempts.map(({ drillId, verdict }) => `${drillId} ${verdict}`).sort(), [
    'command inconclusive',
    'exits inconclusive',
    'says inconclusive',
    'throws inconclusive',
  ]);
  const { event: _, ...summary } = lines.at(-1) as { event: string };
  assert.deepEqual(Object(summary).inconclusive, 4);
  for (const { drillId, report } of attempts) {
    const read = (name: string) => readFileSync(join(root, report, name), 'utf8');
    const { result } = JSON.parse(read('report.json'));
    assert.deepEqual([result.verdict, result.assertionResults[0].status], ['inconclusive', 'passed'], drillId);
    assert.match(read('report.txt'), /^INCONCLUSIVE {2}\w+\n {2}The agent failed: target\./);
    assert.match(read('junit.xml'), /<testsuite [^>]*errors="1"/);
    assert.match(read('index.html'), /<p class="verdict">inconclusive<\/p>/);
  }
  const verified = await drillyard(['report', 'verify', join(root, attempts[0]!.report)]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
});
