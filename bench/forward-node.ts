// One node of bench/forward.ts, in a process of its own: `owner` answers what a tool call is answered and knows nothing; `front URL`
// forwards everything to that owner. Prints its port.
import { clusterFormats } from '../src/contract/cluster-format.js';
import { behindNodes } from '../src/http/behind-nodes.js';
import { createForwarder } from '../src/http/forward.js';
import { ForwardedBytes } from '../src/http/forwarded-bytes.js';
import type { NodeToken } from '../src/http/node-token.js';
import { OwnerReach } from '../src/http/owner-reach.js';
import type { HttpHandler } from '../src/http/server.js';
import { startHttpServer } from '../src/http/start-server.js';

const [role, address = '', engine = 'uWebSockets.js'] = process.argv.slice(2);
const token: NodeToken = { present: () => `dyn_${'x'.repeat(43)}`, isRight: (given) => given.length === 47 };
const body = JSON.stringify({ schemaVersion: 1, callId: 'call_1', correlationId: 'corr_1', outcome: { kind: 'ok', value: { count: 1 } } });
const answer: HttpHandler = async (request) => {
  await request.body(10_000);
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }, body };
};
const forward = (): HttpHandler =>
  createForwarder({
    owners: { ownerOf: () => ({ address }), changed: () => new Promise(() => {}) },
    token,
    format: () => clusterFormats.newest,
    requireHost: () => {},
    own: answer,
    bytes: new ForwardedBytes(),
    reach: new OwnerReach(async () => true),
  }).handler;
const handler = behindNodes(token, role === 'front' ? forward() : answer, clusterFormats);
const server = await startHttpServer({
  host: '127.0.0.1',
  port: 0,
  engine: engine === 'node:http' ? 'node:http' : 'uWebSockets.js',
  handler,
});
console.log(server.port);
