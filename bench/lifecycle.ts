// The lifecycle of a world, step by step: how long each step takes, and how much memory a live idle world and a passivated one hold.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledBuild } from '../src/contract/run/build.js';
import type { WorldRef, Worlds } from '../src/worlds/api.js';
import { openIsolated } from './isolated.js';
import { residentBytes } from './resident.js';
import { bumpCall, compileRows, type Quantiles, quantiles, rowsWorld } from './rows.js';

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const rounds = Number(options.rounds ?? 300);
  const live = Number(options.worlds ?? 10_000);
  const { isolate = 'thread' } = options;
  const build = await compileRows();
  return {
    rounds,
    isolate,
    ...(await withWorlds(isolate, (worlds) => steps(worlds, build, rounds))),
    ...(await withWorlds(isolate, (worlds) => memory(worlds, build, live))),
  };
}

async function withWorlds<T>(isolate: string | boolean, work: (worlds: Worlds) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const worlds = await openIsolated({
    isolate,
    directory: join(folder, 'worlds'),
    layout: 'shared',
    durability: 'committed',
    hosts: 1,
    idlePassivationMs: 3_600_000,
  });
  try {
    return await work(worlds);
  } finally {
    await worlds.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each round makes a world of 10,000 rows over the shared base, changes some, and walks it through its lifecycle. */
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

/**
 * What a live idle world and a passivated one hold in memory; each has had a call. Passivated: as many worlds again are made, used and
 * taken from memory, batch by batch; what the process has grown by is theirs.
 */
async function memory(worlds: Worlds, build: CompiledBuild, count: number): Promise<object> {
  const program = rowsWorld(build, 1000);
  let made = 0;
  const batch = async (size: number): Promise<WorldRef[]> => {
    const batched = await Promise.all(
      Array.from({ length: size }, () => worlds.create({ ...program, worldId: `world_m${String(made++).padStart(11, '0')}` })),
    );
    await Promise.all(batched.map((world) => world.command(bumpCall(1))));
    return batched;
  };
  const passivated = async (size: number): Promise<void> => {
    for (let left = size; left > 0; left -= 100) for (const world of await batch(Math.min(100, left))) await world.passivate();
  };
  // The first ones pay for compiled code and warm caches.
  await passivated(Math.min(1000, count));
  const before = residentBytes();
  await passivated(count);
  const between = residentBytes();
  for (let left = count; left > 0; left -= 100) await batch(Math.min(100, left));
  const after = residentBytes();
  const each = (bytes: number): number => Number((bytes / 1000 / count).toFixed(1));
  return { worlds: count, liveKbEach: each(after - between), passivatedKbEach: each(between - before) };
}
