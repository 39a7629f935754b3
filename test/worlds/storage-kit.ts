// What the tests of world storage share: a folder that goes away, a small program, generators run to their end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import { jsonDigest, sha256Digest } from '../../src/contract/digest.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { WorldProgram } from '../../src/contract/run/build.js';
import type { StatePatch } from '../../src/contract/world/scenario.js';
import { worldTag } from '../../src/worlds/kv/minted-ids.js';
import type { Records } from '../../src/worlds/state/records.js';
import type { Space } from '../../src/worlds/state/space.js';
import { WorldRepository, type WorldRepositoryOptions } from '../../src/worlds/state/world-repository.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';

export const never = () => false;
export function finish<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export function temporaryFolder(context: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-worlds-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Closed and deleted after the test. */
export function temporaryStore(context: Pick<TestContext, 'after'>, options: Partial<WorldRepositoryOptions> = {}): WorldRepository {
  const store = WorldRepository.open({ directory: temporaryFolder(context), durability: 'committed', ...options });
  context.after(() => store.close());
  return store;
}

export function programWith(state: StatePatch[]): WorldProgram {
  const setup = { virtualTimeUs: 0, actors: [], state, faults: [], initialEvents: [], toolOverrides: [] };
  return { schemaVersion: 1, buildHash: sha256Digest('build'), tools: [], setup, setupHash: jsonDigest(setup as unknown as JsonObject) };
}
export function upsert(rowId: string, value: JsonObject, namespace = 'tickets', packageId = 'desk'): StatePatch {
  return { action: 'upsert', packageId, namespace, rowId, value };
}

export const tag = worldTag({ seed: '1' });
let worlds = 0;

/** A world that exists, its journal holding the entry of its creation. */
export function newWorld(store: WorldRepository, state: StatePatch[] = [], meta: object = {}): WorldState {
  const worldId = `world_${String(++worlds).padStart(12, '0')}`;
  const programKey = store.putProgram(programWith(state));
  const world = store.createWorld({ worldId, incarnation: 1, programKey, tag });
  turn(world, 0, () => world.journal.draft({ kind: 'lifecycle', phase: 'world_created', details: { made: true } }));
  commitNow(world, meta);
  return world;
}

/** What a host does for the worlds of a group, of one alone. Throws what refuses it. */
export function commitNow(world: WorldState, meta: object): void {
  const set = world.takeWriteSet(meta);
  const [refusal] = set === undefined ? [] : world.context.store.commit([set]);
  if (refusal !== undefined) throw refusal;
}

export function turn(world: WorldState, virtualTimeUs: number, body: () => void): void {
  world.beginTurn();
  body();
  world.endTurn({ virtualTimeUs, correlationOrdinal: 1 });
}
export function putRow(world: WorldState, space: Space, rowId: string, value: JsonObject): void {
  world.records.put(space, rowId, Object.freeze(value), canonicalJson(value));
}
export function allRows(records: Pick<Records, 'spaces' | 'scan'>): { [space: string]: { [rowId: string]: JsonObject } } {
  const spaces: { [space: string]: { [rowId: string]: JsonObject } } = {};
  for (const space of records.spaces()) {
    const rows = records.scan(space, { limit: 1_000_000 });
    if (rows.length > 0)
      spaces[`${space.packageId}/${space.instanceId}/${space.namespace}`] = Object.fromEntries(
        rows.map(({ rowId, value }) => [rowId, value]),
      );
  }
  return spaces;
}
