// operation.count: how often calls were made.
import type { OperationCountAssertion } from '../../contract/run/assertion.js';
import type { Check } from './finding.js';
import { OperationCounter } from './operation-counter.js';

export function operationCount({ operation, count }: OperationCountAssertion): Check {
  return new OperationCounter(operation, count, { countsReplays: true });
}
