// What a trainer asks: episodes of a world, each a reset and steps of one call, in process and over HTTP, in 1, 64 and 1,024 sessions at
// once; and forks of one snapshot, for many continuations of one moment.
//   npm run bench -- rl [--sessions 1,64,1024] [--steps 4000] [--resets 1000] [--forks 1024] [--json]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorldRef, Worlds } from '../src/worlds/api.js';
import { openWorlds } from '../src/worlds/worlds.js';
import { type Pace, startPace } from './pace.js';
import { bumpCall, compileRows, type Quantiles, quantiles, rowsWorld } from './rows.js';
import { startService } from './service.js';
import { SessionLifecycle, StepTimes } from './session-lifecycle.js';

interface Steps extends Pace, Quantiles {}
interface Figures {
  steps: Steps;
  resets: Steps;
}
interface Amounts {
  sessions: number;
  /** Of all sessions together, at least one each. */
  steps: number;
  resets: number;
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const { sessions = '1,64,1024', steps = 4000, resets = 1000, forks = 1024 } = options;
  const figures: { [name: string]: Figures | undefined } = {};
  for (const count of String(sessions)
    .split(',')
    .map(Number)
    .filter((count) => count > 0)) {
    const amounts = { sessions: count, steps: Number(steps), resets: Number(resets) };
    figures[`inProcess${count}`] = await withWorlds((worlds) => inProcess(worlds, amounts));
    figures[`http${count}`] = await overHttp(amounts);
    console.error(JSON.stringify({ [count]: [figures[`inProcess${count}`], figures[`http${count}`]] }));
  }
  return { ...figures, forks: Number(forks) === 0 ? undefined : await withWorlds((worlds) => forksOf(worlds, Number(forks))) };
}

async function withWorlds<T>(work: (worlds: Worlds) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const worlds = await openWorlds({
    ...{ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread', idlePassivationMs: 3_600_000 },
  });
  try {
    return await work(worlds);
  } finally {
    await worlds.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const idOf = (number: number): string => `world_${String(number).padStart(12, '0')}`;

async function inProcess(worlds: Worlds, amounts: Amounts): Promise<Figures> {
  const program = rowsWorld(await compileRows(), 1000);
  const all = await inTurn(amounts.sessions, (index) => worlds.create({ ...program, worldId: idOf(index) }));
  const step = async (index: number, round: number): Promise<void> => {
    await (all[index] as WorldRef).command(bumpCall((index * 31 + round * 7) % 1000));
  };
  const reset = async (index: number): Promise<void> => {
    await (all[index] as WorldRef).command({ kind: 'reset' });
  };
  return await measure(amounts, { step, reset });
}

/** A client a session, with a connection of its own. A reset is over when the agent may call again. */
async function overHttp(amounts: Amounts): Promise<Figures> {
  const service = await startService();
  try {
    const times = new StepTimes();
    const all = await inTurn(amounts.sessions, async (index) => {
      const session = await SessionLifecycle.begin(service, index + 1, times);
      await session.create();
      await session.open();
      return session;
    });
    const of = (index: number): SessionLifecycle => all[index] as SessionLifecycle;
    const figures = await measure(amounts, {
      step: (index, round) => of(index).call('bump', { row: `r${(index * 31 + round * 7) % 1000}` }),
      reset: (index) => of(index).reset(),
    });
    for (const session of all) session.leave();
    return figures;
  } finally {
    await service.stop();
  }
}

interface Episode {
  step(index: number, round: number): Promise<void>;
  reset(index: number): Promise<void>;
}
async function measure(amounts: Amounts, { step, reset }: Episode): Promise<Figures> {
  const { sessions, steps, resets } = amounts;
  await paced(sessions, Math.ceil(steps / 4 / sessions), step);
  await paced(sessions, Math.ceil(resets / 4 / sessions), reset);
  // What is reset has been changed: each reset follows a call.
  const figures = { steps: await paced(sessions, Math.ceil(steps / sessions), step) };
  return { ...figures, resets: await paced(sessions, Math.ceil(resets / sessions), reset, (index) => step(index, 0)) };
}

/** All sessions at once, each one thing after another; `before` is not timed, but counts in the rate. */
async function paced(
  sessions: number,
  rounds: number,
  work: (index: number, round: number) => Promise<void>,
  before?: (index: number) => Promise<void>,
): Promise<Steps> {
  const samples: number[] = [];
  const pace = startPace();
  await Promise.all(
    Array.from({ length: sessions }, async (_, index) => {
      for (let round = 0; round < rounds; round++) {
        await before?.(index);
        const from = performance.now();
        await work(index, round);
        samples.push(performance.now() - from);
      }
    }),
  );
  return { ...pace(samples.length), ...quantiles(samples) };
}

/** Of one snapshot, all asked for at once. Best of three, after one that pays for what is there only once. */
async function forksOf(worlds: Worlds, count: number): Promise<{ count: number; ms: number; everyMs: number[] }> {
  const world = await worlds.create({ ...rowsWorld(await compileRows(), 1000), worldId: idOf(0) });
  for (let call = 0; call < 20; call++) await world.command(bumpCall(call * 7));
  const { snapshotId } = await world.command({ kind: 'snapshot' });
  const everyMs: number[] = [];
  for (let round = 0; round < 4; round++) {
    const from = performance.now();
    const made = await Promise.all(
      Array.from({ length: count }, (_, index) => world.fork({ worldId: idOf(round * count + index + 1), snapshotId, isNew: true })),
    );
    everyMs.push(Math.round(performance.now() - from));
    for (const { world: child } of made) await child.destroy();
  }
  return { count, ms: Math.min(...everyMs.slice(1)), everyMs };
}

/** At most 64 at once. */
async function inTurn<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const maker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      made[index] = await make(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(64, count) }, maker));
  return made;
}
