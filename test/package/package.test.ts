// What npm would publish: from a clone in which examples were run, and in a project that has nothing but what package.json declares.
// Installing it by a registry, with each package manager, is `npm run test:package`.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../..', import.meta.url));

interface Manifest {
  version: string;
  files: string[];
  scripts: { [name: string]: string };
  dependencies: { [name: string]: string };
  optionalDependencies: { [name: string]: string };
}
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Manifest;

/** Above it is no node_modules. */
function folder(remove: (clean: () => void) => void): string {
  const path = mkdtempSync(join(tmpdir(), 'drillyard package '));
  remove(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('the package holds code, types and nothing of a run, and works with what it declares', { timeout: 120_000 }, (t) => {
  const at = folder((clean) => t.after(clean));
  const clone = join(at, 'clone');
  for (const name of ['package.json', ...manifest.files.filter((name) => !name.startsWith('!'))])
    cpSync(join(project, name), join(clone, name), { recursive: true, filter: (path) => !path.includes('.service') });
  for (const left of [
    'examples/01-support-desk/.service/runs/run_1/data.mdb',
    'examples/01-support-desk/drillyard-0.1.0.tgz',
    'library/.service/x',
    'examples/06-cluster/server.key',
    'examples/06-cluster/n1/operator.token',
    'deploy/server.key.new',
  ]) {
    mkdirSync(dirname(join(clone, left)), { recursive: true });
    writeFileSync(join(clone, left), 'x');
  }
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', at];
  const packed = Object.values(
    JSON.parse(execFileSync('npm', args, { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
  )[0];
  const { files } = packed as { files: { path: string }[] };
  const paths = files.map(({ path }) => path);
  assert.deepEqual(
    paths.filter((path) => /\.service|server\.key|operator\.token|\.tgz$|__pycache__|^dist\/(?!src|bundle|shipped-cache)/.test(path)),
    [],
  );
  for (const wanted of [
    'bin/drillyard.js',
    'dist/src/index.js',
    'dist/src/vendor/LICENSES.txt',
    'library/ticket-desk/package.json',
    'docs/cli.md',
  ])
    assert.ok(paths.includes(wanted), wanted);
  // What the build puts into the package is not installed beside it.
  for (const vendored of ['ajv', 'ajv-formats', 'typia']) assert.equal(vendored in manifest.dependencies, false, vendored);
  // A fast build has no types; prepack, which a publisher cannot leave out, is a full one.
  assert.equal(manifest.scripts.prepack, 'node scripts/build.mjs');
  assert.equal(paths.includes('dist/src/index.d.ts'), existsSync(join(project, 'dist/src/index.d.ts')));

  const modules = join(at, 'uses/node_modules');
  mkdirSync(modules, { recursive: true });
  execFileSync('tar', ['-xzf', join(at, `drillyard-${manifest.version}.tgz`), '-C', modules]);
  const installed = join(modules, 'drillyard');
  execFileSync('mv', [join(modules, 'package'), installed]);
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const from = join(project, 'node_modules', name);
    if (!existsSync(from)) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(from, join(modules, name));
  }
  const drillyard = (...words: string[]) =>
    execFileSync(process.execPath, [join(installed, 'bin/drillyard.js'), ...words], { cwd: join(at, 'uses'), encoding: 'utf8' });
  assert.match(drillyard('init', '--yes'), /^ {2}npx drillyard run$/m);
  assert.match(drillyard('run'), /^PASSED {2}1 drill: 1 passed/m);
  // The modules one by one, with nothing kept, below a folder whose name is another in an address.
  writeFileSync(
    join(at, 'uses/own.mjs'),
    "import { runDrills } from 'drillyard';\nconsole.log((await runDrills({ root: '.' })).verdict);\n",
  );
  const env = { ...process.env, DRILLYARD_CACHE_DIR: 'off' };
  assert.match(execFileSync(process.execPath, ['own.mjs'], { cwd: join(at, 'uses'), encoding: 'utf8', env }), /^passed$/m);
  writeFileSync(join(at, 'uses/agent.ts'), 'export default (): void => {};\n');
  writeFileSync(
    join(at, 'uses/drillyard/typed.target.yaml'),
    'schemaVersion: 1\ntarget: { id: typed, kind: module, module: agent.ts, bindings: [direct], timeoutMs: 1000 }\n',
  );
  const { status, stderr } = spawnSync(process.execPath, [join(installed, 'bin/drillyard.js'), 'validate'], {
    cwd: join(at, 'uses'),
    encoding: 'utf8',
  });
  const advice = "'npm install --save-dev typescript@6' installs it.";
  assert.deepEqual([status, stderr], [0, `Types were not checked. No TypeScript is installed. ${advice}\n`]);
});
