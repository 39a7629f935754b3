// What a world is asked and what it answers: the messages of a world actor. Closed unions; validated at the edges that build them.
import type { Issue } from '../errors.js';
import type { JsonObject, JsonValue } from '../json.js';
import type { Count, Sha256Digest, VirtualUs } from '../primitives.js';
import type { DeliveryRequest } from './delivery-request.js';
import type { CheckpointKind, DeliveryPhase, EvidenceEntry, ToolOutcome, VerificationEntry } from './evidence.js';
import type { TokenFault } from './minted-tokens.js';
import type { InitialEvent, ToolOverride } from './scenario.js';
import type { ToolThrow } from './tool-failure.js';
import type { ToolMcp } from './tool-mcp.js';
import type { CallRoute, EncodedMessage, RefusalResult, RefuseRequest, WireRoute } from './wire.js';

/** Identity a world is made with; with the program it determines every byte of its journal. */
export interface WorldSeed {
  seed: string;
  trial: number;
  attempt: number;
}
export interface WorldBudgets {
  /** null: unlimited. */
  maxToolCalls: number | null;
  maxEvents: number | null;
}
export interface WorldPosition {
  virtualTimeUs: VirtualUs;
  evidenceSequence: Count;
  stateHash: Sha256Digest;
  evidenceHash: Sha256Digest;
  consistency: 'atomic';
}

/**
 * A command that is done once: a repeat under the same key gets the first answer and changes nothing, whatever happened in between (a
 * crash, a whole reset, the world's closing); another request under it is control.IDEMPOTENCY_KEY_REUSED. A refusal is not kept. Evidence
 * does not know the key. Kept: one record a keyed command, as long as the world; a fork has none of its parent's.
 */
export interface CommandKey {
  /** 1 to limits.operationKeyCharsMax characters. */
  operationKey?: string;
}
export interface CallTool {
  kind: 'call';
  actorId: string;
  actorInstanceId?: string;
  packageId: string;
  instanceId?: string;
  operationId: string;
  arguments: JsonValue;
  idempotencyKey?: string;
  /** Denied for the token that it came with. */
  tokenFault?: TokenFault;
}
export interface CallResult {
  callId: string;
  correlationId: string;
  outcome: ToolOutcome;
  /** Of the `operation` entry. */
  sequence: number;
  /** Some callback is due: it waits for the delivering side (`startDelivery`). */
  deliveriesDue?: true;
}

/** A request that cannot be decoded never became a call, so it leaves no evidence. One that cannot be encoded was made all the same. */
export type RouteResult =
  | { kind: 'answered'; call: CallResult; status: number; message: EncodedMessage }
  | { kind: 'answered_each'; calls: CallResult[]; status: number; message: EncodedMessage }
  | { kind: 'not_encoded'; call?: CallResult; reason: string }
  | { kind: 'not_decoded'; reason: string; code?: string; issues?: Issue[]; fault: 'request' | 'codec' };

/** Moves the clock to `targetUs`, firing what is due. Its key also resumes an advance that a crash interrupted. */
export interface Advance extends CommandKey {
  kind: 'advance';
  targetUs: number;
  maxEvents: number;
  delivering?: Delivering;
}
/** Set by the side that delivers callbacks: time stands still whenever one for these receivers is due or under way. */
export interface Delivering {
  receivers: string[];
  /** Of the answer that time stood still with: continues from there. */
  resume?: PausedTime;
  /** Ends it where it stands, as a cancel between two events does. */
  cancel?: true;
}
/** An advance or a wait that stands still. It belongs to its caller; nothing but `resume` reads it. */
export interface PausedTime {
  requestedUs: number;
  maxEvents: number;
  startedUs: number;
  evidenceBeforeSequence: number;
  processed: number;
  correlationOrdinal: number;
}
export interface AdvanceResult {
  requestedUs: number;
  startedUs: number;
  reachedUs: number;
  maxEvents: number;
  scheduledEventsProcessed: number;
  evidenceBeforeSequence: number;
  evidenceAfterSequence: number;
  status: 'completed' | 'failed' | 'cancelled';
  eventBudgetExhausted: boolean;
  failure?: { code: string; message: string; scheduledEventId: string };
}
/** With `paused`: not there yet, and no more than that is said. */
export interface AdvanceAnswer extends AdvanceResult {
  paused?: PausedTime;
}
export interface AdvanceProgress {
  reachedUs: number;
  scheduledEventsProcessed: number;
}
/** An actor waits, within the run's event budget: to `untilUs`, or to the next event when absent. Needs the grant world/clock.wait. */
export interface Wait {
  kind: 'wait';
  actorId: string;
  actorInstanceId?: string;
  untilUs?: number;
  delivering?: Delivering;
}
export type WaitResult = { outcome: ToolOutcome; correlationId: string; virtualTimeUs: number; advance?: AdvanceResult };
export type WaitAnswer = WaitResult & { paused?: PausedTime };

/**
 * Begins the next attempt that is due for one of these receivers: it is evidence before the request is returned. Who asks has no request
 * under way; an attempt that has begun and was never settled was interrupted, and its delivery goes out again.
 */
export interface StartDelivery {
  kind: 'startDelivery';
  receivers: string[];
}
/** What came of an attempt. Of one that is not under way nothing is recorded. */
export interface SettleDelivery {
  kind: 'settleDelivery';
  deliveryId: string;
  attempt: number;
  answer: DeliveryAnswer;
}
export type DeliveryAnswer = { kind: 'status'; status: number } | { kind: 'none'; reason: 'timeout' | 'connection' | 'address_refused' };

export interface SetFault extends CommandKey {
  kind: 'setFault';
  packageId: string;
  instanceId?: string;
  faultId: string;
  active: boolean;
}
/** Bulk load of scheduled events, in order; each gets the next scheduling sequence. */
export interface ScheduleEvents extends CommandKey {
  kind: 'schedule';
  events: InitialEvent[];
}
export interface CancelEvent extends CommandKey {
  kind: 'cancelEvent';
  scheduledEventId: string;
}
export interface SetOverrides extends CommandKey {
  kind: 'setOverrides';
  scope: 'run' | 'drill';
  rules: ToolOverride[];
}
/** Whole when `packages` is absent, and then it opens a closed world again. With `snapshotId`: back to that snapshot. */
export interface Reset extends CommandKey {
  kind: 'reset';
  packages?: string[];
  snapshotId?: string;
}
export interface TakeSnapshot extends CommandKey {
  kind: 'snapshot';
}
/** Frees what only this snapshot kept. No entry records it, so no hash changes; its id is not used again. Else control.NOT_FOUND. */
export type DeleteSnapshot = CommandKey & { kind: 'deleteSnapshot'; snapshotId: string };
export interface Verify extends CommandKey {
  kind: 'verify';
  checkpointId: string;
  checkpointKind: CheckpointKind;
  result: VerificationEntry['result'];
}
export interface SetBudgets extends CommandKey {
  kind: 'setBudgets';
  budgets: WorldBudgets;
}
/** Appends world_closed. A closed world takes only a whole reset and deletions of snapshots: else control.STATE_CONFLICT {closed: true}. */
export interface CloseWorld extends CommandKey {
  kind: 'close';
}
export type WorldCommand =
  | CallTool
  | CallRoute
  | RefuseRequest
  | Advance
  | Wait
  | StartDelivery
  | SettleDelivery
  | SetFault
  | ScheduleEvents
  | CancelEvent
  | SetOverrides
  | Reset
  | TakeSnapshot
  | DeleteSnapshot
  | Verify
  | SetBudgets
  | CloseWorld;

export type ReadPosition = { kind: 'position' };
export interface ReadState {
  kind: 'state';
  packageId: string;
  instanceId?: string;
  namespace: string;
  afterRowId?: string;
  limit: number;
  /** The state right after this evidence sequence. */
  atSequence?: number;
}
export interface ReadRow {
  kind: 'row';
  packageId: string;
  instanceId?: string;
  namespace: string;
  rowId: string;
}
export interface StatePage {
  rows: { rowId: string; value: JsonObject }[];
  nextAfterRowId?: string;
}
export interface ReadNamespaces {
  kind: 'namespaces';
  atSequence?: number;
}
export interface NamespaceView {
  packageId: string;
  instanceId: string;
  namespace: string;
  rowCount: number;
}
export interface ReadEvidence {
  kind: 'evidence';
  fromSequence: number;
  limit: number;
}
export interface EvidencePage {
  entries: EvidenceEntry[];
  /** Absent at the end of the journal. */
  nextSequence?: number;
}
/** The same as RFC 8785 lines, each ended by a newline: the bytes that evidenceHash is made of. */
export interface ReadEvidenceLines {
  kind: 'evidenceLines';
  fromSequence: number;
  limit: number;
}
export interface EvidenceLinesPage {
  lines: string;
  count: number;
  nextSequence?: number;
}
export interface ReadPending {
  kind: 'pending';
  limit: number;
}
export interface PendingEvent {
  scheduledEventId: string;
  atUs: number;
  schedulingSequence: number;
  event: { packageId: string; instanceId: string; eventId: string };
  payload: JsonObject;
}
/** A callback that was neither delivered nor given up. */
export interface PendingDelivery {
  deliveryId: string;
  callbackId: string;
  packageId: string;
  instanceId: string;
  eventId: string;
  receiverId: string;
  dueUs: number;
  /** Begun so far. */
  attempts: number;
  /** The last of them has not ended. */
  inFlight: boolean;
}
export interface PendingView {
  total: number;
  /** The earliest first. */
  events: PendingEvent[];
  deliveriesTotal: number;
  /** The earliest due first. */
  deliveries: PendingDelivery[];
  advance?: AdvanceProgress & { requestedUs: number };
}
export interface FaultView {
  packageId: string;
  instanceId: string;
  faultId: string;
  active: boolean;
  triggered: number;
}
export interface ActorView {
  actorId: string;
  actorInstanceId?: string;
  capabilities: { packageId: string; instanceId: string; operationId: string }[];
}
/** The tools an actor may see: granted operations only, ordered by (packageId, instanceId, operationId). */
export interface ReadTools {
  kind: 'tools';
  actorId: string;
  actorInstanceId?: string;
}
export interface ToolCatalogItem {
  packageId: string;
  instanceId: string;
  operationId: string;
  description?: string;
  inputSchema: JsonValue;
  outputSchema: JsonValue;
  declaredErrors: { code: string; description?: string; retryable?: boolean }[];
  idempotency: 'none' | 'optional' | 'required';
  mcp?: ToolMcp;
}
/** Every operation of the world, granted or not, in the order of ReadTools. No agent reads it. */
export type ReadOperations = { kind: 'operations' };
export interface NamedOperation {
  packageId: string;
  instanceId: string;
  operationId: string;
  /** The manifest's `mcp.name`. */
  mcpName?: string;
}
/** Every wire route of the world's tools, in build order. */
export type ReadRoutes = { kind: 'routes' };
export interface BudgetUsage {
  toolCalls: { limit: number | null; attempted: number; rejected: number };
  scheduledEvents: { limit: number | null; processed: number; exhausted: boolean };
}
/** What the world's commits have added to the disk, its snapshots' included. */
export interface StorageView {
  bytes: Count;
  /** Absent: as much as the disk takes. */
  bytesMax?: Count;
}
export type WorldQuery =
  | ReadPosition
  | ReadState
  | ReadRow
  | ReadNamespaces
  | ReadEvidence
  | ReadEvidenceLines
  | ReadPending
  | { kind: 'faults' | 'actors' | 'budgets' | 'throws' | 'storage' }
  /** Loads one tool, or all: world.HANDLER_FAILED for one that cannot be. */
  | { kind: 'checkTools'; packageId?: string }
  | ReadTools
  | ReadOperations
  | ReadRoutes;

/** The answer to each kind of message. */
export interface WorldAnswers {
  call: CallResult;
  callRoute: RouteResult;
  refuseRequest: RefusalResult;
  advance: AdvanceAnswer;
  wait: WaitAnswer;
  startDelivery: { request?: DeliveryRequest };
  settleDelivery: { settled: boolean; phase?: DeliveryPhase };
  setFault: { changed: boolean; sequence: number };
  schedule: { scheduledEventIds: string[] };
  cancelEvent: { cancelled: boolean };
  setOverrides: { count: number };
  reset: { position: WorldPosition };
  snapshot: { snapshotId: string; position: WorldPosition };
  deleteSnapshot: { deleted: true };
  verify: { sequence: number };
  setBudgets: BudgetUsage;
  close: { position: WorldPosition };
  position: WorldPosition;
  state: StatePage;
  row: { value: JsonObject | null };
  namespaces: NamespaceView[];
  evidence: EvidencePage;
  evidenceLines: EvidenceLinesPage;
  pending: PendingView;
  faults: FaultView[];
  actors: ActorView[];
  tools: ToolCatalogItem[];
  operations: NamedOperation[];
  routes: WireRoute[];
  budgets: BudgetUsage;
  checkTools: null;
  throws: ToolThrow[];
  storage: StorageView;
}
