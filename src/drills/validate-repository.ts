// The compile of a repository as a value: a build, or what keeps it from being one. Runs nothing of what it reads.
import { resolve } from 'node:path';
import { compileProject } from '../compiler/compile.js';
import { Diagnostics, placeOfFile } from '../compiler/diagnostics.js';
import { checkTypes } from '../compiler/type-check.js';
import { findTypeScript } from '../compiler/typescript.js';
import type { TypeScriptSources } from '../compiler/typescript-sources.js';
import { defined } from '../contract/defined.js';
import { type OptionShapes, requireOptions } from '../contract/known-options.js';
import type { CompiledBuild, Diagnostic } from '../contract/run/build.js';
import { installation } from '../files/installation.js';
import { sourceShapes } from './plan/known-options.js';
import type { RunDrillsOptions } from './plan/options.js';
import { bundleFaults } from './targets/module-bundle.js';

export interface ValidateOptions extends Pick<RunDrillsOptions, 'root' | 'config' | 'inlineDrills' | 'onCompiling'> {
  /** Whether the types of behaviors and agents in TypeScript are checked, by the TypeScript that is installed there. Default: true. */
  types?: boolean;
}
const shapes: OptionShapes<ValidateOptions> = { ...sourceShapes, types: 'boolean' };
export type ValidateResult = ({ valid: true; build: CompiledBuild } | { valid: false }) & { diagnostics: Diagnostic[]; types: TypeCheck };
export type TypeCheck =
  /** `none`: nothing is written in TypeScript. */
  | { state: 'checked' | 'none' | 'off' }
  /** In one sentence why they were not checked, and in another how to have them checked. */
  | { state: 'unavailable'; reason: string; advice: string };

/** Every diagnostic at once, ordered by file and place; of a valid repository they are warnings. */
export async function validateRepository(options: ValidateOptions): Promise<ValidateResult> {
  requireOptions('validateRepository', options, shapes);
  const { root, config, inlineDrills, onCompiling, types: wanted = true } = options;
  const progress = defined({ onProgress: onCompiling });
  const compiled = await compileProject({ root: resolve(root), ...defined({ config, inlineDrills }), ...progress });
  const { types, diagnostics: found } = wanted
    ? withTypeErrors(compiled.typeScript, compiled.diagnostics)
    : { types: { state: 'off' } as const, diagnostics: compiled.diagnostics };
  const { build } = compiled;
  const diagnostics = await withAgentFaults(resolve(root), compiled.modules, found);
  if (build === undefined || diagnostics.some(({ severity }) => severity === 'error')) return { valid: false, diagnostics, types };
  return { valid: true, build, diagnostics, types };
}

function withTypeErrors(sources: TypeScriptSources, known: Diagnostic[]): { types: TypeCheck; diagnostics: Diagnostic[] } {
  if (sources.files.length === 0) return { types: { state: 'none' }, diagnostics: known };
  const found = findTypeScript([sources.root, installation().root]);
  if ('typescript' in found) return { types: { state: 'checked' }, diagnostics: checkTypes(found.typescript, sources, known) };
  return { types: unavailable(found.without), diagnostics: known };
}

/** What keeps a run from loading an agent or a judge, as far as nobody has spoken of its place. */
async function withAgentFaults(root: string, modules: readonly string[], known: Diagnostic[]): Promise<Diagnostic[]> {
  const reported = new Set(known.map(({ file, line }) => `${file}:${line}`));
  const found = new Diagnostics();
  for (const diagnostic of known) found.add(diagnostic);
  for (const module of modules) {
    for (const { message, place } of await bundleFaults({ root, module })) {
      const at = place === undefined ? placeOfFile(module) : { ...place, path: '' };
      const key = `${at.file}:${at.line}:${at.column}`;
      if (reported.has(`${at.file}:${at.line}`) || reported.has(key)) continue;
      reported.add(key);
      found.report('DY6013', at, message);
    }
  }
  return found.sorted();
}

function unavailable(version: string | undefined): TypeCheck {
  if (version === undefined) {
    return { state: 'unavailable', reason: 'No TypeScript is installed.', advice: "'npm install --save-dev typescript@6' installs it." };
  }
  return {
    state: 'unavailable',
    reason: `TypeScript ${version} has no API that can be asked.`,
    advice: "'npm install --save-dev typescript6@npm:typescript@6' puts one that has beside it.",
  };
}
