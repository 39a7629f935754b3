// Wire routes over HTTP to one world of this process: a JSON route, a field of GraphQL that reads a row, and uploads of 1 MiB that the
// world keeps, each other than the one before. In the same run, round by round, the plain operation route for the operation of the JSON
// route; the ratios are to that.
//   npm run bench -- wire [--seconds 3] [--rounds 3] [--connections 16] [--uploads 60] [--json]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBindings } from '../src/bindings/create-bindings.js';
import { compileProject } from '../src/compiler/compile.js';
import { newId } from '../src/contract/ids.js';
import type { CompiledBuild } from '../src/contract/run/build.js';
import { openWorlds } from '../src/worlds/worlds.js';
import { type LoadRequest, loader, measureLoad } from './load.js';

const uploadBytes = 1024 * 1024;

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const { seconds = 3, rounds = 3, connections = 16, uploads = 60 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-bench-wire-'));
  const bodies = await compiled('../../test/fixtures/bodies');
  const tracker = await compiled('../../bench/fixtures/graphql');
  const worlds = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread', log: () => {} });
  const bindings = createBindings();
  /** A new one each round: what a world keeps has a bound. */
  const access = async (build: CompiledBuild): Promise<{ url: string; token: string }> => {
    const seed = { seed: '1', trial: 1, attempt: 1 };
    const world = await worlds.create({ worldId: newId('world'), build, ...build.baseline, seed });
    const { endpoints } = await bindings.open({ world, actorId: 'agent', bindings: ['http'] });
    return endpoints.http as { url: string; token: string };
  };
  const figures: { operation: number; route: number; field: number; uploadsPerSecond: number }[] = [];
  try {
    for (let round = 0; round <= Number(rounds); round++) {
      const { url, token } = await access(bodies);
      const { origin } = new URL(url);
      const request = (path: string, body: object, of = { url, token }): LoadRequest => {
        const headers = { authorization: `Bearer ${of.token}`, 'content-type': 'application/json' };
        return { method: 'POST', path: `${new URL(of.url).pathname.replace(/\/$/, '')}${path}`, headers, body: JSON.stringify(body) };
      };
      // The first round warms everything up, and does not count.
      const load = { origin, connections: Number(connections), seconds: round === 0 ? 1 : Number(seconds) };
      const operation = await measureLoad({ ...load, requests: [request('/v1/operations/depot/echo', { arguments: { a: 1 } })] });
      const route = await measureLoad({ ...load, requests: [request('/plain', { a: 1 })] });
      const query = { query: '{ issue(id: "a") { id title } }' };
      const field = await measureLoad({ ...load, requests: [request('/graphql', query, await access(tracker))] });
      const errors = operation.errors + route.errors + field.errors;
      if (errors > 0) throw new Error(`${errors} requests failed`);
      const uploadsPerSecond = await upload(url, Number(uploads));
      const perSecond = { operation: operation.requestsPerSecond, route: route.requestsPerSecond, field: field.requestsPerSecond };
      const one = { ...perSecond, uploadsPerSecond };
      console.error(JSON.stringify(one));
      if (round > 0) figures.push(one);
    }
  } finally {
    await bindings.close();
    await worlds.close();
    rmSync(directory, { recursive: true, force: true });
  }
  const median = (of: (one: (typeof figures)[number]) => number): number => {
    const sorted = figures.map(of).sort((a, b) => a - b);
    return Math.round((sorted[Math.floor(sorted.length / 2)] as number) * 1000) / 1000;
  };
  return {
    loader,
    rounds: figures.length,
    operationPerSecond: median(({ operation }) => operation),
    routePerSecond: median(({ route }) => route),
    fieldPerSecond: median(({ field }) => field),
    uploadsPerSecond: median(({ uploadsPerSecond }) => uploadsPerSecond),
    routeToOperation: median(({ route, operation }) => route / operation),
    fieldToOperation: median(({ field, operation }) => field / operation),
    uploadToOperation: median(({ uploadsPerSecond, operation }) => uploadsPerSecond / operation),
  };
}

async function compiled(folder: string): Promise<CompiledBuild> {
  const { build, diagnostics } = await compileProject({ root: fileURLToPath(new URL(folder, import.meta.url)) });
  if (build === undefined) throw new Error(JSON.stringify(diagnostics));
  return build;
}

/** One after the other; each is answered after its commit. */
async function upload(url: string, count: number): Promise<number> {
  const body = Buffer.alloc(uploadBytes, 7);
  const began = performance.now();
  for (let index = 0; index < count; index++) {
    body.writeUInt32BE(index);
    const reply = await fetch(`${url}/b/k${index}`, { method: 'PUT', body });
    if (reply.status !== 200) throw new Error(`an upload was answered ${reply.status}: ${await reply.text()}`);
    await reply.arrayBuffer();
  }
  return (count * 1000) / (performance.now() - began);
}
