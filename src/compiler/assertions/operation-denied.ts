// operation.denied: what the compiler refuses.
import type { OperationDeniedAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const operationDenied: AssertionDefinition<OperationDeniedAssertion> = {
  summary: 'how often calls were denied for want of a grant',
  check: (assertion, { subjects, names }) => {
    const { operation } = assertion;
    names.members(names.call({ ...operation, outcome: 'denied' }), 'operation/arguments', operation.arguments);
    subjects.operation('/operation', operation);
  },
};
