// A run on paper, from the inspector and from its report: light, nothing cut, the journal whole or a sentence that says what is left out.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './browser-kit.js';
import { longRun, openDesk, browserOptions as options } from './desk.js';

interface Paper {
  rows: number;
  sentence: string;
  /** What scrolls, with how much is out of sight. */
  cut: string[];
  background: string;
}

/** What is in the page while the browser prints it, with the styles of paper. */
async function printed(page: Page): Promise<Paper> {
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  await page.evaluate("document.documentElement.dataset.theme = 'dark'");
  await page.evaluate(`addEventListener('beforeprint', () => {
    globalThis.paper = Promise.resolve().then(() => Promise.resolve()).then(() => ({
      rows: document.querySelectorAll('.journal .entry-row').length,
      sentence: document.querySelector('.journal-panel .journal-nothing')?.textContent ?? '',
      cut: [...document.querySelectorAll('main *')]
        .filter((one) => /auto|scroll|hidden/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 2 && one.clientHeight > 0)
        .map((one) => one.className + ' ' + (one.scrollHeight - one.clientHeight)),
      background: getComputedStyle(document.body).backgroundColor,
    }));
  })`);
  const pdf = await page.pdf({ format: 'A4' });
  assert.ok(pdf.length > 1_000);
  const paper = await page.evaluate<Paper>('globalThis.paper');
  await page.emulateMedia({ media: 'screen' });
  return paper;
}

const light = /rgb\(2\d\d, 2\d\d, 2\d\d\)/;

test('a run is printed light and whole, with the entry that is open below it', options, async (t) => {
  const { page, root, open, runs } = await openDesk(t, { drills: ['careless-refund'], entries: 3_000, context: {} });
  const runId = runs['careless-refund']![0]!;
  await open(`#/runs/${runId}?seq=14`);
  await page.locator('.entry-row .text').first().waitFor();
  const count = 26;
  const shown = await printed(page);
  assert.deepEqual({ ...shown, background: light.test(shown.background) }, { rows: count, sentence: '', cut: [], background: true });
  await open(`#/runs/${longRun}`);
  await page.locator('.entry-row .text').first().waitFor();
  const long = await printed(page);
  assert.equal(long.rows, 200);
  assert.match(long.sentence, /^Printed are #1 to #200, .*: 200 entries of 3,000\. The others are left out\.$/);
  assert.deepEqual(long.cut, []);
  // The list is as it was before.
  await page.locator('.journal-nothing').waitFor({ state: 'detached' });
  assert.ok((await page.locator('.entry-row').count()) < 120);
  const file = `file://${join(root, '.service/reports', runId, 'index.html')}`;
  const report = await (await openBrowser(t, file, {})).context.newPage();
  await report.goto(file);
  await report.locator('.journal .entry-row .text').first().waitFor();
  const paper = await printed(report);
  assert.deepEqual({ ...paper, background: light.test(paper.background) }, { rows: count, sentence: '', cut: [], background: true });
});
