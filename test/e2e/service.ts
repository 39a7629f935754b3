// The service spoken to over HTTP: as an operator starts it, a process of its own, or inside this one, for tests of what it answers. A
// process takes a second of a processor to start; one more in here takes a tenth.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readServeSettings } from '../../src/cli/read-serve-settings.js';
import { type Client, createClient } from '../../src/client/client.js';
import type { ToolCodeFacts } from '../../src/control/core/containment.js';
import type { ControlServer } from '../../src/control-server.js';
import type { ServiceWarning } from '../../src/http/service-warning.js';
import type { Ended } from '../cli/cli.js';
import { nodeArguments } from '../cli/cli.js';

/** The first line of `serve --json`. */
export interface Ready {
  event: 'ready';
  baseUrl: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  buildHash: string;
  credential?: string;
  server: 'uWebSockets.js' | 'node:http';
  toolCode: ToolCodeFacts;
  warnings?: readonly ServiceWarning[];
}
export interface Service {
  readonly child: ChildProcess;
  readonly ready: Ready;
  /** Everything it has said so far. */
  said(): { stdout: string; stderr: string };
  readonly ended: Promise<Ended>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}
export interface StartOptions {
  /** Default: one that was started before (startedDirectory). One that is not there or is empty has its first start. */
  dataDirectory?: string;
  flags?: readonly string[];
  env?: { [name: string]: string };
  /** A command line that executes the one behind it. */
  under?: readonly string[];
}

const scratch: string[] = [];
const alive = new Set<ChildProcess>();
const inside = new Set<ControlServer>();
after(async () => {
  for (const child of alive) child.kill('SIGKILL');
  for (const server of inside) await server.close();
  for (const folder of scratch) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-serve-'));
  scratch.push(folder);
  return folder;
}

/**
 * A data directory that has had its first start, which compiles and publishes the example; its credential was shown to nobody, so the next
 * start shows one. Made once a build of these tests, and copied.
 */
export async function startedDirectory(copy: string = temporaryFolder()): Promise<string> {
  const made = fileURLToPath(new URL('../started-data', import.meta.url));
  if (!existsSync(made)) {
    const { startControlServer } = await import('../../src/control-server.js');
    // Beside it, so that it comes to its place whole; where another process was first, its own is as good.
    const dataDirectory = mkdtempSync(`${made}-`);
    const server = await startControlServer({ ...threads, port: 0, workers: 1, dataDirectory, log: { level: 'silent' } });
    await server.close();
    try {
      renameSync(dataDirectory, made);
    } catch {
      rmSync(dataDirectory, { recursive: true, force: true });
    }
  }
  cpSync(made, copy, { recursive: true });
  return copy;
}
/** Threads start fastest, and what these tests send is trusted; the tests of boxes ask for boxes. */
export const threads = { isolation: 'thread', trustToolCode: true } as const;

/** `serve` with these flags, up to its end or failure. */
export function serve({ dataDirectory = temporaryFolder(), flags = [], env = {}, under = [] }: StartOptions = {}): Omit<Service, 'ready'> {
  const where = flags.includes('--isolate') ? [] : ['--isolate', 'thread', '--trust-tool-code', 'true'];
  const place = ['--port', '0', '--data-dir', dataDirectory, '--workers', '1', ...where];
  const [program, ...words] = [...under, process.execPath, ...nodeArguments, 'serve', ...place, ...flags] as [string, ...string[]];
  const child = spawn(program, words, {
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk;
    });
  }
  const ended = once(child, 'close').then(([code]) => {
    alive.delete(child);
    return { code: code as number | null, ...said };
  });
  return {
    child,
    said: () => said,
    ended,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Resolves when it is ready. */
export async function startService(options: StartOptions = {}): Promise<Service> {
  const { flags = [], dataDirectory = await startedDirectory() } = options;
  const service = serve({ ...options, dataDirectory, flags: ['--json', '--log-level', 'warn', ...flags] });
  const line = await firstLine(service);
  return { ...service, ready: JSON.parse(line) as Ready };
}

/** A service inside this process. */
export interface ServiceInside {
  readonly ready: Omit<Ready, 'event'>;
  /** Everything it has logged so far. */
  logged(): string;
  stop(): Promise<void>;
}
/** The same settings, read as the command reads them: each flag with its value, and `--rotate-key` at the end. */
export async function startInside({ dataDirectory, flags = [], env = {} }: StartOptions = {}): Promise<ServiceInside> {
  const { startControlServer } = await import('../../src/control-server.js');
  const rotateKey = flags.at(-1) === '--rotate-key';
  const values = flags.filter((flag) => flag !== '--rotate-key');
  const pairs = values.flatMap((flag, at) => (at % 2 === 0 ? [[flag.slice('--'.length), values[at + 1]]] : []));
  const read = readServeSettings({ flags: Object.fromEntries(pairs) as { [flag: string]: string }, environment: env, rotateKey });
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  let lines = '';
  const destination = {
    write: (line: string) => {
      lines += line;
    },
  };
  const server = await startControlServer({
    ...(flags.includes('--isolate') ? {} : threads),
    port: 0,
    workers: 1,
    dataDirectory: dataDirectory ?? (await startedDirectory()),
    ...read.options,
    log: { level: 'warn', ...read.options.log, destination },
  });
  inside.add(server);
  await server.credentialShown();
  const { baseUrl, organizationId, projectId, environmentId, buildHash, credential, engine, toolCode } = server;
  const ids = { baseUrl, organizationId, projectId, environmentId, buildHash };
  return {
    ready: { ...ids, ...(credential === undefined ? {} : { credential }), server: engine, toolCode },
    logged: () => lines,
    stop: async () => {
      inside.delete(server);
      await server.close();
    },
  };
}

async function firstLine({ child, said, ended }: Omit<Service, 'ready'>): Promise<string> {
  let over: Ended | undefined;
  void ended.then((end) => {
    over = end;
    child.stdout?.emit('data', '');
  });
  while (!said().stdout.includes('\n')) {
    if (over !== undefined) throw new Error(`the service ended with ${over.code}: ${over.stderr}${over.stdout}`);
    await once(child.stdout!, 'data');
  }
  return said().stdout.split('\n')[0]!;
}

/** Without retries: a test hears what happened. */
export function clientOf({ ready }: { ready: Pick<Ready, 'baseUrl'> }, credential: string): Client {
  return createClient({ baseUrl: ready.baseUrl, credential, retries: 0 });
}

/** One request of an agent with its world credential. */
export async function asAgent(url: string, credential: string, path: string, body?: object): Promise<{ status: number; body: Answered }> {
  const reply = await fetch(url + path, {
    headers: { authorization: `Bearer ${credential}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Answered };
}
export interface Answered {
  code?: string;
  outcome?: { kind: string; value?: { [name: string]: unknown }; error?: { code: string } };
  [name: string]: unknown;
}
