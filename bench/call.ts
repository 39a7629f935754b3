// Tool calls in process, through the actor: each reads and writes a row, leaves evidence and is answered after its commit.
// One caller waits for each answer (latency); 64 callers on as many worlds of one host share group commits (throughput).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledBuild } from '../src/contract/build.js';
import { openWorlds } from '../src/worlds/worlds.js';
import { bumpCall, compileRows, type Quantiles, quantiles, rowsWorld } from './rows.js';

interface CallFigures extends Quantiles {
  callsPerSecond: number;
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const calls = Number(options.calls ?? 30_000);
  const build = await compileRows();
  const figures: { [name: string]: CallFigures } = {};
  for (const durability of ['committed', 'flushed'] as const) {
    for (const callers of [1, 64]) {
      const share = durability === 'flushed' && callers === 1 ? calls / 10 : calls;
      figures[`${durability}${callers}`] = await measure({ build, durability, callers, calls: share });
    }
  }
  return { calls, ...figures };
}

async function measure(options: { build: CompiledBuild; durability: 'committed' | 'flushed'; callers: number; calls: number }): Promise<CallFigures> {
  const { build, durability, callers, calls } = options;
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const worlds = await openWorlds({ directory, layout: 'shared', durability, hosts: 1, isolation: 'thread' });
  const program = rowsWorld(build, 1000);
  const all = await Promise.all(
    Array.from({ length: callers }, (_, index) => worlds.create({ ...program, worldId: `world_${String(index).padStart(12, '0')}` })),
  );
  const samples: number[] = [];
  const caller = async (index: number, count: number, kept: number[]): Promise<void> => {
    for (let call = 0; call < count; call++) {
      const from = performance.now();
      await all[index]?.command(bumpCall((call * 7) % 1000));
      kept.push(performance.now() - from);
    }
  };
  await Promise.all(all.map((_, index) => caller(index, Math.ceil(2000 / callers), [])));
  const from = performance.now();
  await Promise.all(all.map((_, index) => caller(index, Math.ceil(calls / callers), samples)));
  const seconds = (performance.now() - from) / 1000;
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
  return { callsPerSecond: Math.round(samples.length / seconds), ...quantiles(samples) };
}
