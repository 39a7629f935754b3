// operation.order: the listed calls happened in this order, others possibly between. Taking the earliest match each time decides it.
import type { OperationChoice, OperationOrderAssertion } from '../../contract/run/assertion.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import type { Check, Finding } from './finding.js';
import { describeCalls, matchCall, operationLocation, operationName } from './operation-filter.js';

export function operationOrder({ operations }: OperationOrderAssertion): Check {
  const found: number[] = [];
  /** Where the step that is waited for was last seen: before its turn. */
  let early: number | undefined;
  const matches = (entry: EvidenceEntry, choice: OperationChoice): boolean => matchCall(entry, choice).matches;
  return {
    observe: (entry) => {
      const next = operations[found.length];
      if (entry.kind !== 'operation' || next === undefined) return;
      if (matches(entry, next)) {
        found.push(entry.sequence);
        early = undefined;
      } else if (operations.slice(found.length + 1).some((later) => matches(entry, later))) {
        early = entry.sequence;
      }
    },
    finding: (): Finding => {
      const missing = operations[found.length];
      const matched = missing === undefined;
      return {
        status: matched ? 'passed' : 'failed',
        settled: matched,
        message: matched
          ? `${operations.length === 1 ? 'The one call' : `All ${operations.length} calls`} happened${operations.length === 1 ? '' : ' in this order'}.`
          : missingMessage(operations, found, missing, early),
        expected: operations.map(operationName),
        actual: operations.slice(0, found.length).map(operationName),
        location: operationLocation(missing ?? operations[0]!),
        diff: { operator: 'order', matched, details: { wanted: operations.length, found: found.length } },
        evidenceSequences: early === undefined ? [...found] : [...found, early],
      };
    },
  };
}

function missingMessage(
  operations: readonly OperationChoice[],
  found: readonly number[],
  missing: OperationChoice,
  early: number | undefined,
): string {
  const after = found.length === 0 ? '' : ` after ${operationName(operations[found.length - 1]!)} (sequence ${found.at(-1)})`;
  const hint = early === undefined ? '' : ` A later step of the list came first, at sequence ${early}.`;
  return `Step ${found.length + 1} of ${operations.length} is missing: no ${describeCalls(missing, 1)}${after}.${hint}`;
}
