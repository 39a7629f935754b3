// Each filter of an assertion that may name several operations, and where it stands.
import type { OperationChoice } from '../../contract/run/assertion.js';
import type { NameCheck } from './name-check.js';
import type { SubjectCheck } from './subject-check.js';

/** `where` is a JSON Pointer below the assertion. */
export function checkOperations(
  { subjects, names }: { subjects: SubjectCheck; names: NameCheck },
  choices: readonly { where: string; choice: OperationChoice }[],
): void {
  const filters = choices.flatMap(({ where, choice }) =>
    'anyOf' in choice ? choice.anyOf.map((filter, index) => ({ where: `${where}/anyOf/${index}`, filter })) : [{ where, filter: choice }],
  );
  for (const { where, filter } of filters) names.members(names.call(filter), `${where.slice(1)}/arguments`, filter.arguments);
  for (const { where, filter } of filters) subjects.operation(where, filter);
}
