// custom: what the compiler refuses. Whether its module is there: judge-checks.ts.
import type { CustomAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const custom: AssertionDefinition<CustomAssertion> = {
  summary: 'a module of yours accepts the run',
  check: (assertion, { subjects }) => {
    for (const [name, rows] of Object.entries(assertion.state)) subjects.rows(`/state/${name}`, rows);
  },
};
