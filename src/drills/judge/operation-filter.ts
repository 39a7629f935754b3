// Which calls an assertion speaks of, and which came near.
import { defined } from '../../contract/defined.js';
import type { OperationFilter } from '../../contract/run/assertion.js';
import type { AssertionLocation } from '../../contract/run/run.js';
import type { EvidenceEntry, OperationEntry } from '../../contract/world/evidence.js';
import { noun } from '../../text/counted.js';
import { hasMembers } from './compare.js';

/** The operation itself, with any caller and any outcome. A filter without an instance means every instance. */
export function callsOperation(entry: EvidenceEntry, filter: OperationFilter): entry is OperationEntry {
  return (
    entry.kind === 'operation' &&
    entry.invocation.operationId === filter.operationId &&
    entry.invocation.packageId === filter.packageId &&
    (filter.instanceId === undefined || entry.invocation.instanceId === filter.instanceId)
  );
}

/** Why a call to the operation does not match the rest of the filter; null when it does. */
export function mismatch(entry: OperationEntry, filter: OperationFilter): string | null {
  if (filter.actorId !== undefined && entry.actorId !== filter.actorId) return `by ${entry.actorId}`;
  if (filter.outcome !== undefined && entry.outcome.kind !== filter.outcome) {
    return entry.outcome.kind === 'ok' ? 'ok' : `${entry.outcome.kind} (${entry.outcome.error.code})`;
  }
  return hasMembers(entry.invocation.arguments, filter.arguments) ? null : 'with other arguments';
}

/** `ok calls by agent to ticket-desk.ticket.close`; a single `call` where `many` is 1. */
export function describeCalls(filter: OperationFilter, many = 2): string {
  const outcome = filter.outcome === undefined ? '' : `${filter.outcome} `;
  const actor = filter.actorId === undefined ? '' : ` by ${filter.actorId}`;
  const withArguments = filter.arguments === undefined ? '' : ' with these arguments';
  return `${outcome}${noun(many, 'call')}${actor} to ${operationName(filter)}${withArguments}`;
}

export function operationName({ packageId, instanceId, operationId }: OperationFilter): string {
  const instance = instanceId === undefined || instanceId === packageId ? '' : `[${instanceId}]`;
  return `${packageId}${instance}.${operationId}`;
}

export function operationLocation({ packageId, instanceId, operationId }: OperationFilter): AssertionLocation {
  return { subject: 'operation', packageId, ...defined({ instanceId }), operationId };
}

/** Calls to the right operation that did not match, counted by reason. */
export class NearMisses {
  readonly #reasons = new Map<string, number>();

  add(reason: string): void {
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
  }

  /** ` Calls that did not match: 2 denied (NOT_GRANTED), 1 by supervisor.`; '' when there were none. */
  describe(): string {
    if (this.#reasons.size === 0) return '';
    const reasons = [...this.#reasons].slice(0, 5).map(([reason, count]) => `${count} ${reason}`);
    return ` Calls that did not match: ${reasons.join(', ')}.`;
  }
}
