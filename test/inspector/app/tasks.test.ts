// Tasks that people come with, by the clicks that they take: what the agent saw and said before a wrong call, a fork from there, and
// what failed run again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDrills } from '../../../src/index.js';
import { countClicks } from './browser-kit.js';
import { openDesk, browserOptions as options } from './desk.js';

const title = 'An agent that asks again with a new key pays twice';

test('what it saw before the wrong call: two clicks from the list of runs to what it said and got', options, async (t) => {
  const { page, open, complaints } = await openDesk(t, { drills: ['careless-refund'] });
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
  const { page, open, runs, complaints } = await openDesk(t, { drills: ['careless-refund'] });
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
