// The life of a world, step by step: how long each step takes, and how much memory a live idle world and a passivated one hold.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledBuild } from '../src/contract/build.js';
import type { WorldRef, Worlds } from '../src/worlds/api.js';
import { openWorlds } from '../src/worlds/worlds.js';
import { type Quantiles, bumpCall, compileRows, quantiles, rowsWorld } from './rows.js';

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const rounds = Number(options.rounds ?? 300);
  const live = Number(options.worlds ?? 10_000);
  const build = await compileRows();
  return { rounds, ...(await withWorlds((worlds) => steps(worlds, build, rounds))), ...(await withWorlds((worlds) => memory(worlds, build, live))) };
}

async function withWorlds<T>(work: (worlds: Worlds) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const worlds = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread', idlePassivationMs: 3_600_000 });
  try {
    return await work(worlds);
  } finally {
    await worlds.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Each round makes a world of 10,000 rows over the shared base, changes some, and walks it through its life. */
async function steps(worlds: Worlds, build: CompiledBuild, rounds: number): Promise<{ [step: string]: Quantiles }> {
  const program = rowsWorld(build, 10_000);
  const names = ['create', 'call', 'snapshot', 'fork', 'forkAtSequence', 'passivate', 'activate', 'reset'] as const;
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as { [Name in (typeof names)[number]]: number[] };
  const timed = async <T>(name: (typeof names)[number], work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const result = await work();
    samples[name].push(performance.now() - from);
    return result;
  };
  for (let round = -5; round < rounds; round++) {
    if (round === 0) for (const name of names) samples[name].length = 0;
    const id = (part: number): string => `world_${String((round + 5) * 10 + part).padStart(12, '0')}`;
    const world = await timed('create', () => worlds.create({ ...program, worldId: id(0) }));
    for (let call = 0; call < 20; call++) await timed('call', () => world.command(bumpCall(call * 7)));
    await timed('snapshot', () => world.command({ kind: 'snapshot' }));
    const fork = await timed('fork', () => world.fork({ worldId: id(1) }));
    const earlier = await timed('forkAtSequence', () => world.fork({ worldId: id(2), atSequence: 21 }));
    await timed('passivate', () => world.passivate());
    await timed('activate', () => world.query({ kind: 'budgets' }));
    await timed('reset', () => world.command({ kind: 'reset' }));
    for (const made of [world, fork.world, earlier.world]) await made.destroy();
  }
  return Object.fromEntries(names.map((name) => [name, quantiles(samples[name])]));
}

/** Resident memory of the process, a live idle world and a passivated one; every world has had a call. */
async function memory(worlds: Worlds, build: CompiledBuild, count: number): Promise<object> {
  const program = rowsWorld(build, 1000);
  const all: WorldRef[] = [];
  const before = resident();
  for (let from = 0; from < count; from += 100) {
    const batch = Array.from({ length: Math.min(100, count - from) }, (_, index) =>
      worlds.create({ ...program, worldId: `world_m${String(from + index).padStart(11, '0')}` }),
    );
    const made = await Promise.all(batch);
    await Promise.all(made.map((world) => world.command(bumpCall(1))));
    all.push(...made);
  }
  const live = resident();
  for (let from = 0; from < all.length; from += 100) await Promise.all(all.slice(from, from + 100).map((world) => world.passivate()));
  const passivated = resident();
  const each = (bytes: number): number => Number((bytes / 1000 / count).toFixed(1));
  return { worlds: count, liveKbEach: each(live - before), passivatedKbEach: each(passivated - before) };
}

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
