// Sessions of the hosted service, a process of its own, all at once: each is created, given access, called, advanced, snapshotted, forked
// and destroyed by a client of its own, and none is destroyed before all live. Then as many live sessions as one machine should hold.
//   npm run bench -- hosted [--sessions 1000] [--calls 20] [--live 10000] [--workers 2] [--isolate thread] [--json]
import { type Quantiles, quantiles } from './rows.js';
import { type ProcessFigures, type Service, startService } from './service.js';
import { SessionLifecycle, StepTimes } from './session-lifecycle.js';

/** Sessions made at once on the way to many. */
const madeAtOnce = 64;
/** After the last request: until V8 has returned what only a busy heap needs. */
const restMs = 15_000;
/** What a service that has been up for a while has behind it: compiled code. */
const warmSessions = 50;

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const { sessions = 1000, calls = 20, live = 10_000 } = options;
  const flags = ['workers', 'isolate'].flatMap((flag) => (typeof options[flag] === 'string' ? [`--${flag}`, options[flag]] : []));
  const concurrent = Number(sessions) === 0 ? undefined : await measureLives({ flags, sessions: Number(sessions), calls: Number(calls) });
  console.error(JSON.stringify(concurrent));
  const many = Number(live) === 0 ? undefined : await measureLive({ flags, live: Number(live) });
  return { concurrent, many, errors: (concurrent?.errors ?? 0) + (many?.errors ?? 0) };
}

interface Lives {
  flags: readonly string[];
  sessions: number;
  calls: number;
}
type Steps = { [step: string]: Quantiles };
interface LivesFigures {
  sessions: number;
  calls: number;
  seconds: number;
  sessionsPerSecond: number;
  /** From the request until what it asked for is done, as polls tell; `...Admitted`: until its own reply. */
  steps: Steps;
  peakMb: number;
  /** Of the service, and of all its clients together. */
  cpuSeconds: number;
  clientCpuSeconds: number;
  errors: number;
}
interface LiveFigures extends ProcessFigures {
  live: number;
  seconds: number;
  emptyMb: number;
  kilobytesEach: number;
  /** Resident once nothing has been asked for `restMs`. */
  restingMb: number;
  steps: Steps;
  errors: number;
}
async function measureLives({ flags, sessions, calls }: Lives): Promise<LivesFigures> {
  const service = await startService({ flags });
  try {
    await allLives(service, { first: 1_000_000, sessions: warmSessions, calls }, new StepTimes());
    const times = new StepTimes();
    const before = service.figures();
    const own = process.cpuUsage();
    const from = performance.now();
    const errors = await allLives(service, { first: 1, sessions, calls }, times);
    const seconds = (performance.now() - from) / 1000;
    const { user, system } = process.cpuUsage(own);
    const { cpuUs, peakMb } = service.figures();
    return {
      sessions,
      calls,
      seconds: rounded(seconds),
      sessionsPerSecond: Math.round(sessions / seconds),
      steps: stepsOf(times),
      peakMb,
      cpuSeconds: rounded((cpuUs - before.cpuUs) / 1e6),
      clientCpuSeconds: rounded((user + system) / 1e6),
      errors,
    };
  } finally {
    await service.stop();
  }
}

/** Resolves with how many did not get through. */
async function allLives(
  service: Service,
  { first, sessions, calls }: { first: number } & Omit<Lives, 'flags'>,
  times: StepTimes,
): Promise<number> {
  let alive = 0;
  let allLive = (): void => {};
  const whenAllLive = new Promise<void>((resolve) => {
    allLive = resolve;
  });
  const reached = (): Promise<void> => {
    if (++alive === sessions) allLive();
    return whenAllLive;
  };
  const lifecycles = Array.from({ length: sessions }, async (_, index) => {
    const lifecycle = await SessionLifecycle.begin(service, first + index, times);
    let isCounted = false;
    try {
      await lifecycle.create();
      await lifecycle.open();
      for (let call = 0; call < calls; call++) await lifecycle.call('bump', { row: `r${(index * 31 + call * 7) % 1000}` });
      await lifecycle.advance(1_000_000, 100);
      await lifecycle.snapshot();
      const child = await lifecycle.fork();
      isCounted = true;
      await reached();
      await lifecycle.destroy(child);
      await lifecycle.destroy();
      return 0;
    } catch (error) {
      console.error(String(error));
      if (!isCounted) void reached();
      return 1;
    } finally {
      lifecycle.leave();
    }
  });
  return (await Promise.all(lifecycles)).reduce<number>((sum, one) => sum + one, 0);
}

/** Each with access and called once, so that its world has stood in memory: those used last stand there still. */
async function measureLive({ flags, live }: { flags: readonly string[]; live: number }): Promise<LiveFigures> {
  const service = await startService({ flags });
  try {
    const empty = service.figures();
    const times = new StepTimes();
    const from = performance.now();
    let next = 1;
    let errors = 0;
    const maker = async (): Promise<void> => {
      while (next <= live) {
        const lifecycle = await SessionLifecycle.begin(service, next++, times);
        try {
          await lifecycle.create();
          await lifecycle.open();
          await lifecycle.call('bump', { row: 'r1' });
        } catch (error) {
          errors++;
          console.error(String(error));
        }
        lifecycle.leave();
      }
    };
    await Promise.all(Array.from({ length: madeAtOnce }, maker));
    const seconds = (performance.now() - from) / 1000;
    const figures = service.figures();
    const kilobytesEach = rounded(((figures.residentMb - empty.residentMb) * 1024) / live);
    const steps = stepsOf(times);
    await new Promise((resolve) => setTimeout(resolve, restMs));
    const restingMb = service.figures().residentMb;
    return { live, seconds: rounded(seconds), emptyMb: empty.residentMb, kilobytesEach, restingMb, steps, ...figures, errors };
  } finally {
    await service.stop();
  }
}

const stepsOf = ({ samples }: StepTimes): Steps => Object.fromEntries([...samples].map(([step, taken]) => [step, quantiles(taken)]));
const rounded = (value: number): number => Number(value.toFixed(2));
