// A callback is queued in the turn of its event: its entry and its row in the outbox are there with the event, or not at all.
import { limits } from '../../contract/limits.js';
import type { OutcomeError } from '../../contract/outcome-error.js';
import type { ToolCallback, ToolManifest } from '../../contract/world/tool-manifest.js';
import { mintedId } from '../kv/minted-ids.js';
import type { OutboxRow } from '../state/outbox.js';
import type { WorldState } from '../state/world-state.js';
import type { EventName, Turn } from './turn.js';

export function callbacksOf({ callbacks }: ToolManifest, eventId: string): readonly ToolCallback[] {
  return callbacks.filter((callback) => callback.eventId === eventId);
}

export interface CallbackEvent {
  event: EventName;
  payloadText: string;
  /** Of the event's entry. */
  sequence: number;
}

/** In the order of the manifest; each is due at once. */
export function queueCallbacks(
  { storage, clock }: Turn,
  callbacks: readonly ToolCallback[],
  { event, payloadText, sequence }: CallbackEvent,
): void {
  const { packageId, instanceId, eventId } = event;
  for (const { id: callbackId, receiverId } of callbacks) {
    const place = { packageId, instanceId, callbackId, receiverId };
    queueDelivery(storage, {
      ...place,
      ...{ eventId, payloadText, queuedAtUs: clock.nowUs, dueUs: clock.nowUs, attempts: 0, retries: 0 },
      ...{ isStarted: false, isInspected: false, yields: false, eventSequence: sequence },
      causeSequence: sequence,
    });
  }
}

/** Drafts its entries too. One more than the outbox holds is given up at once. */
export function queueDelivery(
  { outbox, journal, tag }: WorldState,
  { causeSequence, ...queued }: Omit<OutboxRow, 'ordinal' | 'lastSequence'> & { causeSequence: number },
): void {
  const row = { ...queued, ordinal: outbox.nextOrdinal, lastSequence: 0 };
  const entry = { ...callbackEntry(tag, row), phase: 'queued' as const };
  const lastSequence = journal.draft(causeSequence === 0 ? entry : { ...entry, causeSequence });
  outbox.put({ ...row, lastSequence });
  if (outbox.size <= limits.outboxDeliveriesMax) return;
  journal.draft({ ...callbackEntry(tag, row), phase: 'failed', error: outboxFull, causeSequence: lastSequence });
  outbox.remove(row.ordinal);
}

/** What every entry of a delivery says. */
export function callbackEntry(tag: string, { ordinal, packageId, instanceId, callbackId, receiverId }: OutboxRow) {
  return { kind: 'callback' as const, callbackId, packageId, instanceId, deliveryId: mintedId('delivery_', tag, ordinal), receiverId };
}

const outboxFull: OutcomeError = {
  code: 'OUTBOX_FULL',
  message: `More than ${limits.outboxDeliveriesMax} deliveries wait already.`,
  retryable: false,
};
