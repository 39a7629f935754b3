// What agents say they used: whatever kind they are, through whichever door, summed in every report, and in no hash.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type AgentUsage, isUsage, sumUsage } from '../../src/contract/run/agent-usage.js';
import type { RunEvent, RunReport } from '../../src/contract/run/run-events.js';
import { ExternalResult } from '../../src/contract/run/target-completion.js';
import { validateRunEvent, validateTargetCompletion } from '../../src/contract/validate/validators.js';
import { checkReports, runDrills } from '../../src/index.js';
import { ctrfDocument } from '../../src/reports/ctrf.js';
import { runPage } from '../../src/reports/run-page.js';
import { RunRecords } from '../../src/reports/run-records.js';
import { usageText } from '../../src/reports/shown-values.js';
import { createTerminalReporter } from '../../src/reports/terminal-reporter.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { drill, moduleAgent, noteIs, temporaryRepositories } from './repository.js';
import { command, module, run } from './targets-kit.js';

const repository = temporaryRepositories();

for (const isolation of ['thread', 'process'] as const) {
  test(`module in a ${isolation}: its usage is added up, and what is none is refused where it is said`, async () => {
    const target = module(`
      export default async (_, { usage }) => {
        usage({ inputTokens: 10, costUsd: 0.1 });
        usage({ inputTokens: 5, outputTokens: 2, costUsd: 0.2 });
        const refused = [];
        for (const wrong of [{ inputTokens: -1 }, { tokens: 1 }, { costUsd: NaN }, { modelCalls: 0.5 }, 7]) {
          try { usage(wrong); } catch (error) { refused.push(error.name); }
        }
        if (refused.length === 5) throw new Error(refused[0]);
      }`);
    const { status, error, usage } = await run(target, { isolation });
    assert.deepEqual([status, error?.message], ['failed', 'TypeError']);
    assert.deepEqual(usage, { inputTokens: 15, outputTokens: 2, costUsd: 0.3 });
  });
}

test('a command says it in its output; a usage of another shape is output like any other', async () => {
  const output = { done: true, usage: { inputTokens: 3, modelCalls: 1 } };
  const said = await run(command(`console.log(${JSON.stringify(JSON.stringify(output))})`));
  assert.deepEqual([said.output, said.usage], [output, output.usage]);
  const other = await run(command(`console.log('{"usage":{"prompt_tokens":3}}')`));
  assert.deepEqual([other.output, other.usage], [{ usage: { prompt_tokens: 3 } }, undefined]);
});

test('the checks by hand and the generated ones agree, and sums stay within them', () => {
  const given: unknown[] = [
    {},
    { costUsd: 1e6 },
    { costUsd: 1e6 + 1 },
    { inputTokens: 1e12 },
    { outputTokens: 1e12 + 1 },
    { modelCalls: 1.5 },
  ];
  for (const usage of [...given, { cachedInputTokens: -1 }, { costUsd: Number.POSITIVE_INFINITY }, { other: 1 }, [], null, 'x'])
    assert.equal(isUsage(usage), validateTargetCompletion({ status: 'completed', usage }).ok, JSON.stringify(usage));
  const most: AgentUsage = { inputTokens: 1e12, outputTokens: 1e12, cachedInputTokens: 1e12, modelCalls: 1e12, costUsd: 1e6 };
  assert.deepEqual(sumUsage([most, undefined, most]), most);
  assert.equal(sumUsage([undefined]), undefined);
});

test('as text', () => {
  assert.equal(
    usageText({ inputTokens: 18250, outputTokens: 1, cachedInputTokens: 16000, modelCalls: 4, costUsd: 0.0421 }),
    '18,250 input tokens (16,000 cached), 1 output token, 4 model calls, $0.0421',
  );
  assert.deepEqual(
    [0, 0.000000012, 0.5, 12.345].map((costUsd) => usageText({ costUsd })),
    ['$0.00', '$0.000000012', '$0.500', '$12.35'],
  );
  assert.equal(usageText({ cachedInputTokens: 7 }), '7 cached input tokens');
});

test('every report has it, the run sums it, retries too, and no hash knows of it', async () => {
  const says = moduleAgent('says', "context.usage({ inputTokens: 1200, costUsd: 0.01 }); throw new Error('model is down');");
  const silent = moduleAgent('says', "throw new Error('model is down');");
  const looks = drill('looks', 'says', [noteIs('first', 'here from the start')], {
    timeline: {
      stopOnTargetFailure: false,
      interactions: [
        { id: 'one', actorId: 'writer', task: { instruction: 'Look.' } },
        { id: 'two', actorId: 'writer', task: { instruction: 'Look again.' } },
      ],
    },
  });
  const events: RunEvent[] = [];
  const { root } = repository(says, looks);
  const result = await runDrills({ root, trials: 2, onEvent: (event) => events.push(event) });
  const attempt = result.drills[0]?.trials[0]?.attempts[0] ?? assert.fail();
  assert.deepEqual(attempt.result.interactions[0]?.targetResult.usage, { inputTokens: 1200, costUsd: 0.01 });
  assert.deepEqual([result.drills[0]?.usage, result.usage], Array(2).fill({ inputTokens: 4800, costUsd: 0.04 }));
  for (const event of events) assert.ok(validateRunEvent(event).ok, JSON.stringify(validateRunEvent(event)));
  assert.deepEqual(
    events.flatMap((event) => ('usage' in event ? [[event.event, event.usage?.inputTokens]] : [])),
    [
      ['attempt', 2400],
      ['attempt', 2400],
      ['drill', 4800],
      ['summary', 4800],
    ],
  );

  const folder = join(root, attempt.report);
  const document = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as RunReport;
  assert.equal(document.result.interactions[1]?.targetResult.usage?.inputTokens, 1200);
  assert.match(readFileSync(join(folder, 'report.txt'), 'utf8'), /agent used {8}2,400 input tokens, \$0\.0200/);
  assert.match(readFileSync(join(folder, 'index.html'), 'utf8'), /Used 1,200 input tokens[\s\S]*The agent used 2,400 input tokens/);
  assert.match(readFileSync(join(folder, 'junit.xml'), 'utf8'), /<property name="costUsd" value="0.02"\/>/);
  assert.deepEqual((await verifyReport(folder)).problems, []);
  const checked = await checkReports({ root });
  assert.deepEqual([checked.verdict, checked.changed], [result.verdict, 0]);

  const records = new RunRecords();
  let shown = '';
  const terminal = createTerminalReporter({ stream: { write: (text: string) => (shown += text) }, color: false, environment: {} } as never);
  for (const event of events) {
    records.take(event);
    terminal.onEvent(event);
  }
  assert.match(shown, /\nagents used 4,800 input tokens, \$0\.0400\n/);
  const { results } = JSON.parse(ctrfDocument(records, () => undefined)) as { results: { summary: object; tests: { extra: object }[] } };
  assert.deepEqual((results.summary as { extra: object }).extra, { usage: { inputTokens: 4800, costUsd: 0.04 } });
  assert.deepEqual((results.tests[0]?.extra as { usage: object }).usage, { inputTokens: 2400, costUsd: 0.02 });
  assert.match(runPage(records, { linkTo: (report) => report }), /Agents used<\/dt><dd>4,800 input tokens/);

  const { result: without } =
    (await runDrills({ root: repository(silent, looks).root, reportDirectory: false })).drills[0]?.trials[0]?.attempts[0] ?? assert.fail();
  assert.equal(without.interactions[0]?.targetResult.usage, undefined);
  assert.deepEqual([without.evidenceHash, without.stateHash], [attempt.result.evidenceHash, attempt.result.stateHash]);
});

test('an external agent says it through its context, or in its whole result', async () => {
  const external = {
    'drillyard/ext.target.json': { schemaVersion: 1, target: { id: 'ext', kind: 'external', bindings: ['direct'], timeoutMs: 5000 } },
  };
  const { root } = repository(external, drill('looks', 'ext', [noteIs('first', 'here from the start')]));
  const told = await runDrills({
    root,
    reportDirectory: false,
    agent: (_, { usage }) => {
      for (const modelCalls of [1, 2]) usage({ modelCalls });
      return undefined;
    },
  });
  assert.deepEqual(told.usage, { modelCalls: 3 });
  const handed = new ExternalResult({ status: 'completed', usage: { outputTokens: 9 } });
  assert.deepEqual((await runDrills({ root, reportDirectory: false, agent: () => handed })).usage, { outputTokens: 9 });
});
