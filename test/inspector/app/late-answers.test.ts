// An answer that comes late undoes nothing that was done since: another page, another filter, another token, a world that is no more.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type LocalInspector, startLocalInspector } from '../../../src/index.js';
import { gate } from '../../gate.js';
import { lookAtDesk, openDesk, browserOptions as options, playWorld } from './desk.js';
import { hold } from './held.js';

const hashOf = 'location.hash';

test('a refusal of an earlier token leaves the one that was entered since', options, async (t) => {
  const { page, open, baseUrl, token } = await openDesk(t, { drills: [] });
  await open('#/runs');
  // What the page asks for first of all.
  const late = await hold(page, /\/events$/, { method: 'GET', most: 1 });
  await page.goto('about:blank');
  await page.goto(`${baseUrl}/?again#token=${'0'.repeat(token.length)}&/runs`);
  await late.answered;
  await page.getByRole('textbox', { name: 'Link or token' }).fill(token);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('link', { name: 'Play' }).click();
  const start = page.getByRole('button', { name: 'Start a world' });
  await start.waitFor();
  await late.release();
  assert.equal(await start.count(), 1);
});

test('what was started on a page that was left does not take the user away', options, async (t) => {
  const desk = await openDesk(t, { drills: ['careless-refund'] });
  const { page, open, runs } = desk;
  const run = runs['careless-refund']![0]!;
  const { worldId } = await playWorld(desk, { scenarioId: 'calm-day' });
  for (const [hash, path, button] of [
    ['#/play', /\/worlds$/, 'Start a world'],
    [`#/play/${worldId}`, /\/forks$/, 'Fork'],
    [`#/runs/${run}?seq=8`, /\/worlds$/, 'Fork before this call'],
    [`#/runs/${run}`, /\/run-requests$/, 'Repeat'],
  ] as const) {
    await open(hash);
    const held = await hold(page, path);
    await page.getByRole('button', { name: button, exact: true }).click();
    await held.answered;
    await page.getByRole('link', { name: 'Source' }).click();
    await held.release();
    assert.equal(await page.evaluate(hashOf), '#/source', button);
    await page.unrouteAll();
  }
});

test('the answer of a call leaves the filter that was chosen meanwhile', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open } = desk;
  const { worldId } = await playWorld(desk, { scenarioId: 'calm-day' });
  await open(`#/play/${worldId}`);
  const form = page.getByRole('region', { name: 'Call an operation' });
  const call = await hold(page, /\/calls$/);
  await form.getByRole('button', { name: 'Call', exact: true }).click();
  await call.answered;
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('ok');
  await call.release();
  await page.waitForURL(/seq=/);
  assert.match(String(await page.evaluate(hashOf)), /outcome=ok/);
});

test('two faults that are switched one right after the other are both switched', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open } = desk;
  const { worldId } = await playWorld(desk, { scenarioId: 'calm-day' });
  await open(`#/play/${worldId}`);
  const switched = await hold(page, /\/faults$/, { most: 1 });
  const boxes = page.locator('.fault-list input');
  const names = [await boxes.nth(0).locator('..').innerText(), await boxes.nth(1).locator('..').innerText()];
  await boxes.nth(0).click();
  await switched.answered;
  await boxes.nth(1).click();
  await switched.release();
  for (const name of names) await page.getByRole('checkbox', { name, exact: true, checked: true }).waitFor();
});

test('a list of worlds that comes late brings back none that was ended', options, async (t) => {
  const desk = await openDesk(t, { drills: [] });
  const { page, open } = desk;
  await playWorld(desk, { scenarioId: 'calm-day' });
  // The page asks for it first, and again as the stream opens.
  const stream = gate();
  await page.route(
    (url) => url.pathname === '/api/v1/events',
    async (route) => {
      await stream.opened;
      await route.continue();
    },
  );
  await open('#/runs');
  await page.reload();
  await page.getByRole('link', { name: 'Play' }).click();
  const end = page.getByRole('button', { name: /^End / });
  await end.waitFor();
  const list = await hold(page, /\/worlds$/, { method: 'GET', most: 1 });
  stream.open();
  await list.answered;
  await end.click();
  await end.waitFor({ state: 'detached' });
  await list.release();
  assert.equal(await end.count(), 0);
});

test('a journal that grows all the time is searched', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open } = desk;
  const { worldId, call } = await playWorld(desk, { scenarioId: 'calm-day' });
  await open(`#/play/${worldId}`);
  let isOver = false;
  const calls = (async () => {
    while (!isOver) await call('helpdesk', 'ticket.get', { id: 'T-1' });
  })();
  await page.getByRole('searchbox', { name: 'Search every entry' }).fill('ticket');
  await page
    .locator('.journal-bar [role=status]')
    .getByText(/^[1-9]\d* of /)
    .waitFor();
  isOver = true;
  await calls;
  const last = await call('helpdesk', 'ticket.get', { id: 'T-1' });
  await page
    .locator('.journal-bar [role=status]')
    .getByText(new RegExp(`^${last - 1} of ${last} `))
    .waitFor();
});

test('files that are written after their dialog was closed are in the source', options, async (t) => {
  const { page, open, runs } = await openDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}`);
  await page.getByRole('button', { name: 'Save as drill' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save as drill' });
  await dialog.getByRole('button', { name: 'Write into the repository…' }).click();
  const write = dialog.getByRole('button', { name: /^Write \d+ files?$/ });
  const written = await hold(page, /\/recordings?$/);
  await write.click();
  await written.answered;
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await written.release();
  await page.getByRole('link', { name: 'Drills' }).click();
  await page.locator('a[href="#/drills/careless-refund-recorded"]').waitFor();
});

test('a project that comes late does not replace the one that was loaded since', options, async (t) => {
  const { page, root, open, baseUrl, token } = await openDesk(t, { drills: [] });
  await open('#/drills');
  const late = await hold(page, /\/project$/, { method: 'GET', most: 1 });
  await page.reload();
  await late.answered;
  const file = join(root, 'drillyard/world.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^title: .*/m, 'title: Another title'));
  const refreshed = await fetch(`${baseUrl}/api/v1/refresh`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(refreshed.status, 200);
  const brand = page.locator('.brand', { hasText: 'Another title' });
  await brand.waitFor();
  await late.release();
  assert.equal(await brand.count(), 1);
});

test('after a reset no answer is of the journal before, and none that comes late selects an entry', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open } = desk;
  const { worldId, call, reset } = await playWorld(desk, { scenarioId: 'calm-day' });
  await call('helpdesk', 'ticket.get', { id: 'T-1' });
  await open(`#/play/${worldId}`);
  const form = page.getByRole('region', { name: 'Call an operation' });
  const pane = page.getByRole('complementary', { name: /^Entry / });
  const second = page.locator('.entry-row').nth(2);
  await form.getByRole('button', { name: 'Call', exact: true }).click();
  await form.getByText(/^entry #/).waitFor();
  await pane.waitFor();
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await second.waitFor({ state: 'detached' });
  assert.equal(await form.getByText(/^entry #/).count(), 0);
  await page.keyboard.press('Escape');
  await pane.waitFor({ state: 'detached' });
  const late = await hold(page, /\/calls$/);
  await form.getByRole('button', { name: 'Call', exact: true }).click();
  await late.answered;
  await second.waitFor();
  await reset();
  await second.waitFor({ state: 'detached' });
  await late.release();
  assert.deepEqual([await form.getByText(/^entry #/).count(), await pane.count()], [0, 0]);
  assert.doesNotMatch(String(await page.evaluate(hashOf)), /seq=/);
});

test('an inspector that was started again: the page says what to do, and shows the new one once its link is opened', options, async (t) => {
  const { page, root, runs, close } = await openDesk(t, { drills: ['careless-refund'], context: {} });
  await close();
  const start = async (): Promise<LocalInspector> => {
    const started = await startLocalInspector({ root, port: 'repository' });
    t.after(() => started.close());
    return started;
  };
  let current = await start();
  await page.goto(`${current.baseUrl}/#token=${current.token}&/runs/${runs['careless-refund']![0]}`);
  await page.getByRole('listbox', { name: 'Journal entries' }).waitFor();
  const file = join(root, 'drillyard/world.yaml');
  for (const [title, isNoticed] of [
    ['The second one', true],
    ['The third one', false],
  ] as const) {
    // What would say that the token is an earlier one does not get there.
    if (!isNoticed) await page.route(/\/api\/v1\/events/, (route) => route.abort());
    await current.close();
    await page.getByText('The inspector does not answer.').waitFor();
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^title: .*/m, `title: ${title}`));
    const before = current.baseUrl;
    current = await start();
    assert.equal(current.baseUrl, before);
    if (isNoticed) await page.getByRole('alert').getByText('Take the link of the newest start.').waitFor();
    await page.unrouteAll();
    await page.goto(`${current.baseUrl}/#token=${current.token}`);
    await page.locator('.live.open').waitFor();
    await page.locator('.brand', { hasText: title }).waitFor();
  }
});
