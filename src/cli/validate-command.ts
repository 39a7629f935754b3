// `drillyard validate`: compiles and tells every diagnostic; runs nothing.
import { resolve } from 'node:path';
import { validateRepository } from '../drills/validate-repository.js';
import type { SourcePlace } from './compile-shown.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput, type Output } from './output.js';
import { defined } from './program/options.js';
import { withProgressBar } from './progress-bar.js';
import { buildWords, tellDiagnostics, tellSummary } from './validity.js';

export interface SourceFlags extends SourcePlace {
  json: boolean;
}

export async function validateCommand(flags: SourceFlags): Promise<ExitCode> {
  const output = createOutput(flags);
  try {
    return await validate(flags, output);
  } catch (error) {
    return reportFailure(error, output, resolve(flags.root));
  }
}

async function validate({ root, config, json }: SourceFlags, output: Output): Promise<ExitCode> {
  const result = await withProgressBar('Compiling', ({ update }) => validateRepository({ root, ...defined({ config }), onCompiling: update }));
  const { diagnostics } = result;
  tellDiagnostics(diagnostics, { output, root: resolve(root) });
  tellSummary(diagnostics, { output, ...(result.valid ? { build: result.build } : {}) });
  if (!result.valid) return exitCodes.usage;
  const { build } = result;
  if (!json) output.say(`Valid: ${buildWords(build)}. Build ${build.buildHash}.`);
  return exitCodes.passed;
}
