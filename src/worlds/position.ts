// Where a world stands: clock, evidence, and both digests, computed in slices.
import type { WorldPosition } from '../contract/world-protocol.js';
import type { Simulation } from './simulation.js';

export function* position({ clock, storage }: Simulation, sliceOver: () => boolean): Generator<undefined, WorldPosition> {
  const { journal, records } = storage;
  const stateHash = yield* records.stateHash(sliceOver);
  const evidenceHash = yield* journal.evidenceHash(sliceOver);
  return { virtualTimeUs: clock.nowUs, evidenceSequence: journal.sequence, stateHash, evidenceHash, consistency: 'atomic' };
}
