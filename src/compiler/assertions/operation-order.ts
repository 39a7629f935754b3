// operation.order: what the compiler refuses.
import type { OperationOrderAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';
import { checkOperations } from './operation-choice.js';

export const operationOrder: AssertionDefinition<OperationOrderAssertion> = {
  summary: 'calls happened in this order',
  check: ({ operations }, checks) =>
    checkOperations(
      checks,
      operations.map((choice, index) => ({ where: `/operations/${index}`, choice })),
    ),
};
