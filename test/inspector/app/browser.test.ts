// The app in a real browser, on the example and the real server: every view, by mouse and by keyboard, in light and dark, wide and narrow.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runDrills, validateRepository } from '../../../src/index.js';
import { axeViolations, countClicks } from './browser-kit.js';
import { drawView, lookAtDesk, openDesk, browserOptions as options, playWorld } from './desk.js';

test('every view, wide in light and narrow in dark: nothing that axe objects to, no error, no sideways scrolling', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund', 'refund-lost-answer'] });
  const [failed, [left, right]] = [runs['careless-refund']![0], runs['refund-lost-answer']!];
  const views = [
    '#/world',
    '#/world/actors',
    '#/world/scenarios/rough-day',
    '#/world/diagnostics',
    '#/drills/careless-refund',
    '#/runs',
    `#/runs/${failed}?seq=14&assertion=exactly-one-refund`,
    `#/runs/${failed}?part=assertions`,
    `#/runs/${failed}?part=interactions`,
    `#/runs/${failed}?part=world`,
    `#/runs/${failed}?part=attachments`,
    `#/runs/${failed}?part=setup`,
    `#/compare?left=${left}&right=${right}`,
    '#/play',
    '#/source/payments',
  ];
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    for (const view of views) {
      await open(view);
      assert.deepEqual(await axeViolations(page), [], `${view} at ${width}, ${colorScheme}`);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${view} scrolls sideways at ${width}`);
    }
  }
  assert.deepEqual(complaints, []);
});

test('while nothing has come, and when nothing comes, each view has its heading and its way on', options, async (t) => {
  const { page, open, runs } = await openDesk(t, { drills: ['careless-refund'] });
  const views = ['#/world', '#/drills', '#/runs', `#/runs/${runs['careless-refund']![0]}`, '#/compare', '#/play', '#/source'];
  const isApi = (url: URL): boolean => url.pathname.startsWith('/api/v1/') && !url.pathname.endsWith('/events');
  const refusal = { code: 'control.INTERNAL', message: 'The disk could not be read.', retryable: false, correlationId: 'cor_0' };
  await open('#/drills');
  await page.route(isApi, () => undefined);
  await page.reload();
  for (const view of views) {
    await drawView(page, view);
    await page.locator('.skeleton').first().waitFor();
    assert.deepEqual(await axeViolations(page), [], `${view}, loading`);
  }
  await page.unroute(isApi);
  await page.route(isApi, (route) => route.fulfill({ status: 500, json: refusal }));
  await page.reload();
  for (const view of views) {
    await drawView(page, view);
    await page.getByRole('alert').getByText(refusal.message).first().waitFor();
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    assert.deepEqual(await axeViolations(page), [], `${view}, refused`);
  }
});

test('the token leaves the address, is sent in no address, and without it there is a way in', options, async (t) => {
  const { page, open, baseUrl, token, asked, complaints } = await openDesk(t, { drills: [] });
  await open('');
  assert.equal(page.url(), `${baseUrl}/`);
  await page.getByText('Live', { exact: true }).waitFor();
  assert.ok(asked.every((address) => !address.slice(baseUrl.length + 1).includes(token) || address.includes('#token=')));
  assert.deepEqual(complaints, []);
  await page.evaluate('sessionStorage.clear()');
  await page.reload();
  assert.deepEqual(await axeViolations(page), []);
  await page.getByLabel('Link or token').fill(`${baseUrl}/#token=${token}`);
  await page.keyboard.press('Enter');
  await page.getByText('Live', { exact: true }).waitFor();
});

test('a failed run: one click from an assertion to its evidence, its causes, its difference, and the state then', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  const [runId] = runs['careless-refund']!;
  await open('#/runs');
  await page.getByRole('link', { name: 'An agent that asks again with a new key pays twice' }).click();
  await page.getByRole('heading', { name: '2 assertions do not hold' }).waitFor();
  await page.getByRole('button', { name: '#14 payments/charges' }).click();
  assert.match(page.url(), new RegExp(`#/runs/${runId}\\?seq=14&assertion=exactly-what-was-asked-for$`));
  const pane = page.getByRole('complementary', { name: 'Entry 14' });
  await pane.getByText('How it came about').waitFor();
  assert.match((await pane.textContent()) ?? '', /amountRefunded\s*0\s*990/);
  assert.equal(await page.locator('.entry-row.chosen .number').textContent(), '14');
  await pane.getByRole('button', { name: 'State then' }).click();
  assert.equal(await page.getByLabel('Namespace').inputValue(), 'payments/charges');
  const scrubber = page.getByRole('slider');
  await scrubber.fill('23');
  await page.waitForURL(/seq=23/);
  await page.getByRole('complementary', { name: 'Entry 23' }).getByText('just now').first().waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(new RegExp(`#/runs/${runId}$`));
  assert.deepEqual(complaints, []);
});

test('the journal by keyboard: search, arrows, the end and the start', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}`);
  const list = page.getByRole('listbox', { name: 'Journal entries' });
  await list.focus();
  await page.keyboard.press('End');
  await page.waitForURL(/seq=26/);
  await page.keyboard.press('ArrowUp');
  await page.waitForURL(/seq=25/);
  await page.keyboard.press('Home');
  await page.waitForURL(/seq=1$/);
  await page.keyboard.press('/');
  await page.keyboard.type('refund.created');
  await page.getByRole('listbox', { name: 'Matching journal entries' }).waitFor();
  assert.match((await page.locator('.journal-bar [role=status]').textContent()) ?? '', /^\d+ of 26 entries$/);
  await page.getByRole('searchbox').fill('no such thing anywhere');
  await page.getByText('No entry matches.').waitFor();
  await page.getByRole('searchbox').fill('');
  await page
    .getByRole('button', { name: /^fault/ })
    .first()
    .click();
  await page.getByRole('listbox', { name: 'Matching journal entries' }).getByText('refund-answer-lost hit').waitFor();
  assert.ok((await page.locator('.entry-row').allTextContents()).every((text) => text.includes('fault')));
  assert.deepEqual(complaints, []);
});

test('a drill is run here, followed without asking, and leads to its run', options, async (t) => {
  const { page, open, complaints } = await openDesk(t, { drills: [] });
  await open('#/drills/careless-refund');
  await page.getByLabel('Seed').fill('7');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const request = page.getByRole('region', { name: /^Run request/ });
  await request.getByText(/1 failed/).waitFor({ timeout: 30_000 });
  await request.getByRole('link', { name: 'Trial 1' }).click();
  await page.getByRole('heading', { name: '2 assertions do not hold' }).waitFor();
  assert.match(page.url(), /assertion=/);
  assert.deepEqual(complaints, []);
});

test('a world to play with: a call, the clock, a fault, and a fork from an entry', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open('#/play');
  await page.getByLabel('It starts from').selectOption('scenario:calm-day');
  await page.getByRole('button', { name: 'Start a world' }).click();
  await page.getByLabel('Calls').selectOption('payments.charge.list');
  await page.getByLabel('With').fill('{"limit": 2}');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.locator('.answer').waitFor();
  await page
    .getByRole('complementary')
    .getByRole('heading', { name: /charge\.list by support-agent/ })
    .waitFor();
  await page.getByRole('checkbox', { name: 'payments.rate-limited' }).click();
  await page.getByRole('option', { name: /payments.rate-limited switched on/ }).waitFor();
  await page.getByRole('button', { name: '+1 h' }).click();
  await page.getByText('10:00:00').first().waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await page.getByRole('searchbox').fill('rate-limited');
  await page.getByRole('listbox', { name: 'Matching journal entries' }).waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: 'Fork from here' }).click();
  await page.getByRole('heading', { name: /forked at #\d+/ }).waitFor();
  await page.getByText('09:00:00').first().waitFor();
  assert.deepEqual(complaints, []);
});

test('a world that is reset shows its new journal, its new entries and the state then, wherever it was reset', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open, complaints } = desk;
  const world = await playWorld(desk, { scenarioId: 'calm-day' });
  const call = (operationId: string, args: object) => world.call('payments', operationId, args);
  await open(`#/play/${world.worldId}?seq=3`);
  const rows = page.locator('.entry-row');
  const pane = page.getByRole('complementary', { name: 'Entry 3' });
  for (let times = 0; times < 3; times++) await call('charge.list', { limit: 1 });
  await rows.nth(3).getByText('charge.list').waitFor();
  await pane.getByText('charge.list').first().waitFor();
  for (const reset of [() => page.getByRole('button', { name: 'Reset' }).click(), () => world.reset()]) {
    await reset();
    await rows.getByText('charge.list').first().waitFor({ state: 'detached' });
    await rows.getByText(/reset/).waitFor();
    for (const chargeId of ['ch_000001', 'ch_000002']) await call('charge.get', { chargeId });
    await rows.nth(2).getByText('charge.get').waitFor();
    await pane.getByText('charge.get').first().waitFor();
    assert.deepEqual(await rows.getByText('charge.list').count(), 0);
    await page.getByRole('searchbox').fill('charge.list');
    await page.getByText('No entry matches.').waitFor();
    await page.getByRole('searchbox').fill('');
    for (let times = 0; times < 3; times++) await call('charge.list', { limit: 1 });
    await rows.nth(5).getByText('charge.list').waitFor();
  }
  assert.deepEqual(complaints, []);
});

test('what failed beside what passed: two clicks to the key that differs, what followed from it, and the rows', options, async (t) => {
  const { page, open, runs, complaints, root } = await openDesk(t, { drills: ['careless-refund'] });
  const [failed] = runs['careless-refund']!;
  const agent = join(root, 'agents/careless-agent.mjs');
  writeFileSync(
    agent,
    readFileSync(agent, 'utf8').replace(/`attempt-number-.*\}`/, () => ['`once-$', '{call}`'].join('')),
  );
  const { drills } = await runDrills({ root, drills: ['careless-refund'] });
  const passed = drills[0]!.trials[0]!.attempts[0]!;
  assert.equal(passed.verdict, 'passed');
  const key = page
    .getByRole('group', { name: 'Members that differ' })
    .first()
    .getByRole('row', { name: /^idempotency key/ });

  await open('#/runs');
  const clicks = await countClicks(page);
  await page.locator(`a[href*="${failed}"]`).first().click();
  await page.getByRole('link', { name: 'Compare…' }).click();
  assert.match((await key.textContent()) ?? '', /attempt-number-2.*once-/);
  assert.equal(await clicks(), 2);
  await page.getByText('Equal inputs.').waitFor();
  await page.getByText('called payments/refund.create, with another idempotency key.').first().waitFor();
  await page.getByText('re_000002').first().waitFor();
  await page.getByText('payments/refunds/re_000002').first().waitFor();
  assert.deepEqual(await axeViolations(page), []);

  await open('#/runs');
  const again = await countClicks(page);
  await page.getByRole('link', { name: 'Compare', exact: false }).first().click();
  // The list of runs, which is left now, has links of that name too.
  await page.locator('a[href*="right="]', { hasText: 'An agent that asks again with a new key pays twice' }).click();
  assert.match((await key.textContent()) ?? '', /attempt-number-2.*once-/);
  assert.equal(await again(), 2);
  await open('#/compare?left=run_x&right=run_y');
  await page.getByRole('heading', { name: 'There is no run run_x.' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('what was played is saved as a drill: three clicks to files that compile, and a drill that passes', options, async (t) => {
  const { page, open, complaints, root } = await openDesk(t, { drills: [] });
  await open('#/play');
  await page.getByLabel('It starts from').selectOption('scenario:rough-day');
  await page.getByRole('button', { name: 'Start a world' }).click();
  await page.getByLabel('Calls').selectOption('payments.refund.create');
  await page.getByLabel('With').fill('{"chargeId": "ch_000002", "amount": 500, "reason": "duplicate"}');
  await page.getByLabel(/^Idempotency key/).fill('one');
  for (const times of [1, 2]) {
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page
      .getByRole('listbox')
      .getByText(/refund\.create by/)
      .nth(times - 1)
      .waitFor();
  }
  await page.getByRole('button', { name: '+1 d' }).click();
  await page.getByText('2026-03-03 09:00:00').first().waitFor();

  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Save as drill' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save as drill' });
  await dialog.getByText('+id: rough-day-recorded').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await dialog.getByRole('button', { name: 'Write into the repository…' }).click();
  await dialog.getByRole('button', { name: 'Write 3 files' }).click();
  await dialog.getByRole('link', { name: 'Run rough-day-recorded' }).waitFor();
  assert.equal(await clicks(), 3);
  assert.deepEqual((await validateRepository({ root })).diagnostics, []);
  const { verdict } = await runDrills({ root, drills: ['rough-day-recorded'] });
  assert.equal(verdict, 'passed');

  await dialog.getByRole('button', { name: 'Close' }).click();
  assert.deepEqual(complaints, []);
});
