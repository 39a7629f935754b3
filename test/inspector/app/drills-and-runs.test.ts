// The lists of drills and runs in a browser: what they say without a click, what their addresses hold, and that no width breaks them.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunsReply, SavedRun } from '../../../src/contract/inspector/runs.js';
import { trialStatistics } from '../../../src/drills/plan/statistics.js';
import { untilSettled } from '../../until.js';
import { axeViolations } from './browser-kit.js';
import { type Desk, lookAtDesk, openDesk, browserOptions as options } from './desk.js';

const lostAnswer = 'refund-lost-answer';

test('at every width a run is readable: no cell of its name is narrower than its words, nothing scrolls sideways', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund', lostAnswer] });
  const cutBrand = "[...document.querySelectorAll('.brand span, .brand small')].some((one) => one.clientWidth > 0 && one.clientWidth < 60)";
  for (const width of [1440, 1024, 800, 390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    for (const view of ['#/runs', '#/runs?drill=careless-refund', '#/drills/careless-refund', '#/drills/suite:default']) {
      await open(view);
      await page.locator('.runs .run-name').first().waitFor();
      const [names, isWide] = await page.evaluate<[number[], boolean]>(
        "[[...document.querySelectorAll('.runs .run-name')].map((cell) => cell.clientWidth), document.documentElement.scrollWidth > innerWidth]",
      );
      assert.ok(Math.min(...names) >= 200, `${view} at ${width}: ${names}`);
      assert.equal(isWide, false, `${view} at ${width}`);
      assert.equal(await page.evaluate(cutBrand), false, `${view} at ${width}`);
      assert.deepEqual(await axeViolations(page), [], `${view} at ${width}`);
    }
  }
  assert.deepEqual(complaints, []);
});

test('the list of runs: the reason stands in it, a filter is in the address and survives a reload', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund', lostAnswer] });
  await open('#/runs');
  const rows = page.locator('.run-row');
  await rows.first().waitFor();
  assert.equal(await rows.count(), 3);
  await page.getByText('exactly-one-refund, exactly-what-was-asked-for do not hold').waitFor();
  await page.getByRole('button', { name: 'Failed 1' }).click();
  await page.waitForURL(/#\/runs\?verdict=failed$/);
  await page.reload();
  await rows.first().waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByRole('button', { name: 'All 3' }).click();
  await page.keyboard.press('/');
  await page.keyboard.type('LOST answer');
  await page.waitForURL(/q=LOST\+answer/);
  await page.getByText('No run fits').waitFor();
  await page.getByRole('searchbox', { name: 'Search runs' }).fill('answer is LOST');
  await page.waitForURL(/q=answer\+is\+LOST/);
  await rows.nth(1).waitFor();
  assert.equal(await rows.count(), 2);
  const search = page.getByRole('searchbox', { name: 'Search runs' });
  await search.fill('nowhere ');
  await page.getByRole('link', { name: 'Show all runs' }).click();
  await rows.nth(2).waitFor();
  assert.equal(await search.inputValue(), '');
  await open('#/runs?q=refund');
  await untilSettled(async () => (await search.inputValue()) === 'refund');
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Runs' }).click();
  await page.waitForURL(/#\/runs$/);
  // The page draws what is new in its address when the address is there.
  await untilSettled(async () => (await search.inputValue()) === '');
  assert.deepEqual(complaints, []);
});

/** The list of runs as if these were all. */
async function listed(
  { page, baseUrl, token }: Pick<Desk, 'page' | 'baseUrl' | 'token'>,
  change: (run: SavedRun) => Partial<SavedRun>[],
): Promise<void> {
  const response = await fetch(`${baseUrl}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } });
  const [run] = ((await response.json()) as RunsReply).runs;
  const runs = change(run!).map((part, index) => ({ ...run!, runId: `run_00000000000000000000000${index}`, ...part }));
  await page.route(
    (url) => url.pathname === '/api/v1/runs',
    (route) => route.fulfill({ json: { schemaVersion: 1, runs, unavailable: [], active: [] } }),
  );
}

test('the head of a command counts as much as is shown, and what passed when tried again is not run again', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open } = desk;
  await listed(desk, () => [
    { verdict: 'passed', attempt: 2, attemptLimit: 2 },
    { verdict: 'failed', attempt: 1, attemptLimit: 2 },
  ]);
  await open('#/runs');
  const head = page.locator('.run-group');
  await head.getByText('2 runs: 1 failed, 1 passed').waitFor();
  assert.equal(await head.getByRole('button').count(), 0);
  await open('#/runs?q=refund');
  await head.getByText('2 runs shown: 1 failed, 1 passed').waitFor();
});

test('the figures of a drill are those of its history: the median, and verdicts that went to and fro', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open } = desk;
  await listed(desk, ({ invocation: _, ...run }) =>
    (['passed', 'failed', 'passed', 'passed'] as const).map((verdict, index) => {
      const startedAtMs = run.startedAtMs - index * 60_000;
      return { invocation: undefined as never, verdict, startedAtMs, finishedAtMs: startedAtMs + (index + 1) * 2_000 };
    }),
  );
  await open('#/runs?drill=careless-refund');
  const figures = page.getByRole('region', { name: 'Trials' });
  await figures.getByText('verdicts of 1 seed went to and fro').waitFor();
  assert.match((await figures.textContent()) ?? '', /Typical time5\.0 s/);
});

test('a request that was cancelled says so, and counts what ended by itself', options, async (t) => {
  const { page, open } = await openDesk(t, { drills: [] });
  const run = { drillId: 'careless-refund', attempt: 1, state: 'finished' };
  const statistics = trialStatistics({ trials: 3, passed: 1 });
  await page.route(
    (url) => url.pathname === '/api/v1/run-requests',
    (route) => {
      const request = {
        ...{ requestId: 'request_0', state: 'cancelled', asked: { drillId: 'careless-refund' }, drillIds: ['careless-refund'] },
        ...{ createdAtMs: 1_000, startedAtMs: 1_000, finishedAtMs: 3_000, cancelAsked: true, runsTotal: 2 },
        plan: { invocationId: 'inv_0', runs: 3, drills: 1, concurrency: 1, seed: '42' },
        runs: [
          { ...run, runId: 'run_000000000000000000000001', trial: 1, status: 'sealed', verdict: 'passed' },
          { ...run, runId: 'run_000000000000000000000002', trial: 2, status: 'cancelled', verdict: 'inconclusive' },
        ],
        drills: [{ drillId: 'careless-refund', verdict: 'inconclusive', trialsPassed: 1, trialCount: 3, statistics }],
        summary: { verdict: 'inconclusive', passed: 0, failed: 0, inconclusive: 1, trialsPassed: 1, trials: 3 },
      };
      return route.fulfill({ json: { schemaVersion: 1, requests: [request] } });
    },
  );
  await open('#/drills/careless-refund');
  const card = page.getByRole('region', { name: 'Run request 1, cancelled' });
  await card.getByText('Cancelled after 1 of 3 attempts: 1 passed in 2.0 s').waitFor();
  assert.equal(await card.locator('header .status').textContent(), 'cancelled');
});

test('the trials of a drill: the rate with its interval, the last verdicts, and what decided those that failed', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund', lostAnswer] });
  await open(`#/runs?drill=${lostAnswer}`);
  const figures = page.getByRole('region', { name: 'Trials' });
  await figures.getByText('2 of 2 trials passed').waitFor();
  assert.match((await figures.textContent()) ?? '', /100 % \(95 % interval 15\.8 to 100 %\).*Of 2 trials.*all pass 100 %/);
  assert.equal(await figures.getByRole('list').getByRole('link').count(), 2);
  await open('#/runs?drill=careless-refund');
  await figures.getByRole('link', { name: 'exactly-one-refund, exactly-what-was-asked-for do not hold', exact: true }).click();
  await page.getByRole('heading', { name: 'An agent that asks again with a new key pays twice' }).waitFor();
  assert.deepEqual(complaints, []);
});

test(
  'drills: the failed one is looked at first, its promises are in words, and an id that is not there has a nearest one',
  options,
  async (t) => {
    const { page, open, complaints } = await openDesk(t, { drills: [lostAnswer, 'careless-refund'] });
    await open('#/drills');
    await page.getByRole('article', { name: 'careless-refund' }).getByText('payments.refund.created is emitted exactly once').waitFor();
    const list = page.getByRole('navigation', { name: 'Drills and suites' });
    assert.deepEqual(await list.getByRole('heading').allTextContents(), ['Drills', 'Suites']);
    await list.getByRole('img', { name: 'last run failed' }).waitFor();
    assert.equal(await page.getByLabel('Seed').getAttribute('placeholder'), "the world's, 42");
    await page.getByRole('button', { name: 'Fill in a random number' }).click();
    assert.match(await page.getByLabel('Seed').inputValue(), /^\d+$/);
    await open('#/drills/carless-refund');
    await page.getByRole('heading', { name: 'There is no drill carless-refund' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).count(), 0);
    await page.getByRole('main').getByRole('link', { name: 'careless-refund' }).click();
    await page.getByRole('article', { name: 'careless-refund' }).waitFor();
    assert.deepEqual(complaints, []);
  },
);

test('two requests of one drill are two landmarks, and the drills of a suite are run by choice', options, async (t) => {
  const { page, open } = await openDesk(t, { drills: [] });
  await open('#/drills/suite:failing');
  await page.getByRole('checkbox', { name: 'Choose careless-refund' }).check();
  await page.getByRole('button', { name: 'Run 1 chosen drill' }).click();
  await page.getByRole('region', { name: 'Run request 1, finished' }).waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Run the one that did not pass' }).click();
  await page.getByRole('region', { name: 'Run request 2, finished' }).waitFor({ timeout: 60_000 });
  assert.deepEqual(await axeViolations(page), []);
});

test('a token that is not accepted is said to be refused', options, async (t) => {
  const { page, open, baseUrl } = await openDesk(t, { drills: [] });
  await open('');
  await page.evaluate('sessionStorage.clear()');
  await page.reload();
  await page.getByLabel('Link or token').fill(`${baseUrl}/#token=insp_wrong`);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('That token was not accepted').waitFor();
  assert.deepEqual(await axeViolations(page), []);
});

test('an address that names no run has a heading and the way back, whatever it names', options, async (t) => {
  const { page, open } = await lookAtDesk(t, { drills: ['careless-refund'] });
  for (const name of ['run_0000000000000gone', 'nosuch', 'latest~7']) {
    await open(`#/runs/${name}`);
    await page.getByRole('heading', { level: 1, name: 'There is no such run' }).waitFor();
    await page.getByRole('link', { name: 'All runs' }).waitFor();
    assert.deepEqual(await axeViolations(page), [], name);
  }
});

test('a run that is deleted while it is shown is gone once something of it is asked for', options, async (t) => {
  const { page, root, open, runs } = await openDesk(t, { drills: ['careless-refund'] });
  const runId = runs['careless-refund']![0]!;
  // The world of a run may be kept without its report.
  const folder = join(root, '.service');
  for (const part of ['world', 'attachments']) {
    await open('#/runs');
    await open(`#/runs/${runId}`);
    await page.locator('.entry-row .text').first().waitFor();
    renameSync(folder, join(root, 'elsewhere'));
    await page.evaluate(`location.hash = '#/runs/${runId}?part=${part}'`);
    await page.getByRole('heading', { name: 'There is no such run' }).waitFor();
    renameSync(join(root, 'elsewhere'), folder);
  }
});
