// Whether what runs leaves the processors of this machine to others: work may be in the main thread, in others of this process, or in
// processes that it started.
//   IDLE-METER-1. A process whose threads wait for a processor is not idle, however little it gets to run: others keep it from them.
import { availableParallelism, cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { timeOfProcesses } from '../processes/processor-wait.js';
import { tuning } from './tuning.js';

export interface IdleReading {
  atMs: number;
  /** Of this thread. */
  loopActiveMs: number;
  usedMs: number;
  machineIdleMs: number;
}
export interface IdleSources {
  read(): IdleReading;
  /** What this process and those below it have waited for a processor so far; undefined where the system does not say. */
  waitedMs(): number | undefined;
}

const ownSources: IdleSources = { read: reading, waitedMs: () => timeOfProcesses(process.pid)?.waitedMs };

/** Yields whether it was idle since the last call. */
export function idleMeter({ read, waitedMs }: IdleSources = ownSources): () => boolean {
  let before = read();
  let waited = { atMs: before.atMs, waitedMs: waitedMs() };
  return () => {
    const now = read();
    const elapsedMs = Math.max(now.atMs - before.atMs, 1);
    const loopShare = (now.loopActiveMs - before.loopActiveMs) / elapsedMs;
    const ownShare = Math.max(loopShare, (now.usedMs - before.usedMs) / (elapsedMs * availableParallelism()));
    const machineShare = 1 - (now.machineIdleMs - before.machineIdleMs) / (elapsedMs * cpus().length);
    before = now;
    if (!isIdleShare(ownShare, machineShare)) return false;
    // Asked only now: it looks at every thread.
    const [since, nowWaitedMs] = [waited, waitedMs()];
    waited = { atMs: now.atMs, waitedMs: nowWaitedMs };
    if (nowWaitedMs === undefined || since.waitedMs === undefined) return true;
    const waitedForMs = Math.max(now.atMs - since.atMs, 1) * availableParallelism();
    return isIdleShare(ownShare + Math.max(0, nowWaitedMs - since.waitedMs) / waitedForMs, machineShare);
  };
}

const isIdleShare = (ownShare: number, machineShare: number): boolean =>
  ownShare < tuning.idleShareMax || Math.max(ownShare, machineShare) < tuning.busyShareMin;

function reading(): IdleReading {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    loopActiveMs: performance.eventLoopUtilization().active,
    usedMs: (user + system) / 1000,
    machineIdleMs: cpus().reduce((sum, { times }) => sum + times.idle, 0),
  };
}
