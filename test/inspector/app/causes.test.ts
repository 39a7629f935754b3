// The first screen of a run that did not pass names the right cause, whatever went wrong.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startLocalInspector } from '../../../src/index.js';
import { expectedCauses, playedFailures } from '../../reports/failures.js';
import { axeViolations, countClicks, noBrowser, openBrowser } from './browser-kit.js';

test('one click from the list of runs the cause is in sight: invariant, crash, fault, budget, timeout, tool', {
  skip: noBrowser,
  timeout: 120_000,
}, async (t) => {
  const { repository, reports } = await playedFailures();
  const root = mkdtempSync(join(tmpdir(), 'drillyard-causes-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  cpSync(repository.root, root, { recursive: true });
  const inspector = await startLocalInspector({ root });
  t.after(() => inspector.close());
  const { context, complaints } = await openBrowser(t, inspector.baseUrl);
  const page = await context.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${inspector.baseUrl}/#/runs?token=${inspector.token}`);
  await page.waitForSelector('h1');
  for (const [drillId, { headline, first }] of Object.entries(expectedCauses)) {
    const { runId } = reports[drillId]!;
    await page.goto(`${inspector.baseUrl}/#/runs`);
    const clicks = await countClicks(page);
    await page.locator(`a[href="#/runs/${runId}"]`).click();
    await page.waitForURL(new RegExp(`#/runs/${runId}`));
    await page.locator('.findings .finding').first().waitFor();
    assert.match((await page.locator('.headline').textContent()) ?? '', headline, drillId);
    const card = page.locator('.findings .finding').first();
    assert.match((await card.textContent()) ?? '', first, drillId);
    const box = await card.boundingBox();
    assert.ok(box !== null && box.y < 700, `the cause of ${drillId} is on the first screen`);
    assert.equal(await clicks(), 1, drillId);
    assert.deepEqual(await axeViolations(page), [], drillId);
  }
  await page.goto(`${inspector.baseUrl}/#/runs/${reports.fault!.runId}`);
  const story = page.locator('.story li');
  await story.first().waitFor();
  assert.deepEqual(
    (await story.allTextContents()).map((line) => line.split(' ').slice(0, 4).join(' ')),
    [
      '#3 The store of',
      '#2 writer called notes.note.get',
      '#4 Its next call:',
      '#5 That changed notes/notes/first:',
      '#5 note-first does not',
    ],
  );
  await story.nth(2).getByRole('button').click();
  await page.getByRole('complementary', { name: 'Entry 4' }).waitFor();
  await page.goto(`${inspector.baseUrl}/#/runs/${reports.invariant!.runId}?part=assertions`);
  await page.locator('details[open]').getByText('Expected at most 2 rows of notes/notes, found 3.').first().waitFor();
  assert.deepEqual(complaints, []);
});
