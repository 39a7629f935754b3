// Tool calls over HTTP to live sessions of the hosted service, in a process of its own as an operator starts it: each is read, checked,
// sent to its world, changes a row, leaves evidence, and is answered after its commit is on the disk. In the same run the bare servers that
// answer the same bytes and know nothing, and a peer that keeps state.
//   npm run bench -- http [--seconds 5] [--worlds 64] [--workers 2] [--log-level warn] [--only flushed] [--json]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHttpServer } from '../src/http/start-server.js';
import { flushesPerSecond } from './disk.js';
import { type LoadFigures, type LoadRequest, loader, measureLoad } from './load.js';
import { accessToNewSession, startService } from './service.js';

export const rows = 1000;
const flushSeconds = 2;
/** The requests of one connection go round the worlds, so that a batch of them is one of every world. */
const roundsOfRequests = 8;
interface ServedFigures extends LoadFigures {
  /** Of the server's process, all threads: hardly moved by what else the machine does. */
  cpuUsPerRequest?: number;
}
interface Served {
  origin: string;
  requests: LoadRequest[];
  /** CPU time the server has taken so far; absent where it shares a process, or is somebody else's. */
  cpuUs?(): number;
  close(): Promise<void>;
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const { seconds = 5, worlds = 64, only } = options;
  const figures: { [name: string]: ServedFigures } = {};
  const measure = async (name: string, start: () => Promise<Served>, connections: readonly number[]): Promise<void> => {
    if (only !== undefined && !String(only).split(',').includes(name)) return;
    const served = await start();
    await measureLoad({ ...served, connections: 16, seconds: 2 });
    for (const count of connections) {
      const from = served.cpuUs?.() ?? 0;
      const load = await measureLoad({ ...served, connections: count, seconds: Number(seconds) });
      const cpuUs =
        served.cpuUs === undefined
          ? {}
          : { cpuUsPerRequest: Math.round((served.cpuUs() - from) / (load.requestsPerSecond * Number(seconds))) };
      figures[`${name}${count}`] = { ...load, ...cpuUs };
      console.error(`${name} ${count}: ${JSON.stringify(figures[`${name}${count}`])}`);
    }
    await served.close();
  };
  const flags = ['workers', 'log-level', 'isolate'].flatMap((flag) =>
    typeof options[flag] === 'string' ? [`--${flag}`, options[flag]] : [],
  );
  const service =
    (...more: string[]) =>
    () =>
      hostedService(Number(worlds), [...flags, ...more]);
  // Before and after what is compared with it: a disk that others use is not the same for long.
  const flushes = [flushesPerSecond(flushSeconds)];
  await measure('flushed', service(), [1, 16, 64]);
  flushes.push(flushesPerSecond(flushSeconds));
  await measure('committed', service('--durability', 'committed'), [64]);
  // As long at work before its figure counts as the other: what is young takes half as much again.
  await measure('flushedOnNode', service('--server', 'node'), [1, 16, 64]);
  await measure('floor', bareServer, [1, 16, 64]);
  await measure('nodeFloor', bareNodeServer, [64]);
  await measure('jsonServer', jsonServer, [64]);
  const rate = (name: string): number => figures[name]?.requestsPerSecond ?? Number.NaN;
  return {
    loader,
    seconds: Number(seconds),
    worlds: Number(worlds),
    ...figures,
    diskFlushesPerSecond: flushes,
    oneToDiskFlushes: Number((rate('flushed1') / Math.max(...flushes)).toFixed(3)),
    nodeToUws: Number((rate('flushedOnNode64') / rate('flushed64')).toFixed(3)),
    ratioToFloor: Number((rate('flushed64') / rate('floor64')).toFixed(3)),
    timesJsonServer: Number((rate('flushed64') / rate('jsonServer64')).toFixed(2)),
    errors: Object.values(figures).reduce((sum, { errors }) => sum + errors, 0),
  };
}

async function hostedService(worlds: number, flags: readonly string[]): Promise<Served> {
  const service = await startService({ flags, rows });
  const tokens = await Promise.all(Array.from({ length: worlds }, () => accessToNewSession(service)));
  const requests = Array.from({ length: roundsOfRequests }, (_, round) =>
    tokens.map((token, index) => bump(token, round * 131 + index * 7)),
  ).flat();
  return { origin: service.origin, requests, cpuUs: () => service.figures().cpuUs, close: () => service.stop() };
}

export function bump(token: string, row: number): LoadRequest {
  return {
    method: 'POST',
    path: '/world/v1/operations/rows/bump',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: { row: `r${row % rows}` } }),
  };
}

/** What one call of the service is answered, for the bare servers to repeat. */
const sampleAnswer = {
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-correlation-id': 'corr_01m7ye3k1v6twbe1b1jpe8myq9',
  },
  body: '{"schemaVersion":1,"callId":"call_1vsm4h3w9c4qar000000000002","correlationId":"corr_1vsm4h3w9c4qar000000000002","outcome":{"kind":"ok","value":{"count":1}}}',
};

async function bareServer(): Promise<Served> {
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler: () => ({ status: 200, ...sampleAnswer }) });
  return { origin: `http://127.0.0.1:${server.port}`, requests: bareRequests, close: () => server.close() };
}
async function bareNodeServer(): Promise<Served> {
  const { headers, body } = sampleAnswer;
  const server = createServer((message, response) => {
    message.resume().on('end', () => response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${port}`, requests: bareRequests, close };
}
const bareRequests = Array.from({ length: 64 }, (_, index) => bump('x'.repeat(43), index));

/** In its own process, as it is run; a PATCH of a row writes its whole file. */
async function jsonServer(): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  const file = join(folder, 'db.json');
  writeFileSync(
    file,
    JSON.stringify({ rows: Array.from({ length: rows }, (_, index) => ({ id: `r${index}`, count: 0, label: `row ${index}` })) }),
  );
  const port = await freePort();
  const bin = createRequire(import.meta.url).resolve('json-server/lib/cli/bin.js');
  const child = spawn(process.execPath, [bin, '--quiet', '--host', '127.0.0.1', '--port', String(port), file], { stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  await answers(origin);
  const requests = Array.from(
    { length: 64 },
    (_, index): LoadRequest => ({
      method: 'PATCH',
      path: `/rows/r${(index * 7) % rows}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ count: index }),
    }),
  );
  const close = async (): Promise<void> => {
    child.kill();
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  return { origin, requests, close };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
async function answers(origin: string): Promise<void> {
  for (let left = 200; ; left--) {
    try {
      await (await fetch(origin)).arrayBuffer();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
