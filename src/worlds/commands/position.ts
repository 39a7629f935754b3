// Where a world stands: clock, evidence, and both digests, computed in slices.
import type { WorldPosition } from '../../contract/world/world-protocol.js';
import type { Simulation } from '../turn/simulation.js';

/** `knownStateHash`: of a caller that has hashed this state before. */
export function* position(
  { clock, storage }: Simulation,
  sliceOver: () => boolean,
  knownStateHash?: string,
): Generator<undefined, WorldPosition> {
  const { journal, records } = storage;
  const stateHash = knownStateHash ?? (yield* records.stateHash(sliceOver));
  const evidenceHash = yield* journal.evidenceHash(sliceOver);
  return { virtualTimeUs: clock.nowUs, evidenceSequence: journal.sequence, stateHash, evidenceHash, consistency: 'atomic' };
}

/** In one step, for a change whose answer is where it leads: a caller that has hashed what was there before has left little to hash. */
export function positionNow(simulation: Simulation, knownStateHash?: string): WorldPosition {
  return position(simulation, () => false, knownStateHash).next().value as WorldPosition;
}
