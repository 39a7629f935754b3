// The turns of the crash test: turn `index` is always the same command, so that what must be there can be computed.
import { ServiceError } from '../../src/contract/errors.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { Advance, CallTool } from '../../src/contract/world/world-protocol.js';
import type { WorldRef, Worlds } from '../../src/worlds/api.js';

export const crashWorldId = 'run_0000000000crash';
const startUs = 1_000_000;

/**
 * Every eighth turn advances the clock over what the turns before it scheduled; the others add, or schedule a tick that adds, or add and
 * are declined all the same.
 */
export function turnOf(index: number): CallTool | Advance {
  if (index % 8 === 7) return { kind: 'advance', targetUs: startUs + index * 1000, maxEvents: 1000, operationKey: `advance-${index}` };
  const call = { kind: 'call' as const, actorId: 'operator', packageId: 'counter' };
  if (index % 8 === 3) return { ...call, operationId: 'schedule', arguments: { inUs: 10, amount: amountOf(index) } };
  const operationId = index % 8 === 5 ? 'decline' : 'add';
  return { ...call, operationId, arguments: { counter: 'main', amount: amountOf(index) }, idempotencyKey: `add-${index}` };
}
export const isAdd = (index: number): boolean => index % 8 !== 7 && index % 8 !== 3;
export const amountOf = (index: number): number => (index * 37) % 101;

export async function openOrCreate(worlds: Worlds, build: CompiledBuild, worldId: string): Promise<WorldRef> {
  try {
    return await worlds.open(worldId);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'control.NOT_FOUND')) throw error;
    const { setup, setupHash } = build.baseline;
    return await worlds.create({ worldId, build, setup, setupHash, seed: { seed: '7', trial: 1, attempt: 1 } });
  }
}
