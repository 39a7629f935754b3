// A repository that does not compile, as a refusal that carries the compiler's diagnostics.
import type { Diagnostic } from '../contract/build.js';
import { ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';

export function sourceInvalid(diagnostics: readonly Diagnostic[]): ServiceError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return new ServiceError('control.SOURCE_INVALID', {
    message: `The repository has ${errors.length} error${errors.length === 1 ? '' : 's'}.`,
    issues: errors.slice(0, limits.issuesMax).map(({ file, path, code, message }) => ({ path: `${file}#${path}`, code, message })),
    details: { diagnostics: diagnostics as unknown as JsonValue },
  });
}

/** The diagnostics of a refusal that `sourceInvalid` made. */
export function diagnosticsOf(error: unknown): Diagnostic[] | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'control.SOURCE_INVALID') return undefined;
  return error.extra.details?.diagnostics as unknown as Diagnostic[] | undefined;
}
