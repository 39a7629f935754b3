// Builds the project into dist/ (or, with `--out DIR`, into another folder directly below the root).
//   node scripts/build.mjs          with types checked and declared: what is published and what CI tests
//   node scripts/build.mjs --fast   the same code without a look at its types, for the inner loop
// esbuild makes the code of each file. Only src/contract, where validators are generated from types, goes through tspc, and only when it
// has changed.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleEntries } from './bundle.mjs';
import { vendor } from './vendor.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const outFlag = process.argv.indexOf('--out');
const out = outFlag > 0 ? process.argv[outFlag + 1] : 'dist';
const appFolder = join('src', 'inspector', 'app');
const viewerFolder = join('src', 'viewer');
const tspc = join(root, 'node_modules', '.bin', 'tspc');

const sources = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map((name) => join(folder, name))
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !/^(test|bench)\/fixtures\//.test(name))
        .sort()
    : [];

if (process.argv.includes('--fast')) await emit();
else await checkAndEmit();
copyAssets();
await writeBehaviorGlobals();
await vendor(out);
await bundleEntries(out);
writeBuildId();
await bundlePages();
if (!process.argv.includes('--fast') && out === 'dist') await compileShipped();
say('done');

/**
 * The types are read beside all else, by the native compiler, which takes a third of the processor's time; typia needs the other, which has
 * an API. Declarations stay in a folder of their own, so that the next build reads again what has changed.
 */
async function checkAndEmit() {
  say('compiling src, test and bench, and checking their types and those of the pages: ten seconds to a minute');
  const types = join(out, '.types');
  const known = ['--incremental', '--tsBuildInfoFile', join(types, '.tsbuildinfo')];
  const declared = checkTypes(['-p', 'tsconfig.json', '--outDir', types, '--emitDeclarationOnly', ...known]);
  await emit();
  if (existsSync(appFolder)) await checkTypes(['-p', 'tsconfig.app.json']);
  await declared;
  dropOrphans(types);
  cpSync(join(types, 'src'), join(out, 'src'), { recursive: true });
  say('bundling');
}

/** Declarations whose source has gone. */
function dropOrphans(types) {
  for (const name of readdirSync(types, { recursive: true })) {
    const source = name.replace(/\.d\.ts$/, '.ts');
    if (source !== name && !existsSync(source)) rmSync(join(types, name));
  }
}

/** On stderr: `npm pack --json` builds too, and stdout is its own. A fast build is over before anybody wonders. */
function say(what) {
  if (!process.argv.includes('--fast')) console.error(`build: ${what} (${Math.round(process.uptime())} s)`);
}

/** Ends the build where the compiler found something. */
function checkTypes(args) {
  const compiler = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
  return new Promise((resolve) => {
    spawn(process.execPath, [compiler, ...args], { stdio: 'inherit' }).on('close', (code) => (code === 0 ? resolve() : process.exit(1)));
  });
}

/**
 * The inspector's web app, and the page of a report: each one script and one style sheet. tsconfig.app.json checks their types, in a full
 * build.
 */
async function bundlePages() {
  await bundlePage('app', join(appFolder, 'main.tsx'));
  await bundlePage('report-page', join(viewerFolder, 'report', 'report-page.tsx'));
}

async function bundlePage(name, entry) {
  await build({
    entryPoints: { [name]: entry },
    outdir: join(out, dirname(entry)),
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2022', 'chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: {},
    legalComments: 'none',
    logLevel: 'warning',
  });
}

async function emit() {
  // A file that left the source must leave the output too, or a test of it would keep running.
  for (const folder of ['src', 'test', 'bench']) rmSync(join(out, folder), { recursive: true, force: true });
  const contract = sources('src/contract');
  const key = createHash('sha256');
  for (const name of [...contract, 'tsconfig.json', 'scripts/build.mjs']) key.update(name).update(readFileSync(name));
  const cache = join('.dev-contract', key.digest('hex').slice(0, 16));
  if (!existsSync(join(cache, 'src'))) {
    const staging = `${cache}-${process.pid}`;
    mkdirSync(staging, { recursive: true });
    try {
      execFileSync(tspc, ['-p', 'tsconfig.contract.json', '--outDir', staging], { stdio: 'inherit' });
    } catch {
      console.error('src/contract has type errors; emitted all the same');
    }
    await dropDeadImports(staging);
    rmSync(cache, { recursive: true, force: true });
    cpSync(staging, cache, { recursive: true });
    rmSync(staging, { recursive: true, force: true });
  }
  const rest = [...sources('src'), ...sources('test'), ...sources('bench')].filter((name) => !name.startsWith('src/contract/'));
  await build({
    entryPoints: rest,
    outdir: out,
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });
  cpSync(join(cache, 'src'), join(out, 'src'), { recursive: true });
}

/** typia leaves `import typia` behind when every use of it has become code, and loading that costs each start 25 ms. */
async function dropDeadImports(folder) {
  const contract = join(folder, 'src', 'contract');
  const { default: ts } = await import('typescript');
  for (const name of readdirSync(contract, { recursive: true }).filter((name) => name.endsWith('.js'))) {
    const file = join(contract, name);
    const text = readFileSync(file, 'utf8');
    if (/^import typia\b/m.test(text)) dropDeadImport(ts, file, text);
  }
}

/** The line goes when no name in the file refers to it; otherwise it stays. Nothing else is touched, so the source map holds. */
function dropDeadImport(ts, file, text) {
  const syntax = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
  const dead = syntax.statements.find((statement) => ts.isImportDeclaration(statement) && statement.moduleSpecifier.text === 'typia');
  if (dead === undefined) return;
  const refers = (node) => node !== dead && ((ts.isIdentifier(node) && node.text === 'typia') || ts.forEachChild(node, refers) === true);
  if (!refers(syntax)) writeFileSync(file, text.slice(0, dead.getStart(syntax)) + text.slice(dead.end));
}

/** What caches of this build are named after: any other source, and any other version of a parser or bundler, is another build. */
function writeBuildId() {
  const key = createHash('sha256').update(readFileSync('package-lock.json'));
  for (const folder of [join(out, 'src'), join(out, 'bundle')])
    for (const name of readdirSync(folder, { recursive: true }).sort())
      if (/\.c?js$/.test(name)) key.update(name).update(readFileSync(join(folder, name)));
  writeFileSync(join(out, 'src', 'build-id.txt'), key.digest('hex').slice(0, 16));
}

/**
 * The library, and the project that a service begins with, compiled into the cache that comes with the program: what ships is the same for
 * everybody, and nobody waits for it.
 */
async function compileShipped() {
  say('compiling the library');
  const cache = join(root, out, 'shipped-cache');
  rmSync(cache, { recursive: true, force: true });
  const drillyard = (...words) =>
    execFileSync(process.execPath, ['bin/drillyard.js', ...words], { env: { ...process.env, DRILLYARD_CACHE_DIR: cache }, stdio: 'pipe' });
  drillyard('tool', 'search');
  drillyard('validate', '--no-types', '--root', 'examples/01-support-desk');
  await runOnce(cache);
  for (const name of readdirSync(join(cache, 'builds'))) {
    // Compiled code of packages, which is that of the Node.js that builds.
    rmSync(join(cache, 'builds', name, 'node'), { recursive: true, force: true });
  }
  // A cache is its user's alone; this one is for everybody who runs the program, as a service under a user of its own.
  chmodSync(cache, 0o755);
  for (const entry of readdirSync(cache, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.path, entry.name), entry.isDirectory() ? 0o755 : 0o644);
}

/**
 * So that the code is kept of what runs in boxes, which write nothing: the first drill and the first start of a service, in plain
 * processes. It serves who runs what was built here; in the package, which other lines of Node.js run, there is none of it.
 */
async function runOnce(cache) {
  const scratch = mkdtempSync(join(tmpdir(), 'drillyard-build-'));
  const env = { ...process.env, DRILLYARD_CACHE_DIR: cache };
  const start = (...words) =>
    spawn(process.execPath, [join(root, 'bin/drillyard.js'), ...words], { cwd: scratch, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = (child) => new Promise((resolve) => child.once('close', resolve));
  cpSync(join(root, 'examples/01-support-desk'), scratch, { recursive: true, filter: (path) => !path.includes('.service') });
  const run = start('run', 'careless-refund');
  const service = start('serve', '--port', '0', '--isolate', 'process', '--data-dir', join(scratch, 'data'));
  run.stdout.resume();
  const isReady = new Promise((resolve) => {
    service.stdout.setEncoding('utf8').on('data', (text) => text.includes('/v1') && resolve());
    service.once('close', resolve);
  });
  await Promise.all([ended(run), isReady]);
  const { tuning } = await import(pathToFileURL(join(root, out, 'src', 'loading', 'tuning.js')).href);
  await new Promise((resolve) => setTimeout(resolve, 2 * tuning.keptAfterMs));
  service.kill();
  await ended(service);
  rmSync(scratch, { recursive: true });
}

/** Files that are read at run time and are not TypeScript. */
/** The types that `drillyard/behavior-globals` names. */
async function writeBehaviorGlobals() {
  const { addedTypes } = await import(pathToFileURL(join(root, out, 'src', 'compiler', 'type-options.js')).href);
  writeFileSync(join(out, 'src', 'tools', 'behavior-globals.d.ts'), addedTypes.trimStart());
}

function copyAssets() {
  for (const folder of ['src', 'test', 'bench']) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder, { recursive: true })) {
      if (!/\.(css|html|svg|json|yaml|xsd|mjs|txt|py)$/.test(name)) continue;
      // The styles of pages are in their bundles.
      if (name.endsWith('.css') && [appFolder, viewerFolder].some((pages) => join(folder, name).startsWith(pages))) continue;
      cpSync(join(folder, name), join(out, folder, name));
    }
  }
}
