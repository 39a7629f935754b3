// Path and query of a route: text on the wire, values after this. Everything that is wrong with them is reported at once, at /path/<name>
// and /query/<name>.
import { type Issue, ServiceError } from '../contract/errors.js';
import { pointerToken } from '../contract/json-fault.js';
import { limits } from '../contract/limits.js';
import type { RouteRule } from '../contract/route-table.js';
import { type Schema, type Shapes, shapeName, typeOfSchema } from '../contract/shape.js';
import type { RouteContract } from '../contract/validate/route-validators.js';
import type { Validator } from '../contract/validate/validators.js';
import { parseQuery } from './query.js';

export interface RequestValues {
  path: object | undefined;
  query: object | undefined;
}
export type ReadValues = (path: { readonly [name: string]: string }, query: string) => RequestValues;

/** Made once a route, used for each of its requests. */
export function valuesReader<Id extends string>(contract: RouteContract<Id>, id: Id, rule: Pick<RouteRule, 'ignoresQuery'>): ReadValues {
  const { shapes, validators } = contract;
  const path = { validate: validators[id].path, numbers: numbersOf(shapes, contract.shapeNameOf(id, 'path')) };
  const query = { validate: validators[id].query, numbers: numbersOf(shapes, contract.shapeNameOf(id, 'query')) };
  return (pathText, queryText) => {
    const issues: Issue[] = [];
    const pathValue = checked(path, pathText, '/path', issues);
    const isLookedAt = rule.ignoresQuery !== true && (queryText !== '' || query.validate !== undefined);
    const given = isLookedAt ? parseQuery(queryText, issues) : nothing;
    const queryValue = checked(query, given, '/query', issues);
    if (issues.length === 0) return { path: pathValue, query: queryValue };
    throw new ServiceError('control.INVALID_REQUEST', {
      message: 'The path or the query breaks its schema.',
      issues: issues.slice(0, limits.issuesMax),
    });
  };
}

interface Values {
  readonly [name: string]: string;
}
const nothing: Values = Object.create(null);

function checked(
  { validate, numbers }: { validate: Validator<object> | undefined; numbers: ReadonlySet<string> },
  text: Values,
  within: '/path' | '/query',
  issues: Issue[],
): object | undefined {
  if (validate === undefined) {
    for (const name in text)
      issues.push({ path: within + pointerToken(name), code: 'unknown_property', message: 'this endpoint does not take it' });
    return undefined;
  }
  const validation = validate(numbers.size === 0 ? text : withNumbers(text, numbers));
  if (validation.ok) return validation.value;
  for (const issue of validation.issues) issues.push({ ...issue, path: within + issue.path });
  return undefined;
}

const integer = /^-?(?:0|[1-9]\d{0,15})$/;
/** Text that is no plain integer stays text, so that the check tells what was found. */
function withNumbers(text: Values, numbers: ReadonlySet<string>): object {
  const values: { [name: string]: string | number } = Object.create(null);
  for (const name in text) {
    const value = text[name] as string;
    values[name] = numbers.has(name) && integer.test(value) ? Number(value) : value;
  }
  return values;
}

function numbersOf(shapes: Shapes, name: string | undefined): ReadonlySet<string> {
  const resolved = (schema: Schema): Schema => {
    const ref = shapeName(schema);
    return ref === undefined ? schema : resolved(shapes[ref] ?? {});
  };
  const properties = Object.entries(shapes[name ?? '']?.properties ?? {});
  return new Set(properties.filter(([, schema]) => typeOfSchema(resolved(schema)) === 'number').map(([member]) => member));
}
