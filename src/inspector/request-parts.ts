// Path, query and body of a route: text on the wire, values after this. Everything wrong with path and query is reported at once.
import { type Issue, ServiceError } from '../contract/errors.js';
import type { InspectorRouteId, InspectorRoutes } from '../contract/inspector.js';
import { inspectorValidators, numericQuery } from '../contract/inspector-validators.js';
import { pointerToken } from '../contract/json-fault.js';
import { limits } from '../contract/limits.js';
import type { Validator } from '../contract/validators.js';
import { parseQuery } from '../http/query.js';

export interface Parts<Id extends InspectorRouteId> {
  path: InspectorRoutes[Id]['path'];
  query: InspectorRoutes[Id]['query'];
}
type Values = { readonly [name: string]: string };

export function readParts<Id extends InspectorRouteId>(id: Id, path: Values, query: string): Parts<Id> {
  const { path: pathCheck, query: queryCheck } = inspectorValidators[id];
  const issues: Issue[] = [];
  const read = {
    path: checked(pathCheck, path, '/path', issues),
    query: checked(queryCheck, withNumbers(parseQuery(query, issues), numericQuery[id]), '/query', issues),
  };
  if (issues.length === 0) return read as Parts<Id>;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: 'The path or the query breaks its schema.',
    issues: issues.slice(0, limits.issuesMax),
  });
}

function checked(validate: Validator<object> | undefined, values: object, within: '/path' | '/query', issues: Issue[]): object | undefined {
  if (validate === undefined) {
    for (const name of Object.keys(values))
      issues.push({ path: within + pointerToken(name), code: 'unknown_property', message: 'this route does not take it' });
    return undefined;
  }
  const validation = validate(values);
  if (validation.ok) return validation.value;
  for (const issue of validation.issues) issues.push({ ...issue, path: within + issue.path });
  return undefined;
}

const integer = /^-?(?:0|[1-9]\d{0,15})$/;
/** Text that is no plain integer stays text, so that the check tells what was found. */
function withNumbers(text: Values, numbers: ReadonlySet<string>): object {
  const values: { [name: string]: string | number } = Object.create(null);
  for (const [name, value] of Object.entries(text)) values[name] = numbers.has(name) && integer.test(value) ? Number(value) : value;
  return values;
}
