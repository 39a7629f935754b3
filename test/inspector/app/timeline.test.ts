// The timeline in a browser: arrows of causes and effects, a range that narrows the journal, and where one is when zoomed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeViolations } from './browser-kit.js';
import { longRun, lookAtDesk, looksOf, openDesk, browserOptions as options } from './desk.js';

const canvas = (page: Page) => page.getByRole('group', { name: /^Timeline\./ });

/** From share to share of the drawing's width. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = (await page.locator('.timeline-drawing').boundingBox())!;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + (box.width * (from + to)) / 2, y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
}

test('arrows lead from the causes of the chosen entry to it, and from it to its effects', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}?seq=17`);
  const pane = page.getByRole('complementary', { name: 'Entry 17' });
  await pane.locator('.chain .effect').first().waitFor();
  const chain = await pane.locator('.chain li').allTextContents();
  const effects = await pane.locator('.chain li.effect').count();
  const sequences = chain.map((line) => Number(/^#(\d+)/.exec(line)![1]));
  const path = sequences.slice(0, sequences.length - effects);
  const expected = [
    ...sequences.slice(-effects).map((effect) => `effect 17 ${effect}`),
    ...path.slice(1).map((to, index) => `cause ${path[index]} ${to}`),
  ];
  const arrows = page.locator('.flow-arrow');
  await arrows.first().waitFor({ state: 'attached' });
  const drawn = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.flow-arrow')].map(({ classList, dataset }) => [classList[1], dataset.from, dataset.to].join(' '))",
  );
  assert.ok(effects > 0 && drawn.length > 0);
  // Marks that lie on each other have no arrow between them.
  assert.deepEqual(
    drawn,
    expected.filter((link) => drawn.includes(link)),
  );
  await page.keyboard.press('Escape');
  await arrows.first().waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('a range that is dragged narrows the journal, stands in the address, and is cleared', options, async (t) => {
  const { page, open, runs, complaints } = await openDesk(t, { drills: ['sla-escalation'] });
  await open(`#/runs/${runs['sla-escalation']![0]}`);
  const all = Number.parseInt((await page.locator('.journal-bar [role=status]').textContent()) ?? '', 10);
  await page.keyboard.down('Shift');
  await drag(page, 0.3, 0.6);
  await page.keyboard.up('Shift');
  await page.waitForURL(/[?&]range=\d+-\d+$/);
  const [, from, to] = /range=(\d+)-(\d+)/.exec(page.url())!.map(Number) as [number, number, number];
  assert.ok(from > 1 && to < all && to > from, `${from} to ${to} of ${all}`);
  const list = page.getByRole('listbox', { name: 'Matching journal entries' });
  await list.waitFor();
  await page.getByText(`${to - from + 1} of ${all} entries`).waitFor();
  assert.equal(await list.getByRole('option').first().locator('.number').textContent(), String(from));
  assert.equal(await page.locator('rect.stretch').count(), 1);
  assert.deepEqual(await axeViolations(page), []);
  await page.reload();
  await page.getByText(`${to - from + 1} of ${all} entries`).waitFor();
  await page.getByRole('button', { name: `#${from} to #${to}, clear the range` }).click();
  await page.getByRole('listbox', { name: 'Journal entries' }).waitFor();
  assert.doesNotMatch(page.url(), /range/);
  // Without Shift, and by touch, a button says what a drag does.
  await page.getByRole('button', { name: 'Range', exact: true }).click();
  await drag(page, 0.7, 0.2);
  await page.waitForURL(/range=/);
  await page.getByRole('button', { name: 'Clear the range', exact: true }).click();
  await page.locator('rect.stretch').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Range', exact: true }).click();
  await drag(page, 0.7, 0.2);
  assert.doesNotMatch(page.url(), /range/);
  assert.deepEqual(complaints, []);
});

test('by keys: Shift and arrows grow a range from the chosen entry, Escape clears it and then closes the entry', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}?seq=14`);
  await canvas(page).focus();
  for (let step = 0; step < 3; step++) await page.keyboard.press('Shift+ArrowRight');
  await page.waitForURL(/range=14-17(&|$)/);
  for (let step = 0; step < 5; step++) await page.keyboard.press('Shift+ArrowLeft');
  await page.waitForURL(/range=12-14(&|$)/);
  await page.getByText('3 of 26 entries').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('listbox', { name: 'Journal entries' }).waitFor();
  await page.getByRole('complementary', { name: 'Entry 14' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary').waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('zoomed in, a strip above says where one is and leads elsewhere; entries of one moment have their numbers', options, async (t) => {
  const { page, open, runs, complaints } = await openDesk(t, { drills: ['refund-over-limit'] });
  const address = `#/runs/${runs['refund-over-limit']![0]}`;
  for await (const look of looksOf(page)) {
    await open('#/runs');
    await open(address);
    const window = page.locator('.minimap-window');
    await canvas(page).focus();
    assert.equal(await window.count(), 0);
    for (let step = 0; step < 6; step++) await page.keyboard.press('+');
    await window.waitFor();
    const strip = (await page.locator('.minimap').boundingBox())!;
    assert.equal(strip.height, 6);
    const before = (await window.boundingBox())!;
    assert.ok(before.width < strip.width / 4);
    await page.mouse.click(strip.x + 8, strip.y + 3);
    await page.waitForFunction(
      "document.querySelector('.minimap-window').getBoundingClientRect().left - document.querySelector('.minimap').getBoundingClientRect().left < 4",
    );
    assert.ok((await window.boundingBox())!.x < before.x);
    await page
      .locator('.tick-text', { hasText: /^#\d+$/ })
      .first()
      .waitFor();
    assert.equal(await page.locator('.tick-text', { hasText: ':' }).count(), 0);
    assert.deepEqual(await axeViolations(page), [], look);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await canvas(page).focus();
    await page.keyboard.press('0');
    await window.waitFor({ state: 'detached' });
    await page.locator('.tick-text', { hasText: ':' }).first().waitFor();
  }
  assert.deepEqual(complaints, []);
});

test('of a long journal, too: a range by drag, arrows of an entry far in', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['sla-escalation'], entries: 60_000 });
  await open(`#/runs/${longRun}?seq=30000`);
  await page.getByRole('button', { name: 'Entries', exact: true }).click();
  await page
    .locator('.tick-text', { hasText: /^#\d+,000$/ })
    .first()
    .waitFor();
  await page.keyboard.down('Shift');
  await drag(page, 0.25, 0.5);
  await page.keyboard.up('Shift');
  await page.waitForURL(/range=/);
  const [, from, to] = /range=(\d+)-(\d+)/.exec(page.url())!.map(Number) as [number, number, number];
  // A 25th of the axis is margin.
  assert.ok(Math.abs(from - 14_400) < 300 && Math.abs(to - 30_000) < 300, `${from} to ${to}`);
  await page.getByText(`${(to - from + 1).toLocaleString('en-US')} of 60,000 entries`).waitFor();
  await page.getByRole('button', { name: 'Virtual time' }).click();
  await page.locator('rect.stretch').waitFor();
  assert.deepEqual(complaints, []);
});

test(
  'a range on virtual time is exact, however long the journal is: in the list, in the address, and as it is drawn',
  options,
  async (t) => {
    const { page, open, complaints } = await lookAtDesk(t, { drills: ['sla-escalation'], entries: 60_000 });
    await open(`#/runs/${longRun}`);
    await page.getByRole('button', { name: 'Virtual time' }).click();
    await page.locator('.tick-text', { hasText: ':' }).first().waitFor();
    const box = (await page.locator('.timeline-drawing').boundingBox())!;
    // Pixels, of which one is some entries, and a bucket of the picture many.
    const [x, until] = [Math.round(box.x + box.width * 0.31), Math.round(box.x + box.width * 0.57)];
    const shareOf = (px: number): number => ((px - box.x) / box.width) * 1.04 - 0.02;
    const expected = [Math.ceil(shareOf(x) * 60_000) + 1, Math.floor(shareOf(until) * 60_000) + 1];
    await page.keyboard.down('Shift');
    await drag(page, (x - box.x) / box.width, (until - box.x) / box.width);
    await page.keyboard.up('Shift');
    await page.waitForURL(/range=/);
    const [, from, to] = /range=(\d+)-(\d+)/.exec(page.url())!.map(Number) as [number, number, number];
    assert.deepEqual([from, to], expected);
    await page.getByText(`${(to - from + 1).toLocaleString('en-US')} of 60,000 entries`).waitFor();
    // It reaches around the marks at its ends.
    const marginPx = 7;
    const drawn = (await page.locator('rect.stretch').boundingBox())!;
    const ends = [drawn.x + marginPx - x, drawn.x + drawn.width - marginPx - until];
    assert.ok(
      ends.every((px) => Math.abs(px) < 1),
      `${ends} px off`,
    );
    const option = page.getByRole('listbox', { name: 'Matching journal entries' }).getByRole('option').first();
    await option.locator('.number', { hasText: String(from) }).waitFor();
    assert.deepEqual(complaints, []);
  },
);
