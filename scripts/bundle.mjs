// Bundles what threads, child processes and the command line load, into `<out>/bundle`, and turns each of these entries in `<out>/src` into
// one line that loads its bundle. A start then reads a few files instead of hundreds: of a thread that hosts worlds it takes a third of the
// time, of a service that becomes ready a half. All entries are bundled together, so what two of them share lies in one chunk and is there
// once. The modules in `<out>/src` stay for who imports them one by one: the tests, the benches, and the public doors of the package.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** The sources of all entries. */
export const entrySources = groups.flat().map((entry) => `src/${entry}.ts`);

/**
 * `out`: the folder of the build, from the working directory. `changed`: the sources whose code has changed since `before`, which is what
 * this returned; a group that none of them is in stays as it is. The code of the entries has to be there.
 */
export async function bundleEntries(out, changed, before) {
  const folder = join(out, 'bundle');
  if (before === undefined) rmSync(folder, { recursive: true, force: true });
  const changedCode = new Set(changed.map((name) => join(out, name.replace(/\.ts$/, '.js'))));
  const isCurrent = (known) => known?.outputs.every((file) => existsSync(file)) && !known.inputs.some((file) => changedCode.has(file));
  const places = filesWithPlaces(join(out, 'src'));
  const kept = {};
  for (const entries of groups) {
    const known = before?.[entries[0]];
    if (isCurrent(known)) kept[entries[0]] = known;
  }
  await Promise.all(
    groups.map(async (entries) => {
      if (entries[0] in kept) return;
      for (const file of before?.[entries[0]]?.outputs ?? []) rmSync(file, { force: true });
      const { inputs, outputs } = (await bundleGroup(entries, out, places)).metafile;
      kept[entries[0]] = { inputs: Object.keys(inputs), outputs: Object.keys(outputs) };
    }),
  );
  writeFileSync(join(folder, 'LICENSES.txt'), licensesOf(Object.values(kept).flatMap(({ inputs }) => inputs)));
  for (const entry of groups.flat()) {
    const file = join(out, 'src', `${entry}.js`);
    writeFileSync(file, `export * from '${relative(dirname(file), join(folder, `${nameOf(entry)}.js`)).replaceAll(sep, '/')}';\n`);
    rmSync(`${file}.map`, { force: true });
  }
  return kept;
}

const nameOf = (entry) => entry.replaceAll('/', '-');

async function bundleGroup(entries, out, places) {
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
    plugins: [ownPlaces(source, places), foundAtRunTime(source)],
    banner: { js: banner },
  });
}

/** `import.meta.url` of the chunk under a name that is not replaced. */
const banner = `import { createRequire as __createRequire } from 'node:module';
const __chunkPlace = import.meta.url;
const require = __createRequire(__chunkPlace);`;

/** The compiled files that name `import.meta.url`: asking a plugin for each of all files would take most of the time of a bundle. */
function filesWithPlaces(source) {
  return readdirSync(source, { recursive: true })
    .filter((name) => name.endsWith('.js') && readFileSync(join(source, name), 'utf8').includes('import.meta.url'))
    .map((name) => join(process.cwd(), source, name));
}

/** A module's `import.meta.url` stays what it was: beside it lie the assets and the entries that it names. */
function ownPlaces(source, files) {
  const filter = new RegExp(`^(?:${files.map((file) => file.replace(/[^\w/]/g, '\\$&')).join('|')})$`);
  return {
    name: 'own places',
    setup(bundler) {
      bundler.onLoad({ filter }, ({ path }) => {
        const place = `../src/${relative(source, path).replaceAll(sep, '/')}`;
        // On its first line, so that the lines of its source map stay.
        return { contents: `const __ownPlace = new URL('${place}', __chunkPlace).href; ${readFileSync(path, 'utf8')}`, loader: 'js' };
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
