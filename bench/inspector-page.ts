// The inspector's web app in headless Chromium, with a large run open: how soon something is painted and the journal is there, how smoothly
// it scrolls.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '../test/inspector/app/chromium.js';

export interface PageFigures {
  /** Medians of five tabs: the first pixels with content, and the entry that the address names. */
  firstPaintMs: number;
  entryShownMs: number;
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
  if (chromiumPath === undefined) return undefined;
  const profile = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath,
    headless: true,
    args: chromiumArguments,
  });
  try {
    const paints: number[] = [];
    const shown: number[] = [];
    let page: Page | undefined;
    for (let tab = 0; tab < 5; tab++) {
      await page?.close();
      page = await context.newPage();
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(appUrl.replace('#', `#/runs/${runId}?seq=${sequence}&`));
      await page.waitForSelector('.entry-row.chosen .text');
      shown.push(await page.evaluate<number>('performance.now()'));
      paints.push(await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"));
    }
    return {
      firstPaintMs: median(paints),
      entryShownMs: median(shown),
      framesPerSecond: Math.round(await (page as Page).evaluate<number>(scroll)),
    };
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** Run in the page. */
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
