// A browser to try the app in, where the machine has one: Chromium through playwright-core, every page watched for errors.
import { existsSync } from 'node:fs';
import { after, type TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
  type Request,
  type WebError,
} from 'playwright-core';
import { chromiumArguments, chromiumPath } from './chromium.js';

export { axeViolations } from './axe.js';

/** The shell, which has no windows, costs two thirds of the processor's time of a whole Chromium. */
const shellPath = '/usr/bin/chromium-headless-shell';
const executablePath = process.env.DRILLYARD_CHROMIUM === undefined && existsSync(shellPath) ? shellPath : chromiumPath;

/** For the `skip` of a test: false, or why. */
export const noBrowser: string | false =
  executablePath === undefined ? 'no Chromium on this machine (apt-get install chromium, or name one in DRILLYARD_CHROMIUM)' : false;

export interface TestBrowser {
  context: BrowserContext;
  /** What any page complained about: errors, failed requests of the app, requests to elsewhere. */
  complaints: string[];
  /** Every address asked for. */
  asked: string[];
}

/** Of the servers that tests start. */
const site = 'http://127.0.0.1';
/** One for a process. */
let browser: Promise<Browser> | undefined;
let shared: Promise<BrowserContext> | undefined;
after(async () => (await browser)?.close());

/** The pages of a site have one renderer, with whatever Chromium would give each. */
function launched(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: executablePath as string,
    headless: true,
    args: [...chromiumArguments, '--process-per-site'],
  });
  return browser;
}

/** For a page that stays from test to test: before the test asks for its browser, which closes what is opened after that. */
export function sharedContext(): Promise<BrowserContext> {
  shared ??= launched().then(openShared);
  return shared;
}

/**
 * A context whose pages are closed after the test. Tests of servers share one, and with it a renderer that has compiled the app: each
 * server has an origin of its own, and storage is by origin. Files have one origin for all, and a test that changes a context as such (a
 * script of each page) gives options: these get one of their own.
 */
export async function openBrowser(t: TestContext, baseUrl: string, options?: BrowserContextOptions): Promise<TestBrowser> {
  const isShared = options === undefined && baseUrl.startsWith(site);
  const context = isShared ? await sharedContext() : await (await launched()).newContext(options);
  const [complaints, asked]: [string[], string[]] = [[], []];
  const onConsole = (message: ConsoleMessage): void => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`);
  };
  const onError = (error: WebError): void => void complaints.push(`page: ${error.error().message}`);
  const onRequest = (request: Request): void => {
    asked.push(request.url());
    if (!request.url().startsWith(baseUrl) && !/^(blob|data):/.test(request.url())) complaints.push(`asked elsewhere: ${request.url()}`);
  };
  context.on('console', onConsole).on('weberror', onError).on('request', onRequest);
  const others = context.pages();
  t.after(async () => {
    context.off('console', onConsole).off('weberror', onError).off('request', onRequest);
    if (!isShared) return context.close();
    for (const page of context.pages()) if (!others.includes(page)) await page.close();
    await context.clearCookies();
    await context.clearPermissions();
  });
  return { context, complaints, asked };
}

/** With a page that stays, so that the renderer does: one serves all pages of a site. */
async function openShared(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(site);
  return context;
}

/** Clicks from now on, counted where they arrive: in the page. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    globalThis.clicks ?? addEventListener('click', (event) => { if (event.isTrusted) globalThis.clicks++; }, true);
    globalThis.clicks = 0`);
  return () => page.evaluate('globalThis.clicks');
}
