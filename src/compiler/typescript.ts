// The TypeScript compiler of the repository's author: no part of this package, which only transpiles.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type ts from 'typescript';

export type TypeScript = typeof ts;

/** `typescript6`: beside a `typescript` that is native and has no API for JavaScript (7.0). */
const names = ['typescript', '@typescript/typescript6', 'typescript6'];

/** The first with an API, looked for from each folder upward in turn; `without` is the version of one that has none. */
export function findTypeScript(folders: readonly string[]): { typescript: TypeScript } | { without: string | undefined } {
  let without: string | undefined;
  for (const folder of folders) {
    const require = createRequire(join(folder, 'any.js'));
    for (const name of names) {
      const found = load(require, name);
      const version = found?.version ?? versionOf(require, name);
      if (found !== undefined && hasApi(found)) return { typescript: found };
      without ??= version;
    }
  }
  return { without };
}

function load(require: NodeJS.Require, name: string): Partial<TypeScript> | undefined {
  try {
    return require(name) as Partial<TypeScript>;
  } catch {
    // Not installed, or a version that is not to be required.
    return undefined;
  }
}

/** `bundler`, which the defaults name, came with 5.0. */
function hasApi(found: Partial<TypeScript>): found is TypeScript {
  return typeof found.createProgram === 'function' && found.ModuleResolutionKind?.Bundler !== undefined;
}

function versionOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return (require(`${name}/package.json`) as { version?: string }).version;
  } catch {
    return undefined;
  }
}
