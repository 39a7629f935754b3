// A repository that does not compile, as a refusal that carries the compiler's diagnostics.
import type { Diagnostic } from '../contract/build.js';
import { counted } from '../contract/counted.js';
import { ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';

/** control.SOURCE_INVALID. Its message names the first error; `diagnostics` has all, warnings too. */
export class SourceInvalidError extends ServiceError {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const [first] = errors;
    const which =
      first === undefined
        ? ''
        : `${errors.length > 1 ? ' The first' : ''} ${first.file}:${first.line}:${first.column} ${first.code} ${first.message}`;
    super('control.SOURCE_INVALID', {
      message: `The repository has ${counted(errors.length, 'error')}${which === '' ? '.' : errors.length > 1 ? `.${which}` : `:${which}`}`,
      issues: errors.slice(0, limits.issuesMax).map(({ file, path, code, message }) => ({ path: `${file}#${path}`, code, message })),
      details: { diagnostics: diagnostics as unknown as JsonValue },
    });
    this.name = 'SourceInvalidError';
    this.diagnostics = diagnostics;
  }
}

/** The compiler's diagnostics of an error that has them. */
export function diagnosticsOf(error: unknown): Diagnostic[] | undefined {
  return error instanceof SourceInvalidError ? [...error.diagnostics] : undefined;
}
