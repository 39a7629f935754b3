// Tasks that people come with, by the clicks that they take: what the agent saw and said before a wrong call, a fork from there, and
// what failed run again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDrills } from '../../../src/index.js';
import { axeViolations, countClicks } from './browser-kit.js';
import { lookAtDesk, looksOf, openDesk, browserOptions as options } from './desk.js';

const title = 'An agent that asks again with a new key pays twice';

test('what it saw before the wrong call: two clicks from the list of runs to what it said and got', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open('#/runs');
  const clicks = await countClicks(page);
  await page.locator('.run-row').getByRole('link', { name: title }).click();
  const pane = page.getByRole('complementary', { name: /^Entry / });
  const transcript = page.getByRole('region', { name: 'What the agent said' });
  await transcript.getByRole('listitem').filter({ hasText: 'refund.create' }).first().getByRole('button').click();
  await pane.getByRole('heading', { name: 'What the agent said before it' }).waitFor();
  await pane.getByText('990 cents').waitFor();
  await pane.getByRole('group', { name: 'Error' }).getByText('GATEWAY_TIMEOUT').waitFor();
  assert.equal(await clicks(), 2);
  assert.deepEqual(complaints, []);
});

test('a fork before the wrong call: two clicks from the page of the run', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}`);
  const transcript = page.getByRole('region', { name: 'What the agent said' });
  const call = transcript.getByRole('listitem').filter({ hasText: 'refund.create' }).first().getByRole('button');
  await call.waitFor();
  const clicks = await countClicks(page);
  await call.click();
  await page.getByRole('button', { name: 'Fork before this call' }).click();
  await page.waitForURL('**/#/play/world_*');
  assert.equal(await clicks(), 2);
  assert.deepEqual(complaints, []);
});

test('what failed runs again: one click in the list of runs', options, async (t) => {
  const { page, root, open, complaints } = await openDesk(t, { drills: [] });
  await runDrills({ root, drills: ['careless-refund'], trials: 2 });
  await open('#/runs');
  await page.locator('.run-row').nth(1).waitFor();
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Run again what did not pass' }).click();
  await page.locator('.run-row').nth(3).waitFor({ timeout: 60_000 });
  await page.locator('.run-group').nth(1).getByText('2 runs: 2 failed').waitFor({ timeout: 60_000 });
  assert.equal(await clicks(), 1);
  assert.deepEqual(complaints, []);
});

test('what failed runs again with seeds of choice: a wrong one starts nothing, each named one is a request', options, async (t) => {
  const { page, root, open, complaints } = await openDesk(t, { drills: [] });
  await runDrills({ root, drills: ['careless-refund'], trials: 2 });
  await open('#/runs');
  await page.getByRole('button', { name: 'Seeds… for what did not pass' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run again what did not pass' });
  await dialog.getByText('the same, 42').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Seeds… for what did not pass' }).press('Enter');
  await dialog.getByRole('radio', { name: 'these' }).check();
  await dialog.getByRole('textbox').fill('7, x8');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('"x8" is no seed').waitFor();
  assert.equal(await page.getByRole('region', { name: /^Run request/ }).count(), 0);
  await dialog.getByRole('textbox').fill('7, 8 7');
  await page.keyboard.press('Enter');
  for (const [number, seed] of ['7', '8'].entries()) {
    const request = page.getByRole('region', { name: `Run request ${number + 1}, finished` });
    await request.getByText(`seed ${seed}`).waitFor({ timeout: 60_000 });
  }
  assert.equal(await page.getByRole('region', { name: /^Run request/ }).count(), 2);
  await page.locator('.run-group').nth(2).getByText('seed 42').waitFor();
  for await (const look of looksOf(page)) {
    await page.getByRole('button', { name: 'Seeds… for what did not pass' }).first().click();
    assert.deepEqual(await axeViolations(page), [], look);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await page.keyboard.press('Escape');
  }
  assert.deepEqual(complaints, []);
});

test('a run that passed is repeated with fresh seeds until it fails, so often at most', options, async (t) => {
  const { page, open, runs, complaints } = await openDesk(t, { drills: ['refund-happy-path'] });
  await open(`#/runs/${runs['refund-happy-path']![0]}`);
  await page.getByRole('button', { name: 'Seeds… to repeat it with' }).click();
  const dialog = page.getByRole('dialog', { name: 'Repeat this run' });
  await dialog.getByRole('radio', { name: 'fresh' }).check();
  await dialog.getByRole('checkbox', { name: 'again and again, until something does not pass' }).check();
  await dialog.getByLabel('So often at most').fill('3');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  const request = page.getByRole('region', { name: 'Run request 1, finished' });
  await request.getByText(/^Round 3 of 3: 1 passed/).waitFor({ timeout: 60_000 });
  assert.equal(await request.getByRole('listitem').count(), 3);
  await open('#/runs');
  await page.locator('.run-row').nth(3).waitFor();
  const seeds = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.run-row small[title]')].map((about) => about.title.split(',')[0])",
  );
  assert.equal(new Set(seeds).size, 4);
  assert.deepEqual(complaints, []);
});
