// Resets. Whole: everything is as after the world's first turn, or as at a snapshot, and one `world_reset` entry says so. By packages:
// their rows, events, callbacks, faults, receipts and override uses are as at the start, each change an entry; clock, journal, random
// streams and all else stay.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { OutcomeError } from '../../contract/outcome-error.js';
import type { Reset } from '../../contract/world/world-protocol.js';
import type { ScheduledRef } from '../state/event-queue.js';
import { callbackEntry, queueDelivery } from '../turn/callback-queue.js';
import { restoreWindows } from '../turn/rate-windows.js';
import { invalidRequest, type Simulation } from '../turn/simulation.js';
import type { WorldMeta } from '../turn/world-meta.js';
import { draftCancelled, type ScheduleTarget, scheduleEvent, scheduleTarget } from '../turn/world-tool.js';
import { lifecycle } from './controls.js';
import { position } from './position.js';

/** `renew`: makes new parts of the world from the state that the reset restored. */
export function resetWorld(simulation: Simulation, { packages, snapshotId }: Reset, renew: (meta: WorldMeta) => Simulation): Simulation {
  requireNothingInFlight(simulation, packages);
  if (packages !== undefined) {
    if (snapshotId !== undefined) throw invalidRequest('A reset by packages goes back to the start, not to a snapshot.');
    resetPackages(simulation, packages);
    return simulation;
  }
  const renewed = renew(simulation.storage.reset(snapshotId) as WorldMeta);
  // One that stood still when the snapshot was taken has been answered since, or belongs to nobody any more.
  renewed.pausedAdvance = undefined;
  lifecycle(renewed, 'world_reset', snapshotId === undefined ? {} : { snapshotId });
  return renewed;
}

/**
 * Hashes, in slices and before anything is moved, what can be hashed of the position after a reset: the state that a whole one goes back
 * to, which is then known; by packages everything that is there now, so that what changes is all that is left.
 */
export function* hashAhead(
  simulation: Simulation,
  { packages, snapshotId }: Reset,
  sliceOver: () => boolean,
): Generator<undefined, string | undefined> {
  const { storage } = simulation;
  if (packages === undefined) return yield* storage.recordsOf(storage.resetTarget(snapshotId)).stateHash(sliceOver);
  yield* position(simulation, sliceOver);
  return undefined;
}

function resetPackages(simulation: Simulation, packages: readonly string[]): void {
  const { program, storage, turn, faults, overrides, clock, counters } = simulation;
  if (packages.length === 0 || packages.length > limits.resetPackagesMax) throw invalidRequest(`1 to ${limits.resetPackagesMax} packages.`);
  for (const packageId of packages) if (!program.tools.has(packageId)) throw invalidRequest(`There is no package '${packageId}'.`);
  const wanted = [...program.tools.keys()].filter((packageId) => packages.includes(packageId));
  const origin = storage.origin.head.meta as WorldMeta;
  turn.begin(undefined);
  const { journal, queue } = storage;
  journal.causeSequence = journal.draft({ kind: 'lifecycle', phase: 'world_reset', details: { packages: wanted } });
  for (const packageId of wanted) {
    storage.resetPackage(packageId);
    faults.restore(packageId, origin.ledger);
    overrides.restoreUses(packageId, origin.ledger);
    restoreWindows(counters, packageId, origin.ledger);
    for (const event of queue.cancelWhere(({ ref }) => ref.packageId === packageId)) draftCancelled(journal, event);
    for (const { ref, atUs, payloadText } of storage.origin.events(packageId)) {
      scheduleEvent(storage, targetOf(simulation, ref), { atUs: clock.notBeforeNow(atUs), payloadText });
    }
    resetDeliveries(simulation, packageId);
  }
  turn.end();
}

/** What waits is given up; what waited at the start, which only a fork has, is queued again. */
function resetDeliveries({ storage, clock }: Simulation, packageId: string): void {
  const { outbox, journal, tag } = storage;
  const { causeSequence } = journal;
  for (const row of outbox.rows()) {
    if (row.packageId !== packageId) continue;
    journal.draft({ ...callbackEntry(tag, row), phase: 'failed', error: wasReset, causeSequence });
    outbox.remove(row.ordinal);
  }
  for (const { ordinal: _, lastSequence: __, ...row } of storage.origin.deliveries(packageId)) {
    queueDelivery(storage, { ...row, dueUs: clock.notBeforeNow(row.dueUs), isStarted: false, causeSequence });
  }
}
const wasReset: OutcomeError = { code: 'PACKAGE_RESET', message: 'The package was reset.', retryable: false };

/** Its outcome would reach a world that has never sent it. */
function requireNothingInFlight({ isClosed, storage: { outbox, tag } }: Simulation, packages: readonly string[] | undefined): void {
  // A closed world takes no outcome any more.
  if (isClosed) return;
  const row = outbox.started().find(({ packageId }) => packages === undefined || packages.includes(packageId));
  if (row === undefined) return;
  const { deliveryId } = callbackEntry(tag, row);
  throw new ServiceError('control.STATE_CONFLICT', {
    message: 'A callback is in flight.',
    details: { deliveryId, receiverId: row.receiverId },
  });
}

/** Of a ref of the origin's queue, in the present one. */
function targetOf({ storage }: Simulation, { packageId, instanceId, eventId, actorId, actorInstanceId }: ScheduledRef): ScheduleTarget {
  const actor = actorId === undefined ? undefined : { actorId, actorInstanceId };
  return scheduleTarget(storage, { packageId, instanceId, eventId }, actor);
}
