// Takes pictures of every view of the inspector and of the offline report, in every state, width and theme, into a folder outside git. Of
// each it asks axe, and whether the page scrolls sideways or complains; what is wrong is listed at the end, and the exit code is 1.
//   npm run screenshots -- [--out DIR] [--width N]... [--theme light|dark] [--no-check] [WORD ...]
//   npm run screenshots -- --docs      the pictures of docs/images instead
// Only the shots whose name (`state-name`) has one of the words.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { axeViolations } from '../dist/test/inspector/app/axe.js';
import { chromiumArguments, chromiumPath } from '../dist/test/inspector/app/chromium.js';
import { docPictures, groups } from './screenshot-list.mjs';
import { openPlaces } from './screenshot-places.mjs';

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: join(tmpdir(), 'drillyard-screenshots') },
    width: { type: 'string', multiple: true, default: ['1440', '1024', '800', '390'] },
    theme: { type: 'string', multiple: true, default: ['light', 'dark'] },
    'no-check': { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
});
const docsFolder = fileURLToPath(new URL('../docs/images', import.meta.url));
/** A picture is no higher than this, however long the page is. */
const maxHeight = 2600;
const heights = { 1440: 900, 1024: 768, 800: 1000, 390: 844 };
/** Where an error in the console is a problem; elsewhere it is what is shown. */
const mustBeSilent = new Set(['normal', 'empty', 'report']);
const problems = [];
const waiting = [];

if (chromiumPath === undefined) throw new Error('no Chromium on this machine: name one in DRILLYARD_CHROMIUM');
mkdirSync(values.out, { recursive: true });
const browser = await chromium.launch({ executablePath: chromiumPath, headless: true, args: chromiumArguments });
const places = await openPlaces();
const served = {};
try {
  const chosen = (values.docs ? [] : groups)
    .map(({ shots, ...group }) => ({ ...group, shots: shots.filter(([name]) => isAsked(`${group.state}-${name}`)) }))
    .filter(({ shots }) => shots.length > 0);
  for (const group of chosen) {
    served[group.place] ??= await places.serve(places[group.place]);
    const place = served[group.place];
    for (const width of values.width.map(Number)) {
      for (const theme of values.theme) await takeAll(group, { place, width, theme });
    }
  }
  if (values.docs) await takeDocs(await places.serve(places.desk));
  await closeInspectors();
  await takeWithoutServer();
} finally {
  await browser.close();
  await closeInspectors();
  places.remove();
}
for (const problem of problems) console.error(problem);
console.log(`pictures are in ${values.docs ? docsFolder : values.out}; ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

async function closeInspectors() {
  for (const { inspector } of Object.values(served)) await inspector.close();
}

function isAsked(name) {
  return words.length === 0 || words.some((word) => name.includes(word));
}

async function takeAll({ state, shots }, { place, width, theme }) {
  for (const [name, at, act] of shots) {
    const label = `${state}-${name}-${width}-${theme}`;
    // Each has a context of its own: a browser opens few connections to one server, and an open page keeps one.
    const context = await browser.newContext({ viewport: { width, height: heights[width] ?? 900 }, colorScheme: theme });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const complaints = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    try {
      await openPage(page, { state, at: typeof at === 'function' ? at(place) : at, place });
      await act?.(page);
      if (state === 'disconnected') waiting.push({ page, label });
      else await take(page, { label, complaints: mustBeSilent.has(state) ? complaints : [] });
    } catch (error) {
      problems.push(`${label}: ${error.message.split('\n')[0]}`);
      await page.screenshot({ path: join(values.out, `${label}.png`) }).catch(() => undefined);
    }
    if (state !== 'disconnected') await context.close();
  }
}

async function takeDocs(place) {
  for (const { file, state = 'normal', at, act, width, height, theme = 'light' } of docPictures) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
    const page = await context.newPage();
    await openPage(page, { state, at: typeof at === 'function' ? at(place) : at, place });
    await act?.(page);
    await settled(page);
    await page.screenshot({ path: join(docsFolder, `${file}.png`), animations: 'disabled' });
    await context.close();
  }
  await place.inspector.close();
}

/** The end of the inspector is what these pictures are of. */
async function takeWithoutServer() {
  for (const { page, label } of waiting) {
    try {
      await page.locator('.offline').waitFor();
      await take(page, { label, complaints: [] });
    } catch (error) {
      problems.push(`${label}: ${error.message.split('\n')[0]}`);
    }
    await page.context().close();
  }
}

async function openPage(page, { state, at, place: { root, runs, inspector } }) {
  if (state === 'report') {
    await page.goto(pathToFileURL(join(root, '.service/reports', runs[at][0], 'index.html')).href);
    await page.locator('h1').first().waitFor();
    return;
  }
  // The first page takes the token; what follows is held or refused.
  await page.goto(`${inspector.baseUrl}/#token=${inspector.token}`);
  await page.locator('h1').first().waitFor();
  const isApi = (url) => url.pathname.startsWith('/api/v1/') && !url.pathname.endsWith('/events');
  if (state === 'loading') await page.route(isApi, () => undefined);
  if (state === 'refused') {
    const envelope = { code: 'control.INTERNAL', message: 'The disk could not be read.', retryable: false, correlationId: 'cor_0' };
    await page.route(isApi, (route) => route.fulfill({ status: 500, json: envelope }));
  }
  await page.goto(`${inspector.baseUrl}/${at}`);
  if (state === 'loading' || state === 'refused') await page.reload();
  const skeleton = page.locator('.skeleton');
  if (state === 'loading') return await skeleton.first().waitFor();
  await page.locator('main h1, main .notice').first().waitFor();
  while ((await skeleton.count()) > 0) await skeleton.first().waitFor({ state: 'detached' });
}

function settled(page) {
  return page.evaluate('new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 150))');
}

async function take(page, { label, complaints }) {
  await settled(page);
  const { width, height } = page.viewportSize();
  const full = await page.evaluate('document.documentElement.scrollHeight');
  // A picture of the whole page puts a long list back to its top, so a list that is elsewhere is shown in a window as high as the page; but
  // not where a sheet lies at the foot of the window.
  const isScrolled = await page.evaluate(
    "(document.querySelector('.journal')?.scrollTop ?? 0) > 0 && getComputedStyle(document.querySelector('.pane') ?? document.body).position !== 'fixed'",
  );
  if (isScrolled) {
    await page.setViewportSize({ width, height: Math.min(full, maxHeight) });
    await settled(page);
  }
  await page.screenshot({
    path: join(values.out, `${label}.png`),
    fullPage: !isScrolled,
    clip: { x: 0, y: 0, width, height: Math.min(Math.max(full, height), maxHeight) },
    animations: 'disabled',
  });
  for (const complaint of complaints) problems.push(`${label}: ${complaint}`);
  if (values['no-check']) return;
  if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))) problems.push(`${label}: scrolls sideways`);
  for (const violation of await axeViolations(page)) problems.push(`${label}: axe ${violation}`);
}
