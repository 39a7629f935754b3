// `drillyard validate`: compiles, checks types and shows every diagnostic; runs nothing.
import { resolve } from 'node:path';
import pc from 'picocolors';
import { counted } from '../contract/counted.js';
import { validateRepository } from '../drills/validate-repository.js';
import type { SourcePlace } from './compile-shown.js';
import { diagnosticsText } from './diagnostics-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput, type Output } from './output.js';
import { defined } from './program/options.js';
import { withProgressBar } from './progress-bar.js';

export interface SourceFlags extends SourcePlace {
  json: boolean;
}
export interface ValidateFlags extends SourceFlags {
  types: boolean;
}

export async function validateCommand(flags: ValidateFlags): Promise<ExitCode> {
  const output = createOutput(flags);
  try {
    return await validate(flags, output);
  } catch (error) {
    return reportFailure(error, output, resolve(flags.root));
  }
}

async function validate({ root, config, json, types }: ValidateFlags, output: Output): Promise<ExitCode> {
  const result = await withProgressBar('Compiling', ({ update }) => validateRepository({ root, types, ...defined({ config }), onCompiling: update }));
  const { diagnostics } = result;
  for (const diagnostic of diagnostics) output.line({ event: 'diagnostic', ...diagnostic });
  if (diagnostics.length > 0)
    output.warn(diagnosticsText(diagnostics, { root: resolve(root), color: pc.isColorSupported && process.stderr.isTTY === true }));
  if (result.types.state === 'unavailable') output.warn(`Types were not checked. ${result.types.reason} ${result.types.advice}`);
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  output.line({
    event: 'summary',
    valid: result.valid,
    errors,
    warnings: diagnostics.length - errors,
    types: result.types.state,
    ...(result.valid ? { buildHash: result.build.buildHash } : {}),
  });
  if (!result.valid) return exitCodes.usage;
  const { build } = result;
  if (!json)
    output.say(
      `Valid: ${(['tool', 'scenario', 'target', 'drill', 'suite'] as const).map((kind) => counted(build[`${kind}s`].length, kind)).join(', ')}. Build ${build.buildHash}.`,
    );
  return exitCodes.passed;
}
