// What is done once by a click is done once by two; the focus stays where it was, and nothing that is open closes.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunsReply } from '../../../src/contract/inspector/runs.js';
import { runDrills } from '../../../src/index.js';
import { axeViolations } from './browser-kit.js';
import { type Desk, lookAtDesk, openDesk, browserOptions as options, playWorld } from './desk.js';
import { hold } from './held.js';

async function ask<T>({ baseUrl, token }: Desk, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${baseUrl}/api/v1/${path}`, { headers, ...sent })).json() as Promise<T>;
}

test('in a world a second click makes no second call and no second fork, and no step of time is lost', options, async (t) => {
  const desk = await openDesk(t, { drills: [] });
  const { page, open, complaints } = desk;
  const { worldId } = await playWorld(desk, { scenarioId: 'calm-day' });
  await open(`#/play/${worldId}`);
  const form = page.getByRole('region', { name: 'Call an operation' });
  const calls = await hold(page, /\/calls$/);
  await form.getByRole('textbox', { name: 'With' }).press('Control+Enter');
  await form.getByRole('button', { name: 'Calling…' }).waitFor();
  await form.getByRole('textbox', { name: 'With' }).press('Control+Enter');
  await calls.release();
  await form.getByRole('status').waitFor();
  const nowUs = async (): Promise<number> =>
    (await ask<{ world: { position: { virtualTimeUs: number } } }>(desk, `worlds/${worldId}`)).world.position.virtualTimeUs;
  const startUs = await nowUs();
  const advances = await hold(page, /\/advance$/);
  const step = page.getByRole('button', { name: '+1 h' });
  await step.click();
  await step.click();
  await advances.release();
  while ((await nowUs()) < startUs + 2 * 3_600_000_000) await page.evaluate('new Promise(requestAnimationFrame)');
  assert.deepEqual([calls.count(), await nowUs()], [1, startUs + 2 * 3_600_000_000]);
  const forks = await hold(page, /\/forks$/);
  await page.getByRole('button', { name: 'Fork', exact: true }).dblclick();
  assert.deepEqual(await axeViolations(page), []);
  await forks.release();
  await page.waitForURL((url) => url.hash.startsWith('#/play/world_') && !url.hash.includes(worldId));
  assert.equal((await ask<{ worlds: unknown[] }>(desk, 'worlds')).worlds.length, 2);
  assert.deepEqual([forks.count(), complaints], [1, []]);
});

test('a second click starts no second world and no second run', options, async (t) => {
  const desk = await openDesk(t, { drills: [] });
  const { page, root, open } = desk;
  await runDrills({ root, drills: ['careless-refund'], trials: 2 });
  const [posts, worlds] = [await hold(page, /\/run-requests$/), await hold(page, /\/worlds$/)];
  await open('#/play');
  await page.getByRole('button', { name: 'Start a world' }).dblclick();
  await worlds.release();
  await page.waitForURL('**/#/play/world_*');
  await open('#/runs');
  await page.getByRole('button', { name: 'Run again what did not pass' }).dblclick();
  await posts.release();
  await page.getByRole('region', { name: 'Run request 1, finished' }).waitFor();
  const repeats = await hold(page, /\/run-requests$/);
  await page.locator('.run-row a').first().click();
  await page.getByRole('button', { name: 'Repeat', exact: true }).dblclick();
  await repeats.release();
  await page.waitForURL('**/#/drills/careless-refund');
  assert.deepEqual([worlds.count(), posts.count(), repeats.count()], [1, 1, 1]);
});

test('the focus stays on a fault that is switched', options, async (t) => {
  const desk = await lookAtDesk(t, { drills: ['careless-refund'] });
  const { page, open } = desk;
  const { worldId } = await playWorld(desk, { scenarioId: 'calm-day' });
  await open(`#/play/${worldId}`);
  const fault = page.getByRole('checkbox', { name: 'payments.refund-answer-lost' });
  await fault.focus();
  await page.keyboard.press('Space');
  await page.locator('.fault-list input:checked').waitFor();
  await page.locator('.entry-row').nth(1).waitFor();
  assert.ok(await fault.evaluate((box) => box.matches(':focus') && box.matches(':checked')));
});

test('older runs are listed once, a failure to load them is said, and they stay when a run ends', options, async (t) => {
  const desk = await openDesk(t, { drills: ['careless-refund'] });
  const { page, open } = desk;
  const [run] = (await ask<RunsReply>(desk, 'runs')).runs;
  const runs = [5, 4, 3, 2, 1].map((age) => ({ ...run!, runId: `run_00000000000000000000000${age}`, modifiedAtMs: age * 1_000 }));
  let fails = true;
  let newer: typeof runs = [];
  const answers: string[] = [];
  await page.route(
    (url) => url.pathname.endsWith('/api/v1/runs'),
    async (route) => {
      const query = new URL(route.request().url()).searchParams;
      const cursor = query.get('cursor') ?? '';
      answers.push(cursor);
      if (cursor !== '' && fails) {
        fails = false;
        return route.fulfill({ status: 500, json: { code: 'control.INTERNAL', message: 'Not now.', retryable: true, correlationId: 'c' } });
      }
      const [from, to] = cursor === '' ? [0, 2] : cursor === 'b' ? [2, 4] : [4, 5];
      const list = cursor === '' ? [...newer, ...runs].slice(0, 2) : runs.slice(from, to);
      const nextCursor = cursor === '' ? { nextCursor: 'b' } : cursor === 'b' ? { nextCursor: 'c' } : {};
      await route.fulfill({ json: { schemaVersion: 1, runs: list, unavailable: [], active: [], ...nextCursor } });
    },
  );
  await open('#/runs');
  const rows = page.locator('.run-row');
  const more = page.getByRole('button', { name: 'Older runs' });
  await more.click();
  await page.getByRole('alert').getByText('Not now.').waitFor();
  await more.dblclick();
  await rows.nth(3).waitFor();
  assert.equal(await rows.count(), 4);
  newer = [{ ...run!, runId: 'run_000000000000000000000009', modifiedAtMs: 9_000 }];
  await ask(desk, 'run-requests', { drillId: 'refund-happy-path' });
  await page.locator('.run-row a[href$="009"]').waitFor();
  assert.equal(await rows.count(), 5);
  await more.press('Enter');
  await rows.nth(5).waitFor();
  assert.ok(
    await rows
      .nth(5)
      .getByRole('link')
      .evaluate((link) => link.matches(':focus')),
  );
  assert.deepEqual(
    answers.filter((cursor) => cursor !== ''),
    ['b', 'b', 'c'],
  );
});

test('a page of a run stays as it is when another run ends', options, async (t) => {
  const desk = await openDesk(t, { drills: ['careless-refund', 'refund-happy-path'] });
  const { page, open, runs, asked } = desk;
  const [left, right] = [runs['careless-refund']![0]!, runs['refund-happy-path']![0]!];
  for (const [hash, part] of [
    [`#/runs/${left}`, '.run'],
    [`#/compare?left=${left}&right=${right}`, '.pickers'],
  ] as const) {
    await open(hash);
    const [kept] = [await page.locator(part).elementHandle()];
    const { request } = await ask<{ request: { requestId: string } }>(desk, 'run-requests', { drillId: 'refund-happy-path' });
    for (let state = ''; state !== 'finished'; )
      state = (await ask<{ request: { state: string } }>(desk, `run-requests/${request.requestId}`)).request.state;
    // What the page heard of it comes before what it is asked next.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('passed');
    await page
      .getByRole('dialog', { name: 'Find and do' })
      .getByRole('option', { name: /^passed/ })
      .nth(1)
      .waitFor();
    assert.ok(await kept?.evaluate((element) => element.isConnected), hash);
    await page.keyboard.press('Escape');
  }
  assert.equal(asked.filter((url) => url.endsWith(`/api/v1/runs/${left}`)).length, 1);
});

test('a world that is no more when the stream opens again is gone', options, async (t) => {
  const desk = await openDesk(t, { drills: [] });
  const { page, open } = desk;
  const { worldId } = await playWorld(desk, { scenarioId: 'calm-day' });
  await open(`#/play/${worldId}`);
  let isGone = false;
  await page.route(
    (url) => url.pathname === '/api/v1/events',
    (route) => {
      const hello = `data: ${JSON.stringify({ type: 'hello', generation: 0, active: [] })}\n\n`;
      return isGone ? route.continue() : route.fulfill({ contentType: 'text/event-stream', body: hello });
    },
  );
  await page.route(
    (url) => url.pathname === '/api/v1/worlds',
    (route) => (isGone ? route.fulfill({ json: { schemaVersion: 1, worlds: [] } }) : route.continue()),
  );
  await page.reload();
  await page.getByRole('button', { name: '+1 h' }).waitFor();
  isGone = true;
  await page.getByText('This world is gone').waitFor();
});

test('a double click shows what would be written, and the next one writes once', options, async (t) => {
  const { page, root, open, runs, complaints } = await openDesk(t, { drills: ['careless-refund'] });
  await open(`#/runs/${runs['careless-refund']![0]}`);
  const writes: string[] = [];
  page.on('request', (request) => void (request.postData()?.includes('"write":') && writes.push(request.url())));
  const written = join(root, 'drillyard/drills/careless-refund-recorded.drill.yaml');
  await page.getByRole('button', { name: 'Save as drill' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save as drill' });
  await dialog.getByRole('button', { name: 'Write into the repository…' }).dblclick();
  const write = dialog.getByRole('button', { name: /^Write \d+ files?$/ });
  await write.waitFor();
  assert.deepEqual([writes.length, existsSync(written)], [0, false]);
  await write.dblclick();
  await dialog.getByRole('link', { name: 'Run careless-refund-recorded' }).waitFor();
  assert.deepEqual([writes.length, existsSync(written), complaints], [1, true, []]);
});
