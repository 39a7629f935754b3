// The files that a build reads, by the hash of what they hold, and what is known of an earlier build into the same folder: what is
// unchanged is not made again.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['src', 'test', 'bench'];
const isFixture = (name) => /^(test|bench)\/fixtures\//.test(name);
export const isCode = (name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !isFixture(name);
/** Read at run time as they are. The styles of pages are in their bundles. */
const isAsset = (name) =>
  /\.(css|html|svg|json|yaml|xsd|mjs|txt|py)$/.test(name) &&
  !/(^|\/)tsconfig\.json$/.test(name) &&
  !/^src\/(inspector\/app|viewer)\/.*\.css$/.test(name);

/** Hash by path from the root, in the order of paths: `code` is compiled, `assets` are copied, `pages` are bundled for browsers. */
export function readSources() {
  const names = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const of = (chosen) => new Map(names.filter(chosen).map((name) => [name, hashOf(name)]));
  return { code: of(isCode), assets: of(isAsset), pages: of((name) => /^src\/.*\.(ts|tsx|css)$/.test(name)) };
}

export function hashOf(...names) {
  const hash = createHash('sha256');
  for (const name of names) hash.update(`${name}\0`).update(readFileSync(name));
  return hash.digest('hex').slice(0, 32);
}

/** Of many files whose hashes are known. */
export function hashOfAll(hashes) {
  return createHash('sha256')
    .update(JSON.stringify([...hashes]))
    .digest('hex');
}

/** What an earlier build left in `out`: nothing where other tools or other packages made it. */
export function readKept(out) {
  const scripts = readdirSync('scripts').filter((name) => /^(build.*|bundle|vendor)\.mjs$/.test(name));
  const tools = hashOf(
    'package-lock.json',
    'tsconfig.base.json',
    'tsconfig.contract.json',
    ...scripts.sort().map((name) => join('scripts', name)),
  );
  const file = join(out, '.kept.json');
  const found = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  // Until the build is whole again there is nothing to build upon.
  rmSync(file, { force: true });
  return found.tools === tools ? found : { tools };
}

export function keep(out, kept) {
  writeFileSync(join(out, '.kept.json'), JSON.stringify(kept));
}
