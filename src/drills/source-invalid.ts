// A repository that does not compile, as a refusal that carries the compiler's diagnostics.
import { ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { Diagnostic } from '../contract/run/build.js';
import { counted } from '../text/counted.js';

/** control.SOURCE_INVALID. Its message names the first error; `diagnostics` has all, warnings too. */
export class SourceInvalidError extends ServiceError {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[], message?: string) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    super('control.SOURCE_INVALID', {
      message: message ?? wordsOf(errors),
      issues: errors.slice(0, limits.issuesMax).map(({ file, path, code, message }) => ({ path: `${file}#${path}`, code, message })),
      details: { diagnostics: diagnostics as unknown as JsonValue },
    });
    this.name = 'SourceInvalidError';
    this.diagnostics = diagnostics;
  }
}

function wordsOf([first, ...more]: readonly Diagnostic[]): string {
  if (first === undefined) return 'The repository does not compile.';
  const which = `${first.file}:${first.line}:${first.column} ${first.code} ${first.message}`;
  return more.length === 0
    ? `The repository has 1 error: ${which}`
    : `The repository has ${counted(more.length + 1, 'error')}. The first: ${which}`;
}

/** The compiler's diagnostics of an error that has them. */
export function diagnosticsOf(error: unknown): Diagnostic[] | undefined {
  return error instanceof SourceInvalidError ? [...error.diagnostics] : undefined;
}
