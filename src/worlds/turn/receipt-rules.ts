// Idempotent calls: which first results are kept, under which key, and what a second call gets. Whether a key is needed, and what it may
// be, call-tool.ts checks.
// A key belongs to the operation of the instance, as to an account at a service: any caller that repeats it there repeats that call.
// Kept is what the service has decided: a success, a failure that kept its effects, and a declared failure that a retry would only
// repeat. Not kept is what never happened (a fault before the call, a retryable failure, a handler that broke): a retry runs again.
// Refusals before the handler keep nothing, but for want of a grant: that is kept for its actor alone, so that a call which is sent again
// counts once.
import { jsonDigest, sha256Digest } from '../../contract/digest.js';
import type { JsonValue } from '../../contract/json.js';
import { hasEffect, type OperationEntry, type ToolOutcome } from '../../contract/world/evidence.js';
import type { Receipt } from '../state/receipts.js';
import type { FoldRules, WorldState } from '../state/world-state.js';

export interface KeyedCall {
  packageId: string;
  instanceId: string;
  operationId: string;
  idempotencyKey: string;
  argumentsText: string;
}
/** Whose call was refused for want of a grant: another's key is another's affair then. */
export interface DeniedCall extends KeyedCall {
  actorId: string;
  actorInstanceId: string | undefined;
}
export type Replay = { kind: 'none' } | { kind: 'reused' } | { kind: 'replay'; outcome: ToolOutcome; of: ReplayedCall };
/** The call that is repeated. */
export interface ReplayedCall {
  /** Of its entry; in a fork, where it was a call of the parent, in the journal of that. */
  sequence: number;
  isInherited: boolean;
}

export function findReplay(storage: WorldState, call: KeyedCall): Replay {
  return replayOf(storage, call, receiptKey(call));
}

/** The refusal that the same call by the same actor got. With other arguments it is another call. */
export function findDenial(storage: WorldState, call: DeniedCall): Replay {
  return replayOf(storage, call, denialKey(call));
}
function replayOf(storage: WorldState, { packageId, argumentsText }: KeyedCall, key: string): Replay {
  const receipt = storage.receipts.get(packageId, key);
  if (receipt === undefined) return { kind: 'none' };
  if (receipt.argumentsHash !== sha256Digest(argumentsText)) return { kind: 'reused' };
  const of = { sequence: receipt.sequence, isInherited: storage.origin.hasReceipt(packageId, key) };
  return { kind: 'replay', outcome: receipt.result as unknown as ToolOutcome, of };
}
export function keepDenial({ receipts }: WorldState, call: DeniedCall, outcome: ToolOutcome, sequence: number): void {
  const result = outcome as unknown as JsonValue;
  receipts.put(call.packageId, denialKey(call), { argumentsHash: sha256Digest(call.argumentsText), sequence, result });
}

const brokenHandler = new Set(['HANDLER_FAILED', 'UNDECLARED_ERROR', 'BOUND_EXCEEDED']);

export function isKept(outcome: ToolOutcome): boolean {
  if (hasEffect(outcome)) return true;
  if (outcome.kind === 'tool_error') return !outcome.error.retryable && !brokenHandler.has(outcome.error.code);
  return false;
}

export function keepReceipt({ receipts }: WorldState, call: KeyedCall, outcome: ToolOutcome, sequence: number): void {
  const result = outcome as unknown as JsonValue;
  receipts.put(call.packageId, receiptKey(call), { argumentsHash: sha256Digest(call.argumentsText), sequence, result });
}

/** The same, read from evidence. */
export const receiptRules: FoldRules = {
  receiptOf({
    idempotency,
    invocation,
    actorId,
    actorInstanceId,
    outcome,
    committedOutcome,
    sequence,
  }: OperationEntry): { packageId: string; key: string; receipt: Receipt } | undefined {
    const { idempotencyKey } = invocation;
    if (idempotency !== 'recorded' || idempotencyKey === undefined) return undefined;
    const result = (committedOutcome ?? outcome) as unknown as JsonValue;
    const call = { ...invocation, idempotencyKey };
    const key = outcome.kind === 'denied' ? denialKey({ ...call, actorId, actorInstanceId }) : receiptKey(call);
    return { packageId: invocation.packageId, key, receipt: { argumentsHash: jsonDigest(invocation.arguments), sequence, result } };
  },
};

const receiptKey = ({
  instanceId,
  operationId,
  idempotencyKey,
}: Pick<KeyedCall, 'instanceId' | 'operationId' | 'idempotencyKey'>): string => `${instanceId} ${operationId} ${idempotencyKey}`;
type DenialName = Pick<DeniedCall, 'instanceId' | 'operationId' | 'idempotencyKey' | 'actorId' | 'actorInstanceId'>;
/** Ids have no spaces: nothing that a caller names is taken for another's. */
const denialKey = ({ actorId, actorInstanceId = '', ...call }: DenialName): string =>
  `denied ${actorId}:${actorInstanceId} ${receiptKey(call)}`;
