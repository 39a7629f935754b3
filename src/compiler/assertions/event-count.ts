// event.count: what the compiler refuses.
import type { EventCountAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const eventCount: AssertionDefinition<EventCountAssertion> = {
  summary: 'how often an event reached a phase',
  check: (assertion, { subjects, names }) => {
    names.members(names.payload(assertion.event), 'payload', assertion.payload);
    subjects.event('/event', assertion.event);
  },
};
