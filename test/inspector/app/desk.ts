// A desk in a browser: the example with runs that were played once, an inspector over it, and a page in the inspector.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { runDrills, startLocalInspector } from '../../../src/index.js';
import { noBrowser, openBrowser } from './browser-kit.js';
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

export async function openDesk(
  t: TestContext,
  { drills, entries = 0, moments, watch = false, context: contextOptions }: DeskOptions,
): Promise<Desk> {
  const root = exampleAt(mkdtempSync(join(scratch, 'desk-')));
  const runs: Desk['runs'] = {};
  for (const drillId of drills) {
    const { service, runIds } = await played(drillId);
    cpSync(service, join(root, '.service'), { recursive: true });
    runs[drillId] = runIds;
  }
  if (entries > 0) writeLongReport(join(root, '.service/reports'), { from: runs[drills[0]!]![0]!, runId: longRun, entries, moments });
  const inspector = await startLocalInspector({ root, watch });
  t.after(() => inspector.close());
  const { context, complaints, asked } = await openBrowser(t, inspector.baseUrl, contextOptions);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${inspector.baseUrl}/#token=${inspector.token}`);
  const open = async (hash: string): Promise<void> => {
    await page.goto(`${inspector.baseUrl}/${hash}`);
    await page.waitForSelector('h1');
    await page.waitForSelector('.skeleton', { state: 'detached' });
  };
  return { root, page, baseUrl: inspector.baseUrl, token: inspector.token, complaints, asked, runs, open, close: () => inspector.close() };
}
