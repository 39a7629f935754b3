// Bundles what threads, child processes and the command line load, into `<out>/bundle`, and turns each of these entries in `<out>/src` into
// one line that loads its bundle. A start then reads a few files instead of hundreds: of a thread that hosts worlds it takes a third of the
// time, of a service that becomes ready a half. All entries are bundled together, so what two of them share lies in one chunk and is there
// once. The modules in `<out>/src` stay for who imports them one by one: the tests, the benches, and the public doors of the package.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { licensesOf } from './vendor.mjs';

/** Entries that one thread or process loads together; each group is bundled by itself, as nothing else shares modules with another. */
const groups = [
  ['cli/main'],
  ['actors/child-entry', 'actors/host-entry', 'worlds/host'],
  ['control/tasks/task-entry'],
  ['control/tasks/task-process-entry'],
  ['data-verification-entry'],
  ['drills/stored/comparison-entry'],
  ['drills/targets/module-entry'],
  ['inspector/journal/archive-entry'],
];
/** Pure JavaScript that keeps nothing which somebody else's copy of it would have to know. Other packages are found at run time. */
const bundledPackages = [
  '@bufbuild/cel',
  '@bufbuild/cel-spec',
  '@bufbuild/protobuf',
  '@bufbuild/re2',
  '@fastify/busboy',
  'comlink',
  'commander',
  'picocolors',
  'semver',
  'yaml',
];

/** `out`: the folder of the build, from the working directory. */
export async function bundleEntries(out) {
  const folder = join(out, 'bundle');
  rmSync(folder, { recursive: true, force: true });
  const bundles = await Promise.all(groups.map((entries) => bundleGroup(entries, out)));
  writeFileSync(join(folder, 'LICENSES.txt'), licensesOf(bundles));
  for (const entry of groups.flat()) {
    const file = join(out, 'src', `${entry}.js`);
    writeFileSync(file, `export * from '${relative(dirname(file), join(folder, `${nameOf(entry)}.js`)).replaceAll(sep, '/')}';\n`);
    rmSync(`${file}.map`, { force: true });
  }
}

const nameOf = (entry) => entry.replaceAll('/', '-');

async function bundleGroup(entries, out) {
  const source = join(process.cwd(), out, 'src');
  return await build({
    entryPoints: entries.map((entry) => ({ in: join(source, `${entry}.js`), out: nameOf(entry) })),
    outdir: join(out, 'bundle'),
    chunkNames: `${nameOf(entries[0])}-[hash]`,
    bundle: true,
    // Also of a single entry: what a command does not load is not parsed. In one file `drillyard run` takes a tenth more.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    metafile: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    define: { 'import.meta.url': '__ownPlace' },
    plugins: [ownPlaces(source), foundAtRunTime(source)],
    banner: { js: banner },
  });
}

/** `import.meta.url` of the chunk under a name that is not replaced. */
const banner = `import { createRequire as __createRequire } from 'node:module';
const __chunkPlace = import.meta.url;
const require = __createRequire(__chunkPlace);`;

/** A module's `import.meta.url` stays what it was: beside it lie the assets and the entries that it names. */
function ownPlaces(source) {
  return {
    name: 'own places',
    setup(bundler) {
      bundler.onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (!path.startsWith(source + sep)) return undefined;
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        const place = `../src/${relative(source, path).replaceAll(sep, '/')}`;
        // On its first line, so that the lines of its source map stay.
        return { contents: `const __ownPlace = new URL('${place}', __chunkPlace).href; ${text}`, loader: 'js' };
      });
    },
  };
}

/** What is not bundled: packages but for some, and what has binaries beside it. */
function foundAtRunTime(source) {
  const bundled = new Set(bundledPackages);
  const vendored = join(source, 'vendor');
  return {
    name: 'found at run time',
    setup(bundler) {
      bundler.onResolve({ filter: /\/vendor\/(lmdb|msgpackr)\// }, ({ path, resolveDir }) => {
        const place = relative(vendored, join(resolveDir, path)).replaceAll(sep, '/');
        return { path: `../src/vendor/${place}`, external: true };
      });
      bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('node:')) return undefined;
        const name = path
          .split('/')
          .slice(0, path.startsWith('@') ? 2 : 1)
          .join('/');
        return bundled.has(name) ? undefined : { path, external: true };
      });
    },
  };
}
