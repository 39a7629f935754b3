// Attempts to deliver, as the world knows them: begun, considered by faults, settled. The request itself is made outside, after the commit.
//   CALLBACK-ATTEMPTS-1. No request leaves whose `attempt_started` is not committed; one that was never settled is `recovered` and goes out
//     again.
//   CALLBACK-ATTEMPTS-2. The next one is the least by (dueUs, ordinal) of those that are due and have a receiver.
import type { CommandRun } from '../../actors/definition.js';
import type { OutcomeError } from '../../contract/outcome-error.js';
import { isSignedVirtually } from '../../contract/world/callback-signature.js';
import type { DeliveryRequest } from '../../contract/world/delivery-request.js';
import type { CallbackEntry, DeliveryPhase } from '../../contract/world/evidence.js';
import type { DeliveryFault, ToolCallback, ToolFault } from '../../contract/world/tool-manifest.js';
import type { DeliveryAnswer, SettleDelivery, StartDelivery, WorldAnswers } from '../../contract/world/world-protocol.js';
import { ordinalOfId } from '../kv/minted-ids.js';
import type { OutboxRow } from '../state/outbox.js';
import type { WorldState } from '../state/world-state.js';
import { encodeDelivery } from '../turn/callback-encoding.js';
import { callbackEntry } from '../turn/callback-queue.js';
import type { Simulation } from '../turn/simulation.js';
import type { WorldTool } from '../turn/world-tool.js';

type HeldFault = ToolFault & { delivery: { kind: 'delay' | 'reorder'; delayUs: number } };

export function* startDelivery(
  simulation: Simulation,
  { receivers }: StartDelivery,
  run: CommandRun,
): Generator<undefined, { request?: DeliveryRequest }> {
  const { storage, clock } = simulation;
  for (const row of storage.outbox.started()) recover(simulation, row);
  for (;;) {
    const row = storage.outbox.nextDue(receivers, clock.nowUs);
    if (row === undefined) return {};
    const request = begin(simulation, row);
    if (request !== undefined) return { request };
    if (run.sliceOver()) yield;
  }
}

export function settleDelivery(simulation: Simulation, { deliveryId, attempt, answer }: SettleDelivery): WorldAnswers['settleDelivery'] {
  const { storage, turn } = simulation;
  const ordinal = ordinalOfId(deliveryId, 'delivery_', storage.tag);
  const row = ordinal === undefined ? undefined : storage.outbox.get(ordinal);
  if (row === undefined || !row.isStarted || row.attempts !== attempt) return { settled: false };
  turn.begin(undefined);
  const phase = settle(simulation, row, answer);
  turn.end();
  return { settled: true, phase };
}

/** The process that had it under way is gone, and how far it came is unknown: the receiver recognizes a repeat by the delivery's id. */
function recover({ storage, turn }: Simulation, row: OutboxRow): void {
  turn.begin(undefined);
  const lastSequence = draft(storage, row, { phase: 'recovered', attempt: row.attempts });
  storage.outbox.put({ ...row, isStarted: false, isInspected: true, lastSequence });
  turn.end();
}

/** One turn. Undefined: there is nothing to send, because a fault or a broken codec applied. */
function begin(simulation: Simulation, row: OutboxRow): DeliveryRequest | undefined {
  const { turn, faults, clock } = simulation;
  const { instance, callback } = declarationOf(simulation, row);
  turn.begin(undefined);
  const look = { target: row.callbackId, timing: 'delivery' as const, first: true, nowUs: clock.nowUs };
  const [fault] = row.isInspected ? [] : faults.firing(instance.tool, row, look);
  const request =
    fault !== undefined && isHeld(fault) ? hold(simulation, row, fault) : attempt(simulation, row, { instance, callback, fault });
  turn.end();
  return request;
}

const isHeld = (fault: ToolFault): fault is HeldFault => fault.delivery?.kind === 'delay' || fault.delivery?.kind === 'reorder';

function hold({ storage, clock }: Simulation, row: OutboxRow, fault: HeldFault): undefined {
  const { kind, delayUs } = fault.delivery;
  const dueUs = Math.min(clock.nowUs + delayUs, Number.MAX_SAFE_INTEGER);
  const lastSequence = draftFault(storage, row, { fault, dueUs, causeSequence: row.lastSequence });
  storage.outbox.put({ ...row, dueUs, isInspected: true, yields: kind === 'reorder', lastSequence });
}

interface AttemptParts {
  instance: WorldTool;
  callback: ToolCallback;
  fault: ToolFault | undefined;
}
function attempt(simulation: Simulation, row: OutboxRow, { instance, callback, fault }: AttemptParts): DeliveryRequest | undefined {
  const { storage, clock } = simulation;
  const { outbox } = storage;
  const number = row.attempts + 1;
  const { deliveryId } = callbackEntry(storage.tag, row);
  const encoded = encodeDelivery(instance, row, { callback, deliveryId, attempt: number });
  if ('code' in encoded) {
    draft(storage, row, { phase: 'failed', error: encoded });
    outbox.remove(row.ordinal);
    return undefined;
  }
  const startedSequence = draft(storage, row, { phase: 'attempt_started', attempt: number });
  const lastSequence = fault === undefined ? startedSequence : draftFault(storage, row, { fault, causeSequence: startedSequence });
  const started = { ...row, attempts: number, isStarted: true, isInspected: false, yields: false, lastSequence };
  outbox.put(started);
  for (const held of outbox.yieldingTo(row)) outbox.put({ ...held, dueUs: Math.min(held.dueUs, clock.nowUs), yields: false });
  const kind = fault?.delivery?.kind;
  if (kind === 'drop') {
    settle(simulation, started, { kind: 'none', reason: 'timeout' });
    return undefined;
  }
  const { receiverId } = row;
  const { method, path, signature, timeoutMs } = callback;
  const request: DeliveryRequest = {
    deliveryId,
    receiverId,
    attempt: number,
    method,
    path,
    ...encoded,
    signature,
    timeoutMs,
  };
  if (isSignedVirtually(signature)) request.signedAtUs = clock.nowUs;
  if (kind === 'duplicate' || kind === 'bad_signature') request.fault = kind;
  return request;
}

function settle(simulation: Simulation, row: OutboxRow, answer: DeliveryAnswer): DeliveryPhase {
  const { storage, clock } = simulation;
  const { outbox } = storage;
  const status = answer.kind === 'status' ? { status: answer.status } : {};
  const answered = { attempt: row.attempts, ...status };
  if (answer.kind === 'status' && answer.status >= 200 && answer.status < 300) {
    draft(storage, row, { phase: 'delivered', ...answered });
    outbox.remove(row.ordinal);
    return 'delivered';
  }
  const error = errorOf(answer);
  const { retry } = declarationOf(simulation, row).callback;
  const delayUs = error.retryable ? retry.delaysUs[row.retries] : undefined;
  if (delayUs === undefined) {
    draft(storage, row, { phase: 'failed', ...answered, error: { ...error, retryable: false } });
    outbox.remove(row.ordinal);
    return 'failed';
  }
  const retryAtUs = Math.min(clock.nowUs + delayUs, Number.MAX_SAFE_INTEGER);
  const lastSequence = draft(storage, row, { phase: 'retry_scheduled', ...answered, retryAtUs, error });
  outbox.put({ ...row, isStarted: false, dueUs: retryAtUs, retries: row.retries + 1, lastSequence });
  return 'retry_scheduled';
}

const retried = new Set([408, 425, 429]);
function errorOf(answer: DeliveryAnswer): OutcomeError {
  if (answer.kind === 'status') {
    const { status } = answer;
    const isRetried = retried.has(status) || (status >= 500 && status < 600);
    return { code: 'UNEXPECTED_STATUS', message: `The receiver answered ${status}.`, retryable: isRetried };
  }
  switch (answer.reason) {
    case 'timeout':
      return { code: 'TIMEOUT', message: 'The receiver did not answer in time.', retryable: true };
    case 'connection':
      return { code: 'CONNECTION_FAILED', message: 'The receiver could not be reached, or broke off.', retryable: true };
    case 'address_refused':
      return { code: 'ADDRESS_REFUSED', message: 'The receiver lies at an address to which nothing is delivered.', retryable: false };
  }
}

type CallbackNote = Pick<CallbackEntry, 'phase' | 'attempt' | 'status' | 'retryAtUs' | 'error'>;
/** Caused by the delivery's latest entry, if that is in this journal. */
function draft({ journal, tag }: WorldState, row: OutboxRow, note: CallbackNote): number {
  return journal.draft({ ...callbackEntry(tag, row), ...note, ...causedBy(row.lastSequence) });
}
function draftFault(
  { journal, tag }: WorldState,
  row: OutboxRow,
  { fault, dueUs, causeSequence }: { fault: ToolFault; dueUs?: number; causeSequence: number },
): number {
  const { packageId, instanceId, callbackId, deliveryId } = callbackEntry(tag, row);
  const { id: faultId, timing } = fault;
  const { kind: delivery } = fault.delivery as DeliveryFault;
  const held = dueUs === undefined ? {} : { dueUs };
  return journal.draft({
    kind: 'fault',
    packageId,
    instanceId,
    faultId,
    timing,
    callbackId,
    deliveryId,
    delivery,
    ...held,
    ...causedBy(causeSequence),
  });
}
const causedBy = (sequence: number): { causeSequence?: number } => (sequence === 0 ? {} : { causeSequence: sequence });

function declarationOf(
  { dispatcher }: Simulation,
  { packageId, instanceId, callbackId }: OutboxRow,
): { instance: WorldTool; callback: ToolCallback } {
  const instance = dispatcher.instance(packageId, instanceId);
  return { instance, callback: instance.tool.manifest.callbacks.find(({ id }) => id === callbackId) as ToolCallback };
}
