// Tasks that people come to the evidence with, by the clicks that they take: who changed a row, what a fault did, a word among 200,000
// entries, a run handed on, and what happened two days later.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { runDrills } from '../../../src/index.js';
import { countClicks } from './browser-kit.js';
import { longRun, lookAtDesk, openDesk, browserOptions as options } from './desk.js';

/** Blocks of an entry of which less is in sight than a few lines, though they have more. */
const clippedBlocks = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.pane pre')]
    .filter((block) => block.clientHeight < Math.min(block.scrollHeight, 120))
    .map((block) => block.ariaLabel + ': ' + block.clientHeight + ' of ' + block.scrollHeight)`);

test('every value of an entry is in sight, wide and narrow, and only what scrolls is a stop of the keyboard', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const sequence of [8, 17]) {
      await open(`#/runs/${runs['careless-refund']![0]}?seq=${sequence}`);
      await page
        .getByRole('complementary', { name: `Entry ${sequence}` })
        .getByRole('group', { name: 'Arguments' })
        .waitFor();
      assert.deepEqual(await clippedBlocks(page), [], `${sequence} at ${width}`);
    }
  }
  const stops = await page.evaluate<boolean[]>(`[...document.querySelectorAll('pre.json, .scroll')].map((block) =>
    (block.tabIndex === 0) === (block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight))`);
  assert.ok(stops.length > 2 && stops.every((fits) => fits));
  assert.deepEqual(complaints, []);
});

test('a run under way: its journal is followed to its end, its timeline and its counts grow with it', options, async (t) => {
  const { page, open, root, complaints } = await openDesk(t, { drills: [] });
  writeFileSync(join(root, 'agents/careless-agent.mjs'), slowAgent);
  await open('#/drills/careless-refund');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('link', { name: 'Trial 1' }).click();
  const follow = page.getByRole('button', { name: 'Follow' });
  await follow.waitFor();
  assert.equal(await follow.getAttribute('aria-pressed'), 'true');
  const calls = page.getByRole('group', { name: 'Kinds' }).getByRole('button', { name: /^call / });
  const callsNow = async (): Promise<number> => Number(/\d+/.exec((await calls.textContent()) ?? '')?.[0]);
  await page.locator('.timeline-drawing').waitFor();
  await calls.waitFor();
  const before = await callsNow();
  await page.locator('#entry-40').waitFor();
  while ((await callsNow()) <= before) await page.waitForTimeout(50);
  assert.equal(await page.locator('.timeline-drawing').count(), 1);
  await page.getByRole('heading', { name: '2 assertions do not hold' }).waitFor({ timeout: 60_000 });
  assert.deepEqual(complaints, []);
});

/** Calls for some seconds, one after the other. */
const slowAgent = `export default async (_, { world }) => {
  for (let call = 0; call < 60; call++) {
    await world.call('payments', 'charge.list', { limit: 1 });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {};
};
`;

test('row X then, and who changed it: three clicks from the page of the run', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}`);
  const change = page.getByRole('button', { name: '#14 payments/charges' });
  await change.waitFor();
  const clicks = await countClicks(page);
  await change.click();
  await page.getByRole('button', { name: 'State then' }).click();
  await page.getByRole('button', { name: 'ch_000002', exact: true }).click();
  const history = page.getByRole('region', { name: 'History of ch_000002' });
  await history.getByRole('listitem').nth(1).waitFor();
  assert.match((await history.textContent()) ?? '', /#14.*amountRefunded.*0.*990.*#23.*990.*1980/);
  assert.equal(await clicks(), 3);
  assert.deepEqual(complaints, []);
});

test('which fault it was and what it caused: one click to its meaning, the call that it hit, and the next call', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}`);
  const fault = page.locator('.story').getByRole('button', { name: '#16' });
  await fault.waitFor();
  const clicks = await countClicks(page);
  await fault.click();
  const pane = page.getByRole('complementary', { name: 'Entry 16' });
  await pane.getByRole('heading', { name: /^One refund is made, but the answer never arrives/ }).waitFor();
  await pane.getByText('payments.refund-answer-lost hit refund.create, after its change was committed').first().waitFor();
  const steps = pane.getByRole('listitem');
  assert.deepEqual(
    (await steps.allTextContents()).map((text) => /^#\d+/.exec(text)?.[0]),
    ['#16', '#8', '#17'],
  );
  assert.equal(await clicks(), 1);
  assert.deepEqual(await clippedBlocks(page), []);
  await steps.getByRole('button', { name: '#17' }).click();
  await page.getByRole('complementary', { name: 'Entry 17' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('an agent that was edited: one click runs its drill with the new text', options, async (t) => {
  const { page, open, root, complaints } = await openDesk(t, { drills: ['careless-refund'] });
  await open('#/drills/careless-refund');
  const agent = join(root, 'agents/careless-agent.mjs');
  const text = readFileSync(agent, 'utf8');
  // One key for both calls: the second one is answered as the first was.
  writeFileSync(agent, text.replace(/`attempt-number-.*\}`/, "'the-only-key'"));
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page
    .getByRole('region', { name: 'Run request 1, finished' })
    .getByText(/1 passed/)
    .waitFor({ timeout: 60_000 });
  assert.equal(await clicks(), 1);
  assert.deepEqual(complaints, []);
});

const longJournal = { drills: ['sla-escalation'], entries: 200_000 };

test('a long journal: any place at once, only what is in view is drawn, and a timeline by time or by entry', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, longJournal);
  await open(`#/runs/${longRun}?seq=150000`);
  await page.locator('.entry-row.chosen .text').waitFor();
  assert.equal(await page.locator('.entry-row.chosen .number').textContent(), '150000');
  assert.ok((await page.getByRole('option').count()) < 120);
  // However far the index was when the run was opened.
  const chips = page.getByRole('group', { name: 'Kinds' });
  const chipsOf = async () =>
    (await chips.getByRole('button').locator('.count').allTextContents()).map((text) => Number(text.replace(/,/g, '')));
  while ((await chipsOf()).reduce((sum, count) => sum + count, 0) !== longJournal.entries) await page.waitForTimeout(50);
  await page.evaluate("const list = document.querySelector('[role=listbox]'); list.scrollTop = list.scrollHeight");
  await page.locator(`#entry-${longJournal.entries} .text`).waitFor();
  await page.getByRole('button', { name: 'Entries', exact: true }).click();
  await page.locator('.tick-text', { hasText: '#100,000' }).waitFor();
  await page.getByRole('button', { name: 'Virtual time' }).click();
  await page.locator('.tick-text', { hasText: '#' }).first().waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('a word among 200,000 entries: no click, and each row that has it says where', options, async (t) => {
  const { page, open, complaints } = await lookAtDesk(t, longJournal);
  await open(`#/runs/${longRun}`);
  const clicks = await countClicks(page);
  await page.keyboard.press('/');
  await page.keyboard.type('TKT-1008');
  const found = page.getByRole('listbox', { name: 'Matching journal entries' });
  await found.locator('mark').first().waitFor();
  // Until all have been looked through it counts so many and more.
  const count = page.locator('.journal-bar [role=status]').filter({ hasText: /^[\d,]+ of 200,000 entries$/ });
  await count.waitFor({ state: 'attached' });
  for (const row of await found.getByRole('option').all())
    if ((await row.locator('.bone').count()) === 0) assert.ok((await row.locator('mark').count()) > 0, (await row.textContent()) ?? '');
  await page.waitForURL(/q=TKT-1008/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.waitForURL(/seq=\d+/);
  assert.equal(await clicks(), 0);
  assert.deepEqual(complaints, []);
});

test('a long journal at three moments is drawn entry by entry, until somebody wants it over time', options, async (t) => {
  const { page, open, complaints } = await openDesk(t, { drills: ['sla-escalation'], entries: 50_000, moments: 3 });
  await open(`#/runs/${longRun}`);
  const axis = page.getByRole('group', { name: 'Axis' });
  await page.locator('.timeline-drawing').waitFor();
  assert.equal(await axis.getByRole('button', { name: 'Entries' }).getAttribute('aria-pressed'), 'true');
  await axis.getByRole('button', { name: 'Virtual time' }).click();
  await page.locator('.tick-text', { hasText: '#' }).first().waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('a run is handed on whole: two clicks to one archive', options, async (t) => {
  const { page, open, runs, complaints } = await lookAtDesk(t, { drills: ['careless-refund'] });
  const [runId] = runs['careless-refund']!;
  await open(`#/runs/${runId}`);
  const clicks = await countClicks(page);
  await page.getByText('Share', { exact: true }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as zip' }).click();
  const path = await (await saved).path();
  assert.equal(readFileSync(path).subarray(0, 2).toString(), 'PK');
  assert.equal(await clicks(), 2);
  assert.deepEqual(complaints, []);
});

test('what happened two virtual days later, and how it came about: two clicks from the page of the run', options, async (t) => {
  const { page, open, root, complaints } = await openDesk(t, { drills: [] });
  for (const [path, text] of Object.entries(paidOutLater)) writeFileSync(join(root, path), text);
  const world = join(root, 'drillyard/world.yaml');
  const grant = '      - { packageId: payments, operationId: charge.get }\n';
  writeFileSync(world, readFileSync(world, 'utf8').replace(grant, `${grant}${grant.replace('charge.get', 'charge.create')}`));
  const { drills } = await runDrills({ root, drills: ['paid-out-later'] });
  const { runId, verdict } = drills[0]!.trials[0]!.attempts[0]!;
  assert.equal(verdict, 'passed');

  await open(`#/runs/${runId}`);
  const kinds = page.getByRole('group', { name: 'Kinds' });
  await kinds.getByRole('button', { name: /^event / }).waitFor();
  const clicks = await countClicks(page);
  await kinds.getByRole('button', { name: /^event / }).click();
  const list = page.getByRole('listbox', { name: 'Matching journal entries' });
  await list
    .getByRole('option')
    .filter({ hasText: /settlement\.due handled/ })
    .filter({ hasText: /2 d/ })
    .click();
  const pane = page.getByRole('complementary', { name: /^Entry / });
  await pane.getByText('2026-03-04 10:00:00').first().waitFor();
  const steps = pane.locator('.chain li');
  await steps.first().waitFor();
  const texts = await steps.allTextContents();
  const sequences = texts.map((text) => Number(/^#(\d+)/.exec(text)?.[1]));
  assert.match(texts.slice(0, 3).join('\n'), /charge\.create.*\n.*settlement\.due scheduled.*\n.*settlement\.due handled/);
  assert.ok(sequences[2]! - sequences[1]! > 1, sequences.join());
  // What it led to: the capture and its charge, the balance, its ledger, and that it said so.
  const effects = texts.slice(3).join('\n');
  for (const effect of ['payments/captures/', 'payments/balances/eur', 'payments/ledger/', 'settlement.completed emitted'])
    assert.ok(effects.includes(effect), `${effect} in ${effects}`);
  assert.equal(await clicks(), 2);
  assert.deepEqual(complaints, []);
});

/** A charge at ten that settles two days later, in a drill of three days. */
const paidOutLater = {
  'agents/shop-agent.mjs': `export default async (_, { world }) => {
  const { items } = (await world.call('payments', 'customer.list', { limit: 1 })).value;
  const charge = { customerId: items[0].id, amount: 4200, currency: 'eur', token: 'tok_visa' };
  const { kind } = await world.call('payments', 'charge.create', charge, { idempotencyKey: 'the-only-one' });
  return { kind };
};
`,
  'drillyard/targets/shop-agent.target.yaml': `schemaVersion: 1
target: { id: shop-agent, kind: module, module: agents/shop-agent.mjs, bindings: [direct], timeoutMs: 20000 }
`,
  'drillyard/drills/paid-out-later.drill.yaml': `schemaVersion: 1
id: paid-out-later
title: What was charged today is available two days later
scenarioId: calm-day
targetId: shop-agent
timeline:
  horizonUs: 259200000000
  interactions:
    - id: charge
      afterStartUs: 3600000000
      actorId: support-agent
      task: { instruction: Charge the first customer 42 euros. }
assertions:
  - id: it-settled
    kind: event.count
    event: { packageId: payments, eventId: settlement.completed }
    payload: { amount: 4200 }
    count: { equals: 1 }
`,
};
