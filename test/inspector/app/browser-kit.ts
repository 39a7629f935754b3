// A browser to try the app in, where the machine has one: Chromium through playwright-core, every page watched for errors.
import { after, type TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumArguments, chromiumPath } from './chromium.js';

export { axeViolations } from './axe.js';

/** For the `skip` of a test: false, or why. */
export const noBrowser: string | false =
  chromiumPath === undefined ? 'no Chromium on this machine (apt-get install chromium, or name one in DRILLYARD_CHROMIUM)' : false;

export interface TestBrowser {
  context: BrowserContext;
  /** What any page complained about: errors, failed requests of the app, requests to elsewhere. */
  complaints: string[];
  /** Every address asked for. */
  asked: string[];
}

/** One for a file; each test has a context of its own, and contexts have nothing in common. */
let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

export async function openBrowser(t: TestContext, baseUrl: string, options: BrowserContextOptions = {}): Promise<TestBrowser> {
  browser ??= chromium.launch({ executablePath: chromiumPath as string, headless: true, args: chromiumArguments });
  const context = await (await browser).newContext(options);
  t.after(() => context.close());
  const [complaints, asked]: [string[], string[]] = [[], []];
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(`page: ${error.error().message}`));
  context.on('request', (request) => {
    asked.push(request.url());
    if (!request.url().startsWith(baseUrl) && !/^(blob|data):/.test(request.url())) complaints.push(`asked elsewhere: ${request.url()}`);
  });
  return { context, complaints, asked };
}

/** Clicks from now on, counted where they arrive: in the page. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    globalThis.clicks ?? addEventListener('click', (event) => { if (event.isTrusted) globalThis.clicks++; }, true);
    globalThis.clicks = 0`);
  return () => page.evaluate('globalThis.clicks');
}
