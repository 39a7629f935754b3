// A desk in a browser: the example with runs that were played once, an inspector over it, and a page in the inspector.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type LocalInspector, runDrills, startLocalInspector } from '../../../src/index.js';
import { noBrowser, openBrowser, sharedContext } from './browser-kit.js';
import { writeLongReport } from './long-report.js';

const example = fileURLToPath(new URL('../../../../examples/01-support-desk', import.meta.url));
export const browserOptions = { skip: noBrowser, timeout: 120_000 };
export const longRun = 'run_00000000000000long';

export interface Desk {
  /** The repository. */
  root: string;
  page: Page;
  baseUrl: string;
  token: string;
  complaints: string[];
  asked: string[];
  runs: { [drillId: string]: string[] };
  open(hash: string): Promise<void>;
  /** Ends the inspector, as Ctrl-C does. */
  close(): Promise<void>;
}

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-desk-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
function exampleAt(root: string): string {
  cpSync(example, root, { recursive: true, filter: (name) => !name.endsWith('.service') });
  return root;
}

interface Played {
  service: string;
  runIds: string[];
}
const playedOnce = new Map<string, Promise<Played>>();
/** A drill is played once for all desks; each gets a copy of what it left. */
function played(drillId: string): Promise<Played> {
  const playing = playedOnce.get(drillId) ?? play(drillId);
  playedOnce.set(drillId, playing);
  return playing;
}
async function play(drillId: string): Promise<Played> {
  const root = exampleAt(join(scratch, drillId));
  const { drills } = await runDrills({ root, drills: [drillId] });
  const runIds = drills.flatMap(({ trials }) => trials.flatMap(({ attempts }) => attempts.map(({ runId }) => runId)));
  return { service: join(root, '.service'), runIds };
}

/** The page in two looks, wide and light, narrow and dark: of what is on it axe and the width are asked in each. */
export async function* looksOf(page: Page): AsyncGenerator<string> {
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    yield `${colorScheme} ${width}`;
  }
}

export interface DeskOptions {
  /** Played before. */
  drills: string[];
  /** Of a long report beside them, and at how many moments. Default: there is none. */
  entries?: number;
  moments?: number;
  watch?: boolean;
  /** For a context of its own (browser-kit.ts). */
  context?: BrowserContextOptions;
}

export interface PlayedWorld {
  worldId: string;
  /** Returns how far its journal reaches then. */
  call(packageId: string, operationId: string, args: object): Promise<number>;
  reset(): Promise<void>;
}

/** A world to play with that nobody made in the page: by the API, as a script does it. */
export async function playWorld({ baseUrl, token }: Pick<Desk, 'baseUrl' | 'token'>, start: object): Promise<PlayedWorld> {
  const ask = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}/api/v1/worlds${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} ${response.status} ${await response.text()}`);
    return (await response.json()) as { world: { worldId: string; position: { evidenceSequence: number } } };
  };
  const { worldId } = (await ask('', start)).world;
  return {
    worldId,
    call: async (packageId, operationId, args) =>
      (await ask(`/${worldId}/calls`, { actorId: 'support-agent', packageId, operationId, arguments: args })).world.position
        .evidenceSequence,
    reset: async () => void (await ask(`/${worldId}/reset`, {})),
  };
}

export async function openDesk(t: TestContext, options: DeskOptions): Promise<Desk> {
  const { inspector, ...shown } = await openRepository(options);
  t.after(() => inspector.close());
  const { context, ...heard } = await openBrowser(t, inspector.baseUrl, options.context);
  const page = await newPage(context);
  return { ...shown, ...heard, page, open: opener(page, inspector), close: () => inspector.close() };
}

interface LookedAt {
  repository: OpenRepository;
  page: Page;
  open: Desk['open'];
}
const lookedAt = new Map<string, Promise<LookedAt>>();
after(async () => {
  for (const { repository } of await Promise.all(lookedAt.values())) await repository.inspector.close();
});

/**
 * A desk that tests share, with its page: for those that change nothing but worlds that they make, no file, no run, and nothing that the
 * app keeps. The page comes in the size and the look of a new one, and with another view.
 */
export async function lookAtDesk(t: TestContext, desk: Pick<DeskOptions, 'drills' | 'entries' | 'moments'>): Promise<Omit<Desk, 'close'>> {
  const key = JSON.stringify(desk);
  const looked = lookedAt.get(key) ?? openLookedAt(desk);
  lookedAt.set(key, looked);
  const { repository, page, open } = await looked;
  const { inspector, ...shown } = repository;
  const heard = await openBrowser(t, inspector.baseUrl);
  t.after(() => leaveAsNew(page));
  return { ...shown, ...heard, page, open };
}

async function openLookedAt(desk: DeskOptions): Promise<LookedAt> {
  const repository = await openRepository(desk);
  const page = await newPage(await sharedContext());
  return { repository, page, open: opener(page, repository.inspector) };
}

async function leaveAsNew(page: Page): Promise<void> {
  await page.unrouteAll();
  page.removeAllListeners();
  await page.mouse.move(0, 0);
  await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null });
  await page.setViewportSize(sizeAtFirst);
  // What a view keeps goes with it: the next test may open this one.
  await drawView(page, '#/compare');
}

/** Goes there without waiting for what the view shows. */
export async function drawView(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = '${hash}'; new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
}

const sizeAtFirst = { width: 1440, height: 900 };
async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.setViewportSize(sizeAtFirst);
  return page;
}

interface OpenRepository extends Pick<Desk, 'root' | 'baseUrl' | 'token' | 'runs'> {
  inspector: LocalInspector;
}

async function openRepository({ drills, entries = 0, moments, watch = false }: DeskOptions): Promise<OpenRepository> {
  const root = exampleAt(mkdtempSync(join(scratch, 'desk-')));
  const runs: Desk['runs'] = {};
  for (const drillId of drills) {
    const { service, runIds } = await played(drillId);
    cpSync(service, join(root, '.service'), { recursive: true });
    runs[drillId] = runIds;
  }
  if (entries > 0) writeLongReport(join(root, '.service/reports'), { from: runs[drills[0]!]![0]!, runId: longRun, entries, moments });
  const inspector = await startLocalInspector({ root, watch });
  return { root, inspector, baseUrl: inspector.baseUrl, token: inspector.token, runs };
}

/** The first address hands the token over, as the link that the program prints does: no view is drawn before the one that is wanted. */
function opener(page: Page, { baseUrl, token }: LocalInspector): Desk['open'] {
  let isFirst = true;
  return async (hash) => {
    const handed = `${hash.includes('?') ? '&' : hash === '' ? '#' : '?'}token=${token}`;
    await page.goto(`${baseUrl}/${hash}${isFirst ? handed : ''}`);
    isFirst = false;
    await page.waitForSelector('h1');
    await page.waitForSelector('.skeleton', { state: 'detached' });
  };
}
