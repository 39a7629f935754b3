// callback.count: what the compiler refuses.
import type { CallbackCountAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const callbackCount: AssertionDefinition<CallbackCountAssertion> = {
  summary: 'how often deliveries of a callback reached a phase',
  check: (assertion, { subjects }) => {
    subjects.callback('', assertion);
  },
};
