// state.diff: what the compiler refuses.
import type { StateDiffAssertion } from '../../contract/run/assertion.js';
import type { AssertionDefinition } from './definition.js';

export const stateDiff: AssertionDefinition<StateDiffAssertion> = {
  summary: 'the net changes of rows since the drill began',
  check: (assertion, { subjects, names }) => {
    for (const [index, change] of assertion.changes.entries()) {
      const row = names.row(change);
      names.members(row, `changes/${index}/before`, change.before);
      names.members(row, `changes/${index}/after`, change.after);
      for (const [place, name] of (change.only ?? []).entries()) names.name(row, `changes/${index}/only/${place}`, name);
    }
    for (const [index, change] of assertion.changes.entries()) subjects.rows(`/changes/${index}`, change);
    subjects.footprints('/scope', assertion.scope);
  },
};
