// Of every way in which a run goes wrong the cause comes first, in the page, in the text and on the terminal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causesOf } from '../../src/reports/causes.js';
import { findingsOf, headline, judgedOf } from '../../src/reports/findings.js';
import { storyOf } from '../../src/reports/story.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { viewJournal } from '../../src/reports/view-journal.js';
import { boundsText } from '../../src/reports/words.js';
import { expectedCauses, playedFailures } from './failures.js';
import { passingRun } from './fixtures.js';

/** Text of the page without its markup. */
const plainText = (page: string): string =>
  page
    .replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

const escaped = (text: string): string => text.replaceAll('"', '&quot;').replaceAll('>', '&gt;');

test('the headline and the first cause name what went wrong, in the text, in the page and on the terminal', async () => {
  const { reports, terminal } = await playedFailures();
  assert.deepEqual(Object.keys(reports).sort(), Object.keys(expectedCauses).sort());
  for (const [drillId, wanted] of Object.entries(expectedCauses)) {
    const { report, text, page, runId } = reports[drillId]!;
    assert.match(headline(report), wanted.headline, drillId);
    const why = text.slice(text.indexOf('\nWhy\n') + 5).trimStart();
    assert.match(why.split('\n')[0]!, wanted.first, `report.txt of ${drillId}`);
    const shown = plainText(page);
    assert.match(shown.slice(shown.indexOf('Skip to the report')), new RegExp(wanted.first.source), `index.html of ${drillId}`);
    const card = /<article class="finding[^>]*>[\s\S]*?<\/article>/.exec(page)?.[0] ?? '';
    assert.match(plainText(card), wanted.first, `the first card of ${drillId}`);
    const reasons = terminal
      .slice(terminal.indexOf(`run ${runId}`))
      .split('\n')
      .slice(2);
    // The story of what led to it may stand before it.
    const first = reasons.find((line) => /^ {2}[✗?!]/.test(line));
    assert.match(first ?? '', wanted.first, `the terminal of ${drillId}`);
  }
});

test('an agent that crashed: its log as lines, the place in its file, and nothing compared that was not decided', async () => {
  const { reports } = await playedFailures();
  const { report, text, page } = reports.crash!;
  const [agent, undecided, ...more] = causesOf(report);
  assert.ok(agent?.kind === 'agent' && undecided?.kind === 'undecided');
  assert.deepEqual(more, []);
  assert.match(agent.place?.file ?? '', /agents\/crashing\.mjs$/);
  assert.equal(agent.place?.line, 4);
  assert.match(text, /\n {4}\| {5}at default \(.*crashing\.mjs:4:/);
  assert.match(page, /<pre class="json log"[^>]*>TypeError: [^<]*\n {4}at default/);
  assert.match(undecided.title, /^1 assertion could not be decided: the target failed in interaction only/);
  for (const said of [text.slice(0, text.indexOf('\nAssertions\n')), page.slice(page.indexOf('id="why"'), page.indexOf('id="assertions"'))])
    assert.doesNotMatch(said, /\bexpected {2}|Expected<|Actual</);
});

test('an invariant that did not hold is one finding, counts once, and later checkpoints do not repeat it as undecided', async () => {
  const { reports } = await playedFailures();
  const { report } = reports.invariant!;
  assert.deepEqual(
    findingsOf(report.result).map(({ assertion, checkpointIds }) => [assertion.assertionId, assertion.status, checkpointIds]),
    [
      ['never-three', 'failed', ['after-only']],
      ['note-a', 'inconclusive', []],
    ],
  );
  assert.deepEqual(
    judgedOf(report.result).map(({ assertionId, status }) => `${assertionId} ${status}`),
    ['note-a inconclusive', 'never-three failed'],
  );
  assert.deepEqual(
    causesOf(report).map(({ kind }) => kind),
    ['finding', 'undecided'],
  );
});

test('the story of a failure: the fault in the words of its manifest, what the agent got, its next call, the row, the assertion', async () => {
  const { reports, terminal } = await playedFailures();
  const { text, page, report, folder } = reports.fault!;
  assert.deepEqual(report.faultMeanings, [{ packageId: 'notes', faultId: 'down', description: 'The store of notes does not answer.' }]);
  const lines = [
    '#3  The store of notes does not answer (notes.down)',
    '#2  writer called notes.note.get with first and got DOWN',
    '#4  Its next call: writer called notes.note.write with first · overwritten and got first · overwritten',
    '#5  That changed notes/notes/first: text "here from the start" → "overwritten"',
  ];
  assert.ok(text.includes(lines.map((line) => `  ${line}`).join('\n')), text);
  assert.ok(terminal.includes(lines.map((line) => `  ${line}`).join('\n')), terminal);
  for (const line of lines) assert.ok(plainText(page).includes(escaped(line.replace(/ {2}/, ' '))), line);
  assert.match(page, /<li class="story-assertion">.*href="#assertion-note-first">note-first does not hold: /);
  assert.deepEqual((await verifyReport(folder)).problems, []);
});

test('of an agent that crashed the story ends with its last call, and of a run that passed there is none', async () => {
  const { reports } = await playedFailures();
  assert.match(reports.crash!.text, /#2 {2}writer called notes\.note\.write with a · x and got a · x\n/);
  const passed = passingRun();
  assert.deepEqual(storyOf(passed.report, viewJournal({ shown: [], total: 0 })), []);
});

test('bounds of a count are words, and nothing else is taken for one', () => {
  assert.deepEqual(
    [{ equals: 1 }, { atMost: 2 }, { atLeast: 3 }, { atLeast: 2, atMost: 4 }, { equals: 'one' }, { equals: 1, more: 2 }, {}, 1].map(
      boundsText,
    ),
    ['exactly 1', 'at most 2', 'at least 3', 'between 2 and 4', undefined, undefined, undefined, undefined],
  );
});
