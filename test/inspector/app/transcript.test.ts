// What an agent says, beside the entries: while it is at work, in its saved run and in its report; and nothing that it says becomes HTML.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { runDrills } from '../../../src/index.js';
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

test('of what an agent says at length a page draws a part, and all of it where somebody asks', options, async (t) => {
  const { root, page, open, complaints } = await openDesk(t, { drills: [] });
  const texts = ['a\n>\n', '**b** ', '```\n~~~\n'].map((piece) => piece.repeat(16_000 / piece.length));
  const says = texts.map((text) => `message({ role: 'assistant', content: ${JSON.stringify(text)} });`).join('\n');
  const agent = `export default async (_, { message }) => { ${says} message({ role: 'assistant', content: 'and then' }); };`;
  writeFileSync(join(root, 'agents/careless-agent.mjs'), agent);
  const { drills } = await runDrills({ root, drills: ['careless-refund'] });
  const runId = drills[0]!.trials[0]!.attempts[0]!.runId;
  const requirePart = async (where: Page): Promise<void> => {
    const said = where.getByRole('region', { name: 'What the agent said' }).locator('.said-line');
    await said.filter({ hasText: 'and then' }).waitFor();
    const drawn = await said.evaluateAll((lines) => lines.map((line) => line.querySelectorAll('*').length));
    assert.deepEqual([drawn.length, drawn.filter((elements) => elements > 1_000)], [texts.length + 1, []]);
    const first = said.first();
    await first.getByRole('button', { name: 'Show all of it (16,000 characters)' }).click();
    await first
      .locator('blockquote')
      .nth(texts[0]!.split('>').length - 2)
      .waitFor({ state: 'attached' });
    assert.equal(await first.getByRole('button').count(), 0);
    assert.equal(await said.getByRole('button', { name: /^Show all of it/ }).count(), texts.length - 1);
  };
  await open(`#/runs/${runId}`);
  await requirePart(page);
  assert.deepEqual(complaints, []);
  const report = pathToFileURL(join(root, '.service/reports', runId, 'index.html')).href;
  const saved = await openBrowser(t, report);
  const document = await saved.context.newPage();
  await document.goto(report);
  await document.waitForSelector('html.ready');
  await requirePart(document);
  assert.deepEqual(saved.complaints, []);
});
