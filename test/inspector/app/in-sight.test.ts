// What is opened is in sight, without a page of scrolling: what stands around the evidence of a finding, and the entry of a call in Play.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../until.js';
import { axeViolations } from './browser-kit.js';
import { lookAtDesk, looksOf, browserOptions as options } from './desk.js';

const numbersIn = async (page: Page, within: string): Promise<(string | undefined)[]> =>
  (await page.locator(`${within} .excerpt-lines > li`).allTextContents()).map((text) => /^#\d+|^\d+ entries/.exec(text)?.[0]);

test('evidence shows what stands around it: to a pointer that rests, to the keyboard, and to a press', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  for await (const look of looksOf(page)) {
    await open('#/runs');
    await open(`#/runs/${runs['careless-refund']![0]}`);
    const card = page.locator('#assertion-exactly-one-refund');
    const glimpse = card.getByRole('tooltip');
    const chip = card.getByRole('button', { name: '#24 payments.refund.created emitted' });
    await chip.hover();
    await glimpse.getByText('#24').waitFor();
    assert.deepEqual(await numbersIn(page, '[role=tooltip]'), ['#22', '#23', '#24', '#25', '#26'], look);
    assert.equal(await glimpse.locator('.cited .number').textContent(), '#24');
    // What is shown can be pointed at, and goes when the pointer does.
    await glimpse.hover();
    assert.deepEqual(await axeViolations(page), [], look);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), look);
    await page.locator('h1').hover();
    await glimpse.waitFor({ state: 'detached' });
    await card.getByRole('button', { name: /^#15 / }).focus();
    await page.keyboard.press('Tab');
    await glimpse.getByText('#24').waitFor();
    assert.equal(await chip.getAttribute('aria-describedby'), await glimpse.getAttribute('id'));
    await page.keyboard.press('Escape');
    await glimpse.waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await card.getByText('4 entries between').waitFor();
    assert.deepEqual(
      await numbersIn(page, '#assertion-exactly-one-refund'),
      ['#13', '#14', '#15', '#16', '#17', '4 entries', '#22', '#23', '#24', '#25', '#26'],
      look,
    );
    assert.deepEqual(await axeViolations(page), [], look);
    await card.getByRole('button', { name: /^#17 / }).click();
    await page.getByRole('complementary', { name: 'Entry 17' }).waitFor();
  }
  assert.deepEqual(complaints, []);
});

/** The window comes to show more than `px` of the element's height, and nothing lies over its middle: panes slide in. */
const comesInSight = (page: Page, name: string, px: number): Promise<void> => {
  const isInSight = `(() => {
    const box = document.querySelector('${name}').getBoundingClientRect();
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    const over = document.elementFromPoint(box.left + box.width / 2, (top + bottom) / 2);
    return bottom - top > ${px} && over !== null && over.closest('${name}') !== null;
  })()`;
  return until(() => page.evaluate<boolean>(isInSight));
};

test('the entry of a call in Play is in sight as it opens, at every width', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [800, 1000],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await open('#/play');
    await page.getByLabel('It starts from').selectOption('scenario:rough-day');
    await page.getByRole('button', { name: 'Start a world' }).click();
    await page.getByLabel('Calls').selectOption('payments.charge.list');
    await page.getByLabel('With').fill('{"limit": 2}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const pane = page.getByRole('complementary', { name: 'Entry 2' });
    await pane.getByRole('group', { name: 'Error' }).waitFor();
    await comesInSight(page, '.pane', height / 2);
    await comesInSight(page, '.pane [aria-label=Error]', 60);
    assert.deepEqual(await axeViolations(page), [], String(width));
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), String(width));
    await pane.getByRole('button', { name: 'Close' }).click();
    await page.locator('#entry-1').click();
    await page.getByRole('complementary', { name: 'Entry 1' }).waitFor();
    await comesInSight(page, '.pane', height / 3);
  }
  assert.deepEqual(complaints, []);
});

test('on a phone the bar at the bottom covers nothing that has the focus, and takes none below an entry', options, async (t) => {
  const { page, open, runs } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await page.setViewportSize({ width: 390, height: 700 });
  await open('#/drills');
  const covered = await page.evaluate(`(() => {
    const bar = document.querySelector('.side nav').getBoundingClientRect().top;
    return [...document.querySelectorAll('main :is(a, button, input, select, summary)')].filter((one) => {
      one.focus();
      return document.activeElement === one && one.getBoundingClientRect().bottom > bar;
    }).map((one) => one.outerHTML.slice(0, 80));
  })()`);
  assert.deepEqual(covered, []);
  await open(`#/runs/${runs['careless-refund']![0]}?seq=14`);
  await page.getByRole('complementary', { name: 'Entry 14' }).waitFor();
  assert.ok(await page.locator('.side nav').isHidden());
});

test('with the colors of the system alone one sees which view, part, row and choice is the current one', options, async (t) => {
  const { page, open, runs } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await page.emulateMedia({ forcedColors: 'active' });
  await open(`#/runs/${runs['careless-refund']![0]}?seq=8`);
  await page.locator('.entry-row.chosen .kind').waitFor();
  const pairs = [
    ['.side nav a[aria-current]', '.side nav a:not([aria-current])'],
    ['.tabs a[aria-current]', '.tabs a:not([aria-current])'],
    ['.entry-row.chosen', '.entry-row:not(.chosen)'],
    ['.pane-bar .switch [aria-pressed=true]', '.pane-bar .switch [aria-pressed=false]'],
  ];
  const colorOf = (place: string): Promise<string> => page.evaluate(`getComputedStyle(document.querySelector('${place}')).backgroundColor`);
  for (const [current, other] of pairs) assert.notEqual(await colorOf(current!), await colorOf(other!), current);
});
