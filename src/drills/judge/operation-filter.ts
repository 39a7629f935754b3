// Which calls an assertion speaks of, and which came near.
import { defined } from '../../contract/defined.js';
import type { OperationChoice, OperationFilter } from '../../contract/run/assertion.js';
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
  if (filter.outcome !== undefined && ![filter.outcome].flat().includes(entry.outcome.kind)) {
    return entry.outcome.kind === 'ok' ? 'ok' : `${entry.outcome.kind} (${entry.outcome.error.code})`;
  }
  if (filter.idempotency !== undefined && entry.idempotency !== filter.idempotency) return entry.idempotency.replaceAll('_', ' ');
  return hasMembers(entry.invocation.arguments, filter.arguments) ? null : 'with other arguments';
}

/** `ok calls by agent to ticket-desk.ticket.close`; a single `call` where `many` is 1. */
export function describeCalls(choice: OperationChoice, many = 2): string {
  return filtersOf(choice)
    .map((filter) => describeFilter(filter, many))
    .join(' or ');
}

function describeFilter(filter: OperationFilter, many: number): string {
  const outcomes = [filter.outcome ?? []].flat().join(' or ');
  const outcome = [outcomes, filter.idempotency?.replaceAll('_', ' ') ?? ''].map((words) => (words === '' ? '' : `${words} `)).join('');
  const actor = filter.actorId === undefined ? '' : ` by ${filter.actorId}`;
  const withArguments = filter.arguments === undefined ? '' : ' with these arguments';
  return `${outcome}${noun(many, 'call')}${actor} to ${operationName(filter)}${withArguments}`;
}

export function operationName(choice: OperationChoice): string {
  return filtersOf(choice)
    .map(({ packageId, instanceId, operationId }) => {
      const instance = instanceId === undefined || instanceId === packageId ? '' : `[${instanceId}]`;
      return `${packageId}${instance}.${operationId}`;
    })
    .join(' or ');
}

/** The first of several. */
export function operationLocation(choice: OperationChoice): AssertionLocation {
  const [{ packageId, instanceId, operationId }] = filtersOf(choice) as [OperationFilter];
  return { subject: 'operation', packageId, ...defined({ instanceId }), operationId };
}

function filtersOf(choice: OperationChoice): readonly OperationFilter[] {
  return 'anyOf' in choice ? choice.anyOf : [choice];
}

/** Whether one of them means the call; else why the first to speak of its operation does not, undefined where none does. */
export function matchCall(
  entry: EvidenceEntry,
  choice: OperationChoice,
): { matches: true } | { matches: false; reason: string | undefined } {
  let reason: string | undefined;
  for (const filter of filtersOf(choice)) {
    if (!callsOperation(entry, filter)) continue;
    const miss = mismatch(entry, filter);
    if (miss === null) return { matches: true };
    reason ??= miss;
  }
  return { matches: false, reason };
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
