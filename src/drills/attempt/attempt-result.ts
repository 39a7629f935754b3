// The result of one attempt, put together from what was played and what the sealed world says of itself.
import { defined } from '../../contract/defined.js';
import { sha256Digest } from '../../contract/digest.js';
import type {
  AssertionResult,
  CheckpointResult,
  InteractionResult,
  RunBudgetUsage,
  RunError,
  RunIdentity,
  RunResult,
  RunSetup,
} from '../../contract/run/run.js';
import { resultVerdict } from '../../contract/run/verdict.js';
import type { BudgetUsage, WorldPosition } from '../../contract/world/world-protocol.js';
import type { PlayableDrill } from '../plan/plan.js';
import { type AttemptStart, firstSequence } from './attempt-environment.js';
import type { Capture, CaptureOutcome } from './capture.js';

export interface ResultParts {
  identity: RunIdentity;
  setup: RunSetup;
  planned: PlayableDrill;
  interactions: readonly InteractionResult[];
  checkpoints: CheckpointResult[];
  capture: Capture;
  status: RunResult['status'];
  /** Absent when there was no world. */
  begun?: AttemptStart;
  failure?: RunError;
  /** What ended the timeline early. */
  cutShort?: string;
  /** Absent when the world could not be made or sealed: then nothing is known of it, and the hashes are those of nothing. */
  sealed?: SealedWorld;
}
export interface SealedWorld {
  assertionResults: AssertionResult[];
  position: WorldPosition;
  budgets: BudgetUsage;
  trajectoryHash: string;
}

export function attemptResult(parts: ResultParts): { result: RunResult; captured: CaptureOutcome } {
  const { planned, identity, setup, checkpoints, status, begun = atTheStart(planned), failure } = parts;
  const { assertionResults, position, budgets, trajectoryHash } = parts.sealed ?? nothingKnown(planned);
  const verdict = resultVerdict({ status, assertionResults, checkpoints, interactions: parts.interactions }, parts.cutShort);
  const captured = parts.capture.settle({ passed: verdict === 'passed' });
  const result: RunResult = {
    schemaVersion: 1,
    identity,
    startedAtVirtualUs: begun.virtualTimeUs,
    finishedAtVirtualUs: position.virtualTimeUs,
    bindingEvidence: bindingEvidenceOf(parts.interactions),
    worldConsistency: position.consistency,
    interactions: parts.interactions.map((interaction) => withAttachments(interaction, captured)),
    checkpoints,
    budgetUsage: usageSince(begun, budgets, planned),
    status,
    verdict,
    assertionResults,
    evidenceRange: { fromSequence: Math.min(firstSequence(begun), position.evidenceSequence), toSequence: position.evidenceSequence },
    stateHash: position.stateHash,
    evidenceHash: position.evidenceHash,
    trajectoryHash,
    setup,
    capture: captured.result,
    ...defined({ failure }),
  };
  return { result, captured };
}

function nothingKnown({ setup }: PlayableDrill): SealedWorld {
  const hash = sha256Digest('');
  return {
    assertionResults: [],
    position: { virtualTimeUs: setup.virtualTimeUs, evidenceSequence: 0, stateHash: hash, evidenceHash: hash, consistency: 'atomic' },
    budgets: { toolCalls: { limit: null, attempted: 0, rejected: 0 }, scheduledEvents: { limit: null, processed: 0, exhausted: false } },
    trajectoryHash: hash,
  };
}

/** Of a world made for the attempt. */
export function atTheStart({ setup }: Pick<PlayableDrill, 'setup'>): AttemptStart {
  return { virtualTimeUs: setup.virtualTimeUs, evidenceSequence: 1, toolCalls: { attempted: 0, rejected: 0 }, eventsProcessed: 0 };
}

/** What the attempt used, whatever its world had used before. */
function usageSince(
  begun: AttemptStart,
  { toolCalls, scheduledEvents }: BudgetUsage,
  { drill: { timeline } }: PlayableDrill,
): RunBudgetUsage {
  return {
    toolCalls: {
      limit: timeline.maxToolCalls,
      attempted: toolCalls.attempted - begun.toolCalls.attempted,
      rejected: toolCalls.rejected - begun.toolCalls.rejected,
    },
    scheduledEvents: {
      limit: timeline.maxEvents,
      processed: scheduledEvents.processed - begun.eventsProcessed,
      exhausted: scheduledEvents.exhausted,
    },
  };
}

function bindingEvidenceOf(interactions: readonly InteractionResult[]): RunResult['bindingEvidence'] {
  if (interactions.length === 0) return 'not_checked';
  return interactions.some(({ bindingEvidence }) => bindingEvidence === 'observed') ? 'observed' : 'issued';
}

function withAttachments(interaction: InteractionResult, { byInteraction }: CaptureOutcome): InteractionResult {
  const attachments = byInteraction.get(interaction.interactionId);
  return attachments === undefined ? interaction : { ...interaction, targetResult: { ...interaction.targetResult, attachments } };
}
