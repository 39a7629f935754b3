// Back, Forward and a reload show a page as it was left: the window, the lists that scroll by themselves, and how long they were.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { RunsReply } from '../../../src/contract/inspector/runs.js';
import { until } from '../../until.js';
import { longRun, lookAtDesk, browserOptions as options, playWorld } from './desk.js';

/** Of the window, and of the journal where there is one. */
type Scrolled = [windowPx: number, journalPx: number | null];
const scrolled = (page: Page): Promise<Scrolled> =>
  page.evaluate("[Math.round(scrollY), document.querySelector('.journal')?.scrollTop ?? null]");
const comesTo = async (page: Page, wanted: Scrolled): Promise<void> => {
  await until(async () => String(await scrolled(page)) === String(wanted));
};
const scroll = async (page: Page, [windowPx, journalPx]: Scrolled): Promise<void> => {
  await page.evaluate(`scrollTo(0, ${windowPx}); document.querySelector('.journal')?.scrollTo(0, ${journalPx ?? 0})`);
  await comesTo(page, [windowPx, journalPx]);
};
const goTo = (page: Page, view: string): Promise<void> => page.getByRole('navigation', { name: 'Views' }).getByText(view).click();
/** And stays there once all of the page is. */
const standsAt = async (page: Page, wanted: Scrolled): Promise<void> => {
  await comesTo(page, wanted);
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await comesTo(page, wanted);
};

// PLACES-1, PLACES-2
test('Back, Forward and a reload show a run as it was left, and another page begins at its top', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund'], entries: 5_000, moments: 50 });
  await page.setViewportSize({ width: 1440, height: 600 });
  await open('#/runs');
  await open(`#/runs/${longRun}`);
  await page.locator('.entry-row').first().waitFor();
  await scroll(page, [150, 60_000]);
  await goTo(page, 'World');
  await standsAt(page, [0, null]);
  await scroll(page, [90, null]);
  await page.goBack();
  await standsAt(page, [150, 60_000]);
  await page.goForward();
  await standsAt(page, [90, null]);
  await page.goBack();
  await standsAt(page, [150, 60_000]);
  await page.reload();
  await standsAt(page, [150, 60_000]);
  // The same page by a link is an entry of its own.
  await goTo(page, 'Runs');
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  await page.locator(`main a[href="#/runs/${longRun}"]`).first().click();
  await page.locator('.entry-row').first().waitFor();
  await standsAt(page, [0, 0]);
  assert.deepEqual(complaints, []);
});

// PLACES-1
test('a link to an entry of the page moves what is not in sight, and Back shows what was', options, async (t) => {
  const { page, open } = await lookAtDesk(t, { drills: ['careless-refund'], entries: 5_000, moments: 50 });
  await open(`#/runs/${longRun}`);
  await page.locator('.entry-row').first().waitFor();
  await scroll(page, [100, 60_000]);
  await page.evaluate(`location.hash = '#/runs/${longRun}?seq=10'`);
  await page.locator('#entry-10').waitFor();
  await page.goBack();
  await standsAt(page, [100, 60_000]);
});

// PLACES-1
test('who scrolls or presses something meanwhile is not moved from there', options, async (t) => {
  const { page, open } = await lookAtDesk(t, { drills: ['careless-refund'], entries: 5_000, moments: 50 });
  await open(`#/runs/${longRun}`);
  await page.locator('.entry-row').first().waitFor();
  await scroll(page, [100, 60_000]);
  await goTo(page, 'World');
  let proceed = (): void => {};
  const isWanted = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  await page.route(/\/api\/v1\/runs\//, async (route) => {
    await isWanted;
    await route.continue();
  });
  await page.reload();
  await page.goBack();
  await page.locator('.skeleton').first().waitFor();
  await page.keyboard.press('Shift');
  proceed();
  await page.locator('.entry-row').first().waitFor();
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  assert.deepEqual(await scrolled(page), [0, 0]);
});

// PLACES-1
test('the list of runs comes back as long as it was', options, async (t) => {
  const { page, open, baseUrl } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await page.route(/\/api\/v1\/runs\?/, async (route) => {
    const reply = (await (await route.fetch({ url: `${baseUrl}/api/v1/runs` })).json()) as RunsReply;
    const asked = new URL(route.request().url()).searchParams;
    const [from, limit] = [Number(asked.get('cursor') ?? 0), Number(asked.get('limit'))];
    const runs = Array.from({ length: 180 }, (_, at) => ({
      ...reply.runs[0]!,
      runId: `run_${String(at).padStart(20, '0')}`,
      modifiedAtMs: 1_790_000_000_000 - at,
    }));
    const nextCursor = from + limit < runs.length ? { nextCursor: String(from + limit) } : {};
    await route.fulfill({ json: { runs: runs.slice(from, from + limit), unavailable: [], ...nextCursor } });
  });
  await open('#/runs');
  for (const rows of [100, 150]) {
    await page.getByRole('button', { name: 'Older runs' }).click();
    await page
      .locator('.run-row')
      .nth(rows - 1)
      .waitFor();
  }
  await scroll(page, [3_000, null]);
  await goTo(page, 'World');
  await standsAt(page, [0, null]);
  await page.goBack();
  await standsAt(page, [3_000, null]);
  assert.equal(await page.locator('.run-row').count(), 150);
  await page.reload();
  await standsAt(page, [3_000, null]);
  await page.getByRole('button', { name: 'Older runs' }).click();
  await page.locator('.run-row').nth(179).waitFor();
});

// PLACES-1, PLACES-2
test('a world to play with comes back as it was left, and its fork begins at its top', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open } = desk;
  await page.setViewportSize({ width: 1440, height: 600 });
  await open('#/world');
  const world = await playWorld(desk, { scenarioId: 'calm-day' });
  for (let times = 0; times < 40; times++) await world.call('payments', 'charge.list', { limit: 1 });
  await open(`#/play/${world.worldId}`);
  await page.locator('.entry-row').first().waitFor();
  await scroll(page, [200, 300]);
  await page.getByRole('button', { name: 'Fork', exact: true }).evaluate((button: { click(): void }) => button.click());
  await page.getByText('Forked from').waitFor();
  await standsAt(page, [0, (await scrolled(page))[1]]);
  await page.goBack();
  await standsAt(page, [200, 300]);
});
