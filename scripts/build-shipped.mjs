// The library, and the project that a service begins with, compiled into the cache that comes with the program: what ships is the same for
// everybody, and nobody waits for it.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
export function compileShipped(id, before) {
  const cache = join('dist', 'shipped-cache');
  const made = `${id} ${hashOf(...projects.flatMap(filesOf))}`;
  if (made === before && existsSync(join(cache, 'builds', id))) return made;
  rmSync(cache, { recursive: true, force: true });
  const drillyard = (...words) =>
    execFileSync(process.execPath, ['bin/drillyard.js', ...words], {
      env: { ...process.env, DRILLYARD_CACHE_DIR: join(process.cwd(), cache) },
      stdio: 'pipe',
    });
  drillyard('tool', 'search');
  drillyard('validate', '--no-types', '--root', projects[1]);
  for (const name of readdirSync(join(cache, 'builds'))) {
    // Compiled code of the Node.js that builds, which is nobody else's.
    rmSync(join(cache, 'builds', name, 'node'), { recursive: true, force: true });
    // A cache is its user's alone; this one is for everybody who runs the program, as a service under a user of its own.
    for (const folder of [cache, join(cache, 'builds'), join(cache, 'builds', name)]) chmodSync(folder, 0o755);
    for (const entry of readdirSync(join(cache, 'builds', name))) chmodSync(join(cache, 'builds', name, entry), 0o644);
  }
  return made;
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((name) => !name.split('/').some((part) => part.startsWith('.')))
    .sort();
}
