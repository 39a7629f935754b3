// The local inspector on a run of a million journal entries: over HTTP pages of evidence, state at any entry, search over all of it; in a
// browser the first paint, opening the run and scrolling; and of runs of 200,000 entries a comparison and the page of a report.
//   npm run bench -- inspector [--entries 1000000] [--json]
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { runDrills, startLocalInspector } from '../src/index.js';
import { comparisonFigures } from './inspector-comparison.js';
import { pageFigures } from './inspector-page.js';
import { writeTicks } from './ticks.js';

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const entries = Number(options.entries ?? 1_000_000);
  const root = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  try {
    writeTicks(root, { entries, rows: 5000 });
    const drillSeconds = await seconds(() => runDrills({ root }));
    const [runId] = readdirSync(join(root, '.service/reports')).filter((name) => name.startsWith('run_'));
    const evidenceMb = Math.round(statSync(join(root, '.service/reports', runId as string, 'evidence.jsonl')).size / 1e6);
    const inspector = await startLocalInspector({ root });
    try {
      const api = await apiFigures(inspector, runId as string);
      const appUrl = `${inspector.baseUrl}/#token=${inspector.token}`;
      const page = await pageFigures({ appUrl, runId: runId as string, sequence: Math.floor(entries / 2) });
      return {
        entries,
        drillSeconds: rounded(drillSeconds),
        evidenceMb,
        ...api,
        ...(await comparisonFigures()),
        ...(page ?? { page: 'not measured: no Chromium here' }),
      };
    } finally {
      await inspector.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Measured from a thread of its own: the collector of a client is no part of the inspector. */
async function apiFigures({ baseUrl, token }: { baseUrl: string; token: string }, runId: string): Promise<object> {
  const thread = new Worker(new URL('./inspector-client.js', import.meta.url), { workerData: { baseUrl, token, runId } });
  const [figures] = (await once(thread, 'message')) as [object];
  return { ...figures, rssMb: Math.round(process.memoryUsage.rss() / 1e6) };
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
const rounded = (value: number): number => Number(value.toFixed(2));
