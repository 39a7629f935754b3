// Worlds of the fixture whose one tool shows what its codecs are given and sends what it is reported to.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import { newId } from '../../src/contract/ids.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { WorldRef, Worlds, WorldsOptions } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';

const directory = mkdtempSync(join(tmpdir(), 'drillyard-wire-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const compiled = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/wire', import.meta.url)) });
if (compiled.build === undefined) throw new Error(JSON.stringify(compiled.diagnostics));
export const build: CompiledBuild = compiled.build;

export const wireFolder = (name: string): string => join(directory, name);

export function openWireWorlds(name: string, more: Partial<WorldsOptions> = {}): Promise<Worlds> {
  return openWorlds({
    directory: wireFolder(name),
    layout: 'run',
    durability: 'committed',
    hosts: 1,
    isolation: 'thread',
    log: () => {},
    ...more,
  });
}
export function createWire(worlds: Worlds): Promise<WorldRef> {
  return worlds.create({ worldId: newId('world'), build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } });
}
export const position = (world: WorldRef) => world.query({ kind: 'position' });
export const evidence = async (world: WorldRef): Promise<EvidenceEntry[]> =>
  (await world.query({ kind: 'evidence', fromSequence: 1, limit: 500 })).entries;

export function json(value: unknown, more: object = {}): RequestInit {
  return { method: 'POST', body: JSON.stringify(value), headers: { 'content-type': 'application/json', ...more } };
}
/** What decode was given, of a route that shows it. */
export const seen = (body: JsonObject): JsonObject => ((body.invocation as JsonObject).arguments as JsonObject).request as JsonObject;
