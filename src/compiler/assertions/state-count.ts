// state.count: what the compiler refuses.
import type { StateCountAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const stateCount: AssertionDefinition<StateCountAssertion> = {
  summary: 'how many rows of a namespace have these members',
  check: (assertion, { subjects, names }) => {
    names.members(names.row(assertion), 'where', assertion.where);
    subjects.rows('', assertion);
  },
};
