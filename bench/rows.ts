// The world the benches share: one tool whose one operation, and one event, reads a row and writes it back one higher.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../src/compiler/compile.js';
import { jsonDigest } from '../src/contract/digest.js';
import type { JsonValue } from '../src/contract/json.js';
import { limits } from '../src/contract/limits.js';
import type { CompiledBuild } from '../src/contract/run/build.js';
import type { InitialEvent, WorldSetup } from '../src/contract/world/scenario.js';
import type { CallTool } from '../src/contract/world/world-protocol.js';
import type { CreateWorld, WorldRef } from '../src/worlds/api.js';

/** Events a `schedule` command. */
const eventsACommand = 10_000;
export const bumpedRows = 1000;

export async function compileRows(): Promise<CompiledBuild> {
  const { build, diagnostics } = await compileProject({ root: fileURLToPath(new URL('../../bench/fixtures/rows', import.meta.url)) });
  assert.ok(build, JSON.stringify(diagnostics));
  return build;
}

/** A world of `count` rows, r0 .. r<count-1>. */
export function rowsWorld(build: CompiledBuild, count: number): Omit<CreateWorld, 'worldId'> {
  const setup: WorldSetup = {
    ...build.baseline.setup,
    state: Array.from({ length: count }, (_, index) => ({
      action: 'upsert' as const,
      packageId: 'rows',
      namespace: 'rows',
      rowId: `r${index}`,
      value: { count: 0, label: `row ${index}` },
    })),
  };
  return { build, setup, setupHash: jsonDigest(setup as unknown as JsonValue), seed: { seed: '1', trial: 1, attempt: 1 } };
}

export const bumpCall = (row: number): CallTool => ({
  kind: 'call',
  actorId: 'worker',
  packageId: 'rows',
  operationId: 'bump',
  arguments: { row: `r${row}` },
});

/** Of a world of 1,000 rows or more: `count` events, one a microsecond, each of which bumps a row. */
export async function scheduleBumps(world: WorldRef, count: number): Promise<void> {
  for (let from = 0; from < count; from += eventsACommand)
    await world.command({ kind: 'schedule', events: bumpsOf(from, Math.min(count, from + eventsACommand)) });
}

/** Until all of them have fired: as many advances as one may have events. `progress`: events so far, now and then. */
export async function advanceBumps(world: WorldRef, count: number, progress: (fired: number) => void = () => {}): Promise<void> {
  for (let fired = 0; fired < count; ) {
    const maxEvents = Math.min(count - fired, limits.advanceEventsMax);
    const before = fired;
    const result = await world.command(
      { kind: 'advance', targetUs: before + maxEvents, maxEvents, operationKey: `bench-${before}` },
      { onProgress: ({ scheduledEventsProcessed }) => progress(before + scheduledEventsProcessed) },
    );
    if (result.status !== 'completed' || result.scheduledEventsProcessed !== maxEvents)
      throw new Error(`the advance ended otherwise: ${JSON.stringify(result)}`);
    fired += maxEvents;
  }
}

function bumpsOf(from: number, to: number): InitialEvent[] {
  return Array.from({ length: to - from }, (_, index) => ({
    event: { packageId: 'rows', eventId: 'bump' },
    payload: { row: `r${((from + index) * 7919) % bumpedRows}` },
    atUs: from + index + 1,
    actorId: 'worker',
  }));
}

export interface Quantiles {
  p50Ms: number;
  p99Ms: number;
}
export function quantiles(samplesMs: number[]): Quantiles {
  const sorted = samplesMs.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(3));
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
