// Text of an agent and of a tool that turns the reading order: wherever a page shows it, it is a visible escape.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { drill, moduleAgent, noteIs, notesBehavior, notesTool } from '../../drills/repository.js';
import { runOnce, startTestInspector } from '../inspector-kit.js';
import { openBrowser } from './browser-kit.js';
import { browserOptions as options } from './desk.js';

const turned = 'x\u202egpj.\u202cy';
const anything = { type: 'object' };
const { manifest } = notesTool;
const openTool = {
  ...notesTool,
  manifest: {
    ...manifest,
    state: [{ namespace: 'notes', schema: anything }],
    operations: manifest.operations.map((one) => (one.id === 'note.write' ? { ...one, inputSchema: anything } : one)),
  },
};
const agent = (value: number) => `const turned = ${JSON.stringify(turned)};
  context.message({ role: 'assistant', content: turned });
  context.log(turned);
  context.attach(turned + '.txt', turned, { mediaType: 'text/plain' });
  const write = (more, options) => context.world.call('notes', 'note.write', { id: turned, text: turned, ...more }, options);
  await write({}, { idempotencyKey: turned });
  await write({ [turned]: 1 });
  await write({ [turned]: { [turned]: ${value} } });
  await context.world.call('notes', 'note.get', { id: 'no' + turned }).catch(() => {});
  return { answer: turned };`;
const files = {
  'notes/notes.tool.json': openTool,
  'notes/behavior.ts': notesBehavior.replace("'no such note'", "'no such note: ' + id"),
  ...moduleAgent('turning', agent(2)),
  ...drill('turns', 'turning', [noteIs(turned, 'as it was', { id: 'as-it-was' })], { capture: { logs: 'always', files: 'always' } }),
};

/** Where a page has the character, with all that is folded open. */
async function rawPlaces(page: Page): Promise<string[]> {
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
  await page.waitForSelector('.skeleton', { state: 'detached' });
  return page.evaluate(`(() => {
    const found = [];
    for (const one of document.body.querySelectorAll('*:not(script, style)')) {
      const own = [...one.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.includes('\\u202e'));
      const named = ['title', 'aria-label', 'alt', 'placeholder'].filter((name) => one.getAttribute(name)?.includes('\\u202e'));
      if (own || named.length > 0) found.push([one.parentElement.className, one.tagName, one.className, ...named].join(' '));
    }
    return [...new Set(found)];
  })()`);
}

test('what turns the reading order is a visible escape in every field of a run, its comparison and its report', options, async (t) => {
  const inspector = await startTestInspector(t, { files });
  const { repository, baseUrl, token } = inspector;
  const [left] = await runOnce(repository, { drills: ['turns'] });
  repository.write('agents/turning.mjs', moduleAgent('turning', agent(3))['agents/turning.mjs']!);
  const [right] = await runOnce(repository, { drills: ['turns'] });
  const { context } = await openBrowser(t, baseUrl);
  const page = await context.newPage();
  const raw: string[] = [];
  const look = async (where: Page, name: string): Promise<void> => {
    raw.push(...(await rawPlaces(where)).map((place) => `${name}: ${place}`));
  };
  await page.goto(`${baseUrl}/#token=${token}`);
  const open = async (hash: string): Promise<void> => {
    await page.goto(`${baseUrl}/${hash}`);
    await page.waitForSelector('h1');
  };
  const { evidence } = (await inspector.ask(`/api/v1/runs/${left}`)).json;
  for (let sequence = 1; sequence <= evidence.toSequence; sequence++) {
    await open(`#/runs/${left}?seq=${sequence}`);
    const pane = page.getByRole('complementary', { name: `Entry ${sequence}`, exact: true });
    await pane.getByText('The whole entry, as JSON').waitFor();
    await look(page, `entry ${sequence}`);
  }
  await page.getByRole('button', { name: 'State then' }).click();
  const row = page.getByRole('button', { name: 'x\\u202egpj.\\u202cy', exact: true });
  await row.click();
  await page.getByRole('region', { name: 'History of x\\u202egpj.\\u202cy' }).getByRole('table').first().waitFor();
  await look(page, 'state then');
  for (const part of ['interactions', 'assertions', 'transcript', 'attachments', 'world', 'report']) {
    await open(`#/runs/${left}?part=${part}`);
    await look(page, part);
  }
  await open(`#/runs/${left}?q=gpj`);
  await page.getByRole('listbox', { name: 'Matching journal entries' }).locator('mark').first().waitFor();
  await look(page, 'search');
  await open('#/runs');
  await page.getByRole('link', { name: /turns/ }).first().waitFor();
  await look(page, 'runs');
  await open(`#/compare?left=${left}&right=${right}`);
  await page.getByRole('heading', { name: 'Rows at the end that differ' }).waitFor();
  await look(page, 'comparison');
  const played = (await inspector.post('/api/v1/worlds', { runId: left, atSequence: evidence.toSequence - 1 })).json.world;
  await open(`#/play/${played.worldId}`);
  await page
    .getByRole('region', { name: 'Compared with the run' })
    .getByText(/the same/)
    .first()
    .waitFor();
  await look(page, 'play');
  const report = pathToFileURL(join(inspector.reports, left!, 'index.html')).href;
  const saved = await (await openBrowser(t, report)).context.newPage();
  await saved.goto(report);
  await saved.waitForSelector('html.ready');
  await saved.locator('.changed-row').first().waitFor({ state: 'attached' });
  await look(saved, 'report');
  assert.deepEqual(raw, []);
});
