// Bundles what threads, child processes and the command line load, into `<out>/bundle`, and turns each of these entries in `<out>/src` into
// two lines that load its bundle. A start then reads a few files instead of hundreds: of a thread that hosts worlds it takes a third of the
// time, of a service that becomes ready a half. All entries are bundled together, so what two of them share lies in one chunk and is there
// once. The modules in `<out>/src` stay for who imports them one by one: the tests, the benches, and the public doors of the package.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  '@clack/core',
  '@clack/prompts',
  'comlink',
  'commander',
  'fast-string-truncated-width',
  'fast-string-width',
  'fast-wrap-ansi',
  'jose',
  'picocolors',
  'semver',
  'sisteransi',
  'yaml',
];

/** `out`: the folder of the build, from the working directory. */
export async function bundleEntries(out) {
  const [folder, draft] = [join(out, 'bundle'), join(out, '.modules')];
  for (const place of [folder, draft]) rmSync(place, { recursive: true, force: true });
  const bundles = await Promise.all([bundleLoader(out, folder), ...groups.map((entries) => bundleGroup(entries, out, draft))]);
  writeFileSync(join(folder, 'LICENSES.txt'), licensesOf(bundles));
  await turnIntoScripts(draft, folder);
  rmSync(draft, { recursive: true });
  const outputs = Object.assign({}, ...bundles.map(({ metafile }) => metafile.outputs));
  for (const entry of groups.flat()) {
    const { exports } = outputs[join(draft, `${nameOf(entry)}.js`)];
    const load = `loadBundle('${nameOf(entry)}')`;
    const text = exports.length === 0 ? `${load};\n` : `export const { ${exports.join(', ')} } = ${load};\n`;
    const file = join(out, 'src', `${entry}.js`);
    const loader = relative(dirname(file), join(folder, `${nameOf(loaderEntry)}.js`)).replaceAll(sep, '/');
    writeFileSync(file, `import { loadBundle } from '${loader}';\n${text}`);
    rmSync(`${file}.map`, { force: true });
  }
}

const nameOf = (entry) => entry.replaceAll('/', '-');

/** The parts of one group, as modules. */
async function bundleGroup(entries, out, folder) {
  const source = join(process.cwd(), out, 'src');
  return await build({
    ...common,
    entryPoints: entries.map((entry) => ({ in: join(source, `${entry}.js`), out: nameOf(entry) })),
    outdir: folder,
    chunkNames: `${nameOf(entries[0])}-[hash]`,
    // Also of a single entry: what a command does not load is not parsed. In one file `drillyard run` takes a tenth more.
    splitting: true,
    plugins: [ownPlaces(source), foundAtRunTime(source)],
  });
}

/** The one that is a module. */
async function bundleLoader(out, folder) {
  const source = join(process.cwd(), out, 'src');
  return await build({
    ...common,
    entryPoints: [{ in: join(source, `${loaderEntry}.js`), out: nameOf(loaderEntry) }],
    outdir: folder,
    plugins: [ownPlaces(source), foundAtRunTime(source)],
    banner: { js: 'const __chunkPlace = import.meta.url;' },
  });
}

/**
 * What Node.js 20 keeps compiled is a script, so each part becomes one: a function of what the loader gives it. esbuild splits modules
 * only, so the parts are turned afterwards.
 */
async function turnIntoScripts(from, folder) {
  const parts = readdirSync(from).filter((name) => name.endsWith('.js'));
  await build({
    ...common,
    entryPoints: parts.map((name) => join(from, name)),
    outdir: folder,
    bundle: false,
    define: {},
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    supported: { 'dynamic-import': false },
    banner: { js: '(function (exports, require, module, __chunkPlace) {' },
    footer: { js: '})' },
  });
}

const loaderEntry = 'loading/bundle-loader';
const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  metafile: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  // LMDB's; what its text may name keeps its name.
  logOverride: { 'direct-eval': 'silent' },
  // The place of the part under a name that is not replaced.
  define: { 'import.meta.url': '__ownPlace' },
};

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

/** What is not bundled: packages but for some. */
function foundAtRunTime(source) {
  const bundled = new Set(bundledPackages);
  return {
    name: 'found at run time',
    setup(bundler) {
      // The loader stands in for it.
      bundler.onResolve({ filter: /\/own-code\.js$/ }, ({ importer }) =>
        importer.startsWith(join(source, 'loading')) ? undefined : { path: 'drillyard-own-code', external: true },
      );
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
