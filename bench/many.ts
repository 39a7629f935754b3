// Many worlds that advance at once on two hosts, against one world with as many events: what turns among worlds cost, and whether they are
// fair. Seconds of a world count from when all were asked until it is answered.
//   npm run bench -- many [--worlds 1000] [--events 5000] [--rounds 1] [--json]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorldRef, Worlds } from '../src/worlds/api.js';
import { openWorlds } from '../src/worlds/worlds.js';
import { residentBytes } from './resident.js';
import { advanceBumps, bumpedRows, compileRows, rowsWorld, scheduleBumps } from './rows.js';

const hosts = 2;

interface Round {
  eventsPerSecond: number;
  singleEventsPerSecond: number;
  ratioToSingle: number;
  slowestToFastest: number;
  /** Of a processor, an event. */
  cpuUs: number;
  singleCpuUs: number;
  ownMb: number;
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const { worlds = 1000, events = 5000, rounds = 1 } = options;
  const all: Round[] = [];
  for (let round = 0; round < Number(rounds); round++) {
    all.push(await measure(Number(worlds), Number(events)));
    console.error(JSON.stringify(all.at(-1)));
  }
  return { worlds: Number(worlds), events: Number(events), hosts, rounds: all };
}

/** In turns in one process, each with data of its own. */
async function measure(count: number, events: number): Promise<Round> {
  const single = await withWorlds(async (make) => {
    const world = await make(0);
    await scheduleBumps(world, count * events);
    return await costOf(() => advanceBumps(world, count * events));
  });
  const { cost, each, ownMb } = await withWorlds(async (make) => {
    const all: WorldRef[] = [];
    for (let index = 0; index < count; index++) all.push(await make(index));
    for (const world of all) await scheduleBumps(world, events);
    let each: number[] = [];
    const cost = await costOf(async () => {
      each = await Promise.all(all.map((world) => secondsOf(() => advanceBumps(world, events))));
    });
    return { cost, each, ownMb: Math.round(residentBytes() / 1e6) };
  });
  const rate = (taken: number): number => Math.round((count * events) / taken);
  return {
    eventsPerSecond: rate(cost.seconds),
    singleEventsPerSecond: rate(single.seconds),
    ratioToSingle: rounded(single.seconds / cost.seconds),
    slowestToFastest: rounded(Math.max(...each) / Math.min(...each)),
    cpuUs: rounded(cost.cpuUs / (count * events)),
    singleCpuUs: rounded(single.cpuUs / (count * events)),
    ownMb,
  };
}

async function withWorlds<T>(work: (make: (index: number) => Promise<WorldRef>) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const program = rowsWorld(await compileRows(), bumpedRows);
  const worlds: Worlds = await openWorlds({
    ...{ directory, layout: 'shared', durability: 'committed', hosts, isolation: 'thread', idlePassivationMs: 3_600_000 },
  });
  const make = (index: number): Promise<WorldRef> => worlds.create({ ...program, worldId: `world_${String(index).padStart(12, '0')}` });
  try {
    // What a long-lived host has behind it: compiled code.
    for (let index = 0; index < 2 * hosts; index++) {
      const warm = await make(1_000_000 + index);
      await scheduleBumps(warm, 20_000);
      await advanceBumps(warm, 20_000);
    }
    return await work(make);
  } finally {
    await worlds.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function costOf(work: () => Promise<unknown>): Promise<{ seconds: number; cpuUs: number }> {
  const before = process.cpuUsage();
  const seconds = await secondsOf(work);
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpuUs: user + system };
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

const rounded = (value: number): number => Number(value.toFixed(3));
