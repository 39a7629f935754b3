// What a library package declares, held against what its conformance drills show: each operation, error, event, fault, route and callback
// happens in the evidence of one of them.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileProject } from '../../src/compiler/compile.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { ToolHttpRoute, ToolManifest } from '../../src/contract/world/tool-manifest.js';
import { library } from './package-world.js';

/** `reports`: the folder of the reports of its drills. */
export async function assertAllShown(packageId: string, reports: string): Promise<void> {
  const build = await conformanceOf(packageId);
  const shown = new Set([...(await evidenceBelow(reports)).flatMap((entry) => factsOf(packageId, entry)), ...requestsOf(build)]);
  const missing = declared(manifestOf(build, packageId)).filter((fact) => !shown.has(fact));
  assert.deepEqual(missing, [], 'declared, and not shown');
}

export async function conformanceOf(packageId: string): Promise<CompiledBuild> {
  const { build } = await compileProject({ root: join(library, packageId, 'conformance') });
  assert.ok(build);
  return build;
}

export function manifestOf({ tools }: CompiledBuild, packageId: string): ToolManifest {
  const manifest = tools.find((tool) => tool.packageId === packageId)?.manifest;
  assert.ok(manifest);
  return manifest;
}

export const requestOf = ({ method, path }: ToolHttpRoute): string => `${method} ${path}`;

/** The routes that the drills ask for: they list requests. A drill that has passed got the statuses that it lists. */
function requestsOf({ drills, tools }: CompiledBuild): string[] {
  const requests = drills
    .flatMap(({ drill }) => drill.timeline.interactions)
    .flatMap(({ task }) => (task.input as { requests?: Request[] } | undefined)?.requests ?? []);
  const routes = tools.flatMap(({ manifest }) => manifest.http);
  return routes.filter((route) => requests.some((request) => asks(request, route))).map((route) => `${requestOf(route)} is asked`);
}

interface Request {
  /** Method and path. */
  send: string;
}

function asks({ send }: Request, route: ToolHttpRoute): boolean {
  const shape = new RegExp(
    `^${requestOf(route)
      .replace(/\{\w+\.\.\.\}/g, '.+')
      .replace(/\{\w+\}/g, '[^/]+')}$`,
  );
  return shape.test(send.replace(/\?.*$/, ''));
}

/** Everything a manifest declares, as lines that evidence, or the requests of drills, can show. */
function declared({ operations, events, subscriptions, faults, http, callbacks }: ToolManifest): string[] {
  return [
    ...operations.map(({ id }) => `${id} succeeds`),
    ...operations.flatMap(({ id, declaredErrors = [] }) => declaredErrors.map(({ code }) => `${id} fails with ${code}`)),
    ...events.map(({ id }) => `${id} happens`),
    ...subscriptions.map(({ id }) => `${id} handles`),
    ...faults.map(({ id }) => `${id} fires`),
    ...http.map((route) => `${requestOf(route)} is asked`),
    ...callbacks.map(({ id }) => `${id} is delivered`),
  ];
}

function factsOf(packageId: string, entry: EvidenceEntry): string[] {
  if (entry.kind === 'fault') return [`${entry.faultId} fires`];
  if (entry.kind === 'callback' && entry.phase === 'delivered') return [`${entry.callbackId} is delivered`];
  if (entry.kind === 'operation' && entry.invocation.packageId === packageId) {
    const { outcome, invocation } = entry;
    return outcome.kind === 'ok'
      ? [`${invocation.operationId} succeeds`]
      : outcome.kind === 'tool_error'
        ? [`${invocation.operationId} fails with ${outcome.error.code}`]
        : [];
  }
  if (entry.kind !== 'event' || (entry.phase !== 'emitted' && entry.phase !== 'handled')) return [];
  return [`${entry.event.eventId} happens`, ...(entry.subscriptionId === undefined ? [] : [`${entry.subscriptionId} handles`])];
}

async function evidenceBelow(reports: string): Promise<EvidenceEntry[]> {
  const texts = await Promise.all((await readdir(reports)).map((run) => readFile(join(reports, run, 'evidence.jsonl'), 'utf8')));
  return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as EvidenceEntry);
}
