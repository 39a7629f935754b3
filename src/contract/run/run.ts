// Runs: identity, result, hosted run, capture.
import type { JsonObject, JsonValue } from '../json.js';
import type { Count, EpochMs, HostedRunId, Seed, SessionId, Sha256Digest } from '../primitives.js';
import type { CheckpointKind } from '../world/evidence.js';
import type { ToolOverride, WorldSetup } from '../world/scenario.js';
import type { AgentUsage } from './agent-usage.js';
import type { CapturePolicies } from './drill.js';
import type { JudgeAnswer } from './judge-answer.js';

export type ErrorArea = 'framework' | 'world' | 'tool' | 'target' | 'assertion' | 'reporter' | 'control';
export interface RunError {
  schemaVersion: 1;
  /** `<area>.<NAME>`. */
  code: string;
  source: ErrorArea;
  message: string;
  retryable: boolean;
  issues: { path: string; code: string; message: string }[];
  correlationId: string;
  details: JsonObject;
  evidence?: { runId?: string; sequence?: number };
}

export interface RunIdentity {
  runId: string;
  worldInstanceId: string;
  drillId: string;
  targetId: string;
  /** Of how the target is declared. Absent in reports of earlier versions. */
  targetHash?: Sha256Digest;
  buildHash: Sha256Digest;
  packageLockHash: Sha256Digest;
  seed: Seed;
  trial: number;
  trialCount: number;
  attempt: number;
  attemptLimit: number;
  scenarioId?: string;
  setupHash: Sha256Digest;
}
export type BindingEvidence = 'not_checked' | 'issued' | 'observed';
export type WorldConsistency = 'atomic' | 'degraded';
export type RunStatus = 'sealed' | 'runner_failed' | 'cancelled';
export type Verdict = 'passed' | 'failed' | 'inconclusive';
export type AssertionStatus = 'passed' | 'failed' | 'inconclusive' | 'invalid';
export type TargetStatus = 'completed' | 'failed' | 'timed_out' | 'cancelled';

export interface AttachmentDescriptor {
  schemaVersion: 1;
  kind: 'file';
  id: string;
  name: string;
  mediaType: string;
  bytes: Count;
  hash: Sha256Digest;
  redaction: { status: 'not_applied' | 'applied'; note: string | null };
}
export interface TargetResult {
  schemaVersion: 1;
  status: TargetStatus;
  attachments: AttachmentDescriptor[];
  output?: JsonValue;
  error?: RunError;
  /** What the agent said it used, where it did. Of the host: it is no evidence, and no hash depends on it. */
  usage?: AgentUsage;
}
export interface InteractionResult {
  schemaVersion: 1;
  interactionId: string;
  actorId: string;
  actorInstanceId?: string;
  task: { instruction: string; input?: JsonValue };
  scheduledAtVirtualUs: number;
  startedAtVirtualUs: number;
  finishedAtVirtualUs: number;
  bindingEvidence: BindingEvidence;
  targetResult: TargetResult;
}
export interface AssertionLocation {
  subject: 'state' | 'operation' | 'event' | 'callback' | 'fault' | 'output' | 'clock';
  packageId?: string;
  instanceId?: string;
  namespace?: string;
  rowId?: string;
  path?: (string | number)[];
  operationId?: string;
  eventId?: string;
  callbackId?: string;
  faultId?: string;
  interactionId?: string;
}
/** What a report keeps of a judge that was asked, so that nobody asks it again: it answers, or could not. */
export interface JudgeRecord {
  /** Of module, export, state and with: an answer to another question is none to this one. */
  question: Sha256Digest;
  answer?: JudgeAnswer;
  error?: RunError;
  usage?: AgentUsage;
}
export interface AssertionResult {
  schemaVersion: 1;
  assertionId: string;
  kind: string;
  status: AssertionStatus;
  gate: boolean;
  /** Tells a person what happened. */
  message: string;
  expected?: JsonValue;
  actual?: JsonValue;
  location?: AssertionLocation;
  diff?: { operator: string; matched: boolean; details: JsonObject };
  evidenceSequences: number[];
  /** Of a module that was asked. */
  judged?: JudgeRecord;
}
export interface CheckpointResult {
  schemaVersion: 1;
  checkpointId: string;
  kind: CheckpointKind;
  virtualTimeUs: number;
  verdict: Verdict;
  assertionResults: AssertionResult[];
  interactionId?: string;
}
export interface RunBudgetUsage {
  toolCalls: { limit: number; attempted: number; rejected: number };
  scheduledEvents: { limit: number; processed: number; exhausted: boolean };
}
export interface RunSetup {
  schemaVersion: 1;
  drillId: string;
  setup: {
    tools: {
      packages: { packageId: string; version: string; manifestHash: string; artifactHash: string }[];
      behaviorOverrides: JsonObject[];
    };
    bindings: { environment: { [name: string]: string } };
    scenario: Omit<WorldSetup, 'toolOverrides'> & { toolOverrides: ToolOverride[] };
  };
  setupHash: string;
}
export interface CaptureResult {
  schemaVersion: 1;
  policies: CapturePolicies;
  attachments: {
    kind: 'log' | 'screenshot' | 'video' | 'file';
    policy: 'on_failure' | 'always';
    attachment: AttachmentDescriptor;
    interactionId?: string;
  }[];
  errors: { code: string; message: string; kind: string; interactionId?: string }[];
  discarded: { logs: number; screenshots: number; video: number; files: number };
}
export interface RunResult {
  schemaVersion: 1;
  identity: RunIdentity;
  startedAtVirtualUs: number;
  finishedAtVirtualUs: number;
  bindingEvidence: BindingEvidence;
  worldConsistency: WorldConsistency;
  interactions: InteractionResult[];
  checkpoints: CheckpointResult[];
  budgetUsage: RunBudgetUsage;
  status: RunStatus;
  verdict: Verdict;
  assertionResults: AssertionResult[];
  evidenceRange: { fromSequence: number; toSequence: number };
  stateHash: Sha256Digest;
  evidenceHash: Sha256Digest;
  trajectoryHash: Sha256Digest;
  setup: RunSetup;
  capture: CaptureResult;
  /** Present when status is not sealed. */
  failure?: RunError;
}

export type HostedRunState =
  | 'created'
  | 'awaiting_agent'
  | 'ready_to_seal'
  | 'sealed'
  | 'runner_failed'
  | 'cancelled'
  | 'aborted_before_start'
  | 'orchestration_failed';
export interface HostedRun {
  schemaVersion: 1;
  hostedRunId: HostedRunId;
  evidenceBundleId: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  sessionId: SessionId;
  buildHash: Sha256Digest;
  request: { runId: string; drillId: string; seed: string; trial: number; trialCount: number; attempt: number; attemptLimit: number };
  leaseGeneration: number;
  revision: number;
  state: HostedRunState;
  deadlineAtMs: EpochMs;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  finishedAtMs?: EpochMs;
  evidenceRetentionMs: number;
  rerunOfHostedRunId?: string;
  identity?: RunIdentity;
  termination?: { schemaVersion: 1; outcome: 'runner_failed' | 'cancelled'; reason: string; requestedAtMs: EpochMs };
  pendingInteraction?: {
    schemaVersion: 1;
    interaction: {
      id: string;
      afterStartUs: number;
      actorId: string;
      task: { instruction: string; input?: JsonValue };
      actorInstanceId?: string;
    };
    scheduledAtVirtualUs: number;
    startedAtVirtualUs: number;
    toolCallsAtStart: number;
  };
  coordination?: {
    schemaVersion: 1;
    organizationId: string;
    projectId: string;
    hostedRunId: string;
    state: 'pending' | 'running' | 'settled' | 'lost';
    generation: number;
    version: number;
    updatedAtMs: EpochMs;
    activeInteractionId?: string;
  };
  result?: RunResult;
  failure?: RunError;
}
