// The page over a run, in a browser: readable at every width, without a script, in light and dark.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { runPage } from '../../src/reports/run-page.js';
import { RunRecords } from '../../src/reports/run-records.js';
import { axeViolations, noBrowser, openBrowser } from '../inspector/app/browser-kit.js';
import { failingRun, passingRun } from './fixtures.js';

function page(): string {
  const records = new RunRecords();
  const add = ({ runId, result, ...rest }: RunReport, attempt: number): void => {
    const { status, verdict, stateHash, evidenceHash, trajectoryHash, identity } = result;
    const hashes = { stateHash, evidenceHash, trajectoryHash };
    const about = { runId, drillId: identity.drillId, trial: 1, attempt, status, verdict, report: `reports/${runId}` };
    records.take({ event: 'attempt', ...about, ...hashes, detail: { report: { runId, result, ...rest }, cited: [] } });
  };
  records.take({ event: 'plan', invocationId: 'inv_00000000000000000000000000', runs: 2, drills: 1, concurrency: 1, seed: '42' } as never);
  add(failingRun().report, 1);
  add(passingRun().report, 2);
  add(failingRun('run_01kjpf3q5d2c9h8r7s6t5v4w3x').report, 3);
  records.take({ event: 'summary', verdict: 'failed', passed: 4, failed: 1, inconclusive: 0 });
  return runPage(records, { linkTo: (report) => report });
}

test('the overview of a run is a table of readable columns, on a phone a list, with a theme of its own', { skip: noBrowser }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-run-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'index.html');
  writeFileSync(file, page());
  const { context } = await openBrowser(t, 'file://');
  const tab = await context.newPage();
  await tab.goto(pathToFileURL(file).href);
  assert.equal(await tab.locator('h1').textContent(), '1 of 1 drill failed');
  const text = (await tab.locator('.facts').textContent()) ?? '';
  assert.match(text, /Passed4Failed1Inconclusive0.*Seed42/);
  assert.deepEqual(await tab.locator('.retries li').allTextContents(), ['attempt 1 failed', 'attempt 2 passed', 'attempt 3 failed']);
  for (const width of [1440, 1024, 800, 390]) {
    await tab.setViewportSize({ width, height: 900 });
    const widths = await tab.evaluate<number[]>(
      "[...document.querySelectorAll('.trials td:nth-child(3)')].map((cell) => cell.clientWidth)",
    );
    assert.ok(Math.min(...widths) >= 200, `${width}: ${widths}`);
    assert.ok(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${width}`);
  }
  const background = (): Promise<string> => tab.evaluate('getComputedStyle(document.body).backgroundColor');
  const before = await background();
  await tab.getByLabel('dark').check();
  assert.notEqual(await background(), before);
});

test('axe has nothing against it', { skip: noBrowser }, async (t) => {
  const { context } = await openBrowser(t, 'data:');
  const tab = await context.newPage();
  await tab.setContent(page().replace(/<meta http-equiv[^>]*>/, ''));
  assert.deepEqual(await axeViolations(tab), []);
});
