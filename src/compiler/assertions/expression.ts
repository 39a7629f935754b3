// expr: what the compiler refuses. What the expression itself says: expression-checks.ts.
import type { ExprAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const expression: AssertionDefinition<ExprAssertion> = {
  summary: 'a CEL expression over state, calls, events, outputs and the clock is true',
  check: (assertion, { subjects }) => {
    for (const [name, rows] of Object.entries(assertion.state)) subjects.rows(`/state/${name}`, rows);
  },
};
