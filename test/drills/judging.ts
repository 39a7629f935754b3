// Journals made by hand, and one assertion judged over them.
import assert from 'node:assert/strict';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { Assertion } from '../../src/contract/run/assertion.js';
import type { AssertionResult, InteractionResult } from '../../src/contract/run/run.js';
import type { EvidenceEntry, OutcomeKind } from '../../src/contract/world/evidence.js';
import type { RunView } from '../../src/drills/judge/finding.js';
import { Judge } from '../../src/drills/judge/judge.js';

type Rows = { [rowId: string]: JsonObject };
export const viewOf = (rows: Rows, interactions: InteractionResult[] = []): RunView => ({
  interactions,
  row: async (_, rowId) => rows[rowId] ?? null,
  eachRow: async (_, callback) => {
    for (const [rowId, value] of Object.entries(rows)) callback({ rowId, value });
  },
});

export interface Case {
  entries?: EvidenceEntry[];
  rows?: Rows;
  interactions?: InteractionResult[];
  startUs?: number;
  cutShort?: string;
}
export async function judge(
  assertion: Judged,
  { entries = [], rows = {}, interactions = [], startUs = 0, cutShort }: Case = {},
): Promise<AssertionResult> {
  const judging = new Judge([{ id: 'it', gate: true, ...assertion } as Assertion], { startUs });
  for (const entry of entries) judging.observe(entry);
  const [result] = await judging.results(viewOf(rows, interactions), cutShort);
  return result ?? assert.fail('no result');
}
/** An assertion without what all of them have. */
export type Judged = DistributiveOmit<Assertion, 'id' | 'gate'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export const common = (sequence: number) =>
  ({
    schemaVersion: 1,
    sequence,
    transactionId: 'txn_0',
    transactionIndex: 0,
    transactionSize: 1,
    virtualTimeUs: sequence,
    correlationId: 'corr_0',
  }) as const;
export function call(
  sequence: number,
  operationId: string,
  args: JsonValue = {},
  kind: OutcomeKind = 'ok',
  actorId = 'agent',
): EvidenceEntry {
  const outcome = kind === 'ok' ? { kind, value: null } : { kind, error: { code: 'NO', message: 'no', retryable: false } };
  const invocation = { callId: `call_${sequence}`, packageId: 'desk', instanceId: 'desk', operationId, arguments: args };
  return { ...common(sequence), kind: 'operation', invocation, actorId, outcome, idempotency: 'not_requested' };
}
export function change(sequence: number, rowId: string, before: JsonObject | null, after: JsonObject | null): EvidenceEntry {
  const kind = before === null ? 'insert' : after === null ? 'delete' : 'update';
  return {
    ...common(sequence),
    kind: 'state_change',
    packageId: 'desk',
    instanceId: 'desk',
    namespace: 'tickets',
    rowId,
    change: kind,
    before,
    after,
  };
}
export function event(sequence: number, phase: 'emitted' | 'handled', payload: JsonObject = {}): EvidenceEntry {
  return { ...common(sequence), kind: 'event', event: { packageId: 'desk', instanceId: 'desk', eventId: 'ticket.closed' }, phase, payload };
}
