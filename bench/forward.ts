// What it adds that a node forwards a request to its owner: the same request sent to the owner itself and through another node, in turns on
// one kept connection each, so that what else the machine does falls on both alike. `bare`: an owner that answers at once; `call`: tool
// calls of the hosted service, answered after their commit. Owner and node are processes of their own.
//   npm run bench -- forward [--requests 4000] [--callers 1,16] [--engine node:http] [--only bare] [--json]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bump } from './http.js';
import type { LoadRequest } from './load.js';
import { accessToNewSession, startService } from './service.js';

interface Quantiles {
  p50Ms: number;
  p99Ms: number;
}
export interface Compared {
  direct: Quantiles;
  forwarded: Quantiles;
  addedP50Ms: number;
  addedP99Ms: number;
  errors: number;
}
const worlds = 16;
const warmUp = 500;

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const { requests = 4000, callers = '1,16', engine = 'uWebSockets.js', only } = options;
  const figures: { [name: string]: Compared } = {};
  const measure = async (name: string, owner: string, load: readonly LoadRequest[]): Promise<void> => {
    const front = await startNode(['front', owner, String(engine)]);
    const asked = { direct: owner, forwarded: front.url, load };
    await compare({ ...asked, requests: warmUp, callers: 4 });
    for (const count of String(callers).split(',').map(Number)) {
      figures[`${name}${count}`] = await compare({ ...asked, requests: Number(requests), callers: count });
      console.error(`${name} ${count}: ${JSON.stringify(figures[`${name}${count}`])}`);
    }
    await front.stop();
  };
  if (only === undefined || only === 'bare') {
    const owner = await startNode(['owner', '', String(engine)]);
    await measure('bare', owner.url, [bump('x'.repeat(43), 1)]);
    await owner.stop();
  }
  if (only === undefined || only === 'call') {
    const service = await startService({ rows: 1000 });
    const tokens = await Promise.all(Array.from({ length: worlds }, () => accessToNewSession(service)));
    const load = tokens.map((token, index) => bump(token, index * 7));
    await measure('call', service.origin, load);
    await service.stop();
  }
  return { requests: Number(requests), engine, ...figures, errors: Object.values(figures).reduce((sum, { errors }) => sum + errors, 0) };
}

export interface Comparison {
  direct: string;
  forwarded: string;
  load: readonly LoadRequest[];
  requests: number;
  callers: number;
}
/** Each request both ways, in turns. */
export async function compare({ direct, forwarded, load, requests, callers }: Comparison): Promise<Compared> {
  const samples: { direct: number[]; forwarded: number[] } = { direct: [], forwarded: [] };
  const agents = { direct: newAgent(callers), forwarded: newAgent(callers) };
  let left = requests;
  let errors = 0;
  const call = async (caller: number): Promise<void> => {
    for (let turn = caller; left > 0; turn++) {
      left -= 1;
      const request = load[turn % load.length] as LoadRequest;
      // Each goes first in every other turn.
      for (const way of turn % 2 === 0 ? (['direct', 'forwarded'] as const) : (['forwarded', 'direct'] as const)) {
        const began = performance.now();
        const status = await ask(way === 'direct' ? direct : forwarded, request, agents[way]);
        samples[way].push(performance.now() - began);
        if (status !== 200) errors += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  agents.direct.destroy();
  agents.forwarded.destroy();
  const [one, other] = [quantilesOf(samples.direct), quantilesOf(samples.forwarded)];
  return {
    direct: one,
    forwarded: other,
    addedP50Ms: rounded(other.p50Ms - one.p50Ms),
    addedP99Ms: rounded(other.p99Ms - one.p99Ms),
    errors,
  };
}
const newAgent = (maxSockets: number): Agent => new Agent({ keepAlive: true, maxSockets, noDelay: true });

function ask(origin: string, { method, path, headers, body }: LoadRequest, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const length = { 'content-length': Buffer.byteLength(body) };
    const outgoing = httpRequest(origin + path, { method, headers: { ...headers, ...length }, agent }, (incoming) => {
      incoming.resume().on('end', () => resolve(incoming.statusCode as number));
    });
    outgoing.on('error', () => resolve(0));
    outgoing.end(body);
  });
}

function quantilesOf(samples: number[]): Quantiles {
  const sorted = samples.sort((one, other) => one - other);
  const at = (share: number): number => rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number);
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
const rounded = (ms: number): number => Number(ms.toFixed(3));

interface BenchNode {
  url: string;
  stop(): Promise<void>;
}
async function startNode(words: string[]): Promise<BenchNode> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('forward-node.js', import.meta.url)), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await firstLine(child);
  const stop = async (): Promise<void> => {
    child.kill();
    await once(child, 'exit');
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}
async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('the node did not start');
}
