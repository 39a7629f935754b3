// fault.count: what the compiler refuses.
import type { FaultCountAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const faultCount: AssertionDefinition<FaultCountAssertion> = {
  summary: 'how often a fault was triggered',
  check: (assertion, { subjects }) => {
    subjects.fault('/fault', assertion.fault);
  },
};
