// The service as an operator starts it: a process of its own, spoken to over HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Client, createClient } from '../../src/client/client.js';
import type { ToolCodeFacts } from '../../src/control/core/containment.js';
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
  dataDirectory?: string;
  flags?: readonly string[];
  env?: { [name: string]: string };
}

const scratch: string[] = [];
const alive = new Set<ChildProcess>();
after(() => {
  for (const child of alive) child.kill('SIGKILL');
  for (const folder of scratch) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-serve-'));
  scratch.push(folder);
  return folder;
}

/** `serve` with these flags, whatever becomes of it. */
export function serve({ dataDirectory = temporaryFolder(), flags = [], env = {} }: StartOptions = {}): Omit<Service, 'ready'> {
  // Threads start fastest, and what these tests send is trusted; the tests of boxes ask for boxes.
  const where = flags.includes('--isolate') ? [] : ['--isolate', 'thread', '--trust-tool-code', 'true'];
  const place = ['--port', '0', '--data-dir', dataDirectory, '--workers', '1', ...where];
  const child = spawn(process.execPath, [...nodeArguments, 'serve', ...place, ...flags], {
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
  const { flags = [] } = options;
  const service = serve({ ...options, flags: ['--json', '--log-level', 'warn', ...flags] });
  const line = await firstLine(service);
  return { ...service, ready: JSON.parse(line) as Ready };
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
export function clientOf({ ready }: Pick<Service, 'ready'>, credential: string): Client {
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
