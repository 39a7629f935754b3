// Two runs of 200,000 entries, of which the second makes one call more before all the others, so that nothing after it stands where it did:
// how long the inspector takes to compare them, the first time, and the same beginning to its end. And the page of the report of one of
// them.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunReport } from '../src/contract/run/run-events.js';
import { runDrills, startLocalInspector } from '../src/index.js';
import { reportFigures } from './inspector-page.js';
import { writeTicks } from './ticks.js';

/** All in all just below 200,000 entries, of which all are aligned. */
export async function comparisonFigures(entries = 199_980): Promise<object> {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  try {
    writeTicks(root, { entries, rows: 5000 });
    await runDrills({ root });
    await runDrills({ root, seed: '7' });
    const agent = join(root, 'agents/winder.mjs');
    const more = "{ await world.call('ticks', 'start', { ticks: 1 }); ";
    writeFileSync(agent, readFileSync(agent, 'utf8').replace('void (await', `${more}return void (await`).replace(/;\n$/, ' };\n'));
    await runDrills({ root });
    const [one, seeded, shifted] = readdirSync(join(root, '.service/reports')).filter((name) => name.startsWith('run_')) as [
      string,
      string,
      string,
    ];
    for (const runId of [one, seeded, shifted]) mustBeWhole(join(root, '.service/reports', runId), entries);
    return {
      comparisonSameBeginningSeconds: await timed(root, one, seeded),
      comparisonShiftedSeconds: await timed(root, one, shifted),
      ...(await reportFigures(join(root, '.service/reports', one, 'index.html'))),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A run that ended early would be compared in no time. */
function mustBeWhole(folder: string, entries: number): void {
  const { result } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as RunReport;
  if (result.verdict !== 'passed' || result.evidenceRange.toSequence < entries)
    throw new Error(`${result.identity.runId} ${result.verdict} after ${result.evidenceRange.toSequence} of ${entries} entries`);
}

async function timed(root: string, left: string, right: string): Promise<number> {
  const inspector = await startLocalInspector({ root });
  try {
    const began = performance.now();
    const response = await fetch(`${inspector.baseUrl}/api/v1/comparisons`, {
      method: 'POST',
      headers: { authorization: `Bearer ${inspector.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ left, right }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    return Number(((performance.now() - began) / 1000).toFixed(2));
  } finally {
    await inspector.close();
  }
}
