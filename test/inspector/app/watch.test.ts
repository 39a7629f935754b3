// The page while somebody edits: which drills a change concerns, one click to run them, and the compiler's words over the page.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { axeViolations } from './browser-kit.js';
import { openDesk, browserOptions as options } from './desk.js';

/** Writes until the page shows it: the watch opens in its own time. */
async function shown(place: Locator, write: (round: number) => void): Promise<void> {
  for (let round = 1; ; round++) {
    write(round);
    const isShown = await place.waitFor({ timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    if (isShown) return;
  }
}

test('a change of an agent is run again with one click, and a broken file is shown with its line', options, async (t) => {
  const { page, root, open, complaints } = await openDesk(t, { drills: [], watch: true });
  await open('#/world');
  const agent = join(root, 'agents/careless-agent.mjs');
  const text = readFileSync(agent, 'utf8');
  const news = page.getByRole('status', { name: 'The source changed' });
  await shown(news, (round) => writeFileSync(agent, `${text}\nexport const changed = ${round};\n`));
  await news.getByText(/^agents\/careless-agent\.mjs changed\. It concerns/).waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await news.getByRole('button', { name: /^Run / }).click();
  await news.waitFor({ state: 'detached' });
  await open('#/drills/careless-refund');
  await page.getByRole('region', { name: 'Run request 1, finished' }).waitFor({ timeout: 60_000 });
  const drill = join(root, 'drillyard/drills/careless-refund.drill.yaml');
  const yaml = readFileSync(drill, 'utf8');
  const broken = page.getByRole('region', { name: 'The source does not compile' });
  await shown(broken, (round) => writeFileSync(drill, `${yaml.replace('careless-agent', 'no-such-agent')}# ${round}\n`));
  await broken.getByText('targetId: no-such-agent').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  writeFileSync(drill, yaml);
  await broken.waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('a run of source that does not compile says what is wrong in which line, and World knows it too', options, async (t) => {
  const { page, root, open, complaints } = await openDesk(t, { drills: [] });
  await open('#/drills/careless-refund');
  const drill = join(root, 'drillyard/drills/careless-refund.drill.yaml');
  writeFileSync(drill, readFileSync(drill, 'utf8').replace('careless-agent', 'no-such-agent'));
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const request = page.getByRole('region', { name: 'Run request 1, failed' });
  await request.getByText(/^drillyard\/drills\/careless-refund\.drill\.yaml:\d+:\d+/).waitFor({ timeout: 60_000 });
  await request.getByText("there is no target 'no-such-agent'", { exact: true }).waitFor();
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(complaints, []);
  // What is known to be broken is refused at once, with the way to what is wrong.
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('link', { name: 'Every diagnostic, with its line' }).click();
  await page.waitForURL(/#\/world\/diagnostics$/);
  await page
    .getByText(/there is no target 'no-such-agent'/)
    .first()
    .waitFor();
});
