// Of every way in which a run goes wrong the cause comes first, in the page, in the text and on the terminal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causesOf } from '../../src/reports/causes.js';
import { findingsOf, headline, judgedOf } from '../../src/reports/findings.js';
import { boundsText } from '../../src/reports/words.js';
import { expectedCauses, playedFailures } from './failures.js';

/** Text of the page without its markup. */
const plainText = (page: string): string =>
  page
    .replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

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
    assert.match(reasons[0]!, wanted.first, `the terminal of ${drillId}`);
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

test('bounds of a count are words, and nothing else is taken for one', () => {
  assert.deepEqual(
    [{ equals: 1 }, { atMost: 2 }, { atLeast: 3 }, { atLeast: 2, atMost: 4 }, { equals: 'one' }, { equals: 1, more: 2 }, {}, 1].map(
      boundsText,
    ),
    ['exactly 1', 'at most 2', 'at least 3', 'between 2 and 4', undefined, undefined, undefined, undefined],
  );
});
