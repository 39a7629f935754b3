// What it costs that tool code does not run in the service: calls a second at 64 connections with the hosts of a project in threads, in a
// process and in a box, each in its turn and more than once; the first call of a project whose hosts do not stand; memory a project.
//   npm run bench -- containment [--seconds 5] [--turns 3] [--worlds 64] [--projects 16] [--modes thread,process,box] [--json]
import { bump, rows } from './http.js';
import { type LoadFigures, measureLoad } from './load.js';
import { quantiles } from './rows.js';
import { accessToNewSession, publishRows, type Service, startService } from './service.js';
import { Wire } from './wire-client.js';

const connections = 64;
/** So long after a project's first call the next one's comes: an empty box waits again by then. */
const betweenMs = 1000;
/** Of projects whose first calls come at once. */
const burst = 4;

interface ModeFigures {
  callsPerSecond: number;
  /** Of the service and every process that it started: hardly moved by what else the machine does. */
  cpuUsPerCall: number;
  p99Ms: number;
  /**
   * Of projects one after the other, and the longest: from the request for access to its one session, which is the first message to a world
   * of it, to the reply to the agent's first call.
   */
  firstCallMs: number;
  firstCallMsMax: number;
  /** Of projects whose first calls come at once: the longest. */
  firstCallsAtOnceMsMax: number;
  megabytesAProject: number;
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const { seconds = 5, turns = 3, worlds = 64, projects = 16, modes = 'thread,process,box' } = options;
  const names = String(modes).split(',');
  const rates = new Map(names.map((mode) => [mode, [] as number[]]));
  const latencies = new Map(names.map((mode) => [mode, [] as number[]]));
  const costs = new Map(names.map((mode) => [mode, [] as number[]]));
  let errors = 0;
  for (let turn = 0; turn < Number(turns); turn++) {
    // Another one begins each turn, so that none has the quiet moment always.
    for (const mode of names.map((_, index) => names[(index + turn) % names.length] as string)) {
      const load = await measureCalls({ mode, worlds: Number(worlds), seconds: Number(seconds) });
      console.error(`${mode}: ${JSON.stringify(load)}`);
      rates.get(mode)?.push(load.requestsPerSecond);
      latencies.get(mode)?.push(load.p99Ms);
      costs.get(mode)?.push(load.cpuUsPerCall);
      errors += load.errors;
    }
  }
  const figures: { [mode: string]: ModeFigures } = {};
  for (const mode of names) {
    figures[mode] = {
      callsPerSecond: middle(rates.get(mode)),
      cpuUsPerCall: middle(costs.get(mode)),
      p99Ms: middle(latencies.get(mode)),
      ...(await measureProjects(mode, Number(projects))),
    };
    console.error(`${mode}: ${JSON.stringify(figures[mode])}`);
  }
  const ofThreads = (mode: string): number =>
    Number(((figures[mode]?.callsPerSecond ?? Number.NaN) / (figures.thread?.callsPerSecond ?? 0)).toFixed(3));
  return {
    connections,
    worlds: Number(worlds),
    ...figures,
    processToThreads: ofThreads('process'),
    boxToThreads: ofThreads('box'),
    errors,
  };
}

async function measureCalls({
  mode,
  worlds,
  seconds,
}: {
  mode: string;
  worlds: number;
  seconds: number;
}): Promise<LoadFigures & { cpuUsPerCall: number }> {
  const service = await startService({ flags: ['--isolate', mode], rows });
  try {
    const tokens = await Promise.all(Array.from({ length: worlds }, () => accessToNewSession(service)));
    const requests = Array.from({ length: 8 }, (_, round) => tokens.map((token, index) => bump(token, round * 131 + index * 7))).flat();
    await measureLoad({ origin: service.origin, requests, connections: 16, seconds: 2 });
    const before = service.familyCpuUs();
    const load = await measureLoad({ origin: service.origin, requests, connections, seconds });
    return { ...load, cpuUsPerCall: Math.round((service.familyCpuUs() - before) / (load.requestsPerSecond * seconds)) };
  } finally {
    await service.stop();
  }
}

/** Projects with a session each; then the service starts again, and no host stands. */
async function measureProjects(mode: string, projects: number): Promise<Omit<ModeFigures, 'callsPerSecond' | 'cpuUsPerCall' | 'p99Ms'>> {
  const first = await startService({ flags: ['--isolate', mode], rows });
  let service: Service = first;
  try {
    const sessions: SessionPath[] = [];
    while (sessions.length < projects + burst) sessions.push(await newProject(first, `project ${sessions.length}`));
    service = await first.restart();
    await pause(betweenMs);
    const before = service.familyMb();
    const taken: number[] = [];
    for (const session of sessions.slice(0, projects)) {
      taken.push(await firstCall(service, session));
      await pause(betweenMs);
    }
    const megabytesAProject = (service.familyMb() - before) / projects;
    const atOnce = await Promise.all(sessions.slice(projects).map((session) => firstCall(service, session)));
    return {
      firstCallMs: quantiles(taken).p50Ms,
      firstCallMsMax: Number(Math.max(...taken).toFixed(1)),
      firstCallsAtOnceMsMax: Number(Math.max(...atOnce).toFixed(1)),
      megabytesAProject: Number(megabytesAProject.toFixed(1)),
    };
  } finally {
    await service.stop();
  }
}

interface SessionPath {
  projectId: string;
  sessionId: string;
}
/** With one session, which is called once. */
async function newProject({ client }: Service, name: string): Promise<SessionPath> {
  const { projectId } = (await client.createProject({ body: { name } })).project;
  const buildHash = await publishRows(client, { projectId, rows });
  const { environmentId } = (await client.createEnvironment({ path: { projectId }, body: { name: 'here', buildHash } })).environment;
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1', ttlMs: 3_600_000 } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  return { projectId, sessionId: session.sessionId };
}

async function firstCall({ origin, client }: Service, path: SessionPath): Promise<number> {
  const wire = await Wire.connect(origin);
  const from = performance.now();
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'worker' } });
  const { path: target, body } = bump(access.credential, 1);
  const { status } = await wire.request('POST', target, access.credential, JSON.parse(body));
  const ms = performance.now() - from;
  wire.close();
  if (status !== 200) throw new Error(`a first call was answered with ${status}`);
  return ms;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const middle = (values: number[] = []): number => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
