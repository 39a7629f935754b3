// What ships with this installation: its version, the library of tool packages beside it, the examples.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let found: { root: string; version: string } | undefined;

/** The folder whose package.json is named drillyard, at or above this file; source, dist and an installation all lie below it. */
function installation(): { root: string; version: string } {
  if (found !== undefined) return found;
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path)) {
      const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version: string };
      if (name === 'drillyard') {
        found = { root: folder, version };
        return found;
      }
    }
    if (folder === dirname(folder)) throw new Error('no package.json named drillyard above the compiler');
  }
}

export function installationRoot(): string {
  return installation().root;
}

export function engineVersion(): string {
  return installation().version;
}

export function libraryFolder(): string {
  return join(installation().root, 'library');
}

/** The example that a new server begins with. */
export function exampleFolder(): string {
  return join(installation().root, 'examples', '01-support-desk');
}
