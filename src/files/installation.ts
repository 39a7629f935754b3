// This installation of Drillyard: where it lies, its version, and the lines of Node.js that it runs on.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defined } from '../contract/defined.js';

export interface Installation {
  /** The folder of its package.json; source, dist and an installed package all lie below it. */
  root: string;
  version: string;
  /** A range, as package.json has it. */
  nodeVersions: string;
  /** Differs between builds that compile source differently; absent before the first whole build (scripts/build-shipped.mjs). */
  buildId?: string;
}

let found: Installation | undefined;

/** Read once: by the package.json named drillyard at or above this file. */
export function installation(): Installation {
  found ??= findInstallation();
  return found;
}

function findInstallation(): Installation {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path)) {
      const { name, version, engines } = JSON.parse(readFileSync(path, 'utf8')) as {
        name?: string;
        version: string;
        engines: { node: string };
      };
      if (name === 'drillyard') return { root: folder, version, nodeVersions: engines.node, ...defined({ buildId: idOfBuild() }) };
    }
    if (folder === dirname(folder)) throw new Error('no package.json named drillyard above this file');
  }
}

function idOfBuild(): string | undefined {
  const file = fileURLToPath(new URL('../build-id.txt', import.meta.url));
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

export function buildId(): string | undefined {
  return installation().buildId;
}

/** The version of the package that runs. */
export function packageVersion(): string {
  return installation().version;
}
