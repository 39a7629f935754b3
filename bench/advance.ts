// A time advance of many events against its floor. Each event reads and writes one of 1,000 rows and leaves an `event` and a `state_change`
// entry, durably, through the actor, as a user's advance runs. The floor does the least that could be called the same, in this process and
// run. Where other work shares the processors, the ratio of processor time (`wholeToFloorCpu`, all threads) says more than the clock's.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorldRef } from '../src/worlds/api.js';
import { openWorlds } from '../src/worlds/worlds.js';
import { runFloor } from './advance-floor.js';
import { residentBytes } from './resident.js';
import { advanceBumps, bumpCall, bumpedRows, compileRows, rowsWorld, scheduleBumps } from './rows.js';

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const events = Number(options.events ?? 500_000);
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const program = rowsWorld(await compileRows(), bumpedRows);
  const worlds = await openWorlds({
    directory,
    layout: 'run',
    durability: 'committed',
    hosts: 1,
    isolation: 'thread',
    idlePassivationMs: 3_600_000,
  });
  try {
    let made = 0;
    const make = (): Promise<WorldRef> => worlds.create({ ...program, worldId: `run_${String(made++).padStart(12, '0')}` });
    // What a long-lived host has behind it: compiled code.
    await measure({ world: await make(), other: await make(), events: Math.min(events, 50_000) });
    const sizes = options.alone === true ? [events] : [Math.ceil(events / 100), Math.ceil(events / 10), events];
    const measured: Measured[] = [];
    for (const size of sizes) {
      // What is short is measured three times: the best is what it costs.
      const tries: Measured[] = [];
      for (let count = size === events ? 1 : 3; count > 0; count--)
        tries.push(await measure({ world: await make(), other: await make(), events: size }));
      measured.push(tries.reduce((best, one) => (one.seconds < best.seconds ? one : best)));
    }
    const last = measured[measured.length - 1] as Measured;
    const dbMb = megabytes(statSync(join(directory, `run_${String(made - 2).padStart(12, '0')}`, 'data.mdb')).size);
    const cpuBefore = cpuSeconds();
    const floorSeconds = await runFloor({ events, rows: bumpedRows });
    const floorCpuSeconds = cpuSeconds() - cpuBefore;
    return {
      ...last,
      eventsPerSecond: Math.round(events / last.seconds),
      floorSeconds: rounded(floorSeconds),
      ratioToFloor: rounded(last.seconds / floorSeconds),
      wholeToFloor: rounded((last.schedulingSeconds + last.seconds + last.positionSeconds) / floorSeconds),
      wholeToFloorCpu: rounded(last.cpuSeconds / floorCpuSeconds),
      dbMb,
      exponent: exponentOf(measured),
      secondsBySize: Object.fromEntries(measured.map(({ events: size, seconds }) => [size, seconds])),
    };
  } finally {
    await worlds.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Measured {
  events: number;
  seconds: number;
  schedulingSeconds: number;
  positionSeconds: number;
  /** The slowest read of another world of the host while the position was made. */
  otherWorldMs: number;
  /** Of processors, all threads: schedule, advance and position. */
  cpuSeconds: number;
  /** While all three ran; the process's own is without pages of mapped files, of which the data file's are as many as have been read. */
  peakRssMb: number;
  peakOwnMb: number;
  /** The process's own memory when a tenth, and when all, of the events had fired. */
  ownEarlyMb: number;
  ownLateMb: number;
}

async function measure({ world, other, events }: { world: WorldRef; other: WorldRef; events: number }): Promise<Measured> {
  await other.command(bumpCall(1));
  const peak = new PeakMemory();
  const cpuBefore = cpuSeconds();
  const scheduling = performance.now();
  await scheduleBumps(world, events);
  const schedulingSeconds = secondsSince(scheduling);
  let early = 0;
  let late = 0;
  const started = performance.now();
  await advanceBumps(world, events, (fired) => {
    late = residentBytes();
    if (early === 0 && fired >= events / 10) early = late;
  });
  const seconds = secondsSince(started);
  const { positionSeconds, otherWorldMs } = await readPosition(world, other);
  const cpu = cpuSeconds() - cpuBefore;
  const { all, own } = peak.end();
  const [peakRssMb, peakOwnMb, ownEarlyMb, ownLateMb] = [all, own, early, late].map(megabytes) as [number, number, number, number];
  return {
    events,
    seconds: rounded(seconds),
    schedulingSeconds: rounded(schedulingSeconds),
    positionSeconds: rounded(positionSeconds),
    otherWorldMs,
    cpuSeconds: rounded(cpu),
    peakRssMb,
    peakOwnMb,
    ownEarlyMb,
    ownLateMb,
  };
}

/** Looks at the memory now and then until it is ended. */
class PeakMemory {
  #all = 0;
  #own = 0;
  readonly #timer = setInterval(() => this.#look(), 20);

  #look(): void {
    this.#all = Math.max(this.#all, process.memoryUsage.rss());
    this.#own = Math.max(this.#own, residentBytes());
  }
  end(): { all: number; own: number } {
    clearInterval(this.#timer);
    this.#look();
    return { all: this.#all, own: this.#own };
  }
}

/** The first position after the advance: both digests, while another world of the same host is asked something again and again. */
async function readPosition(world: WorldRef, other: WorldRef): Promise<{ positionSeconds: number; otherWorldMs: number }> {
  const started = performance.now();
  let done = false;
  const reading = world.query({ kind: 'position' }).then(() => {
    done = true;
    return secondsSince(started);
  });
  let slowest = 0;
  while (!done) {
    const asked = performance.now();
    await other.query({ kind: 'budgets' });
    slowest = Math.max(slowest, performance.now() - asked);
  }
  return { positionSeconds: await reading, otherWorldMs: rounded(slowest) };
}

/** Of time in events: the slope between the smallest and the largest size, both logarithmic. 1 is linear. */
function exponentOf(measured: readonly Measured[]): number {
  const [first, last] = [measured[0] as Measured, measured[measured.length - 1] as Measured];
  return first === last ? 1 : rounded(Math.log(last.seconds / first.seconds) / Math.log(last.events / first.events));
}

const secondsSince = (started: number): number => (performance.now() - started) / 1000;
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
const rounded = (value: number): number => Number(value.toFixed(3));
