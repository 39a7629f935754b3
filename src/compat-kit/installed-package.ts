// Files of npm packages as a package of tools finds them: in node_modules, from its folder upwards.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../contract/errors.js';

/** The folder of an installed package, looked for from a folder upwards. control.NOT_FOUND where there is none. */
function installedPackage(name: string, from: string): string {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
    if (folder === dirname(folder)) throw notInstalled([name]);
  }
}

/** Some packages, each once. */
export function notInstalled(names: readonly string[]): ServiceError {
  const which = names.length === 1 ? `The package '${names[0]}' is` : `The packages ${names.map((name) => `'${name}'`).join(', ')} are`;
  return new ServiceError('control.NOT_FOUND', { message: `${which} not installed: npm install --save-dev ${names.join(' ')}` });
}

export function installedVersion(name: string, from: string): string {
  const { version } = readJson(join(installedPackage(name, from), 'package.json')) as { version?: string };
  if (version === undefined) throw new ServiceError('control.INVALID_REQUEST', { message: `The package '${name}' says no version.` });
  return version;
}

/**
 * A file of an installed package, whatever its `exports` say: `package/path.json`, `@scope/package/path.json`. `from`: a folder, or
 * `import.meta.url`.
 */
export function installedJson(specifier: string, from: string): unknown {
  const [, name, path] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name === undefined || path === undefined)
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `'${specifier}' is no file of a package, such as 'vendor/openapi.json'.`,
    });
  const folder = from.startsWith('file:') ? dirname(fileURLToPath(from)) : from;
  const file = join(installedPackage(name, folder), path);
  if (!existsSync(file)) throw new ServiceError('control.NOT_FOUND', { message: `The package '${name}' has no file '${path}'.` });
  return readJson(file);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ServiceError('control.INVALID_REQUEST', { message: `${file} is no JSON: ${(error as Error).message}` });
  }
}
