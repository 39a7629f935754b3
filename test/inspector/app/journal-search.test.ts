// The journal of a run in a browser: narrowed by address and by hand, what was found is marked, and keys that work wherever the focus is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tuning } from '../../../src/viewer/tuning.js';
import { axeViolations } from './browser-kit.js';
import { lookAtDesk, openDesk, browserOptions as options, playWorld } from './desk.js';

test('a search knows no case, marks what it found, and is in the address; the arrow leads into the list', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}`);
  await page.getByRole('listbox', { name: 'Journal entries' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('GATEWAY_timeout');
  await page.waitForURL(/q=GATEWAY_timeout/);
  await page.getByRole('listbox', { name: 'Matching journal entries' }).waitFor();
  await page.locator('mark', { hasText: 'GATEWAY_TIMEOUT' }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.waitForURL(/seq=\d+/);
  const status = page.locator('.journal-bar [role=status]');
  await status.getByText(/^\d+ of 26 entries$/).waitFor();
  const found = (await status.textContent()) ?? '';
  await page.reload();
  await page.locator('mark').first().waitFor();
  await status.getByText(found, { exact: true }).waitFor();
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(complaints, []);
});

test('by problems, operation and outcome, from the address alone; nothing found leaves the page as high as it was', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  const at = `#/runs/${runs['careless-refund']![0]}`;
  await open(`${at}?problems=only`);
  const matching = page.getByRole('listbox', { name: 'Matching journal entries' });
  await matching.waitFor();
  await page.locator('.entry-row .text').first().waitFor();
  const shown = await page.locator('.entry-row').allTextContents();
  assert.ok(shown.length > 0 && shown.every((text) => /GATEWAY_TIMEOUT|RATE_LIMITED|hit|fail/.test(text)), shown.join('\n'));
  const heightPx = await matching.evaluate(({ clientHeight }) => clientHeight);
  await open(`${at}?op=payments.refund.create`);
  await page.getByText('2 of 26 entries').waitFor();
  await page.locator('.entry-row .text', { hasText: 'refund.create' }).nth(1).waitFor();
  assert.equal(await page.locator('.entry-row').count(), 2);
  await page.getByLabel('Outcome').selectOption('denied');
  await page.waitForURL(/outcome=denied/);
  const nothing = page.getByText('No entry matches.');
  await nothing.waitFor();
  const roomPx = (await nothing.boundingBox())?.height ?? 0;
  assert.ok(roomPx >= heightPx, `${roomPx} ${heightPx}`);
  assert.deepEqual(complaints, []);
});

test('keys wherever the focus is: entries, calls, problems, and the state of the entry', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}`);
  await page.getByRole('listbox', { name: 'Journal entries' }).waitFor();
  const chosen = async (key: string, kind: string): Promise<number> => {
    const before = page.url();
    await page.keyboard.press(key);
    await page.waitForURL((url) => url.href !== before);
    const row = page.locator('.entry-row.chosen');
    assert.match((await row.locator('.kind').textContent()) ?? '', new RegExp(kind));
    return Number(await row.locator('.number').textContent());
  };
  assert.equal(await chosen('j', '.'), 1);
  const call = await chosen(']', 'call');
  const next = await chosen(']', 'call');
  assert.ok(next > call);
  assert.equal(await chosen('[', 'call'), call);
  const problem = await chosen('n', 'call|fault');
  assert.ok(await page.locator('.entry-row.chosen.problem').count(), `entry ${problem}`);
  assert.equal(await chosen('k', '.'), problem - 1);
  await page.keyboard.press('s');
  await page.getByText('State right after').waitFor();
  assert.deepEqual(complaints, []);
});

test('state as a table: found by id, a row with its history, and each change leads to its entry', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}?seq=23`);
  await page.getByRole('complementary', { name: 'Entry 23' }).waitFor();
  await page.keyboard.press('s');
  await page.getByLabel('Namespace').selectOption('payments/charges');
  const table = page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'amountRefunded' }) });
  await table.waitFor();
  assert.deepEqual(await table.getByRole('columnheader', { name: 'id', exact: true }).count(), 0);
  const before = await table.getByRole('row').count();
  await page.getByLabel('Find a row').fill('ch_000002');
  await table.getByRole('row').nth(2).waitFor({ state: 'detached' });
  assert.ok(before > 2);
  await page.getByRole('button', { name: 'ch_000002', exact: true }).click();
  const history = page.getByRole('region', { name: 'History of ch_000002' });
  await history.getByRole('listitem').nth(1).waitFor();
  assert.match((await history.textContent()) ?? '', /#14.*amountRefunded.*0.*990.*#23.*990.*1980/);
  assert.deepEqual(await axeViolations(page), []);
  await history.getByRole('button', { name: '#14' }).click();
  await page.waitForURL(/seq=14/);
  assert.deepEqual(complaints, []);
});

test('more rows are of the moment that is looked at, and come when they are asked for again', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open, complaints } = desk;
  const world = await playWorld(desk, { scenarioId: 'calm-day' });
  let last = 0;
  for (let index = 0; index < tuning.stateRowsAPage + 30; index++) {
    last = await world.call('ticket-desk', 'comment.add', { ticketId: 'TKT-1001', body: `comment ${index}`, visibility: 'internal' });
  }
  const moves: ('fail' | 'hold')[] = ['fail'];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isLate = (): void => {};
  const late = new Promise<void>((resolve) => {
    isLate = resolve;
  });
  await page.route(/\/state\?.*afterRowId/, async (route) => {
    const move = moves.shift();
    if (move === 'fail') return route.abort();
    if (move === 'hold') await held;
    await route.continue();
    if (move === 'hold') isLate();
  });
  await open(`#/play/${world.worldId}?seq=${last}`);
  await page.keyboard.press('s');
  await page.getByLabel('Namespace').selectOption('ticket-desk/comments');
  const rows = page.locator('.state-table tbody tr');
  const more = page.getByRole('button', { name: /^More rows/ });
  await more.click();
  const failed = page.getByRole('alert').filter({ hasText: 'Could not load more rows' });
  await failed.getByRole('button', { name: 'Try again' }).click();
  await more.waitFor({ state: 'detached' });
  const all = await rows.count();
  assert.ok(all >= tuning.stateRowsAPage + 30, `${all}`);
  assert.equal(await failed.count(), 0);

  await page.getByRole('button', { name: 'Previous entry' }).click();
  await rows.nth(tuning.stateRowsAPage).waitFor({ state: 'detached' });
  moves.push('hold');
  await more.click();
  await open(`#/play/${world.worldId}?seq=20`);
  await rows.nth(40).waitFor({ state: 'detached' });
  const few = await rows.allTextContents();
  const arrived = page.waitForResponse((response) => response.url().includes('afterRowId'));
  release();
  await late;
  await (await arrived).finished();
  await page.evaluate('new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve)))');
  assert.deepEqual(await rows.allTextContents(), few);
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('Failed to load resource')),
    [],
  );
});

test('what was typed a moment ago does not lead back to a page that was left meanwhile', options, async (t) => {
  const { page, open, runs, complaints } = await openDesk(t, { drills: ['sla-escalation'] });
  await open(`#/runs/${runs['sla-escalation']![0]}`);
  // A page that is busy: the search is due when the link is followed, and before the browser says so.
  await page.evaluate(`(async () => {
    const field = document.querySelector('input[data-search]');
    field.value = 'ticket';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const until = performance.now() + 400; performance.now() < until; );
    document.querySelector('nav a[href="#/play"]').click();
  })()`);
  await page.getByRole('button', { name: 'Start a world' }).waitFor();
  await page.waitForTimeout(400);
  assert.match(page.url(), /#\/play$/);
  assert.deepEqual(complaints, []);
});

test('a search that fails says so and can be tried again; it does not say that nothing matches', options, async (t) => {
  const { page, open, runs } = await lookAtDesk(t, { drills: ['careless-refund'] });
  const refusal = { code: 'control.INTERNAL', message: 'The disk could not be read.', retryable: false, correlationId: 'cor_0' };
  await page.route(/\/search/, (route) => route.fulfill({ status: 500, json: refusal }));
  await open(`#/runs/${runs['careless-refund']![0]}?q=refund`);
  const failed = page.getByRole('alert').filter({ hasText: 'The disk could not be read.' });
  await failed.waitFor();
  assert.equal(await page.getByText('No entry matches.').count(), 0);
  assert.deepEqual(await axeViolations(page), []);
  await page.unroute(/\/search/);
  await failed.getByRole('button', { name: 'Try again' }).click();
  await page
    .locator('.journal-bar [role=status]')
    .getByText(/^\d+ of 26 entries$/)
    .waitFor();
  await failed.waitFor({ state: 'detached' });
});
