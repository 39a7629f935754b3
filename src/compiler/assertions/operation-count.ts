// operation.count: what the compiler refuses.
import type { OperationCountAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';
import { checkOperations } from './operation-choice.js';

export const operationCount: AssertionDefinition<OperationCountAssertion> = {
  summary: 'how often calls were made',
  check: ({ operation }, checks) => checkOperations(checks, [{ where: '/operation', choice: operation }]),
};
