// The app by keyboard alone: the palette, the help, what a tab is called, and what is said when the server is gone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axeViolations } from './browser-kit.js';
import { lookAtDesk, openDesk, browserOptions as options, playWorld } from './desk.js';

test('Ctrl K finds a drill, a run and something to do, and gives the focus back', options, async (t) => {
  const { page, open, runs, complaints } = await openDesk(t, { drills: ['careless-refund'] });
  await open('#/world');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Find and do' });
  await palette.getByRole('option').first().waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await page.keyboard.type('drill careless');
  await palette.getByRole('option', { name: /^Drill ?careless-refund/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/drills\/careless-refund$/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('failed careless');
  await palette.getByRole('option', { name: /^failed ?careless-refund/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`#/runs/${runs['careless-refund']![0]}$`));
  await palette.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('theme dark');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('a palette stays open that is opened before the browser says that the last one closed, or where it led', options, async (t) => {
  const { page, open } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open('#/world');
  const palette = page.getByRole('dialog', { name: 'Find and do' });
  for (const [words, command] of [
    ['copy link', /Copy a link to this page/],
    ['drill careless', /^Drill ?careless-refund/],
  ] as const) {
    await page.keyboard.press('Control+k');
    await palette.getByRole('option').first().waitFor();
    await page.keyboard.type(words);
    await palette.getByRole('option', { name: command, selected: true }).waitFor();
    await page.evaluate(`(async () => {
      const press = (target, init) => target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }));
      press(document.querySelector('dialog input'), { key: 'Enter' });
      while (document.querySelector('dialog') !== null) await undefined;
      press(document.body, { key: 'k', ctrlKey: true });
    })()`);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    assert.equal(await palette.count(), 1);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
  }
  await page.waitForURL(/#\/drills\/careless-refund$/);
});

test('a failure is copied as Markdown, and a link to the page', options, async (t) => {
  const { page, baseUrl, open, runs } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl });
  const [runId] = runs['careless-refund']!;
  await open(`#/runs/${runId}?seq=14`);
  const copied = async (words: string): Promise<string> => {
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    for (;;) {
      const text = await page.evaluate<string>('navigator.clipboard.readText()');
      if (text !== '') return text;
      await page.waitForTimeout(20);
    }
  };
  assert.equal(await copied('copy a link'), `${baseUrl}/#/runs/${runId}?seq=14`);
  const markdown = await copied('markdown');
  assert.match(markdown, /^## An agent that asks again with a new key pays twice: failed\n/);
  assert.match(markdown, /### `exactly-what-was-asked-for`: failed\n\n```\n[\s\S]*expected 990\nactual {3}1980\n```/);
  assert.match(markdown, /### Evidence\n\n```\n#14 .*\n/);
});

test('the help is one key away, and keys of the page rest while it is open', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open('#/drills');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await help.getByText('next problem').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await page.keyboard.press('3');
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  assert.match(page.url(), /#\/drills$/);
  assert.deepEqual(complaints, []);
});

test('a tab is called after its run, and another page begins at its top', options, async (t) => {
  const { page, open, runs } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}?seq=14`);
  assert.equal(await page.title(), '✗ careless-refund #14 · Drillyard');
  await page.evaluate('scrollTo(0, 400)');
  await page.getByRole('link', { name: 'careless-refund', exact: true }).first().click();
  await page.getByRole('article', { name: 'careless-refund' }).waitFor();
  assert.equal(await page.evaluate('scrollY'), 0);
  assert.equal(await page.title(), 'careless-refund · Drills · Drillyard');
});

test('when the server is gone it is said on top, what would ask it is disabled, and nothing else goes', options, async (t) => {
  const { page, open, close, runs } = await openDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}?seq=8`);
  const run = await page.context().newPage();
  await run.goto(page.url());
  await run.getByRole('button', { name: 'Fork before this call' }).waitFor();
  await open('#/drills/careless-refund');
  await page.getByText('Live', { exact: true }).waitFor();
  await close();
  await run.getByRole('alert').getByText('The inspector does not answer.').waitFor();
  for (const name of ['Repeat', 'Save report', 'Save as scenario', 'Save as drill', 'Fork before this call'])
    assert.equal(await run.getByRole('button', { name, exact: true }).isDisabled(), true, name);
  await page.getByRole('alert').getByText('The inspector does not answer.').waitFor();
  await page.getByRole('button', { name: 'Try now' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled(), true);
  await page.getByText('payments.refund.created is emitted exactly once').waitFor();
  assert.deepEqual(await axeViolations(page), []);
});

test('tabs that nobody sees leave the connections to the one that is looked at', options, async (t) => {
  const { page, baseUrl, open } = await openDesk(t, { drills: [], context: {} });
  await open('#/drills');
  // Chromium opens six connections to a server: this page and five tabs have them all. Pages without a window count as in sight: these say
  // that they are not.
  await page.context().addInitScript("Object.defineProperty(document, 'hidden', { get: () => globalThis.isBehind === true })");
  const tabs = [];
  for (let count = 0; count < 5; count++) {
    const tab = await page.context().newPage();
    await tab.goto(`${baseUrl}/#/world`);
    await tab.getByText('Live', { exact: true }).waitFor();
    tabs.push(tab);
  }
  const released = tabs.map((tab) => tab.waitForEvent('requestfailed', (request) => request.url().endsWith('/events')));
  for (const tab of tabs) await tab.evaluate("globalThis.isBehind = true; document.dispatchEvent(new Event('visibilitychange'))");
  await Promise.all(released);
  const last = await page.context().newPage();
  await last.goto(`${baseUrl}/#/world`);
  await last.locator('main h1').waitFor();
  await last.getByText('Live', { exact: true }).waitFor();
  await tabs[0]!.evaluate("globalThis.isBehind = false; document.dispatchEvent(new Event('visibilitychange'))");
  await tabs[0]!.getByText('Live', { exact: true }).waitFor();
});

test('a tab that is seen again shows the journal of a world that was reset meanwhile', options, async (t) => {
  const desk = await openDesk(t, { drills: [], context: {} });
  const { page: first, baseUrl, open } = desk;
  await open('#/drills');
  await first.context().addInitScript("Object.defineProperty(document, 'hidden', { get: () => globalThis.isBehind === true })");
  const world = await playWorld(desk, { scenarioId: 'calm-day' });
  const page = await first.context().newPage();
  await page.goto(`${baseUrl}/#/play/${world.worldId}`);
  for (let times = 0; times < 3; times++) await world.call('payments', 'charge.list', { limit: 1 });
  const called = page.locator('.entry-row').getByText('charge.list');
  await called.nth(2).waitFor();
  const released = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'));
  await page.evaluate("globalThis.isBehind = true; document.dispatchEvent(new Event('visibilitychange'))");
  await released;
  await world.reset();
  await page.evaluate("globalThis.isBehind = false; document.dispatchEvent(new Event('visibilitychange'))");
  await called.first().waitFor({ state: 'detached' });
  await page.locator('.entry-row').getByText(/reset/).waitFor();
});

test('what a world does between the list of worlds and the stream is shown, in whichever order they arrive', options, async (t) => {
  const desk = await openDesk(t, { drills: [], context: {} });
  const { page: first, baseUrl, open } = desk;
  await open('#/drills');
  const world = await playWorld(desk, { scenarioId: 'calm-day' });
  const page = await first.context().newPage();
  let isListed = (): void => {};
  const listed = new Promise<void>((resolve) => {
    isListed = resolve;
  });
  let show = (): void => {};
  const shown = new Promise<void>((resolve) => {
    show = resolve;
  });
  let lists = 0;
  await page.route('**/api/v1/worlds', async (route) => {
    if (++lists > 1) return await route.continue();
    const response = await route.fetch();
    isListed();
    await shown;
    await route.fulfill({ response });
  });
  await page.route('**/api/v1/events', async (route) => {
    await listed;
    await world.call('payments', 'charge.list', { limit: 1 });
    await route.continue();
  });
  await page.goto(`${baseUrl}/#/play/${world.worldId}`);
  await page.getByText('Live', { exact: true }).waitFor();
  show();
  await page.locator('.entry-row').getByText('charge.list').waitFor();
});

test('a link opened in another tab needs no token of its own while one is open', options, async (t) => {
  const { page, baseUrl, open } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open('#/drills');
  const other = await page.context().newPage();
  await other.goto(`${baseUrl}/#/world`);
  await other.locator('main h1').waitFor();
  await other.getByText('Live', { exact: true }).waitFor();
  assert.equal(await other.evaluate("document.querySelector('.gate')"), null);
});

test('a run is handed on from its page: its link, its failure, and one zip of all of it', options, async (t) => {
  const { page, baseUrl, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl });
  const [runId] = runs['careless-refund']!;
  await open(`#/runs/${runId}`);
  await page.getByText('Share', { exact: true }).click();
  assert.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Link copied').waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${baseUrl}/#/runs/${runId}`);
  await page.getByText('Share', { exact: true }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as zip' }).click();
  assert.equal((await saved).suggestedFilename(), `${runId}.zip`);
  assert.deepEqual(complaints, []);
});

test('what cannot be copied or started says so, from the palette and from a button', options, async (t) => {
  const desk = await openDesk(t, { drills: ['careless-refund'] });
  const { page, open, runs } = desk;
  const palette = async (words: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
    await page
      .getByRole('option', { name: new RegExp(words) })
      .first()
      .click();
  };
  // As a browser that keeps the clipboard from pages, and as one has it of a page that came over plain HTTP.
  await page.addInitScript("Clipboard.prototype.write = async () => { throw new Error('Write permission denied.'); }");
  await page.addInitScript('Clipboard.prototype.writeText = undefined');
  await open(`#/runs/${runs['careless-refund']![0]}`);
  await palette('Copy a link');
  await page.getByRole('alert').getByText('Write permission denied.').waitFor();
  await page.getByText('Identity').click();
  const copy = page.getByRole('button', { name: 'Copy evidence', exact: true });
  await copy.click();
  await copy.getByText('Select and copy').waitFor();
  await page.route('**/run-requests', (route) =>
    route.fulfill({ status: 409, json: { code: 'control.CONFLICT', message: 'Too many wait.', retryable: true, correlationId: 'c' } }),
  );
  await palette('Run careless-refund');
  await page.getByRole('alert').getByText('Too many wait.').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  assert.equal(await page.getByRole('alert').count(), 0);
});
