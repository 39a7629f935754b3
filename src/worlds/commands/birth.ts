// How a world begins: its identity, its first entry, its first meta. A created world and a forked one.
import { canonicalJson } from '../../contract/canonical-json.js';
import type { JsonObject } from '../../contract/json.js';
import type { WorldBudgets, WorldSeed } from '../../contract/world/world-protocol.js';
import { mintedId, worldTag } from '../kv/minted-ids.js';
import { outboxOrdinal } from '../state/outbox.js';
import type { WorldState } from '../state/world-state.js';
import { foldCounters } from '../turn/counters.js';
import type { Program } from '../turn/program.js';
import { Simulation } from '../turn/simulation.js';
import { budgetsKey, clockKey, noUsage, type WorldMeta } from '../turn/world-meta.js';
import type { Position } from './fork.js';

export interface WorldIdentity {
  buildHash: string;
  setupHash: string;
  seed: WorldSeed;
}
export interface BirthSettings {
  seed: WorldSeed;
  budgets: WorldBudgets;
  recordRandom: boolean;
}
export interface Lineage {
  /** The parent's world instance. */
  parentWorldInstanceId: string;
  fromSequence: number;
  parentEvidenceHash: string;
}

/** Two worlds of the same inputs have the same tag: it names what they are, not where they lie. */
export function tagOf({ buildHash, setupHash, seed: { seed, trial, attempt } }: WorldIdentity): string {
  return worldTag({ buildHash, setupHash, seed, trial, attempt });
}
/** Of a fork: two forks of one world at one position have the same. */
export function forkTag({ parentWorldInstanceId, fromSequence, parentEvidenceHash }: Lineage): string {
  return worldTag({ parentWorldInstanceId, fromSequence, parentEvidenceHash });
}
export const worldInstanceId = (tag: string): string => `world_${tag}`;

/** The first turn of a created world: its entry, and the events it starts with, which its setup's hash stands for. */
export function begin(storage: WorldState, program: Program, settings: BirthSettings & { stateHash: string }): Simulation {
  const { seed, budgets, recordRandom, stateHash } = settings;
  const { setup, buildHash, setupHash } = program;
  const meta: WorldMeta = {
    seed,
    recordRandom,
    nowUs: setup.virtualTimeUs,
    isClosed: false,
    budgets,
    usage: { ...noUsage },
    ledger: [],
    ledgerChanges: [],
  };
  const simulation = new Simulation({ storage, program, meta });
  const { turn, clock } = simulation;
  turn.begin(undefined);
  storage.journal.draft({ kind: 'lifecycle', phase: 'world_created', details: { buildHash, setupHash, stateHash, ...seed } });
  for (const { event, payload, atUs, actorId, actorInstanceId } of setup.initialEvents) {
    const ref = storage.queue.ref({
      packageId: event.packageId,
      instanceId: event.instanceId ?? event.packageId,
      eventId: event.eventId,
      actorId,
      actorInstanceId,
    });
    storage.queue.schedule({ atUs: clock.notBeforeNow(atUs), ref, payloadText: canonicalJson(payload) });
  }
  turn.end();
  return simulation;
}

/**
 * The first turn of a fork. What it continues from is its parent's: clock, counters, limits; what it has used of them is its own, nothing.
 */
export function beginFork(
  child: WorldState,
  { program, position, lineage, stateHash }: { program: Program; position: Position; lineage: Lineage; stateHash: string },
): Simulation {
  const simulation = new Simulation({ storage: child, program, meta: forkedMeta(position) });
  simulation.turn.begin(undefined);
  const details: JsonObject = { ...lineage, stateHash };
  child.journal.draft({ kind: 'lifecycle', phase: 'world_forked', details });
  simulation.turn.end();
  return simulation;
}

function forkedMeta({ meta, side, stamp }: Position): WorldMeta {
  const saved = meta as WorldMeta;
  const moved = (side.get(clockKey) as number | undefined) ?? saved.nowUs;
  const { seed, recordRandom, ledger } = saved;
  const budgets = (side.get(budgetsKey) as WorldBudgets | undefined) ?? saved.budgets;
  return {
    seed,
    recordRandom,
    nowUs: Math.max(saved.nowUs, moved, stamp?.virtualTimeUs ?? saved.nowUs),
    isClosed: false,
    budgets,
    usage: { ...noUsage },
    ledger: foldCounters(
      ledger,
      [...side].filter(([key]) => outboxOrdinal(key) === undefined),
    ),
    ledgerChanges: [],
  };
}

export function snapshotIdOf(storage: WorldState): string {
  return mintedId('snap_', storage.tag, storage.snapshotIds().length + 1);
}
