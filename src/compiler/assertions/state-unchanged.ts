// state.unchanged: what the compiler refuses.
import type { StateUnchangedAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const stateUnchanged: AssertionDefinition<StateUnchangedAssertion> = {
  summary: 'every row, but for those of `except`, is as it was when the drill began',
  check: (assertion, { subjects }) => {
    subjects.footprints('/except', assertion.except);
    subjects.footprints('/scope', assertion.scope);
  },
};
