// Evidence entries: the ordered journal of a world (docs/evidence.md).

// One entry is one line of RFC 8785 JSON; `evidenceHash` is made of those lines.
import type { JsonObject, JsonValue } from '../json.js';
import type { OutcomeError } from '../outcome-error.js';
import type { OverrideScope } from './scenario.js';
import type { DeliveryFaultKind, ToolFault } from './tool-manifest.js';
import type { RefusalKind } from './tool-wire.js';

export interface EntryCommon {
  schemaVersion: 1;
  /** From 1, without gaps. */
  sequence: number;
  transactionId: string;
  /** Position in the transaction, from 0. */
  transactionIndex: number;
  transactionSize: number;
  virtualTimeUs: number;
  correlationId: string;
  causeSequence?: number;
}

/** `committed`: the tool declared the failure and kept what its turn had done. */
export type ToolOutcome =
  | { kind: 'ok'; value: JsonValue }
  | { kind: 'denied'; error: OutcomeError }
  | { kind: 'tool_error'; error: OutcomeError; committed?: true }
  | { kind: 'unsupported'; error: OutcomeError }
  | { kind: 'invalid'; error: OutcomeError };
export type OutcomeKind = ToolOutcome['kind'];

/** What the call did is there: it succeeded, or the tool failed it and kept its effects. */
export function hasEffect(outcome: ToolOutcome): boolean {
  return outcome.kind === 'ok' || (outcome.kind === 'tool_error' && outcome.committed === true);
}

/**
 * The clock after an entry, where it stood at `nowUs` before it. Entries bear the time at which their turn began, also those that follow a
 * move of the clock in that turn; time never goes back.
 */
export function clockAfter(nowUs: number, entry: EvidenceEntry): number {
  return Math.max(nowUs, entry.kind === 'clock' ? entry.toUs : entry.virtualTimeUs);
}

export interface Invocation {
  callId: string;
  packageId: string;
  instanceId: string;
  operationId: string;
  arguments: JsonValue;
  idempotencyKey?: string;
}
export interface OperationEntry extends EntryCommon {
  kind: 'operation';
  invocation: Invocation;
  actorId: string;
  actorInstanceId?: string;
  outcome: ToolOutcome;
  /** What stands, where an after_commit fault answered with an error all the same: the answer that was lost. */
  committedOutcome?: ToolOutcome;
  idempotency: 'not_requested' | 'recorded' | 'replayed' | 'not_recorded';
  /** Of the entry whose outcome this call got by its key. Absent in a fork where that was a call of the parent. */
  replayedFromSequence?: number;
  toolOverride?: { scope: OverrideScope; id: string; outcome: 'return' | 'error' | 'original' };
}
export interface StateChangeEntry extends EntryCommon {
  kind: 'state_change';
  packageId: string;
  instanceId: string;
  namespace: string;
  rowId: string;
  change: 'insert' | 'update' | 'delete';
  /** null where there was, or is, no row. */
  before: JsonObject | null;
  after: JsonObject | null;
}
export interface EventEntry extends EntryCommon {
  kind: 'event';
  event: { packageId: string; instanceId: string; eventId: string };
  phase: 'emitted' | 'scheduled' | 'handled' | 'failed' | 'cancelled';
  payload: JsonObject;
  scheduledEventId?: string;
  scheduledForUs?: number;
  handlerPackageId?: string;
  handlerInstanceId?: string;
  subscriptionId?: string;
  /** On `failed`. */
  error?: OutcomeError;
}
/** What an attempt has made of its delivery. */
export type DeliveryPhase = 'delivered' | 'retry_scheduled' | 'failed';
export interface CallbackEntry extends EntryCommon {
  kind: 'callback';
  callbackId: string;
  packageId: string;
  instanceId: string;
  deliveryId: string;
  receiverId: string;
  phase: 'queued' | 'attempt_started' | DeliveryPhase | 'recovered';
  /** From 1; absent on `queued`. */
  attempt?: number;
  /** What the receiver answered, where it did. */
  status?: number;
  retryAtUs?: number;
  error?: OutcomeError;
}
export interface FaultEntry extends EntryCommon {
  kind: 'fault';
  packageId: string;
  instanceId: string;
  faultId: string;
  /** The call it hit; absent on a fault of a delivery. */
  operationId?: string;
  timing: ToolFault['timing'];
  latencyUs?: number;
  /** Of the timing stream: how many events the caller was sent. */
  afterEvents?: number;
  /** The delivery it hit, and how. */
  callbackId?: string;
  deliveryId?: string;
  delivery?: DeliveryFaultKind;
  /** Of a delivery that is held back: until when. */
  dueUs?: number;
}
export interface FaultControlEntry extends EntryCommon {
  kind: 'fault_control';
  packageId: string;
  instanceId: string;
  faultId: string;
  active: boolean;
  /** False for a no-op. */
  changed: boolean;
}
export interface RandomEntry extends EntryCommon {
  kind: 'random';
  packageId: string;
  instanceId: string;
  purpose: string;
  method: 'nextFloat' | 'nextInteger' | 'nextU64';
  value: number | string;
}
export interface ClockEntry extends EntryCommon {
  kind: 'clock';
  fromUs: number;
  toUs: number;
  reason: 'scenario' | 'explicit' | 'scheduled_work' | 'reset' | 'wait';
}
export interface LifecycleEntry extends EntryCommon {
  kind: 'lifecycle';
  phase: 'world_created' | 'snapshot_created' | 'world_reset' | 'world_forked' | 'world_closed';
  /**
   * world_created: buildHash, setupHash, stateHash of the prepared rows, seed, trial, attempt; world_reset: packages?; world_forked:
   * fromSequence, parent (the parent's world instance); snapshot_created: snapshotId, atSequence.
   */
  details: JsonObject;
}
export interface VerificationEntry extends EntryCommon {
  kind: 'verification';
  checkpointId: string;
  checkpointKind: CheckpointKind;
  result: { verdict: 'passed' | 'failed' | 'inconclusive'; assertions: { assertionId: string; status: string; gate: boolean }[] };
}
export type CheckpointKind = 'after_interaction' | 'invariant' | 'final';

/** A request to a wire route that became no call. */
export interface RefusedRequestEntry extends EntryCommon {
  kind: 'refused_request';
  packageId: string;
  /** Whose access it was sent to; absent where nobody was authenticated. */
  actorId?: string;
  actorInstanceId?: string;
  refusal: RefusalKind;
  method: string;
  pathname: string;
  routeId?: string;
  status: number;
}

export type EvidenceEntry =
  | OperationEntry
  | StateChangeEntry
  | EventEntry
  | CallbackEntry
  | FaultEntry
  | FaultControlEntry
  | RandomEntry
  | ClockEntry
  | LifecycleEntry
  | VerificationEntry
  | RefusedRequestEntry;
export type EvidenceKind = EvidenceEntry['kind'];
/** Their order is the code by which stored journals know them: a new kind goes last. */
export const evidenceKinds = [
  'operation',
  'state_change',
  'event',
  'callback',
  'fault',
  'fault_control',
  'random',
  'clock',
  'lifecycle',
  'verification',
  'refused_request',
] as const satisfies readonly EvidenceKind[];
