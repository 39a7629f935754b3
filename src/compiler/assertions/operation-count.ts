// operation.count: what the compiler refuses.
import type { OperationCountAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const operationCount: AssertionDefinition<OperationCountAssertion> = {
  summary: 'how often calls were made',
  check: (assertion, { subjects, names }) => {
    names.members(names.call(assertion.operation), 'operation/arguments', assertion.operation.arguments);
    subjects.operation('/operation', assertion.operation);
  },
};
