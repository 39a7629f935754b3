// effect.at_most_once: what the compiler refuses.
import type { EffectAtMostOnceAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const effectAtMostOnce: AssertionDefinition<EffectAtMostOnceAssertion> = {
  summary: 'no logical effect happened twice, however often its call was tried',
  check: (assertion, { subjects, names }) => {
    const { operation, identity } = assertion;
    names.members(names.call(operation), 'operation/arguments', operation.arguments);
    if (identity !== 'idempotencyKey')
      for (const [index, path] of identity.arguments.entries()) names.path(names.call(operation), `identity/arguments/${index}`, { path });
    subjects.operation('/operation', operation);
  },
};
