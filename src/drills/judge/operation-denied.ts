// operation.denied: how often calls were refused for want of a grant.
import type { OperationDeniedAssertion } from '../../contract/run/assertion.js';
import type { Check } from './finding.js';
import { OperationCounter } from './operation-counter.js';

export function operationDenied({ operation, count }: OperationDeniedAssertion): Check {
  // A call that is sent again with its key, as after a lost answer, was refused once.
  return new OperationCounter({ ...operation, outcome: 'denied' }, count ?? { atLeast: 1 }, { countsReplays: false });
}
