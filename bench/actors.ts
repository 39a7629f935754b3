// The round trip through the actor port: calls a second with 1 and 64 callers, thread and process.
import { ActorSystem } from '../src/actors/system.js';

export interface ActorsBenchOptions {
  /** Calls of each measurement with 64 callers; a twentieth of it with one. Default 200,000. */
  calls?: number;
}
interface PortFigures {
  isolation: 'thread' | 'process';
  callers: number;
  calls: number;
  callsPerSecond: number;
  microsecondsPerCall: number;
  /** Of one round trip as its caller sees it. */
  p50Us: number;
  p99Us: number;
}

const message = { kind: 'call', actorId: 'agent', packageId: 'ticket-desk', operationId: 'tickets.get', arguments: { id: 'T-1' } };

export async function run({ calls = 200_000 }: ActorsBenchOptions = {}): Promise<{ bench: 'actors'; port: PortFigures[] }> {
  const port: PortFigures[] = [];
  for (const isolation of ['thread', 'process'] as const) {
    const system = await ActorSystem.start({
      hostModule: new URL('./actors-kind.js', import.meta.url),
      hostOptions: null,
      hosts: 1,
      isolation,
    });
    await measure(system, isolation, 64, calls / 4);
    for (const callers of [1, 64]) port.push(await measure(system, isolation, callers, callers === 1 ? calls / 20 : calls));
    await system.close();
  }
  return { bench: 'actors', port };
}

async function measure(system: ActorSystem, isolation: 'thread' | 'process', callers: number, calls: number): Promise<PortFigures> {
  const tookUs = new Float64Array(calls);
  let started = 0;
  const caller = async (index: number): Promise<void> => {
    const actorId = `world_01hzzzzzzzzzzzzzzzzzzzz${index}`;
    while (started < calls) {
      const call = started++;
      const startMs = performance.now();
      await system.command(actorId, message);
      tookUs[call] = (performance.now() - startMs) * 1e3;
    }
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  const seconds = (performance.now() - startMs) / 1e3;
  tookUs.sort();
  return {
    isolation,
    callers,
    calls,
    callsPerSecond: Math.round(calls / seconds),
    microsecondsPerCall: round((seconds * 1e6) / calls),
    p50Us: round(tookUs[Math.floor(calls * 0.5)]!),
    p99Us: round(tookUs[Math.floor(calls * 0.99)]!),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
