// From a validation to its value, or to the one refusal for a request that breaks its schema.
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { Validation } from '../contract/validate/validators.js';

/** `within`: where the checked value lies in the request: '' is the body, `/path` the path's values. */
export function requireValid<T>(validation: Validation<T>, within = ''): T {
  if (validation.ok) return validation.value;
  const issues = validation.issues.slice(0, limits.issuesMax).map((issue) => ({ ...issue, path: `${within}${issue.path}` }));
  throw new ServiceError('control.INVALID_REQUEST', { message: 'The request breaks its schema.', issues });
}
