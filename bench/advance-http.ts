// A long time advance of a hosted session, asked for and polled over HTTP, and what agents of other sessions feel of it: those whose worlds
// live on the same host, and those on another one. Each event reads and writes a row. A latency counts from when the call was due.
//   npm run bench -- advance-http [--events 500000] [--rounds 2] [--json]
import { LocalPlacement } from '../src/actors/placement.js';
import { quantiles } from './rows.js';
import { type Service, startService } from './service.js';
import { SessionLifecycle, StepTimes } from './session-lifecycle.js';

const hosts = 2;
const rows = 1000;
/** Sessions beside it, on each host, and how often each is called. */
const neighbors = 8;
const callsPerSecond = 25;
/** Before the advance, for comparison. */
const quietMs = 3000;
const eventsPerCall = 5000;

interface Others {
  sameHost: SessionLifecycle[];
  otherHost: SessionLifecycle[];
}
interface Felt {
  sameHost: number[];
  otherHost: number[];
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const { events: given = 500_000, rounds = 2 } = options;
  const events = Number(given);
  const service = await startService({ flags: ['--workers', String(hosts)], rows });
  try {
    const { long, others } = await openSessions(service);
    // Compiled code, as a service has that has been up for a while.
    await plan(long, 0, events / 10);
    await long.advance(events / 10, events);
    const quiet = await feel(others, () => new Promise((resolve) => setTimeout(resolve, quietMs)));
    const seconds: number[] = [];
    const felt: Felt = { sameHost: [], otherHost: [] };
    for (let round = 0; round < Number(rounds); round++) {
      const fromUs = events / 10 + round * events;
      await plan(long, fromUs, events);
      const during = await feel(others, async () => void seconds.push(await advance(long, fromUs + events, events)));
      felt.sameHost.push(...during.sameHost);
      felt.otherHost.push(...during.otherHost);
      console.error(
        JSON.stringify({ seconds: seconds.at(-1), sameHost: figuresOf(during.sameHost), otherHost: figuresOf(during.otherHost) }),
      );
    }
    const best = Math.min(...seconds);
    return {
      events,
      seconds,
      eventsPerSecond: Math.round(events / best),
      quiet: { sameHost: figuresOf(quiet.sameHost), otherHost: figuresOf(quiet.otherHost) },
      sameHost: figuresOf(felt.sameHost),
      otherHost: figuresOf(felt.otherHost),
      ...service.figures(),
    };
  } finally {
    await service.stop();
  }
}

/** New sessions until each host has enough of them. A world lives where the hash of its id says. */
async function openSessions(service: Service): Promise<{ long: SessionLifecycle; others: Others }> {
  const placement = new LocalPlacement(hosts);
  const open = async (number: number): Promise<SessionLifecycle> => {
    const lifecycle = await SessionLifecycle.begin(service, number, new StepTimes());
    await lifecycle.create();
    await lifecycle.open();
    return lifecycle;
  };
  const long = await open(1);
  const others: Others = { sameHost: [], otherHost: [] };
  for (let number = 2; others.sameHost.length < neighbors || others.otherHost.length < neighbors; number++) {
    const lifecycle = await open(number);
    const group = placement.hostOf(lifecycle.sessionId) === placement.hostOf(long.sessionId) ? others.sameHost : others.otherHost;
    if (group.length < neighbors) group.push(lifecycle);
    else lifecycle.leave();
  }
  return { long, others };
}

async function plan(long: SessionLifecycle, fromUs: number, events: number): Promise<void> {
  for (let done = 0; done < events; done += eventsPerCall) {
    await long.call('plan', { fromUs: fromUs + done + 1, count: Math.min(eventsPerCall, events - done), rows }, 'plan');
  }
}

async function advance(long: SessionLifecycle, targetUs: number, events: number): Promise<number> {
  const from = performance.now();
  const { result } = await long.advance(targetUs, events);
  const { status, scheduledEventsProcessed } = result as { status?: string; scheduledEventsProcessed?: number };
  if (status !== 'completed' || scheduledEventsProcessed !== events)
    throw new Error(`the advance ended otherwise: ${JSON.stringify(result)}`);
  return Number(((performance.now() - from) / 1000).toFixed(2));
}

/** Calls of every neighbor at its pace for as long as the work takes. */
async function feel({ sameHost, otherHost }: Others, work: () => Promise<void>): Promise<Felt> {
  const felt: Felt = { sameHost: [], otherHost: [] };
  let over = false;
  const working = work().finally(() => {
    over = true;
  });
  const agents = [
    ...sameHost.map((lifecycle, index) => callSteadily(lifecycle, index, felt.sameHost, () => over)),
    ...otherHost.map((lifecycle, index) => callSteadily(lifecycle, index + 0.5, felt.otherHost, () => over)),
  ];
  await Promise.all([working, ...agents]);
  return felt;
}

async function callSteadily(lifecycle: SessionLifecycle, place: number, kept: number[], isOver: () => boolean): Promise<void> {
  const everyMs = 1000 / callsPerSecond;
  let dueMs = performance.now() + (place * everyMs) / neighbors;
  for (let call = 0; !isOver(); call++, dueMs += everyMs) {
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    // A timer that fires late is this process's fault; a call that had to wait for the one before it is not.
    const from = waitMs > 0 ? performance.now() : dueMs;
    await lifecycle.call('bump', { row: `r${(call * 7) % rows}` });
    kept.push(performance.now() - from);
  }
}

function figuresOf(samples: number[]): object {
  return { calls: samples.length, ...quantiles(samples), maxMs: Number(Math.max(...samples).toFixed(1)) };
}
