// Tool calls in process, through the actor: each reads and writes a row, leaves evidence and is answered after its commit.
// `--isolate thread|process|box` says where the host is.
// One caller waits for each answer (latency); 64 callers on as many worlds of one host share group commits (throughput).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledBuild } from '../src/contract/run/build.js';
import { openIsolated } from './isolated.js';
import { bumpCall, compileRows, type Quantiles, quantiles, rowsWorld } from './rows.js';

interface CallFigures extends Quantiles {
  callsPerSecond: number;
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const calls = Number(options.calls ?? 30_000);
  const { isolate = 'thread' } = options;
  const build = await compileRows();
  const figures: { [name: string]: CallFigures } = {};
  for (const durability of ['committed', 'flushed'] as const) {
    for (const callers of [1, 64]) {
      const share = durability === 'flushed' && callers === 1 ? calls / 10 : calls;
      figures[`${durability}${callers}`] = await measure({ isolate, build, durability, callers, calls: share });
    }
  }
  return { calls, isolate, ...figures };
}

async function measure(options: {
  isolate: string | boolean;
  build: CompiledBuild;
  durability: 'committed' | 'flushed';
  callers: number;
  calls: number;
}): Promise<CallFigures> {
  const { isolate, build, durability, callers, calls } = options;
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const worlds = await openIsolated({ isolate, directory: join(folder, 'worlds'), layout: 'shared', durability, hosts: 1 });
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
  rmSync(folder, { recursive: true, force: true });
  return { callsPerSecond: Math.round(samples.length / seconds), ...quantiles(samples) };
}
