// The page over a run, in a browser: readable at every width, without a script, in light and dark.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { limits } from '../../src/contract/limits.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { ctrfDocument } from '../../src/reports/ctrf.js';
import { runPage } from '../../src/reports/run-page.js';
import { RunRecords } from '../../src/reports/run-records.js';
import { axeViolations, noBrowser, openBrowser } from '../inspector/app/browser-kit.js';
import { failingRun, passingRun } from './fixtures.js';

function otherDrill(report: RunReport, drillId: string): RunReport {
  const { result, drill } = report;
  return { ...report, drill: { ...drill, id: drillId }, result: { ...result, identity: { ...result.identity, drillId } } };
}

function page(further = 0): string {
  const records = new RunRecords();
  const add = ({ runId, result, ...rest }: RunReport, attempt: number): void => {
    const { status, verdict, stateHash, evidenceHash, trajectoryHash, identity } = result;
    const hashes = { stateHash, evidenceHash, trajectoryHash };
    const about = { runId, drillId: identity.drillId, trial: 1, attempt, status, verdict, report: `reports/${runId}` };
    records.take({ event: 'attempt', ...about, ...hashes, detail: { report: { runId, result, ...rest }, cited: [] } });
  };
  records.take({ event: 'plan', invocationId: 'inv_00000000000000000000000000', runs: 5, drills: 3, concurrency: 1, seed: '42' } as never);
  add(failingRun().report, 1);
  add(passingRun().report, 2);
  add(failingRun('run_01kjpf3q5d2c9h8r7s6t5v4w3x').report, 3);
  add(otherDrill(failingRun('run_01kjpf3q5d2c9h8r7s6t5v4w3y').report, 'other-drill'), 1);
  add(otherDrill(passingRun('run_01kjpf3q5d2c9h8r7s6t5v4w3z').report, 'third-drill'), 1);
  for (let number = 1; number <= further; number++)
    add(otherDrill(failingRun(`run_${String(number).padStart(12, '0')}`).report, `further-${number}`), 1);
  records.take({ event: 'summary', verdict: 'failed', passed: 1, failed: 2, inconclusive: 0 });
  return runPage(records, { linkTo: (report) => report });
}

function onDisk(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-run-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'index.html');
  writeFileSync(file, page());
  return pathToFileURL(file).href;
}

test('the overview of a run is a table of readable columns, on a phone a list', { skip: noBrowser }, async (t) => {
  const { context, complaints } = await openBrowser(t, 'file://');
  const tab = await context.newPage();
  await tab.goto(onDisk(t));
  assert.equal(await tab.locator('h1').textContent(), '2 of 3 drills failed');
  const text = (await tab.locator('.facts').textContent()) ?? '';
  assert.match(text, /Passed1Failed2Inconclusive0.*Seed42/);
  assert.deepEqual(await tab.locator('.retries li').allTextContents(), ['attempt 1 failed', 'attempt 2 passed', 'attempt 3 failed']);
  for (const width of [1440, 1024, 800, 390]) {
    await tab.setViewportSize({ width, height: 900 });
    const widths = await tab.evaluate<number[]>(
      "[...document.querySelectorAll('.trials td:nth-child(3)')].map((cell) => cell.clientWidth)",
    );
    assert.ok(Math.min(...widths) >= 200, `${width}: ${widths}`);
    assert.ok(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${width}`);
  }
  assert.deepEqual(complaints, []);
});

test('it is complete without a script: verdict, drills, findings with the way to each', { skip: noBrowser }, async (t) => {
  const { context } = await openBrowser(t, 'file://', { javaScriptEnabled: false });
  const tab = await context.newPage();
  await tab.goto(onDisk(t));
  assert.equal(await tab.locator('p.verdict').textContent(), 'failed');
  const row = tab.getByRole('row', { name: /failed refund-duplicate-charge/ });
  const finding = row.getByRole('link', { name: 'refunded-once' });
  assert.match((await finding.getAttribute('href')) ?? '', /^reports\/run_[^/]+\/index\.html#assertion-refunded-once$/);
  const whole = row.getByText('expected', { exact: false }).last();
  assert.equal(await whole.isVisible(), false);
  await row.getByText('Expected, actual, evidence').click();
  assert.equal(await whole.isVisible(), true);
  assert.equal(await tab.getByRole('button').count(), 0);
});

test('the script filters by verdict and words, in the address and by keyboard, and has the theme of reports', {
  skip: noBrowser,
}, async (t) => {
  const { context, complaints } = await openBrowser(t, 'file://');
  const tab = await context.newPage();
  const address = onDisk(t);
  await tab.goto(address);
  const rows = tab.locator('.trials tbody tr:visible');
  assert.equal(await rows.count(), 3);
  await tab.keyboard.press('/');
  await tab.keyboard.type('OTHER');
  await tab.getByRole('status').getByText('1 of 3 rows').waitFor();
  assert.equal(await rows.count(), 1);
  assert.match(tab.url(), /#words=OTHER$/);
  await tab.getByRole('searchbox').fill('');
  await tab.getByRole('button', { name: 'Failed 2' }).press('Enter');
  await tab.getByRole('status').getByText('2 of 3 rows').waitFor();
  assert.equal(await rows.count(), 2);
  await tab.getByRole('link', { name: 'Skip to the trials' }).press('Enter');
  assert.equal(await rows.count(), 2);
  await tab.goto('about:blank');
  await tab.goto(`${address}#show=passed`);
  await tab.getByRole('status').getByText('1 of 3 rows').waitFor();
  assert.equal(await rows.count(), 1);
  assert.equal(await tab.getByRole('button', { name: 'Passed 1' }).getAttribute('aria-pressed'), 'true');
  const background = (): Promise<string> => tab.evaluate('getComputedStyle(document.body).backgroundColor');
  const before = await background();
  await tab.getByRole('button', { name: 'Theme: auto' }).click();
  await tab.getByRole('button', { name: 'Theme: light' }).click();
  assert.notEqual(await background(), before);
  await tab.reload();
  await tab.getByRole('button', { name: 'Theme: dark' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('of very many failed trials the first have their findings, the others what decided them and their report', () => {
  const text = page(limits.runPageWholeTrialsMax + 100);
  const rows = text.split('<tr class="failed"').slice(1);
  assert.equal(rows.length, limits.runPageWholeTrialsMax + 102);
  assert.equal(rows.filter((row) => row.includes('<details>')).length, limits.runPageWholeTrialsMax);
  assert.ok(rows.every((row) => row.includes('never-above-charge') && /<a href="reports\/run_/.test(row)));
  assert.ok(text.includes('The findings of 102 further trials are in their reports.'));
});

test('of very many attempts the page and the CTRF document say when the first began and the last ended', () => {
  const attempts = Array.from({ length: 200_000 }, (_, index) => ({
    ...{ runId: 'run_1', attempt: 1, verdict: 'passed', report: '' },
    ...{ startedAtMs: 1_000 + index, finishedAtMs: 2_000 + index },
  }));
  const records = new RunRecords();
  const { report } = passingRun();
  const { status, verdict, stateHash, evidenceHash, trajectoryHash } = report.result;
  const about = {
    runId: 'run_1',
    drillId: 'a',
    trial: 1,
    attempt: 1,
    status,
    verdict,
    report: '',
    stateHash,
    evidenceHash,
    trajectoryHash,
  };
  records.take({ event: 'attempt', ...about, detail: { report, cited: [] } });
  // One trial with all of them is cheaper than as many trials.
  records.trials[0]!.attempts.splice(0, 1, ...(attempts.slice(0, 1) as never[]));
  for (const attempt of attempts.slice(1)) records.trials[0]!.attempts.push(attempt as never);
  const { start, stop } = JSON.parse(ctrfDocument(records, () => undefined)).results.summary;
  assert.deepEqual([start, stop], [1_000, 201_999]);
  assert.match(runPage(records, { linkTo: (link) => link }), /<dt>Took<\/dt><dd>3 min 21 s<\/dd>/);
});

test('axe has nothing against it, light, dark and on a phone', { skip: noBrowser }, async (t) => {
  const { context } = await openBrowser(t, 'file://', { bypassCSP: true });
  const tab = await context.newPage();
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
  ] as const) {
    await tab.emulateMedia({ colorScheme });
    await tab.setViewportSize({ width, height: 900 });
    await tab.goto(onDisk(t));
    assert.deepEqual(await axeViolations(tab), [], `${colorScheme} ${width}`);
  }
});
