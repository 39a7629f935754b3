// time.reached: speaks of nothing that a repository could lack.
import type { TimeReachedAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const timeReached: AssertionDefinition<TimeReachedAssertion> = {
  summary: 'the clock got to a time',
};
