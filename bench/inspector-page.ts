// Pages in headless Chromium. The inspector's web app with a large run: how soon something is painted and the journal is there, also from
// the list of runs, and how smoothly it scrolls. And the page of a report, as a file.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '../test/inspector/app/chromium.js';

export interface PageFigures {
  /** Medians of five tabs: the first pixels with content, and the entry that the address names. */
  firstPaintMs: number;
  entryShownMs: number;
  /** Median of five clicks in the list of runs, until the journal is there; the first reads the report. */
  openRunMs: number;
  openRunFirstMs: number;
  /** Over two seconds of scrolling a screen's part a frame; 60 is all that a screen shows. */
  framesPerSecond: number;
}

/** Undefined where there is no Chromium. */
export async function pageFigures({
  appUrl,
  runId,
  sequence,
}: {
  appUrl: string;
  runId: string;
  sequence: number;
}): Promise<PageFigures | undefined> {
  return inChromium(async (context) => {
    const paints: number[] = [];
    const shown: number[] = [];
    const opened: number[] = [];
    for (let tab = 0; tab < 5; tab++) {
      const page = await context.newPage();
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(appUrl.replace('#', '#/runs?'));
      const link = page.locator(`a[href*="${runId}"]`).first();
      await link.waitFor();
      opened.push(await page.evaluate<number>(openedFrom(runId)));
      await page.close();
    }
    let page: Page | undefined;
    for (let tab = 0; tab < 5; tab++) {
      await page?.close();
      page = await context.newPage();
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(appUrl.replace('#', `#/runs/${runId}?seq=${sequence}&`));
      await page.waitForSelector('.entry-row.chosen .text');
      shown.push(await page.evaluate<number>('performance.now()'));
      paints.push(await page.evaluate<number>(firstPaint));
    }
    const [openRunFirstMs] = opened.map(Math.round) as [number];
    return {
      firstPaintMs: median(paints),
      entryShownMs: median(shown),
      openRunMs: median(opened),
      openRunFirstMs,
      framesPerSecond: Math.round(await (page as Page).evaluate<number>(scroll)),
    };
  });
}

/** Medians of five tabs: the first pixels with content, and the end of loading. Undefined where there is no Chromium. */
export async function reportFigures(path: string): Promise<object | undefined> {
  return inChromium(async (context) => {
    const paints: number[] = [];
    const loads: number[] = [];
    for (let tab = 0; tab < 5; tab++) {
      const page = await context.newPage();
      await page.goto(pathToFileURL(path).href);
      await page.locator('#journal .entry-row').first().waitFor();
      paints.push(await page.evaluate<number>(firstPaint));
      loads.push(await page.evaluate<number>("performance.getEntriesByType('navigation')[0].loadEventEnd"));
      await page.close();
    }
    return { reportMb: Number((statSync(path).size / 1e6).toFixed(2)), reportPaintMs: median(paints), reportLoadMs: median(loads) };
  });
}

async function inChromium<T>(measure: (context: BrowserContext) => Promise<T>): Promise<T | undefined> {
  if (chromiumPath === undefined) return undefined;
  const profile = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath,
    headless: true,
    args: chromiumArguments,
  });
  try {
    return await measure(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

// These run in the page.
const firstPaint = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
/** From the click to the frame in which the first entry of the journal has its text. */
const openedFrom = (runId: string): string => `(async () => {
  const began = performance.now();
  document.querySelector('a[href*="${runId}"]').click();
  while (document.querySelector('.entry-row .text') === null) await new Promise(requestAnimationFrame);
  return performance.now() - began;
})()`;
const scroll = `(async () => {
  const list = document.querySelector('[role=listbox]');
  const began = performance.now();
  let frames = 0;
  for (; performance.now() - began < 2000; frames++) {
    list.scrollTop += 120;
    await new Promise(requestAnimationFrame);
  }
  return frames / ((performance.now() - began) / 1000);
})()`;

function median(values: number[]): number {
  return Math.round(values.sort((left, right) => left - right)[values.length >> 1] as number);
}
