// What axe objects to on a page of a browser.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The ids of axe's rules that do not hold, each with the first place. */
export async function axeViolations(page: Page): Promise<string[]> {
  // A page keeps it from view to view.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeSource);
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(options: { resultTypes: string[] }): Promise<Found> } };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}
