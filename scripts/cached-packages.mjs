// Packages that a script needs and the project does not depend on: exact versions, in a folder of node_modules/.cache, which git ignores.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs what is not there yet. `packages`: name to version. Returns the folder, relative to the working directory. */
export function installCached(name, packages) {
  const cache = join('node_modules', '.cache', name);
  const isThere = ([packageName, version]) => {
    const file = join(cache, 'node_modules', packageName, 'package.json');
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version;
  };
  if (Object.entries(packages).every(isThere)) return cache;
  const names = Object.entries(packages).map(([packageName, version]) => `${packageName}@${version}`);
  console.log(`Installing ${names.join(' and ')} into ${cache}`);
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'package.json'), '{ "private": true }\n');
  // The package `node` fetches its binary in a script of its own.
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--save-exact', '--ignore-scripts=false', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags, ...names], { cwd: cache, stdio: 'inherit', shell: process.platform === 'win32' });
  return cache;
}
