// The CLI binding as an agent uses it: a process for each call. From its start to its end, beside a Node.js that does nothing, in turns.
//   npm run bench -- cli [--calls 20] [--json]
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createBindings } from '../src/bindings/create-bindings.js';
import { openWorlds } from '../src/worlds/worlds.js';
import { compileRows, quantiles, rowsWorld } from './rows.js';

const start = promisify(execFile);
const bin = fileURLToPath(new URL('../../bin/drillyard.js', import.meta.url));

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const calls = Number(options.calls ?? 20);
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const worlds = await openWorlds({ directory, layout: 'run', durability: 'committed', hosts: 1, isolation: 'thread' });
  const world = await worlds.create({ worldId: 'world_000000000000', ...rowsWorld(await compileRows(), 10) });
  const bindings = createBindings();
  const { endpoints } = await bindings.open({ world, actorId: 'worker', bindings: ['cli'] });
  const env = { SERVICE_CLI_URL: endpoints.cli?.url, SERVICE_CLI_TOKEN: endpoints.cli?.token };
  const subjects: { [name: string]: string[] } = {
    floor: ['-e', '0'],
    call: [bin, 'world', 'call', 'rows', 'bump', '{"row":"r1"}'],
    tools: [bin, 'world', 'tools'],
  };
  const samples: { [name: string]: number[] } = { floor: [], call: [], tools: [] };
  for (let index = -1; index < calls; index++) {
    for (const [name, words] of Object.entries(subjects)) {
      const from = performance.now();
      await start(process.execPath, words, { env });
      // The first of each fills the system's caches.
      if (index >= 0) samples[name]?.push(performance.now() - from);
    }
  }
  await bindings.close();
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
  const figures = Object.fromEntries(
    Object.entries(samples).map(([name, times]) => [name, { minMs: Math.round(Math.min(...times)), ...quantiles(times) }]),
  );
  return { calls, ...figures, callToFloor: ratio(samples.call, samples.floor) };
}

/** Of the medians. */
function ratio(samples: number[] = [], floor: number[] = []): number {
  return Number((quantiles(samples).p50Ms / quantiles(floor).p50Ms).toFixed(2));
}
