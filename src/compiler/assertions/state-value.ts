// state.value: what the compiler refuses.
import type { StateValueAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const stateValue: AssertionDefinition<StateValueAssertion> = {
  summary: 'the value at a path in one row',
  check: (assertion, { subjects, names }) => {
    names.path(names.row(assertion), 'path', assertion);
    subjects.rows('', assertion);
  },
};
