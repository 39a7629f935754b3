// The package as its users get it: `npm run test:package` builds and packs it once, and installs the tarball into empty projects, by the
// registry.
//   node scripts/test-package.mjs [part ...]     default: all of npm, pnpm, yarn1, yarn4, pnp, types, runners
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCached } from './cached-packages.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const managers = resolve(
  installCached('package-managers', { pnpm: '10.34.9', yarn: '1.22.22', '@yarnpkg/cli-dist': '4.18.1' }),
  'node_modules',
);
const pnpm = [process.execPath, join(managers, 'pnpm/bin/pnpm.cjs')];
const yarn1 = [process.execPath, join(managers, 'yarn/bin/yarn.js')];
const yarn4 = [process.execPath, join(managers, '@yarnpkg/cli-dist/bin/yarn.js')];
const npm = [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
const inits = ['init', '--yes'];
/** Of the runners: their own five seconds for a test are short on a machine that does other work. */
const patient = '--testTimeout=60000';

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
for (const part of chosen)
  if (!Object.hasOwn(parts, part)) throw new Error(`there is no part ${part}; there are ${Object.keys(parts).join(', ')}`);

const tarball = pack();
let failed = 0;
for (const part of chosen) {
  const begun = Date.now();
  try {
    await parts[part]();
    console.log(`ok   ${part} (${Math.round((Date.now() - begun) / 1000)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${part}: ${error.message}`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;

/**
 * From a copy of what git tracks, with leftovers of runs and of an earlier build: prepack makes what is needed, and nothing else is packed.
 */
function pack() {
  const clone = join(work, 'clone');
  const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const name of tracked) cpSync(name, join(clone, name));
  for (const left of [
    'examples/01-support-desk/.service/runs/run_1/left.mdb',
    'examples/03-mcp-agent/.service/reports/run_1/left.html',
    'examples/04-command-agent/agents/__pycache__/left.pyc',
    'docs/files/.service/left.json',
    'examples/06-cluster/server.key',
    'examples/06-cluster/n1/operator.token',
    'examples/left.tgz',
    'dist/src/left.js',
    'dist/src/contract/left.js',
    'dist/test/left.test.js',
  ]) {
    mkdirSync(dirname(join(clone, left)), { recursive: true });
    writeFileSync(join(clone, left), 'x');
  }
  mkdirSync(join(clone, 'node_modules'));
  for (const name of readdirSync('node_modules')) if (name !== '.cache') symlink(name, clone);
  const text = run(npm, 'pack', '--json', '--pack-destination', work)(clone).stdout;
  const [{ filename, files }] = Object.values(JSON.parse(text.slice(text.search(/^[[{]/m))));
  const names = files.map(({ path }) => path);
  for (const wanted of [
    'bin/drillyard.js',
    'dist/src/index.js',
    'dist/src/index.d.ts',
    'dist/src/testing.d.ts',
    'dist/src/vendor/lmdb/index.js',
    'docs/index.md',
    'docs/schemas/drill.schema.json',
    'SECURITY.md',
  ])
    if (!names.includes(wanted)) throw new Error(`the package lacks ${wanted}`);
  const isStray = /(?:^|\/)(?:\.service\/|left\.|server\.key|operator\.token)|\.tgz$|__pycache__|^dist\/(test|bench)|^(src|test)\//;
  const stray = names.filter((name) => isStray.test(name));
  if (stray.length > 0) throw new Error(`the package holds ${stray.slice(0, 3).join(', ')}`);
  console.log(`packed ${filename}: ${names.length} files`);
  return join(work, filename);
}

function symlink(name, clone) {
  symlinkSync(resolve('node_modules', name), join(clone, 'node_modules', name), 'junction');
}

/** An empty project, installed as `steps` says; there, what README says works at once. */
function drillsIn(name, steps) {
  const folder = project(name);
  for (const step of steps(folder)) step(folder);
  const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
  const written = run([npx], '--no-install', 'drillyard', ...inits)(folder).stdout;
  if (!/^ {2}npx drillyard run$/m.test(written)) throw new Error(`init says\n${written}`);
  const [, schema] = /^# yaml-language-server: \$schema=(.+)$/m.exec(readFileSync(join(folder, 'drillyard/world.yaml'), 'utf8'));
  if (!existsSync(join(folder, 'drillyard', schema))) throw new Error(`an editor finds no ${schema}`);
  const { stdout } = run([npx], '--no-install', 'drillyard', 'run')(folder);
  if (!/^PASSED {2}1 drill: 1 passed/m.test(stdout)) throw new Error(stdout);
}

/** Without node_modules: yarn unpacks this package, as package.json asks, so the files of the library are files. */
async function pnp() {
  const folder = project('pnp');
  yarn4In(folder, 'pnp')(folder);
  const written = run(yarn4, 'drillyard', ...inits)(folder).stdout;
  if (!/^ {2}yarn drillyard run$/m.test(written)) throw new Error(`init says\n${written}`);
  if (readFileSync(join(folder, 'drillyard/world.yaml'), 'utf8').includes('$schema')) throw new Error('a schema has no place that lasts');
  const hasBoxes = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']).status === 0;
  for (const isolation of ['thread', 'process', ...(hasBoxes ? ['box'] : [])]) {
    const { stdout } = run(yarn4, 'drillyard', 'run', '--isolate', isolation)(folder);
    if (!/^PASSED {2}1 drill: 1 passed/m.test(stdout)) throw new Error(stdout);
    await serves(folder, isolation);
  }
}

/** It compiles its example before it is ready, and leaves whole data. */
async function serves(folder, isolation) {
  const words = ['drillyard', 'serve', '--port', '0', '--json', '--isolate', isolation, '--data-dir', `data-${isolation}`];
  const hasGroups = process.platform !== 'win32';
  const child = spawn(yarn4[0], [yarn4[1], ...words], { cwd: folder, detached: hasGroups, stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  await new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      if (stdout.includes('\n')) resolve();
    });
    child.once('close', resolve);
  });
  const closed = child.exitCode === null ? new Promise((resolve) => child.once('close', resolve)) : undefined;
  if (hasGroups && closed !== undefined) process.kill(-child.pid, 'SIGTERM');
  else child.kill();
  await closed;
  if (!stdout.startsWith('{"event":"ready"')) throw new Error(`serve --isolate ${isolation} said ${stdout}`);
  run(yarn4, 'drillyard', 'admin', 'verify', '--data-dir', `data-${isolation}`)(folder);
}

function types() {
  const folder = project('types', { type: 'module' });
  run(npm, 'install', '-D', tarball, 'typescript@5.9.3', '@types/node@22', '--no-audit', '--no-fund')(folder);
  writeFileSync(
    join(folder, 'uses.ts'),
    `import { type RunDrillsResult, runDrills, type RunReport } from 'drillyard';
export * from 'drillyard';
import { mockTool, type ToolTypes } from 'drillyard/testing';
import { createClient } from 'drillyard/client';
import { defineToolBehavior } from 'drillyard/tool-sdk';

interface Notes extends ToolTypes {
  state: { notes: { id: string; text: string } };
  operations: { 'note.get': { input: { id: string }; output: { id: string; text: string } } };
}
export const run = (): Promise<RunDrillsResult> => runDrills({ root: '.', seed: '1' });
export const hash = (report: RunReport): string => report.result.identity.buildHash.toUpperCase();
export async function read(): Promise<string> {
  const notes = await mockTool<Notes>({ package: './notes', from: import.meta.url });
  // @ts-expect-error an input that the operation does not take
  await notes.call('note.get', { name: 'a' });
  return (await notes.call('note.get', { id: 'a' })).text;
}
// @ts-expect-error a string of a shape is a string, and nothing that takes everything
export const wrong = (report: RunReport): number => report.result.identity.buildHash;
export { createClient, defineToolBehavior };
`,
  );
  for (const [module, moduleResolution] of [
    ['esnext', 'bundler'],
    ['nodenext', 'nodenext'],
  ]) {
    const options = {
      module,
      moduleResolution,
      target: 'es2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: ['node'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['uses.ts'] }));
    run([process.execPath], 'node_modules/typescript/bin/tsc', '-p', '.')(folder);
  }
  validateTypes(folder);
}

/** By the TypeScript and the tsconfig.json of the project. */
function validateTypes(folder) {
  const drillyard = (...words) => attempt([process.execPath], 'node_modules/drillyard/bin/drillyard.js', ...words)(folder);
  drillyard(...inits);
  const target = 'schemaVersion: 1\ntarget: { id: typed, kind: module, module: typed.ts, bindings: [direct], timeoutMs: 1000 }\n';
  writeFileSync(join(folder, 'drillyard/typed.target.yaml'), target);
  writeFileSync(
    join(folder, 'typed.ts'),
    "import type { TargetContext } from 'drillyard';\nexport default (context: TargetContext): string => context.world;\n",
  );
  const { status, stderr } = drillyard('validate');
  if (status !== 2 || !/^typed\.ts:2:\d+ error DY6011 .*\(TS2322\)$/m.test(stderr))
    throw new Error(`validate ended with ${status}:\n${stderr}`);
}

function runners() {
  const folder = project('runners', { type: 'module', jest: { transform: {}, testMatch: ['**/*.jest.js'] } });
  run(npm, 'install', '-D', tarball, 'vitest@4', 'jest@30', '--no-audit', '--no-fund')(folder);
  const text = (imports) => `${imports}
import { mockTool } from 'drillyard/testing';
test('a closed ticket stays closed', async () => {
  const desk = await mockTool({ package: 'library:ticket-desk', starter: true });
  const { kind } = await desk.outcome('ticket.get', { ticketId: 'TKT-1001' });
  await desk.close();
  if (kind !== 'ok') throw new Error('the ticket cannot be read');
});
`;
  writeFileSync(join(folder, 'world.node.js'), text("import { test } from 'node:test';"));
  writeFileSync(join(folder, 'world.test.js'), text("import { test } from 'vitest';"));
  writeFileSync(join(folder, 'world.jest.js'), text(''));
  run([process.execPath], '--test', 'world.node.js')(folder);
  run([process.execPath], 'node_modules/vitest/vitest.mjs', 'run', 'world.test.js', patient)(folder);
  run([process.execPath], '--experimental-vm-modules', 'node_modules/jest/bin/jest.js', patient)(folder);
}

function project(name, more = {}) {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: `uses-${name}`, version: '1.0.0', private: true, ...more }));
  return folder;
}

function yarn4In(folder, nodeLinker) {
  writeFileSync(join(folder, '.yarnrc.yml'), `nodeLinker: ${nodeLinker}\nenableTelemetry: false\n`);
  writeFileSync(join(folder, 'yarn.lock'), '');
  return run(yarn4, 'add', '-D', `drillyard@file:${tarball}`);
}

/** In a folder, without the environment that npm gives its scripts: it speaks of this project. */
function attempt([file, ...before], ...args) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  return (cwd) =>
    spawnSync(file, [...before, ...args], { cwd, env, encoding: 'utf8', shell: process.platform === 'win32', maxBuffer: 2 ** 28 });
}

function run(command, ...args) {
  return (cwd) => {
    const result = attempt(command, ...args)(cwd);
    if (result.error) throw result.error;
    if (result.status !== 0)
      throw new Error(`${args.join(' ')} ended with ${result.status}:\n${(result.stdout + result.stderr).slice(-4000)}`);
    return result;
  };
}
