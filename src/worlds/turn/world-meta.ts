// What a world keeps in its head beside rows, queue, receipts and evidence: rewritten by every commit, so it stays small.
import type { BudgetUsage, PausedTime, WorldBudgets, WorldSeed } from '../../contract/world/world-protocol.js';
import type { CounterEntries } from './counters.js';

/** An advance that has begun and not ended; with a key it is found again after a crash. */
export interface RunningAdvance extends PausedTime {
  operationKey?: string;
  /** With the key: what it stands for. */
  requestHash?: string;
}
export interface WorldMeta {
  /** With the program: what the world was made from. A fork has its parent's. */
  seed: WorldSeed;
  recordRandom: boolean;
  nowUs: number;
  isClosed: boolean;
  budgets: WorldBudgets;
  usage: Usage;
  ledger: CounterEntries;
  /** Of the counters, what no turn has recorded yet. */
  ledgerChanges: CounterEntries;
  advance?: RunningAdvance;
}
export interface Usage {
  toolCallsAttempted: number;
  toolCallsRejected: number;
  eventsProcessed: number;
  eventsExhausted: boolean;
}
/** Ledger key of a clock that moved inside a turn (latency): the turn's entries carry the time of its start. */
export const clockKey = 'clock';
/** Of limits that were set, so that a fork at any sequence has those of that moment. */
export const budgetsKey = 'budgets';
export const noUsage: Usage = { toolCallsAttempted: 0, toolCallsRejected: 0, eventsProcessed: 0, eventsExhausted: false };

export function budgetView({ budgets, usage }: Pick<WorldMeta, 'budgets' | 'usage'>): BudgetUsage {
  return {
    toolCalls: { limit: budgets.maxToolCalls, attempted: usage.toolCallsAttempted, rejected: usage.toolCallsRejected },
    scheduledEvents: { limit: budgets.maxEvents, processed: usage.eventsProcessed, exhausted: usage.eventsExhausted },
  };
}
