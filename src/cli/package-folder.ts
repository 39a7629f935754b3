// The tool package that `tool test` and `tool verify` are given, and the root file of its conformance project.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { locateInLibrary } from '../compiler/tool-packages.js';
import { ServiceError } from '../contract/errors.js';

/** `tool`: a folder, or `library:<id>`. */
export function packageFolder(tool: string): string {
  if (!tool.startsWith('library:')) return resolve(tool);
  const found = locateInLibrary(tool.slice('library:'.length));
  if ('root' in found) return found.root;
  throw new ServiceError('control.NOT_FOUND', { message: `${tool}: ${found.message}. ${found.suggestion ?? ''}`.trim() });
}

/** Where one is from here, else relative to the conformance project. */
export function conformanceConfig(config: string | undefined): string | undefined {
  return config !== undefined && existsSync(config) ? resolve(config) : config;
}
