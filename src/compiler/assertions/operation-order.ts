// operation.order: what the compiler refuses.
import type { OperationOrderAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const operationOrder: AssertionDefinition<OperationOrderAssertion> = {
  summary: 'calls happened in this order',
  check: (assertion, { subjects, names }) => {
    for (const [index, operation] of assertion.operations.entries())
      names.members(names.call(operation), `operations/${index}/arguments`, operation.arguments);
    for (const [index, operation] of assertion.operations.entries()) subjects.operation(`/operations/${index}`, operation);
  },
};
