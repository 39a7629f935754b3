// The world the benches share: one tool whose one operation, and one event, reads a row and writes it back one higher.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../src/compiler/compile.js';
import { jsonDigest } from '../src/contract/digest.js';
import type { JsonValue } from '../src/contract/json.js';
import type { CompiledBuild } from '../src/contract/run/build.js';
import type { WorldSetup } from '../src/contract/world/scenario.js';
import type { CallTool } from '../src/contract/world/world-protocol.js';
import type { CreateWorld } from '../src/worlds/api.js';

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
