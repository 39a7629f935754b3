// The compile of a repository as a value: a build, or what keeps it from being one. Runs nothing of what it reads.
import { resolve } from 'node:path';
import { compileProject } from '../compiler/compile.js';
import type { CompiledBuild, Diagnostic } from '../contract/build.js';
import { refuseUnknownOptions } from '../contract/unknown-options.js';
import type { RunDrillsOptions } from './options.js';

export type ValidateOptions = Pick<RunDrillsOptions, 'root' | 'config' | 'onCompiling'>;
export type ValidateResult = { valid: true; build: CompiledBuild; diagnostics: Diagnostic[] } | { valid: false; diagnostics: Diagnostic[] };

/** Every diagnostic at once, ordered by file and place; of a valid repository they are warnings. */
export async function validateRepository(options: ValidateOptions): Promise<ValidateResult> {
  refuseUnknownOptions('validateRepository', options, ['root', 'config', 'onCompiling'] satisfies (keyof ValidateOptions)[]);
  const { root, config, onCompiling } = options;
  const progress = onCompiling === undefined ? {} : { onProgress: onCompiling };
  const { build, diagnostics } = await compileProject({ root: resolve(root), ...(config === undefined ? {} : { config }), ...progress });
  return build === undefined ? { valid: false, diagnostics } : { valid: true, build, diagnostics };
}
