// Options of public functions: a name that nobody knows is refused, as a misspelled one would be ignored otherwise.
import { beginningOf } from '../text/cut-text.js';
import { nearest } from '../text/nearest.js';
import { ServiceError } from './errors.js';
import { limits } from './limits.js';

/** control.INVALID_REQUEST for a member of `options` that is not one of `known`; `of` names the function. */
export function refuseUnknownOptions(of: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw new ServiceError('control.INVALID_REQUEST', { message: `${of} takes an object of options.` });
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const hint = near === undefined ? `It has ${known.join(', ')}.` : `Did you mean "${near}"?`;
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `${of} has no option "${beginningOf(name, limits.quotedNameCharsMax)}". ${hint}`,
      issues: [{ path: `/${beginningOf(name, limits.quotedNameCharsMax)}`, code: 'unknown_property', message: hint }],
    });
  }
}
