// The lists of drills and runs in a browser: what they say without a click, what their addresses hold, and that no width breaks them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axeViolations } from './browser-kit.js';
import { openDesk, browserOptions as options } from './desk.js';

const lostAnswer = 'refund-lost-answer';

test('at every width a run is readable: no cell of its name is narrower than its words, nothing scrolls sideways', options, async (t) => {
  const { page, open, complaints } = await openDesk(t, { drills: ['careless-refund', lostAnswer] });
  for (const width of [1440, 1024, 800, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const view of ['#/runs', '#/runs?drill=careless-refund', '#/drills/careless-refund', '#/drills/suite:default']) {
      await open(view);
      await page.locator('.runs .run-name').first().waitFor();
      const [names, isWide] = await page.evaluate<[number[], boolean]>(
        "[[...document.querySelectorAll('.runs .run-name')].map((cell) => cell.clientWidth), document.documentElement.scrollWidth > innerWidth]",
      );
      assert.ok(Math.min(...names) >= 200, `${view} at ${width}: ${names}`);
      assert.equal(isWide, false, `${view} at ${width}`);
      assert.deepEqual(await axeViolations(page), [], `${view} at ${width}`);
    }
  }
  assert.deepEqual(complaints, []);
});

test('the list of runs: the reason stands in it, a filter is in the address and survives a reload', options, async (t) => {
  const { page, open, complaints } = await openDesk(t, { drills: ['careless-refund', lostAnswer] });
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
  assert.deepEqual(complaints, []);
});

test('the trials of a drill: the rate with its interval, the last verdicts, and what decided those that failed', options, async (t) => {
  const { page, open, complaints } = await openDesk(t, { drills: ['careless-refund', lostAnswer] });
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
  const { page, baseUrl } = await openDesk(t, { drills: [] });
  await page.evaluate('sessionStorage.clear()');
  await page.reload();
  await page.getByLabel('Link or token').fill(`${baseUrl}/#token=insp_wrong`);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('That token was not accepted').waitFor();
  assert.deepEqual(await axeViolations(page), []);
});
