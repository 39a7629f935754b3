// output.value: what the compiler refuses.
import type { OutputValueAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const outputValue: AssertionDefinition<OutputValueAssertion> = {
  summary: 'the value at a path in what the agent returned',
  check: (assertion, { subjects }) => {
    subjects.interaction('/interactionId', assertion.interactionId);
  },
};
