// The service as an operator starts it, in a process of its own, with the benches' rows tool compiled from source that was sent to it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '../src/client/client.js';

export interface Service {
  readonly pid: number;
  readonly origin: string;
  readonly engine: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly credential: string;
  readonly buildHash: string;
  readonly client: Client;
  figures(): ProcessFigures;
  /** Of the service and every process that it started; what they share is counted once. */
  familyMb(): number;
  familyCpuUs(): number;
  /** Another process on the same data; this one is not to be used any more. */
  restart(): Promise<Service>;
  stop(): Promise<void>;
}
/** Of the service's process, all threads. */
export interface ProcessFigures {
  cpuUs: number;
  residentMb: number;
  /** Without the pages of mapped files, which the system takes back as it likes. */
  ownMb: number;
  peakMb: number;
}
interface Ready {
  baseUrl: string;
  projectId: string;
  environmentId: string;
  credential: string;
  server: string;
}
export interface ServiceOptions {
  /** Flags of `drillyard serve`. */
  flags?: readonly string[];
  rows?: number;
}

/** Nobody is refused for being fast, and forks are allowed beside 10,000 sessions. */
export const openFlags = [
  '--trust-tool-code',
  'true',
  '--rate-per-second',
  '1000000',
  '--rate-burst',
  '1000000',
  '--sessions-live-max',
  '1000000',
  '--log-level',
  'warn',
];
const main = new URL('../src/cli/main.js', import.meta.url).href;
const entry = ['--input-type=module', '--eval', `const { main } = await import('${main}'); await main(process.argv.slice(1));`, '--'];
/** Of a clock tick in /proc. */
const usPerTick = 10_000;

export async function startService({ flags = [], rows = 1000 }: ServiceOptions = {}): Promise<Service> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const where = flags.includes('--isolate') ? [] : ['--isolate', 'thread'];
  const words = ['serve', '--json', '--port', '0', '--data-dir', dataDirectory, ...where, ...openFlags, ...flags];
  const { child, ready } = await launch(words);
  const client = createClient({ baseUrl: ready.baseUrl, credential: ready.credential });
  const buildHash = await publishRows(client, { projectId: ready.projectId, rows });
  return serviceOf(child, ready, { words, dataDirectory, credential: ready.credential, buildHash });
}

interface Kept {
  words: string[];
  dataDirectory: string;
  credential: string;
  buildHash: string;
}
function serviceOf(child: ChildProcess, ready: Ready, kept: Kept): Service {
  const { baseUrl: origin, projectId, environmentId, server: engine } = ready;
  const { words, dataDirectory, credential, buildHash } = kept;
  const ended = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return {
    pid: child.pid as number,
    ...{ origin, engine, projectId, environmentId, credential, buildHash },
    client: createClient({ baseUrl: origin, credential }),
    figures: () => processFigures(child.pid as number),
    familyMb: () => familyMb(child.pid as number),
    familyCpuUs: () => familyOf(child.pid as number).reduce((sum, pid) => sum + cpuUs(pid), 0),
    restart: async () => {
      await ended();
      const next = await launch(words);
      return serviceOf(next.child, next.ready, kept);
    },
    stop: async () => {
      await ended();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

async function launch(words: readonly string[]): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = spawn(process.execPath, [...entry, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  return { child, ready: await firstLine(child) };
}

async function firstLine(child: ChildProcess): Promise<Ready> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line) as Ready;
  throw new Error('the service did not start');
}

type SessionGround = Pick<Service, 'client' | 'projectId' | 'environmentId' | 'buildHash'>;

/** A session of its own, and the credential of its agent. */
export async function newSession({
  client,
  projectId,
  environmentId,
  buildHash,
}: SessionGround): Promise<{ sessionId: string; token: string }> {
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1', buildHash } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  const { access } = await client.createSessionAccess({
    path: { projectId, sessionId: session.sessionId },
    body: { actorId: 'worker', ttlMs: 3_600_000 },
  });
  return { sessionId: session.sessionId, token: access.credential };
}
export async function accessToNewSession(ground: SessionGround): Promise<string> {
  return (await newSession(ground)).token;
}

/** Source draft, build, done: as anybody would. */
export async function publishRows(client: Client, { projectId, rows }: { projectId: string; rows: number }): Promise<string> {
  const { sourceDraft } = await client.createSourceDraft({ path: { projectId }, body: { name: 'rows', files: sourceOf(rows) } });
  const path = { projectId, sourceDraftId: sourceDraft.sourceDraftId, revision: 1 };
  const { operation } = await client.createBuild({ path });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  const { items } = await client.listBuilds({ path: { projectId } });
  return items[0]!.buildHash;
}

function sourceOf(rows: number): { path: string; content: string }[] {
  const root = fileURLToPath(new URL('../../bench/fixtures/rows/', import.meta.url));
  const files = ['drillyard.json', 'drillyard/rows.tool.yaml', 'drillyard/rows.ts', 'drillyard/world.yaml'];
  const lines = Array.from({ length: rows }, (_, index) => {
    const value = { count: 0, label: `row ${index}` };
    return `  - ${JSON.stringify({ action: 'upsert', packageId: 'rows', namespace: 'rows', rowId: `r${index}`, value })}\n`;
  });
  return files.map((path) => {
    const content = readFileSync(join(root, path), 'utf8');
    return { path, content: path.endsWith('world.yaml') ? `${content}state:\n${lines.join('')}` : content };
  });
}

export function processFigures(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024);
  return {
    cpuUs: cpuUs(pid),
    residentMb: megabytes('VmRSS'),
    ownMb: megabytes('RssAnon'),
    peakMb: megabytes('VmHWM'),
  };
}

function cpuUs(pid: number): number {
  // The name of the program stands in parentheses and may hold anything; the numbers follow it.
  const words = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(words[11] ?? 0) + Number(words[12] ?? 0)) * usPerTick;
}

/** The process and all that descend from it. Linux alone. */
function familyOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^PPid:\s+(\d+)$/m.exec(textOf(`/proc/${name}/status`))?.[1];
    if (/^\d+$/.test(name) && parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOurs = (one: number): boolean => one === pid || (one > 1 && parents.has(one) && isOurs(parents.get(one) as number));
  return [...parents.keys()].filter(isOurs);
}
function familyMb(pid: number): number {
  const kilobytes = familyOf(pid).map((one) => Number(/^Pss:\s+(\d+) kB$/m.exec(textOf(`/proc/${one}/smaps_rollup`))?.[1] ?? 0));
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
}
/** Empty of a process that has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
