// `drillyard validate`: compiles, checks types and shows every diagnostic; runs nothing.
import { resolve } from 'node:path';
import { defined } from '../contract/defined.js';
import { validateRepository } from '../drills/validate-repository.js';
import type { ShownPlace } from './compile-shown.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import type { Output } from './output.js';
import { withProgressBar } from './progress-bar.js';
import { buildWords, showDiagnostics, showSummary } from './validity.js';

export interface SourceFlags extends ShownPlace {
  json: boolean;
}
export interface ValidateFlags extends SourceFlags {
  types: boolean;
}

export function validateCommand(flags: ValidateFlags): Promise<ExitCode> {
  return sayFailures(flags, resolve(flags.root), (output) => validate(flags, output));
}

async function validate({ root, config, json, types }: ValidateFlags, output: Output): Promise<ExitCode> {
  const result = await withProgressBar('Compiling', ({ update }) =>
    validateRepository({ root, types, ...defined({ config }), onCompiling: update }),
  );
  const { diagnostics } = result;
  showDiagnostics(diagnostics, { output, root: resolve(root) });
  if (result.types.state === 'unavailable') output.warn(`Types were not checked. ${result.types.reason} ${result.types.advice}`);
  showSummary(diagnostics, { output, more: { types: result.types.state }, ...(result.valid ? { build: result.build } : {}) });
  if (!result.valid) return exitCodes.usage;
  const { build } = result;
  if (!json) output.say(`Valid: ${buildWords(build)}. Build ${build.buildHash}.`);
  return exitCodes.passed;
}
