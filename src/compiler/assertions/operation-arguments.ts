// operation.arguments: what the compiler refuses.
import type { OperationArgumentsAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const operationArguments: AssertionDefinition<OperationArgumentsAssertion> = {
  summary: 'the value at a path in the arguments of calls',
  check: (assertion, { subjects, names }) => {
    const { operation } = assertion;
    names.members(names.call(operation), 'operation/arguments', operation.arguments);
    names.path(names.call(operation), 'path', assertion);
    subjects.operation('/operation', operation);
  },
};
