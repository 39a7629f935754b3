// `run --reporter`: what each writes, where, and what stdout holds.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { RunReporters } from '../../src/cli/run-reporters.js';
import { anywhere } from '../../src/reports/command-place.js';
import { createRepository, drill, moduleAgent, noteIs } from '../drills/repository.js';
import { failingRun } from '../reports/fixtures.js';
import { checkJunit } from '../reports/junit-schema.js';
import { readXml } from '../reports/xml-reader.js';
import { drillyard, jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

// The flaky one writes what is wanted at its second attempt only; the failing agent tries to give GitHub a command of its own.
const { root, remove } = createRepository({
  ...moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });`),
  ...moduleAgent(
    'shouting',
    `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' }); throw new Error('first\\n::error::pwned');`,
  ),
  ...moduleAgent(
    'flaky',
    `const { existsSync, writeFileSync } = await import('node:fs');
     const again = existsSync(invocation.task.input);
     writeFileSync(invocation.task.input, '');
     await context.world.call('notes', 'note.write', { id: 'a', text: again ? 'x' : 'y' });`,
  ),
  ...drill('passing', 'agent', [noteIs('a', 'x')], { title: 'It passes', tags: ['good'] }),
  ...drill('failing', 'shouting', [noteIs('a', 'y')]),
});
const marker = join(root, 'tried');
writeFileSync(
  join(root, 'drillyard/unsteady.drill.json'),
  JSON.stringify({
    schemaVersion: 1,
    id: 'unsteady',
    targetId: 'flaky',
    actorId: 'writer',
    task: { instruction: 'Write.', input: marker },
    assertions: [noteIs('a', 'x')],
  }),
);
after(remove);

const summaryFile = join(root, 'summary.md');
const env = { GITHUB_STEP_SUMMARY: summaryFile, GITHUB_WORKSPACE: dirname(root) };
writeFileSync(summaryFile, 'before\n');
const list = 'github,junit,ctrf=out/ctrf.json,html=out/page/index.html,json=out/lines.jsonl';
const run = drillyard(['run', '--reporter', list, '--retries', '1', '--trials', '1'], { cwd: root, env });

test('the terminal is reported beside files, and each file is named', async () => {
  const { code, stdout, stderr } = await run;
  assert.equal(code, 1, stderr);
  assert.match(stdout, /INCONCLUSIVE {2}3 drills: 2 passed, 1 inconclusive/);
  for (const file of ['.service/reports/junit.xml', 'out/ctrf.json', 'out/page/index.html'])
    assert.match(stderr, new RegExp(`written ${file}\n`));
});

test('junit: one document, a suite a trial by its last attempt', async () => {
  await run;
  const document = readXml(readFileSync(join(root, '.service/reports/junit.xml'), 'utf8'));
  checkJunit(document);
  assert.deepEqual(document.children.map(({ attributes }) => [attributes.name, attributes.errors]).sort(), [
    ['failing', '2'],
    ['passing', '0'],
    ['unsteady', '0'],
  ]);
  const unsteady = document.children.find(({ attributes }) => attributes.name?.startsWith('unsteady'));
  const earlier = unsteady?.children[0]?.children.find(({ attributes }) => attributes.name === 'earlierAttempts');
  assert.match(earlier?.attributes.value ?? '', /^attempt 1 failed \(run_/);
});

function checkCtrf(document: unknown): void {
  const schema = JSON.parse(readFileSync(fileURLToPath(new URL('../reports/ctrf-schema.json', import.meta.url)), 'utf8')) as object;
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const isValid = ajv.compile(schema);
  const valid: boolean = isValid(document);
  assert.ok(valid, ajv.errorsText(isValid.errors));
}

test('ctrf: valid by its schema, with retries, places and reports', async () => {
  await run;
  // biome-ignore lint/suspicious/noExplicitAny: the schema says what it is.
  const document: any = JSON.parse(readFileSync(join(root, 'out/ctrf.json'), 'utf8'));
  checkCtrf(document);
  const { summary, tests } = document.results;
  assert.deepEqual([summary.tests, summary.passed, summary.other, summary.flaky], [3, 2, 1, 1]);
  const failing = tests.find(({ testId }: { testId: string }) => testId === 'failing#1');
  assert.deepEqual([failing.status, failing.retries, failing.filePath], ['other', 1, 'drillyard/failing.drill.json']);
  assert.match(readFileSync(join(root, failing.filePath), 'utf8').split('\n')[failing.line - 1] ?? '', /\{/);
  assert.ok(existsSync(join(root, failing.attachments[0].path)));
});

test('html: a page that loads nothing, whose links open', async () => {
  await run;
  const page = readFileSync(join(root, 'out/page/index.html'), 'utf8');
  assert.match(page, /default-src 'none'/);
  // Its one script is in the page, and the policy names it by digest.
  const [script = '', ...others] = [...page.matchAll(/<script type="module">([\s\S]*?)<\/script>/g)].map(([, text]) => text as string);
  assert.deepEqual(others, []);
  assert.ok(page.includes(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`));
  const written = page.replace(script, '');
  assert.doesNotMatch(written, /<script[^>]* src|<link|url\(/);
  const hrefs = [...written.matchAll(/href="([^"]+)"/g)].map(([, link]) => (link as string).replace(/#.*/, ''));
  const links = hrefs.filter((link) => link !== '');
  assert.ok(links.length >= 5);
  for (const link of links) assert.ok(existsSync(join(root, 'out/page', link)), link);
});

test('github: errors at the drill, a warning for the flaky one, nothing of an agent taken for a command', async () => {
  const { stdout } = await run;
  const [before = '', commands = ''] = stdout.split(/^::[0-9a-f-]{36}::$/m);
  assert.match(before, /^::stop-commands::[0-9a-f-]{36}\n/);
  const lines = commands.split('\n').filter((line) => line !== '');
  const repository = root.slice(dirname(root).length + 1);
  const errors = lines.filter((line) => line.startsWith('::error'));
  const at = /file=([^,]+),line=(\d+),/.exec(errors[0] ?? '');
  assert.equal(at?.[1], `${repository}/drillyard/failing.drill.json`);
  assert.equal(at?.[2], '1');
  assert.match(errors[0] ?? '', /::main: The agent failed: target.THREW: first/);
  assert.equal(lines.filter((line) => line.startsWith('::warning')).length, 1);
  assert.ok(
    lines.every((line) => /^::(error|warning) /.test(line)),
    commands,
  );
  assert.match(readFileSync(summaryFile, 'utf8'), /^before\n## ❔ Drillyard: 2 passed, 1 undecided\n/);
});

// RUN-REPORTERS-1
test('json: to a file the same lines; on stdout nothing else, whatever else is chosen', async () => {
  await run;
  const written = jsonLines(readFileSync(join(root, 'out/lines.jsonl'), 'utf8'));
  assert.equal(written.at(-1)?.event, 'summary');
  const { stdout, stderr } = await warmDrillyard(['run', 'failing', '--reporter', 'json,github'], { cwd: root, env });
  assert.equal(jsonLines(stdout).at(-1)?.event, 'summary');
  assert.match(stderr, /^::error file=/m);
});

test('none says nothing on stdout', async () => {
  const { stdout, code } = await warmDrillyard(['run', 'passing', '--reporter', 'none'], { cwd: root });
  assert.deepEqual([code, stdout], [0, '']);
});

test('an unknown reporter is refused with the nearest name, a path where none goes too', async () => {
  for (const [value, reported] of [
    ['junitt', /There is no reporter "junitt"\. Did you mean "junit"\?/],
    ['terminal,', /There is no reporter ""/],
    ['junit=out/j.xml,ctrf=./out/j.xml', /The reporters junit and ctrf both write \.\/out\/j\.xml: name another file for one\./],
    ['junit,ctrf=.service/reports/junit.xml', /The reporters junit and ctrf both write \.service\/reports\/junit\.xml: name another/],
    ['github=x', /The reporter github writes no file/],
    ['junit=', /After junit= comes the file/],
  ] as const) {
    const { code, stderr } = await warmDrillyard(['run', '--reporter', value], { cwd: root });
    assert.equal(code, 2);
    assert.match(stderr, reported);
  }
});

// RUN-REPORTERS-2
test('a file that cannot be written is reported, and the run has not passed', async () => {
  const { code, stderr } = await warmDrillyard(['run', 'passing', '--reporter', 'junit=drillyard.json/junit.xml'], { cwd: root });
  assert.equal(code, 1);
  assert.match(stderr, /The report \S+junit\.xml could not be written: a file is in its way/);
});

// RUN-REPORTERS-2
test('a document that cannot be made is reported, and the others are written', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-reporters-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const place = (name: string): string => join(folder, name);
  const reporters = new RunReporters({
    choices: [
      { name: 'ctrf', path: place('ctrf.json') },
      { name: 'html', path: place('page.html') },
      { name: 'json', path: place('lines.jsonl') },
    ],
    ...{ root: folder, reportDirectory: folder, environment: {}, commandPlace: anywhere, terminal: undefined },
    output: { json: false, line() {}, say() {} } as never,
  });
  const { report } = failingRun();
  const { status, verdict, stateHash, evidenceHash, trajectoryHash } = report.result;
  const about = {
    runId: report.runId,
    drillId: report.drill.id,
    trial: 1,
    attempt: 1,
    status,
    verdict,
    report: '',
    stateHash,
    evidenceHash,
    trajectoryHash,
  };
  reporters.onEvent({ event: 'attempt', ...about, detail: { report, cited: [] } });
  const sources = {
    get [report.drill.id](): never {
      throw new Error('no place today');
    },
  };
  const { files, failures } = reporters.finish(sources);
  assert.deepEqual(files, [place('page.html'), place('lines.jsonl')]);
  assert.deepEqual(
    failures.map(({ code, message }) => [code, message]),
    [['control.INTERNAL', `The report ${place('ctrf.json')} could not be written: no place today`]],
  );
  assert.deepEqual([existsSync(place('ctrf.json')), ...files.map((file) => existsSync(file))], [false, true, true]);
});

test('a run that is refused says so in every document, in the place of what an earlier run left there', async (t) => {
  const passing = {
    ...moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });`),
    ...drill('passing', 'agent', [noteIs('a', 'x')]),
  };
  const repository = createRepository(passing);
  t.after(() => repository.remove());
  const list = 'github,junit,ctrf=ctrf.json,html=page.html,json=lines.jsonl';
  const summary = join(repository.root, 'summary.md');
  const runAll = () =>
    warmDrillyard(['run', '--reporter', list], {
      cwd: repository.root,
      env: { GITHUB_WORKSPACE: repository.root, GITHUB_STEP_SUMMARY: summary },
    });
  const text = (file: string) => readFileSync(join(repository.root, file), 'utf8');
  const assertRefused = (code: string, words: RegExp): void => {
    const junit = readXml(text('.service/reports/junit.xml'));
    checkJunit(junit);
    const { tests, failures, errors } = junit.attributes;
    assert.deepEqual([tests, failures, errors], ['1', '0', '1']);
    const error = junit.children[0]?.children[0]?.children[0];
    assert.deepEqual([error?.name, error?.attributes.type], ['error', code]);
    const ctrf = JSON.parse(text('ctrf.json'));
    checkCtrf(ctrf);
    const [test] = ctrf.results.tests;
    assert.deepEqual([ctrf.results.summary.failed, test.status, test.rawStatus], [1, 'failed', code]);
    assert.match(test.trace, words);
    assert.match(text('page.html'), new RegExp(`<h1>The run ended with an error</h1>[^]*<h2 id="error-title">${code}</h2>`));
    assert.match(text('page.html'), words);
    assert.match(text('summary.md'), new RegExp(`## ❌ Drillyard: ${code}\\n`));
  };
  assert.equal((await runAll()).code, 0);
  writeFileSync(summary, '');
  repository.write('drillyard/x.target.yaml', 'schemaVersion: 2\n');
  const broken = await runAll();
  assert.equal(broken.code, 2);
  assert.match(broken.stdout, /^::error file=drillyard\/x\.target\.yaml,line=1,col=\d+,title=DY\d{4}::/m);
  assertRefused('control.SOURCE_INVALID', /drillyard\/x\.target\.yaml:1:\d+ error DY\d{4} /);
  const diagnostics = jsonLines(text('lines.jsonl'));
  assert.deepEqual([...new Set(diagnostics.map(({ event }) => event))], ['diagnostic']);
  rmSync(join(repository.root, 'drillyard/x.target.yaml'));
  const behavior = join(repository.root, 'notes/behavior.ts');
  writeFileSync(behavior, `throw new Error('not today');\n${readFileSync(behavior, 'utf8')}`);
  const unloadable = await runAll();
  assert.equal(unloadable.code, 2);
  assert.match(unloadable.stdout, /^::error title=world\.HANDLER_FAILED::.*not today/m);
  assertRefused('world.HANDLER_FAILED', /not today/);
  assert.equal(jsonLines(text('lines.jsonl')).at(-1)?.event, 'error');
});

test('a drill that passes its gate is green in every format, whichever of its trials did not pass', async (t) => {
  const counting = `const { appendFileSync, readFileSync } = await import('node:fs');
    appendFileSync(invocation.task.input, 'x');
    const times = readFileSync(invocation.task.input, 'utf8').length;
    if (times === 4) throw new Error('tired');
    await context.world.call('notes', 'note.write', { id: 'a', text: times % 2 === 1 ? 'x' : 'y' });`;
  const repository = createRepository(moduleAgent('counting', counting));
  t.after(() => repository.remove());
  const task = { instruction: 'Write.', input: join(repository.root, 'count') };
  const gated = drill('gated', 'counting', [noteIs('a', 'x')], { task, trials: { count: 4, require: { passRate: 0.5 } } });
  for (const [path, content] of Object.entries(gated)) repository.write(path, content);
  const { code, stdout } = await warmDrillyard(['run', '--reporter', 'terminal,github,junit,ctrf=ctrf.json,html=page.html'], {
    cwd: repository.root,
  });
  assert.equal(code, 0, stdout);
  const enough = '2 of 4 trials passed, which is enough for its gate';
  assert.match(stdout, /PASSED {2}1 drill: 1 passed/);
  assert.match(stdout, new RegExp(`gated: ${enough}; the reports of the others tell why`));
  assert.doesNotMatch(stdout, /::error|::warning|^FAILED|^INCONCLUSIVE/m);
  assert.match(stdout, new RegExp(`^::notice file=[^:]+,title=gated passed::${enough}\\.$`, 'm'));
  const junit = readXml(readFileSync(join(repository.root, '.service/reports/junit.xml'), 'utf8'));
  checkJunit(junit);
  const { tests, failures, errors } = junit.attributes;
  assert.deepEqual([tests, failures, errors], ['5', '0', '0']);
  const second = junit.children[1]!;
  assert.deepEqual([second.attributes.failures, second.attributes.skipped], ['0', '1']);
  const cases = second.children.filter(({ name }) => name === 'testcase');
  assert.match(cases[0]?.children[0]?.attributes.message ?? '', new RegExp(`^tolerated \\(${enough}\\): `));
  assert.equal(cases[0]?.attributes.time, second.attributes.time);
  assert.match(second.attributes.time ?? '', /[1-9]/);
  const { summary, tests: trials } = JSON.parse(readFileSync(join(repository.root, 'ctrf.json'), 'utf8')).results;
  assert.deepEqual([summary.passed, summary.failed, summary.other, summary.flaky], [4, 0, 0, 2]);
  assert.deepEqual([trials[1].status, trials[1].rawStatus, trials[1].flaky], ['passed', 'failed', true]);
  assert.match(readFileSync(join(repository.root, 'page.html'), 'utf8'), />failed, tolerated<\/span><\/td>/);
});

test('a budget that ran out is the reason in every format, and the command in an annotation starts where the run did', async (t) => {
  const timeline = { maxToolCalls: 0, interactions: [{ id: 'main', actorId: 'writer', task: { instruction: 'Write.' } }] };
  const repository = createRepository({
    ...moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });`),
    ...drill('over', 'agent', [noteIs('a', 'x')], { timeline }),
    'node_modules/drillyard/package.json': '{}',
  });
  t.after(() => repository.remove());
  const at = { cwd: repository.root };
  const { stdout } = await warmDrillyard(['run', '--reporter', 'terminal,github,ctrf=ctrf.json,html=page.html'], at);
  const reason = '1 call was refused, because the budget of 0 tool calls was used up';
  assert.match(stdout, new RegExp(`^ {2}${reason}$`, 'm'));
  assert.match(
    stdout,
    new RegExp(`^::error .*title=over undecided::${reason}%0Arun run_\\w+; again: npx drillyard run over --seed 7$`, 'm'),
  );
  const { results } = JSON.parse(readFileSync(join(repository.root, 'ctrf.json'), 'utf8'));
  assert.equal(results.tests[0].message, reason);
  assert.match(readFileSync(join(repository.root, 'page.html'), 'utf8'), new RegExp(reason));
});

test('a rate is one of first attempts, and says so where they are not the trials', async (t) => {
  const again = `const { existsSync, writeFileSync } = await import('node:fs');
    const text = existsSync(invocation.task.input) ? 'x' : 'y';
    writeFileSync(invocation.task.input, '');
    await context.world.call('notes', 'note.write', { id: 'a', text });`;
  const repository = createRepository(moduleAgent('again', again));
  t.after(() => repository.remove());
  const task = { instruction: 'Write.', input: join(repository.root, 'tried') };
  for (const [path, content] of Object.entries(drill('late', 'again', [noteIs('a', 'x')], { task }))) repository.write(path, content);
  const { stdout } = await warmDrillyard(['run', '--trials', '4', '--retries', '1'], { cwd: repository.root });
  assert.match(stdout, /✓ late {2}4 of 4 trials {2}first attempts 75 % \(95 % interval/);
});

test('what never started is said in every format, in its own words', async (t) => {
  const writing = moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });`);
  const repository = createRepository({
    ...writing,
    ...drill('a-fails', 'agent', [noteIs('a', 'y')], { trials: { count: 2 } }),
    ...drill('b-waits', 'agent', [noteIs('a', 'x')], { title: 'It waits', tags: ['slow'] }),
  });
  t.after(() => repository.remove());
  const list = 'terminal,github,junit,ctrf=ctrf.json,html=page.html,json=lines.jsonl';
  const summary = join(repository.root, 'summary.md');
  const { code, stdout } = await warmDrillyard(['run', '--fail-fast', '--concurrency', '1', '--reporter', list], {
    cwd: repository.root,
    env: { GITHUB_STEP_SUMMARY: summary },
  });
  const text = (file: string) => readFileSync(join(repository.root, file), 'utf8');
  assert.equal(code, 1, stdout);
  assert.match(stdout, /✗ a-fails .* 1 never started$/m);
  assert.match(stdout, /\? b-waits +never started$/m);
  assert.match(stdout, /never started, as the run ended before: 2 trials/);
  assert.match(stdout, /^::error .*title=a-fails \(trial 2 of 2\) never started::The run ended before/m);
  assert.match(stdout, /^::error file=[^,]*b-waits[^,]*,.*title=b-waits never started::/m);
  assert.match(text('summary.md'), /2 trials never started[\s\S]*\| b-waits \| 0 \| \| never started \|/);
  const events = jsonLines(text('lines.jsonl'));
  assert.deepEqual(
    events.filter(({ event }) => event === 'drill').map(({ notStarted }) => notStarted),
    [
      { trials: [2], tags: [], targetId: 'agent' },
      { trials: [1], title: 'It waits', tags: ['slow'], targetId: 'agent' },
    ],
  );
  assert.equal(events.at(-1)?.notStarted, 2);
  const junit = readXml(text('.service/reports/junit.xml'));
  checkJunit(junit);
  assert.deepEqual(
    junit.children.map(({ attributes }) => [attributes.name, attributes.failures, attributes.errors]),
    [
      ['a-fails (trial 1 of 2)', '1', '0'],
      ['a-fails (trial 2 of 2)', '0', '1'],
      ['b-waits', '0', '1'],
    ],
  );
  const ctrf = JSON.parse(text('ctrf.json'));
  checkCtrf(ctrf);
  assert.deepEqual([ctrf.results.summary.tests, ctrf.results.summary.failed, ctrf.results.summary.pending], [3, 1, 2]);
  const { name, testId, status, rawStatus, suite, filePath } = ctrf.results.tests[2];
  assert.deepEqual(
    { name, testId, status, rawStatus, suite, filePath },
    {
      name: 'b-waits: It waits',
      testId: 'b-waits#1',
      status: 'pending',
      rawStatus: 'not_started',
      suite: ['agent', 'b-waits'],
      filePath: 'drillyard/b-waits.drill.json',
    },
  );
  assert.match(text('page.html'), /1 of 2 drills failed[\s\S]*>never started<\/span><\/td><td><code>b-waits<\/code><br>It waits<\/td>/);
});

test('what is skipped is said in every format with its reason, and no run is red for it', async (t) => {
  const reason = 'Waits for | the <desk>.';
  const repository = createRepository({
    ...moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });`),
    ...drill('passes', 'agent', [noteIs('a', 'x')]),
    ...drill('waits', 'agent', [noteIs('a', 'y')], { title: 'It waits', tags: ['slow'], skip: reason }),
  });
  t.after(() => repository.remove());
  const text = (file: string) => readFileSync(join(repository.root, file), 'utf8');
  const list = 'terminal,github,junit,ctrf=ctrf.json,html=page.html,json=lines.jsonl';
  const env = { GITHUB_STEP_SUMMARY: join(repository.root, 'summary.md') };
  const { code, stdout } = await warmDrillyard(['run', '--reporter', list], { cwd: repository.root, env });
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^- waits {2}skipped: Waits for \| the <desk>\.$/m);
  assert.match(stdout, /PASSED {2}2 drills: 1 passed, 1 skipped/);
  assert.match(stdout, /^::notice file=[^,]*waits[^,]*,.*title=waits skipped::Waits for/m);
  assert.match(text('summary.md'), /1 passed, 1 skipped[\s\S]*\| waits \| 0 \| \| skipped: Waits for &#124; the &lt;desk&gt;\. \|/);
  const events = jsonLines(text('lines.jsonl'));
  assert.deepEqual(
    events.filter(({ event }) => event === 'skipped'),
    [{ event: 'skipped', drillId: 'waits', title: 'It waits', reason, tags: ['slow'], targetId: 'agent' }],
  );
  assert.deepEqual([events.at(-1)?.passed, events.at(-1)?.skipped], [1, 1]);
  const junit = readXml(text('.service/reports/junit.xml'));
  checkJunit(junit);
  const suite = junit.children.find(({ attributes }) => attributes.name === 'waits');
  assert.deepEqual([suite?.attributes.tests, suite?.attributes.skipped, junit.attributes.errors], ['1', '1', '0']);
  assert.equal(suite?.children[0]?.children[0]?.attributes.message, reason);
  const ctrf = JSON.parse(text('ctrf.json'));
  checkCtrf(ctrf);
  const { name, status, message, tags } = ctrf.results.tests[1];
  assert.deepEqual([ctrf.results.summary.tests, ctrf.results.summary.skipped], [2, 1]);
  assert.deepEqual({ name, status, message, tags }, { name: 'waits: It waits', status: 'skipped', message: reason, tags: ['slow'] });
  assert.match(
    text('page.html'),
    />skipped<\/span><\/td><td><code>waits<\/code><br>It waits<\/td><td>Waits for \| the &lt;desk&gt;\.<\/td>/,
  );

  const alone = await warmDrillyard(['run', 'waits', '--reporter', list], { cwd: repository.root, env });
  assert.equal(alone.code, 0, alone.stdout);
  assert.match(alone.stdout, /NOTHING RAN {2}1 drill: 1 skipped/);
  assert.match(text('summary.md'), /No drill ran: 1 drill skipped\./);
  assert.match(text('page.html'), /<h1>Nothing ran: 1 drill skipped<\/h1>/);
  checkJunit(readXml(text('.service/reports/junit.xml')));
  checkCtrf(JSON.parse(text('ctrf.json')));
  const plan = await warmDrillyard(['plan', 'waits'], { cwd: repository.root });
  assert.equal(plan.code, 0);
  assert.match(plan.stdout, /^0 drills, 0 runs, 1 skipped, .*\n {2}waits {2}It waits\n {4}skipped: Waits for/);
});
