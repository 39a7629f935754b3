// The library, and the project that a service begins with, compiled into the cache that comes with the program: what ships is the same for
// everybody, and nobody waits for it.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { hashOf } from './build-sources.mjs';

const projects = ['library', join('examples', '01-support-desk')];

/**
 * What caches of this build are named after: the code that compiles source and keeps what it made (src/compiler), with all that it loads,
 * and the versions of its parsers and bundlers. Other code of the program makes nothing that is kept.
 */
export async function writeBuildId(out) {
  const folder = join(out, 'src');
  const compiler = join(folder, 'compiler');
  const { metafile } = await build({
    entryPoints: readdirSync(compiler)
      .filter((name) => name.endsWith('.js'))
      .map((name) => join(compiler, name)),
    outdir: out,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  const id = hashOf('package-lock.json', ...Object.keys(metafile.inputs).sort()).slice(0, 16);
  writeFileSync(join(folder, 'build-id.txt'), id);
  return id;
}

/** `before`: what this returned at the last build. */
export async function compileShipped(id, before) {
  const cache = join('dist', 'shipped-cache');
  // Not after the rest of the program, whose code boxes then compile: nobody waits for that after each change of a file.
  const made = `${id} ${hashOf(...projects.flatMap(filesOf))} ${process.version}`;
  if (made === before && existsSync(join(cache, 'builds', id))) return made;
  rmSync(cache, { recursive: true, force: true });
  const env = { ...process.env, DRILLYARD_CACHE_DIR: join(process.cwd(), cache) };
  const drillyard = (...words) => execFileSync(process.execPath, ['bin/drillyard.js', ...words], { env, stdio: 'pipe' });
  drillyard('tool', 'search');
  drillyard('validate', '--no-types', '--root', projects[1]);
  await runOnce(env);
  // Compiled code of packages, which is that of the Node.js that builds.
  for (const name of readdirSync(join(cache, 'builds'))) rmSync(join(cache, 'builds', name, 'node'), { recursive: true, force: true });
  // A cache is its user's alone; this one is for everybody who runs the program, as a service under a user of its own.
  chmodSync(cache, 0o755);
  for (const entry of readdirSync(cache, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath ?? entry.path, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  return made;
}

/**
 * So that the code is kept of what runs in boxes, which write nothing: the first drill and the first start of a service, in plain
 * processes. It serves who runs what was built here; in the package, which other lines of Node.js run, there is none of it.
 */
async function runOnce(env) {
  const scratch = mkdtempSync(join(tmpdir(), 'drillyard-build-'));
  const bin = join(process.cwd(), 'bin', 'drillyard.js');
  const start = (...words) => spawn(process.execPath, [bin, ...words], { cwd: scratch, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = (child) => new Promise((resolve) => child.once('close', resolve));
  cpSync(projects[1], scratch, { recursive: true, filter: (path) => !path.includes('.service') });
  const run = start('run', 'careless-refund');
  const service = start('serve', '--port', '0', '--isolate', 'process', '--data-dir', join(scratch, 'data'));
  // Types are checked meanwhile: a wrong one ends the build at any moment.
  const leave = () => {
    for (const child of [run, service]) child.kill();
    rmSync(scratch, { recursive: true, force: true });
  };
  process.once('exit', leave);
  run.stdout.resume();
  const isReady = new Promise((resolve) => {
    service.stdout.setEncoding('utf8').on('data', (text) => text.includes('/v1') && resolve());
    service.once('close', resolve);
  });
  await Promise.all([ended(run), isReady]);
  const { tuning } = await import(pathToFileURL(join(process.cwd(), 'dist', 'src', 'loading', 'tuning.js')).href);
  await new Promise((resolve) => setTimeout(resolve, 2 * tuning.keptAfterMs));
  service.kill();
  await ended(service);
  process.removeListener('exit', leave);
  leave();
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((name) => !name.split('/').some((part) => part.startsWith('.')))
    .sort();
}
