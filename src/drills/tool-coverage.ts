// What of a tool's manifest its conformance drills have shown: operations that answered, errors they declare, events, faults and wire
// routes. Read from the evidence of a run, and for routes, of which evidence says nothing, from what the bindings asked of worlds.
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import type { WorldRef } from '../worlds/api.js';
import type { BindingsPort } from './ports/bindings-port.js';

export const coveredKinds = ['operation', 'error', 'event', 'fault', 'route'] as const;
export interface CoveredPart {
  kind: (typeof coveredKinds)[number];
  /** Of an error: its operation and its code, with a space between. */
  id: string;
}
export interface ToolCoverage {
  observed: number;
  declared: number;
  /** By kind, then as the manifest has them. */
  missing: CoveredPart[];
}

const keyOf = ({ kind, id }: CoveredPart): string => `${kind} ${id}`;
/** Kinds of entries that show something; others are not parsed. */
const telling = /"kind":"(?:operation|event|fault)"/;

export class CoverageWatch {
  readonly #manifest: ToolManifest;
  readonly #seen = new Set<string>();

  constructor(manifest: ToolManifest) {
    this.#manifest = manifest;
  }

  /** The same bindings, with an eye on the routes that are asked. */
  over(bindings: BindingsPort): BindingsPort {
    return {
      available: bindings.available,
      httpMounts: bindings.httpMounts,
      open: (request) => bindings.open({ ...request, world: this.#watched(request.world) }),
      ...(bindings.recall === undefined ? {} : { recall: (stored) => bindings.recall?.(stored) }),
      close: () => bindings.close(),
    };
  }

  #watched(world: WorldRef): WorldRef {
    return {
      worldId: world.worldId,
      worldInstanceId: world.worldInstanceId,
      command: async (command, options) => {
        const answer = await world.command(command, options);
        if (command.kind === 'callRoute' && command.packageId === this.#manifest.id)
          this.#seen.add(keyOf({ kind: 'route', id: command.request.routeId }));
        return answer;
      },
      query: (query) => world.query(query),
      fork: (request) => world.fork(request),
      passivate: () => world.passivate(),
      destroy: () => world.destroy(),
    };
  }

  async readEvidence(path: string): Promise<void> {
    if (!existsSync(path)) return;
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY }))
      if (telling.test(line)) this.#take(JSON.parse(line) as EvidenceEntry);
  }

  #take(entry: EvidenceEntry): void {
    const { id } = this.#manifest;
    if (entry.kind === 'event' && entry.event.packageId === id) this.#seen.add(keyOf({ kind: 'event', id: entry.event.eventId }));
    if (entry.kind === 'fault' && entry.packageId === id) this.#seen.add(keyOf({ kind: 'fault', id: entry.faultId }));
    if (entry.kind !== 'operation' || entry.invocation.packageId !== id) return;
    // An override answers in the place of the tool.
    if (entry.toolOverride !== undefined && entry.toolOverride.outcome !== 'original') return;
    const { operationId } = entry.invocation;
    for (const outcome of [entry.outcome, entry.committedOutcome]) {
      if (outcome?.kind === 'ok' || outcome?.kind === 'tool_error') this.#seen.add(keyOf({ kind: 'operation', id: operationId }));
      if (outcome?.kind === 'tool_error') this.#seen.add(keyOf({ kind: 'error', id: `${operationId} ${outcome.error.code}` }));
    }
  }

  result(): ToolCoverage {
    const { operations, events, faults, http } = this.#manifest;
    const declared: CoveredPart[] = [
      ...operations.map(({ id }) => ({ kind: 'operation' as const, id })),
      ...operations.flatMap(({ id, declaredErrors = [] }) =>
        declaredErrors.map(({ code }) => ({ kind: 'error' as const, id: `${id} ${code}` })),
      ),
      ...events.map(({ id }) => ({ kind: 'event' as const, id })),
      ...faults.map(({ id }) => ({ kind: 'fault' as const, id })),
      ...http.map(({ id }) => ({ kind: 'route' as const, id })),
    ];
    const missing = declared.filter((part) => !this.#seen.has(keyOf(part)));
    return { observed: declared.length - missing.length, declared: declared.length, missing };
  }
}
