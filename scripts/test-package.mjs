// The package as its users get it: `npm run test:package` builds and packs it once, and installs the tarball into empty projects, by the registry.
//   node scripts/test-package.mjs [part ...]     default: all of npm, pnpm, yarn1, yarn4, pnp, types, runners
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCached } from './cached-packages.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const managers = resolve(installCached('package-managers', { pnpm: '10.34.9', yarn: '1.22.22', '@yarnpkg/cli-dist': '4.18.1' }), 'node_modules');
const pnpm = [process.execPath, join(managers, 'pnpm/bin/pnpm.cjs')];
const yarn1 = [process.execPath, join(managers, 'yarn/bin/yarn.js')];
const yarn4 = [process.execPath, join(managers, '@yarnpkg/cli-dist/bin/yarn.js')];
const npm = [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
const inits = ['init', '--yes'];

const work = mkdtempSync(join(tmpdir(), 'drillyard-package-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const parts = {
  npm: () => drillsIn('npm', () => [run(npm, 'install', '-D', tarball, '--no-audit', '--no-fund')]),
  pnpm: () => drillsIn('pnpm', () => [run(pnpm, 'add', '-D', tarball)]),
  yarn1: () => drillsIn('yarn1', () => [run(yarn1, 'add', '-D', tarball, '--no-progress', '--non-interactive')]),
  yarn4: () => drillsIn('yarn4', (folder) => [yarn4In(folder, 'node-modules')]),
  pnp,
  types,
  runners,
};
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
for (const part of chosen) if (!Object.hasOwn(parts, part)) throw new Error(`there is no part ${part}; there are ${Object.keys(parts).join(', ')}`);

const tarball = pack();
let failed = 0;
for (const part of chosen) {
  const begun = Date.now();
  try {
    parts[part]();
    console.log(`ok   ${part} (${Math.round((Date.now() - begun) / 1000)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${part}: ${error.message}`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;

/** From a copy of what git tracks, with leftovers of runs and no compiled code: prepack makes what is needed, and nothing else is packed. */
function pack() {
  const clone = join(work, 'clone');
  const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const name of tracked) cpSync(name, join(clone, name));
  for (const left of ['examples/01-support-desk/.service/runs/run_1', 'examples/03-mcp-agent/.service/reports/run_1', 'examples']) {
    mkdirSync(join(clone, left), { recursive: true });
    writeFileSync(join(clone, left, 'left.tgz'), 'x');
  }
  mkdirSync(join(clone, 'node_modules'));
  for (const name of readdirSync('node_modules')) if (name !== '.cache') symlink(name, clone);
  const text = run(npm, 'pack', '--json', '--pack-destination', work)(clone).stdout;
  const [{ filename, files }] = Object.values(JSON.parse(text.slice(text.search(/^[[{]/m))));
  const names = files.map(({ path }) => path);
  for (const wanted of ['bin/drillyard.js', 'dist/src/index.js', 'dist/src/index.d.ts', 'dist/src/testing.d.ts', 'dist/src/vendor/lmdb/index.js'])
    if (!names.includes(wanted)) throw new Error(`the package lacks ${wanted}`);
  const stray = names.filter((name) => /\.service|\.tgz$|__pycache__|^dist\/(test|bench)|^(src|test)\//.test(name));
  if (stray.length > 0) throw new Error(`the package holds ${stray.slice(0, 3).join(', ')}`);
  console.log(`packed ${filename}: ${names.length} files`);
  return join(work, filename);
}
