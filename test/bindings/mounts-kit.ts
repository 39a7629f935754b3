// Worlds of the fixture with two vendors that have one route, and two accounts of one of them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as rawRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import { newId } from '../../src/contract/ids.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { BindingsPort, Endpoint, OpenAccess } from '../../src/drills/ports/bindings-port.js';
import { loadUws } from '../../src/http/uws-binary.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';

const directory = mkdtempSync(join(tmpdir(), 'drillyard-mounts-'));
export const compiled = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/mounts', import.meta.url)) });
const build: CompiledBuild = compiled.build ?? assert.fail(JSON.stringify(compiled.diagnostics));
const worlds = await openWorlds({ directory, layout: 'run', durability: 'committed', hosts: 1, isolation: 'thread', log: () => {} });
after(async () => {
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
});

export const engines = loadUws() === undefined ? (['node:http'] as const) : (['node:http', 'uWebSockets.js'] as const);

export function createMounts(): Promise<WorldRef> {
  return worlds.create({ worldId: newId('world'), build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } });
}
export const evidence = async (world: WorldRef): Promise<EvidenceEntry[]> =>
  (await world.query({ kind: 'evidence', fromSequence: 1, limit: 500 })).entries;

export interface Opened {
  world: WorldRef;
  http: Endpoint;
  /** Of a mount. */
  urlOf(mount: string): string;
  revoke(): Promise<void>;
}
export async function openMounts(bindings: BindingsPort, more: Partial<OpenAccess> = {}): Promise<Opened> {
  const world = more.world ?? (await createMounts());
  const access = await bindings.open({ actorId: 'agent', bindings: ['http'], ...more, world });
  const http = access.endpoints.http ?? assert.fail();
  return { world, http, urlOf: (mount) => http.mounts?.[mount]?.url ?? assert.fail(mount), revoke: () => access.revoke() };
}

export interface Answered {
  status: number;
  body: JsonObject;
}
/** As a client that resolves every name below localhost to this machine. */
export async function ask(
  url: string,
  {
    token,
    host,
    ...options
  }: { token?: string; host?: string; method?: string; body?: unknown; headers?: { [name: string]: string } } = {},
): Promise<Answered> {
  const at = new URL(url);
  const headers: { [name: string]: string } = { host: host ?? at.host, ...options.headers };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  return await new Promise((resolve, reject) => {
    const { method = 'GET' } = options;
    const asked = rawRequest({ host: '127.0.0.1', port: at.port, path: at.pathname + at.search, method, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: text === '' ? {} : (JSON.parse(text) as JsonObject) }));
    });
    asked.on('error', reject).end(options.body === undefined ? undefined : JSON.stringify(options.body));
  });
}
