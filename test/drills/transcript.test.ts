// What an agent says while it works: at its place in the journal, by policy, bounded, without secrets, and outside the evidence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import type { TranscriptLine } from '../../src/contract/run/transcript.js';
import { runDrills } from '../../src/index.js';
import { commandAgent, drill, moduleAgent, temporaryRepositories, written } from './repository.js';

const repository = temporaryRepositories();
const wanted = [written({ equals: 1 })];
const writes = `await context.world.call('notes', 'note.write', { id: 'first', text: 'one' });`;

async function reportsOf(root: string, onSaid?: (runId: string, line: TranscriptLine) => void): Promise<Map<string, RunReport>> {
  const reports = new Map<string, RunReport>();
  await runDrills({
    root,
    ...(onSaid === undefined ? {} : { onSaid }),
    onEvent: (event) => event.event === 'attempt' && event.detail !== undefined && reports.set(event.drillId, event.detail.report),
  });
  return reports;
}

// TRANSCRIPT-1, TRANSCRIPT-2
test('messages and log stand around the calls between which they were said; the hashes are those of a silent agent', async () => {
  const talks = moduleAgent(
    'talks',
    `context.message({ role: 'user', content: 'Write a note.' });
     ${writes}
     context.message({ role: 'assistant', content: 'It is **written**.' }); context.log('done', { notes: 1 }); console.log('and said');`,
  );
  const { root } = repository(
    talks,
    moduleAgent('silent', writes),
    drill('talks', 'talks', wanted, { capture: { logs: 'always' } }),
    drill('silent', 'silent', wanted),
  );
  const heard: TranscriptLine[] = [];
  const reports = await reportsOf(root, (_, line) => heard.push(line));
  const { transcript, result } = reports.get('talks') as RunReport;
  assert.equal(reports.get('silent')?.transcript, undefined);
  assert.deepEqual(
    transcript?.lines.map(({ role, text }) => [role, text]),
    [
      ['user', 'Write a note.'],
      ['assistant', 'It is **written**.'],
      ['log', 'done {"notes":1}'],
      ['log', 'and said'],
    ],
  );
  const [before, ...after] = transcript!.lines.map(({ afterSequence }) => afterSequence);
  assert.ok(
    after.every((place) => place > before! && place < result.evidenceRange.toSequence),
    `${before}, ${after}`,
  );
  assert.equal(new Set(after).size, 1);
  assert.deepEqual(heard, transcript?.lines);
  for (const hash of ['stateHash', 'trajectoryHash'] as const) assert.equal(result[hash], reports.get('silent')?.result[hash], hash);
});

// TRANSCRIPT-3
test('a log is kept as its policy says, messages always; another shape of a message is an error of the agent', async () => {
  const says = moduleAgent('says', `context.log('logged'); context.message({ role: 'assistant', content: 'told' }); ${writes}`);
  const { root } = repository(
    says,
    moduleAgent('wrong', `context.message({ role: 'narrator', content: 'once' })`),
    drill('off', 'says', wanted),
    drill('passes', 'says', wanted, { capture: { logs: 'on_failure' } }),
    drill('fails', 'says', [written({ equals: 2 })], { capture: { logs: 'on_failure' } }),
    drill('wrong', 'wrong', wanted),
  );
  const reports = await reportsOf(root);
  const said = (drillId: string) => reports.get(drillId)?.transcript?.lines.map(({ text }) => text);
  assert.deepEqual([said('off'), said('passes'), said('fails')], [['told'], ['told'], ['logged', 'told']]);
  assert.match(reports.get('wrong')?.result.interactions[0]?.targetResult.error?.message ?? '', /a message is \{ role/);
});

test('a flood is bounded and counted, and one line of it as well', async () => {
  const floods = moduleAgent(
    'floods',
    `context.message({ role: 'tool', content: 'y'.repeat(1e6) });
     for (let k = 0; k < 10_000; k++) context.message({ role: 'assistant', content: 'x'.repeat(500) }); ${writes}`,
  );
  const { root } = repository(floods, drill('floods', 'floods', wanted));
  const { lines, left } = (await reportsOf(root)).get('floods')!.transcript!;
  assert.equal(lines[0]?.text.length, limits.transcriptTextCharsMax + 1);
  const chars = lines.reduce((sum, { text }) => sum + text.length, 0);
  assert.ok(chars <= limits.transcriptCharsMax && lines.length > 300, `${chars} characters in ${lines.length} lines`);
  assert.ok(left > 0);
});

test('a command says the lines of its log, without the secrets that it was given, a line of a longer one included', async () => {
  process.env.TRANSCRIPT_TEST_KEY = 'first-line-of-it\nsecond-line-of-it';
  const { root } = repository(
    commandAgent(
      'said',
      `process.stderr.write('key: ' + process.env.KEY.split('\\n')[1] + '\\n'); process.stderr.write('cut'); process.stderr.write(' in two\\n');`,
      { environmentFromHost: { KEY: 'TRANSCRIPT_TEST_KEY' } },
    ),
    drill('said', 'said', wanted, { capture: { logs: 'always' } }),
  );
  const { transcript } = (await reportsOf(root)).get('said') as RunReport;
  const text = transcript!.lines.map((line) => line.text).join('\n');
  assert.equal(text, 'key: [redacted]\ncut in two');
});
