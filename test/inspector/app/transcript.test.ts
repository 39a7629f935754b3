// What an agent says, beside the entries: while it is at work, in its saved run and in its report; and nothing that it says becomes HTML.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { axeViolations, openBrowser } from './browser-kit.js';
import { openDesk, browserOptions as options } from './desk.js';

const hostile = [
  '# I refund **990**',
  '<img src=x onerror="document.title=1"><script>document.title=1</script>',
  '[a trap](javascript:document.title=1) [data](data:text/html,x) [policy](https://policies.test/refunds)',
  '![picture](https://elsewhere.test/pixel.png)',
  '- one',
  '- `two`',
  '```html',
  '</script><b>fenced</b>',
  '```',
].join('\n');

/** Says something, waits for a file, and does nothing: the drill fails. */
const agentText = (go: string) => `
  import { existsSync } from 'node:fs';
  export default async (_, { world, message, log }) => {
    message({ role: 'assistant', content: ${JSON.stringify(hostile)} });
    await world.call('payments', 'charge.list', { limit: 1 });
    log('one charge is enough');
    message({ role: 'assistant', content: 'I leave it at that.' });
    while (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 20));
  };`;

async function requireInert(page: Page): Promise<void> {
  const said = page.getByRole('region', { name: 'What the agent said' });
  await said.getByText('<img src=x onerror=', { exact: false }).waitFor();
  assert.equal(await said.locator('img, script, b, iframe').count(), 0);
  assert.deepEqual(await said.locator('.markdown a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))), [
    'https://policies.test/refunds',
    'https://elsewhere.test/pixel.png',
  ]);
  assert.equal(await said.locator('strong', { hasText: '990' }).count(), 1);
  assert.equal(await said.locator('pre', { hasText: '</script><b>fenced</b>' }).count(), 1);
  assert.notEqual(await page.title(), '1');
}

test('what an agent says stands beside its calls, live, saved and in the report, and none of it becomes HTML', options, async (t) => {
  const { root, page, open, complaints } = await openDesk(t, { drills: [] });
  const go = join(root, 'go');
  t.after(() => writeFileSync(go, ''));
  writeFileSync(join(root, 'agents/careless-agent.mjs'), agentText(go));
  await open('#/drills/careless-refund');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('link', { name: 'Trial 1' }).click();
  const said = page.getByRole('region', { name: 'What the agent said' });
  await said.getByText('I leave it at that.').waitFor({ timeout: 60_000 });
  await said.getByText('one charge is enough').waitFor();
  await requireInert(page);
  writeFileSync(go, '');
  await page.getByRole('heading', { name: 'An agent that asks again with a new key pays twice' }).waitFor();
  await page.locator('.findings').waitFor({ timeout: 60_000 });
  await requireInert(page);
  assert.deepEqual(await axeViolations(page), []);
  await said.getByRole('listitem').filter({ hasText: 'payments.charge.list' }).getByRole('button').click();
  const pane = page.getByRole('complementary');
  await pane.getByRole('heading', { name: 'What the agent said before it' }).waitFor();
  await pane.getByText('I leave it at that.').waitFor();
  assert.ok(await page.getByRole('listbox', { name: 'Journal entries' }).locator('.said', { hasText: 'I leave it at that.' }).count());
  assert.deepEqual(complaints, []);
  const runId = /run_[0-9a-z]+/.exec(page.url())?.[0] as string;
  const report = pathToFileURL(join(root, '.service/reports', runId, 'index.html')).href;
  const saved = await openBrowser(t, report);
  const document = await saved.context.newPage();
  await document.goto(report);
  await document.waitForSelector('html.ready');
  await requireInert(document);
  assert.deepEqual(await axeViolations(document), []);
  assert.deepEqual(saved.complaints, []);
});
