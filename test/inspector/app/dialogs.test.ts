// All that opens over a page, by keyboard alone: the focus goes into it, stays in it, and returns to what opened it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { runDrills } from '../../../src/index.js';
import { type Desk, lookAtDesk, openDesk, browserOptions as options, playWorld } from './desk.js';

type Focus = 'inside' | 'browser' | 'page';
/** `browser`: past the last element the focus is in the browser's own bars, before it comes to the first one again. */
const focusOf = (page: Page, within: string): Promise<Focus> =>
  page.evaluate(`(() => {
    const { activeElement, body } = document;
    return activeElement === body ? 'browser' : activeElement.closest('${within}') === null ? 'page' : 'inside';
  })()`);

type Opening = [hash: string, opener: string, first: string];

async function tryDialogs({ page, open }: Pick<Desk, 'page' | 'open'>, openings: readonly Opening[]): Promise<void> {
  for (const [hash, name, first] of openings) {
    await open(hash);
    const opener = page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    await opener.focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.locator('dialog .skeleton').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.value'), first, name);
    for (let presses = 0; presses < 14; presses++) {
      await page.keyboard.press('Tab');
      assert.notEqual(await focusOf(page, 'dialog'), 'page', name);
    }
    const address = page.url();
    const close = dialog.getByRole('button', { name: 'Close' });
    if ((await close.count()) > 0) await close.focus();
    for (const key of ['1', 'j', 's', '?']) await page.keyboard.press(key);
    await page.evaluate('document.activeElement.blur()');
    for (const key of ['1', 'j', 's', '?']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(page.url(), address, name);
    assert.equal(await opener.evaluate((element) => element.matches(':focus')), true, name);
  }
}

test('the focus goes into each dialog, stays in it, and returns; keys of the page rest meanwhile', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open, runs } = desk;
  const run = `#/runs/${runs['careless-refund']![0]}?seq=14`;
  await tryDialogs(desk, [
    [run, 'Seeds… to repeat it with', 'fresh'],
    [run, 'Save as scenario', 'careless-refund-recorded'],
    [run, 'Save as drill', 'careless-refund-recorded'],
    [run, 'Find… Ctrl K', ''],
  ]);
  const opener = page.getByRole('button', { name: 'Save as drill' });
  await open(run);
  await opener.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await opener.evaluate((element) => element.matches(':focus')), true);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  assert.equal(await focusOf(page, 'dialog'), 'inside');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await opener.evaluate((element) => element.matches(':focus')), true);
});

test('so it is with the dialogs of the list of runs, and of a world to play with', options, async (t) => {
  const desk = await openDesk(t, { drills: [] });
  await runDrills({ root: desk.root, drills: ['careless-refund'], trials: 2 });
  const { worldId } = await playWorld(desk, { scenarioId: 'calm-day' });
  await tryDialogs(desk, [
    ['#/runs', 'Seeds… for what did not pass', 'fresh'],
    [`#/play/${worldId}`, 'Save as scenario', 'calm-day-recorded'],
    [`#/play/${worldId}`, 'Save as drill', 'calm-day-recorded'],
  ]);
});

test('a step back closes what lies over the page', options, async (t) => {
  const { page, open } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open('#/world');
  await open('#/drills');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the menu of a run closes with Escape and by a press beside it, and leaves the entry open', options, async (t) => {
  const { page, open, runs } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}?seq=14`);
  const [summary, link] = [page.locator('.menu summary'), page.getByRole('button', { name: 'Copy link' })];
  await summary.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await link.evaluate((element) => element.matches(':focus')), true);
  await page.keyboard.press('Escape');
  await link.waitFor({ state: 'hidden' });
  assert.equal(await summary.evaluate((element) => element.matches(':focus')), true);
  await page.getByRole('complementary', { name: 'Entry 14' }).waitFor();
  await page.keyboard.press('Enter');
  await link.waitFor();
  await page.locator('h1').click();
  await link.waitFor({ state: 'hidden' });
});

test('an entry that is closed from within leaves the focus with what opened it', options, async (t) => {
  const { page, open, runs } = await lookAtDesk(t, { drills: ['careless-refund'] });
  const runId = runs['careless-refund']![0];
  await open(`#/runs/${runId}`);
  const close = page.getByRole('complementary').getByRole('button', { name: 'Close' });
  const pressed = page.locator('.entry-row').first();
  const named = (): Promise<string> => page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id");
  await pressed.click();
  await close.focus();
  await page.keyboard.press('Enter');
  await close.waitFor({ state: 'detached' });
  assert.equal(await named(), await pressed.getAttribute('id'));
  await open(`#/runs/${runId}?seq=14`);
  await page.reload();
  await close.focus();
  await page.keyboard.press('Enter');
  await close.waitFor({ state: 'detached' });
  assert.equal(await named(), 'Journal entries');
});
