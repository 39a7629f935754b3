// The page of a report in a real browser, opened from disk as people open it; and its data as a source of the viewer.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { EvidenceSelection } from '../../src/reports/evidence-view.js';
import { htmlReport } from '../../src/reports/html-page.js';
import { pageData } from '../../src/reports/page-data.js';
import { heldSource } from '../../src/viewer/report/held-source.js';
import { axeViolations, noBrowser, openBrowser } from '../inspector/app/browser-kit.js';
import { playedFailures } from '../reports/failures.js';
import { failingRun } from '../reports/fixtures.js';

const options = { skip: noBrowser, timeout: 120_000 };

test(
  'from disk, with nothing loaded: a story that leads to entries, their causes and the state then, in light and dark, wide and narrow',
  options,
  async (t) => {
    const { reports } = await playedFailures();
    const url = pathToFileURL(join(reports.fault!.folder, 'index.html')).href;
    const { context, complaints, asked } = await openBrowser(t, url);
    const page = await context.newPage();
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.goto(url);
      await page.waitForSelector('html.ready');
      await page.getByRole('listbox', { name: 'Journal entries' }).getByText('note.get by writer').waitFor();
      assert.deepEqual(await axeViolations(page), [], `${width}, ${colorScheme}`);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `it scrolls sideways at ${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator('.story').getByRole('link', { name: '#4', exact: true }).click();
    const pane = page.getByRole('complementary', { name: 'Entry 4' });
    await pane.getByText('How it came about').waitFor();
    assert.match((await pane.textContent()) ?? '', /#5 notes\/notes\/first updated: text/);
    assert.deepEqual(await axeViolations(page), []);
    await pane.getByRole('button', { name: 'State then' }).click();
    await page.getByRole('complementary').getByText('here from the start').first().waitFor();
    await page.getByRole('button', { name: 'Next entry' }).click();
    await page.getByRole('complementary', { name: 'Entry 5' }).getByText('overwritten').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.getByRole('group', { name: /^Timeline\./ }).focus();
    for (let step = 0; step < 3; step++) await page.keyboard.press('Shift+ArrowRight');
    await page.waitForURL(/#range=1-4$/);
    await page.reload();
    await page.getByText(/^4 of \d+ entries$/).waitFor();
    await page.locator('.story').getByRole('link', { name: '#4', exact: true }).click();
    await page.waitForURL(/#entry-4&range=1-4$/);
    await page.locator('.flow-arrow').first().waitFor({ state: 'attached' });
    await page.getByRole('group', { name: /^Timeline\./ }).press('Escape');
    await page.waitForURL(/#entry-4$/);
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('OVERWRITTEN');
    await page.getByRole('listbox', { name: 'Matching journal entries' }).waitFor();
    assert.deepEqual(complaints, []);
    assert.deepEqual([...new Set(asked.map((address) => address.split('#')[0]))], [url]);
  },
);

test('without a script the page has the verdict, the story, the findings and the journal around what they cite', options, async (t) => {
  const { reports } = await playedFailures();
  const url = pathToFileURL(join(reports.fault!.folder, 'index.html')).href;
  const { context } = await openBrowser(t, url);
  const browser = context.browser();
  const plain = await browser!.newContext({ javaScriptEnabled: false });
  t.after(() => plain.close());
  const page = await plain.newPage();
  await page.goto(url);
  const said = (await page.textContent('body')) ?? '';
  for (const words of ['note-first does not hold', 'The store of notes does not answer', 'Its next call: writer called notes.note.write'])
    assert.ok(said.includes(words), words);
  assert.ok(await page.locator('.finding .entry-row', { hasText: '#5' }).isVisible());
  assert.ok(!(await page.locator('#journal').isVisible()));
});

test('a page of 200,000 entries has at most 2.5 MB, and its viewer lists and searches those that it holds', async () => {
  const { report, lines } = failingRun();
  const parsed = lines.map((line) => JSON.parse(line));
  const selection = new EvidenceSelection(report.result);
  const entries = 200_000;
  for (let index = 0; index < entries; index++) {
    const entry = { ...parsed[index % parsed.length], sequence: index + 1, virtualTimeUs: 1_000 * index };
    selection.append(entry, JSON.stringify(entry).length);
  }
  const view = selection.view();
  const page = htmlReport(report, view, []);
  assert.ok(page.length <= 2_500_000, `${page.length} bytes`);
  const data = pageData(report, view);
  assert.equal(data.start, undefined);
  const source = heldSource(data);
  assert.equal(source.held?.length, view.shown.length);
  assert.equal(source.hasState, false);
  const { sequences = [] } = await source.search({ kind: 'operation', view: 'sequences' }, new AbortController().signal);
  assert.deepEqual(
    sequences,
    view.shown.filter(({ entry }) => entry.kind === 'operation').map(({ entry }) => entry.sequence),
  );
  const timeline = await source.timeline({ buckets: 50 }, new AbortController().signal);
  const counted = Object.values(timeline.density)
    .flat()
    .reduce((sum, count) => sum + count, 0);
  assert.equal(counted, view.shown.length);
});

test('a link into a long journal says where an entry is that the page does not hold', options, async (t) => {
  const { report, lines } = failingRun();
  const parsed = lines.map((line) => JSON.parse(line));
  const selection = new EvidenceSelection(report.result);
  const total = 60_000;
  for (let index = 0; index < total; index++) {
    const entry = { ...parsed[index % parsed.length], sequence: index + 1, virtualTimeUs: 1_000 * index };
    selection.append(entry, JSON.stringify(entry).length);
  }
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'index.html'), htmlReport(report, selection.view(), []));
  const url = pathToFileURL(join(folder, 'index.html')).href;
  const { context, complaints } = await openBrowser(t, url);
  const page = await context.newPage();
  await page.goto(`${url}#entry-50000`);
  await page.waitForSelector('html.ready');
  const notice = page.getByRole('status').filter({ hasText: 'entry' });
  const said = `Entry #50000 is not in this page; see line 50000 of evidence.jsonl, or drillyard show ${report.runId} --journal --at 50000.`;
  assert.equal(await notice.textContent(), said);
  const top = await notice.evaluate((one: { getBoundingClientRect(): { top: number } }) => one.getBoundingClientRect().top);
  assert.ok(top < 700, `${top}`);
  assert.equal(await page.getByRole('complementary').count(), 0);
  assert.deepEqual(await axeViolations(page), []);
  await page.evaluate("location.hash = '#entry-1'");
  await page.getByRole('complementary', { name: 'Entry 1' }).waitFor();
  await notice.waitFor({ state: 'detached' });
  await page.evaluate("location.hash = '#entry-60001'");
  await page.getByText('There is no entry #60001: the journal has #1 to #60000.').waitFor();
  await page.evaluate("location.hash = '#range=40000-40010'");
  await page.getByText('No entry of this page matches; evidence.jsonl has all of them.').waitFor();
  assert.match(page.url(), /#entry-60001&range=40000-40010$/);
  assert.deepEqual(complaints, []);
});

test('state at an entry follows from the rows of the start and the changes since', async () => {
  const { reports } = await playedFailures();
  const { report, folder } = reports.fault!;
  const selection = new EvidenceSelection(report.result);
  for (const line of readFileSync(join(folder, 'evidence.jsonl'), 'utf8').trimEnd().split('\n'))
    selection.append(JSON.parse(line), line.length);
  const source = heldSource(pageData(report, selection.view()));
  const textAt = async (atSequence: number) => {
    const { rows } = await source.state({ packageId: 'notes', namespace: 'notes', atSequence });
    return rows.map(({ rowId, value, changedBySequence }) => [rowId, value.text, changedBySequence]);
  };
  assert.deepEqual(await textAt(4), [['first', 'here from the start', undefined]]);
  assert.deepEqual(await textAt(5), [['first', 'overwritten', 5]]);
  const { namespaces } = await source.namespaces(5);
  assert.deepEqual(namespaces, [{ packageId: 'notes', instanceId: 'notes', namespace: 'notes', rowCount: 1 }]);
  assert.deepEqual(
    (await source.chain(4)).effects.map(({ sequence }) => sequence),
    [5, 6],
  );
});
test('a report is printed light, whatever its theme', options, async (t) => {
  const { reports } = await playedFailures();
  const url = pathToFileURL(join(reports.fault!.folder, 'index.html')).href;
  const { context } = await openBrowser(t, url);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector('html.ready');
  const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
  await page.evaluate("document.documentElement.dataset.theme = 'light'");
  const light = await background();
  await page.evaluate("document.documentElement.dataset.theme = 'dark'");
  assert.notEqual(await background(), light);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await background(), light);
});
