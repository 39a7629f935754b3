// tools/call of MCP over HTTP to live sessions of the hosted service, in a process of its own: each is read, checked against its revision,
// sent to its world, changes a row, leaves evidence, and is answered after its commit is on the disk. In the same run the stateless
// handlers of the official SDK, both generations, with one tool that does nothing, for the same messages; and the plain HTTP binding of the
// same service.
//   npm run bench -- mcp [--seconds 5] [--worlds 64] [--rounds 3] [--connections 64] [--json]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type LoadFigures, type LoadRequest, loader, measureLoad } from './load.js';
import { accessToNewSession, processFigures, startService } from './service.js';

const rows = 1000;
/** The requests of one connection go round the worlds, so that a batch of them is one of every world. */
const roundsOfRequests = 8;

interface Served {
  origin: string;
  requests: LoadRequest[];
}
interface Figures extends LoadFigures {
  /** Of the server's process, all threads: hardly moved by what else the machine does. */
  cpuUsPerRequest: number;
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const { seconds = 5, worlds = 64, rounds = 3, connections = 64 } = options;
  const service = await startService({ rows });
  const [one, two] = [await startPeer('one'), await startPeer('two')];
  const tokens = await Promise.all(Array.from({ length: Number(worlds) }, () => accessToNewSession(service)));
  const requestsOf = (request: (token: string, row: string) => LoadRequest): LoadRequest[] =>
    Array.from({ length: roundsOfRequests }, (_, round) =>
      tokens.map((token, index) => request(token, `r${(round * 131 + index * 7) % rows}`)),
    ).flat();
  const { origin } = service;
  const subjects: { [name: string]: Served & { cpuUs(): number } } = {
    modern: { origin, requests: requestsOf(modernCall('/world/mcp')), cpuUs: () => service.figures().cpuUs },
    legacy: { origin, requests: requestsOf(legacyCall('/world/mcp')), cpuUs: () => service.figures().cpuUs },
    http: { origin, requests: requestsOf(httpCall), cpuUs: () => service.figures().cpuUs },
    sdk: { ...one, requests: requestsOf(legacyCall('/mcp')) },
    sdkTwoModern: { ...two, requests: requestsOf(modernCall('/mcp')) },
    sdkTwoLegacy: { ...two, requests: requestsOf(legacyCall('/mcp')) },
  };
  for (const { origin, requests } of Object.values(subjects)) await measureLoad({ origin, requests, connections: 16, seconds: 1 });
  const all: { [name: string]: Figures }[] = [];
  // Round by round, so that what else the machine does falls on all of them alike.
  for (let round = 0; round < Number(rounds); round++) {
    const figures: { [name: string]: Figures } = {};
    for (const [name, { cpuUs, origin, requests }] of Object.entries(subjects)) {
      const from = cpuUs();
      const load = await measureLoad({ origin, requests, connections: Number(connections), seconds: Number(seconds) });
      figures[name] = { ...load, cpuUsPerRequest: Math.round((cpuUs() - from) / (load.requestsPerSecond * Number(seconds))) };
      console.error(`${name}: ${JSON.stringify(figures[name])}`);
    }
    all.push(figures);
  }
  await service.stop();
  await one.stop();
  await two.stop();
  const times = (name: string, peerName: string): number[] =>
    all.map((figures) => Number(((figures[name]?.requestsPerSecond ?? 0) / (figures[peerName]?.requestsPerSecond ?? 0)).toFixed(1)));
  const errorsOf = (names: string[]): number =>
    all.reduce((sum, figures) => sum + names.reduce((errors, name) => errors + (figures[name]?.errors ?? 0), 0), 0);
  return {
    loader,
    seconds: Number(seconds),
    worlds: Number(worlds),
    connections: Number(connections),
    rounds: all,
    timesSdk: times('legacy', 'sdk'),
    timesSdkMedian: times('legacy', 'sdk').sort((one, other) => one - other)[Math.floor(all.length / 2)],
    timesSdkTwo: { modern: times('modern', 'sdkTwoModern'), legacy: times('legacy', 'sdkTwoLegacy') },
    errors: errorsOf(['modern', 'legacy', 'http']),
    peerErrors: errorsOf(['sdk', 'sdkTwoModern', 'sdkTwoLegacy']),
  };
}

const accept = 'application/json, text/event-stream';
const key = (name: string): string => `io.modelcontextprotocol/${name}`;
const modernMeta = { [key('protocolVersion')]: '2026-07-28', [key('clientCapabilities')]: {} };

function call(path: string, token: string, params: object, headers: { [name: string]: string }): LoadRequest {
  return {
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'rows.bump', ...params } }),
  };
}
const modernCall =
  (path: string) =>
  (token: string, row: string): LoadRequest =>
    call(
      path,
      token,
      { arguments: { row }, _meta: modernMeta },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'rows.bump' },
    );
const legacyCall =
  (path: string) =>
  (token: string, row: string): LoadRequest =>
    call(path, token, { arguments: { row } }, { 'mcp-protocol-version': '2025-11-25' });
const httpCall = (token: string, row: string): LoadRequest => ({
  method: 'POST',
  path: '/world/v1/operations/rows/bump',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ arguments: { row } }),
});

interface Peer {
  origin: string;
  cpuUs(): number;
  stop(): Promise<void>;
}
async function startPeer(generation: 'one' | 'two'): Promise<Peer> {
  const child = spawn(process.execPath, [sdkServer, generation], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await firstLine(child);
  return {
    origin: `http://127.0.0.1:${port}`,
    cpuUs: () => processFigures(child.pid as number).cpuUs,
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

const sdkServer = fileURLToPath(new URL('../../bench/fixtures/sdk-server.mjs', import.meta.url));

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('the peer did not start');
}
