// Modules that judge: what they are shown, what their answers come to, and that a stored run is judged by what they said.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileProject } from '../../src/compiler/compile.js';
import { limits } from '../../src/contract/limits.js';
import type { JudgedRun } from '../../src/contract/run/judge.js';
import type { AssertionResult, InteractionResult } from '../../src/contract/run/run.js';
import { validateRunReport } from '../../src/contract/validate/validators.js';
import { drillInputs } from '../../src/drills/attempt/drill-inputs.js';
import { Judge } from '../../src/drills/judge/judge.js';
import type { JudgeView, ModuleJudge } from '../../src/drills/judge/module-judge.js';
import { checkReports, planDrills, type RunDrillsResult, runDrills, validateRepository, verifyReport } from '../../src/index.js';
import { call, viewOf } from './judging.js';
import { drill, moduleAgent, noteIs, temporaryRepositories } from './repository.js';

const repository = temporaryRepositories();
const agent = moduleAgent(
  'agent',
  "await context.world.call('notes', 'note.write', { id: 'a', text: 'hello' }); context.usage({ modelCalls: 1 }); return { said: 'rude' };",
);
const notes = { notes: { packageId: 'notes', namespace: 'notes' } };
const judged = (id: string, more: object = {}) => ({ id, kind: 'custom', module: 'judges/judge.mjs', ...more });
const attemptOf = (result: RunDrillsResult) => result.drills[0]?.trials[0]?.attempts[0] ?? assert.fail('no attempt');
const byId = (result: RunDrillsResult): { [id: string]: AssertionResult } =>
  Object.fromEntries(attemptOf(result).result.assertionResults.map((one) => [one.assertionId, one]));

/** What it is shown is written down; each call is noted. */
const tone = `import { appendFileSync, writeFileSync } from 'node:fs';
export default function tone(run, { usage, log }) {
  appendFileSync('CALLS', run.assertionId + '\\n');
  writeFileSync('SHOWN', JSON.stringify(run));
  usage({ inputTokens: 7 });
  log('looked');
  const kind = run.with.kind;
  if (kind === 'kind') return { passed: true, message: 'Kind enough.' };
  return { passed: false, score: 0.25, message: 'The reply is rude.', details: { words: ['rude'] } };
}
export const quiet = async () => ({ passed: true });
`;

// CUSTOM-2
test('its answer decides, every report shows message and score, and a stored run takes the answer it has', async () => {
  const { root, write } = repository(
    agent,
    drill('judged', 'agent', [
      judged('tone', { state: notes, message: 'Be polite.' }),
      judged('kind', { with: { kind: 'kind' } }),
      judged('quiet', { export: 'quiet', gate: false }),
    ]),
  );
  const calls = join(root, 'CALLS');
  const shownAt = join(root, 'SHOWN');
  write('judges/judge.mjs', tone.replaceAll("'CALLS'", JSON.stringify(calls)).replaceAll("'SHOWN'", JSON.stringify(shownAt)));
  const result = await runDrills({ root });
  const { tone: found, kind, quiet } = byId(result);
  assert.deepEqual([result.verdict, found?.status, kind?.status, quiet?.status], ['failed', 'failed', 'passed', 'passed']);
  assert.equal(found?.message, 'Be polite. (The reply is rude. (score 0.25))');
  assert.equal(quiet?.message, 'The judge accepts the run.');
  const { question, ...record } = found?.judged ?? assert.fail();
  assert.match(question, /^sha256:/);
  const answer = { passed: false, score: 0.25, message: 'The reply is rude.', details: { words: ['rude'] } };
  assert.deepEqual(record, { answer, usage: { inputTokens: 7 } });
  assert.deepEqual(result.usage, { modelCalls: 1 });

  const folder = join(root, attemptOf(result).report);
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
  for (const file of ['report.txt', 'index.html', 'junit.xml']) assert.match(textOf(file), /The reply is rude\. \(score 0\.25\)/, file);
  assert.match(textOf('report.txt'), /words/);
  assert.match(textOf('index.html'), /words/);
  assert.ok(validateRunReport(JSON.parse(textOf('report.json'))).ok);
  assert.deepEqual((await verifyReport(folder)).problems, []);

  writeFileSync(calls, '');
  const again = await checkReports({ root });
  assert.deepEqual([again.verdict, again.changed], ['failed', 0]);
  const checked = again.reports[0]?.checked;
  assert.ok(checked?.kind === 'checked');
  assert.deepEqual(checked.judgement.assertionResults, JSON.parse(textOf('report.json')).result.assertionResults);
  // Another question, and one that was not asked.
  const others = [
    judged('tone', { state: notes, with: { more: 1 } }),
    judged('kind', { with: { kind: 'kind' }, timeoutMs: 5 }),
    judged('new'),
  ];
  write('drillyard/judged.drill.json', drill('judged', 'agent', others)['drillyard/judged.drill.json'] ?? {});
  const asked = (await checkReports({ root })).reports[0]?.checked;
  assert.ok(asked?.kind === 'checked');
  assert.deepEqual(
    asked.judgement.assertionResults.map(({ status, message }) => [status, message]),
    [
      ['inconclusive', 'In that run the judge was asked something else.'],
      ['passed', 'Kind enough.'],
      ['inconclusive', 'That run has no answer of this judge.'],
    ],
  );
  assert.equal(readFileSync(calls, 'utf8'), '');

  // An answer that was turned around does not fit what the run says of it.
  const forged = textOf('report.json').replace('"passed": false', '"passed": true');
  writeFileSync(join(folder, 'report.json'), forged);
  const manifest = JSON.parse(textOf('manifest.json')) as { files: { path: string; bytes: number; sha256: string }[] };
  const listed = manifest.files.find(({ path }) => path === 'report.json') ?? assert.fail();
  Object.assign(listed, { bytes: Buffer.byteLength(forged), sha256: `sha256:${createHash('sha256').update(forged).digest('hex')}` });
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  assert.ok(
    (await verifyReport(folder)).problems.some(
      ({ code, message }) => code === 'VERDICT_MISMATCH' && message.includes('its judge said passed'),
    ),
  );

  const run = JSON.parse(readFileSync(shownAt, 'utf8')) as JudgedRun;
  assert.deepEqual([run.schemaVersion, run.drillId, run.runId], [1, 'judged', attemptOf(result).runId]);
  assert.deepEqual(run.interactions[0]?.targetResult, {
    schemaVersion: 1,
    status: 'completed',
    attachments: [],
    output: { said: 'rude' },
    usage: { modelCalls: 1 },
  });
});

test('it is shown interactions, journal, named rows, clock and its own words, whether in a thread or a process', async () => {
  for (const isolate of ['thread', 'process'] as const) {
    const { root } = repository(agent, drill('looks', 'agent', [judged('sees', { state: notes, with: { deep: { list: [1] } } })]), {
      'judges/judge.mjs': `export default ({ journal, journalLeft, state, clock, with: given, interactions }, context) => ({ passed: true, details: {
        kinds: journal.map(({ sequence, kind }) => sequence + ' ' + kind), journalLeft, state, clock, given,
        status: interactions[0].targetResult.status, world: typeof context.world, endpoints: Object.keys(context.binding) } });`,
    });
    const result = await runDrills({ root, isolate, reportDirectory: false });
    assert.deepEqual(byId(result).sees?.judged?.answer?.details, {
      kinds: ['1 lifecycle', '2 operation', '3 state_change', '4 event', '5 callback'],
      journalLeft: 0,
      state: { notes: { a: { id: 'a', text: 'hello' }, first: { id: 'first', text: 'here from the start' } } },
      clock: { startUs: 1000, nowUs: 1000 },
      given: { deep: { list: [1] } },
      status: 'completed',
      world: 'undefined',
      endpoints: [],
    });
  }
});

// CUSTOM-1
test('what is no answer leaves it undecided, and says why', async () => {
  const answers: { [id: string]: string } = {
    throws: '() => { throw new Error("no model today"); }',
    hangs: '() => new Promise(() => {})',
    spins: '() => { for (;;); }',
    nothing: '() => undefined',
    yes: '() => true',
    more: '() => ({ passed: true, confident: true })',
    scored: '() => ({ passed: true, score: NaN })',
    exits: '() => process.exit(1)',
  };
  const { root } = repository(
    agent,
    drill('judged', 'agent', [
      ...Object.keys(answers).map((id) => judged(id, { export: id, timeoutMs: id === 'hangs' || id === 'spins' ? 200 : 20_000 })),
      judged('missing', { export: 'missing' }),
    ]),
    {
      'judges/judge.mjs': Object.entries(answers)
        .map(([id, text]) => `export const ${id} = ${text};\n`)
        .join(''),
    },
  );
  const result = await runDrills({ root });
  assert.equal(result.verdict, 'inconclusive');
  assert.deepEqual(
    Object.values(byId(result)).map(({ assertionId, status, judged: record }) => [assertionId, status, record?.error?.code]),
    [
      ['throws', 'inconclusive', 'assertion.JUDGE_THREW'],
      ['hangs', 'inconclusive', 'assertion.JUDGE_TIMED_OUT'],
      ['spins', 'inconclusive', 'assertion.JUDGE_TIMED_OUT'],
      ['nothing', 'inconclusive', 'assertion.JUDGE_ANSWER_INVALID'],
      ['yes', 'inconclusive', 'assertion.JUDGE_ANSWER_INVALID'],
      ['more', 'inconclusive', 'assertion.JUDGE_ANSWER_INVALID'],
      ['scored', 'inconclusive', 'assertion.JUDGE_OUTPUT_INVALID'],
      ['exits', 'inconclusive', 'assertion.JUDGE_CRASHED'],
      ['missing', 'inconclusive', 'assertion.JUDGE_LOAD_FAILED'],
    ],
  );
  assert.equal(byId(result).throws?.message, 'The judge could not decide: no model today');
  assert.equal(byId(result).hangs?.message, 'The judge could not decide: It did not answer within 200 ms.');
  for (const page of ['report.txt', 'index.html']) {
    const places = readFileSync(join(root, attemptOf(result).report, page), 'utf8')
      .split(/thrown at(?::|<\/dt><dd><code>)/)
      .slice(1);
    assert.deepEqual([places.length, places[0]?.includes(`${join(root, 'judges/judge.mjs')}:1:`)], [1, true], page);
  }
  assert.deepEqual((await verifyReport(join(root, attemptOf(result).report))).problems, []);
  assert.equal((await checkReports({ root })).changed, 0);
});

// CUSTOM-2
test('a run that was cut short is not shown to it', async () => {
  const { root } = repository(moduleAgent('agent', "throw new Error('gave up');"), drill('judged', 'agent', [judged('tone')]));
  const asked = join(root, 'ASKED');
  const module = `import { writeFileSync } from 'node:fs';\nexport default () => { writeFileSync(${JSON.stringify(asked)}, ''); return { passed: true }; };`;
  writeFileSync(join(root, 'drillyard', 'judge.mjs'), module);
  const path = join(root, 'drillyard/judged.drill.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('judges/judge.mjs', 'drillyard/judge.mjs'));
  const result = await runDrills({ root });
  assert.deepEqual([result.verdict, existsSync(asked)], ['inconclusive', false]);
  assert.match(
    byId(result).tone?.message ?? '',
    /^The judge was not asked, as the run was cut short: the target failed in interaction main/,
  );
  assert.equal((await checkReports({ root })).changed, 0);
});

test('a watcher runs a drill again when its judge has changed', async () => {
  const { root, write } = repository(agent, drill('judged', 'agent', [judged('tone')]), {
    'judges/judge.mjs': "export { default } from './tone.mjs';",
  });
  const inputs = async (text: string) => {
    write('judges/tone.mjs', text);
    const { build } = await compileProject({ root });
    return (await drillInputs(build ?? assert.fail(), await planDrills({ root }), root)).get('judged');
  };
  const [first, other, again] = [await inputs('export default 1;'), await inputs('export default 2;'), await inputs('export default 1;')];
  assert.notEqual(first, other);
  assert.equal(first, again);
});

test('validate finds a judge that is not there, does not load, or has wrong types', async () => {
  const { root, write } = repository(agent, drill('judged', 'agent', [noteIs('a', 'hello'), judged('tone', { module: 'judges/tone.ts' })]));
  const codes = async () => (await validateRepository({ root })).diagnostics.map(({ code, file, path }) => [code, file, path]);
  assert.deepEqual(await codes(), [['DY3014', 'drillyard/judged.drill.json', '/assertions/1/module']]);
  write('judges/tone.ts', "import { gone } from './gone.js';\nexport default () => gone;\n");
  assert.deepEqual(await codes(), [['DY6011', 'judges/tone.ts', '']]);
  write('judges/tone.ts', "const passed: number = 'yes';\nexport default () => ({ passed });\n");
  assert.deepEqual(await codes(), [['DY6011', 'judges/tone.ts', '']]);
  write('judges/tone.ts', 'export default () => ({ passed: true });\n');
  assert.deepEqual(await codes(), []);
  assert.equal((await runDrills({ root, reportDirectory: false })).verdict, 'passed');
});

test('what it is shown is bounded: entries of the journal are counted, and a larger run is undecided', async () => {
  const question = { id: 'it', gate: true, kind: 'custom', module: 'x', export: 'default', with: {}, state: {}, timeoutMs: 1 } as const;
  const judgeOf = async (entries: number, outputChars: number) => {
    let shown: JudgeView | undefined;
    const judgeModule: ModuleJudge = async (_, view) => {
      shown = view;
      return { answer: { passed: true } };
    };
    const judging = new Judge([question], { startUs: 0, judgeModule });
    for (let sequence = 1; sequence <= entries; sequence++) judging.observe(call(sequence, 'note.get', { text: 'x'.repeat(600) }));
    const output = 'x'.repeat(outputChars);
    const interaction = { interactionId: 'main', targetResult: { schemaVersion: 1, status: 'completed', attachments: [], output } };
    const [result] = await judging.results(viewOf({}, [interaction as unknown as InteractionResult]));
    return { shown, result };
  };
  const { shown, result } = await judgeOf(limits.customJudgeEntriesMax, 0);
  assert.equal(result?.status, 'passed');
  assert.ok(shown !== undefined && shown.journalLeft > 0 && shown.journal.length > 1000);
  assert.equal(shown.journal.length + shown.journalLeft, limits.customJudgeEntriesMax);
  assert.ok(JSON.stringify(shown.journal).length < limits.customJudgeJournalCharsMax + shown.journal.length + 2);
  const large = await judgeOf(1, limits.customJudgeViewCharsMax);
  assert.deepEqual(
    [large.result?.status, large.result?.message, large.shown],
    ['inconclusive', 'The judge was not asked: what it is shown is larger than 12 MiB.', undefined],
  );
});
