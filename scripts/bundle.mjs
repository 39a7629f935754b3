// Bundles what threads, child processes and the command line load, into `<out>/bundle`, and turns each of these entries in `<out>/src` into
// two lines that load its bundle. A start then reads a few files instead of hundreds: of a thread that hosts worlds it takes a third of the
// time, of a service that becomes ready a half. All entries are bundled together, so what two of them share lies in one chunk and is there
// once. The modules in `<out>/src` stay for who imports them one by one: the tests, the benches, and the public doors of the package.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { hashOf } from './build-sources.mjs';
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
  '@clack/core',
  '@clack/prompts',
  'bintrees',
  'comlink',
  'commander',
  'fast-string-truncated-width',
  'fast-string-width',
  'fast-wrap-ansi',
  'jose',
  'picocolors',
  'prom-client',
  'semver',
  'sisteransi',
  'tdigest',
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
  for (const entries of allGroups) {
    const known = before?.[entries[0]];
    if (isCurrent(known)) kept[entries[0]] = known;
  }
  await Promise.all(
    allGroups.map(async (entries) => {
      const [first] = entries;
      if (first in kept) return;
      for (const file of before?.[first]?.outputs ?? []) rmSync(file, { force: true });
      kept[first] = await (first === loaderEntry ? bundleLoader(out, places) : bundleGroup(entries, out, places));
    }),
  );
  writeFileSync(join(folder, 'LICENSES.txt'), licensesOf(Object.values(kept).flatMap(({ inputs }) => inputs)));
  writeFileSync(
    join(folder, 'id.txt'),
    idOf(
      out,
      Object.values(kept).flatMap(({ outputs }) => outputs),
    ),
  );
  for (const [entry, names] of Object.values(kept).flatMap(({ exports }) => Object.entries(exports))) {
    const file = join(out, 'src', `${entry}.js`);
    const loader = relative(dirname(file), join(folder, `${nameOf(loaderEntry)}.js`)).replaceAll(sep, '/');
    const load = `loadBundle('${nameOf(entry)}');\n`;
    writeFileSync(
      file,
      `import { loadBundle } from '${loader}';\n${names.length === 0 ? load : `export const { ${names.join(', ')} } = ${load}`}`,
    );
    rmSync(`${file}.map`, { force: true });
  }
  return kept;
}

const nameOf = (entry) => entry.replaceAll('/', '-');

/** What compiled code is named after: all that is compiled. */
function idOf(out, outputs) {
  const code = [...outputs.filter((file) => file.endsWith('.cjs')), join(out, 'src', 'vendor', 'ajv', 'index.cjs')];
  return hashOf(...code.sort()).slice(0, 16);
}

/**
 * What Node.js 20 keeps compiled is a script, so each part becomes one: a function of what the loader gives it. esbuild splits modules
 * only, so the parts are turned afterwards.
 */
async function bundleGroup(entries, out, places) {
  const source = join(process.cwd(), out, 'src');
  const modules = join(out, '.modules', nameOf(entries[0]));
  const { metafile } = await build({
    ...common,
    entryPoints: entries.map((entry) => ({ in: join(source, `${entry}.js`), out: nameOf(entry) })),
    outdir: modules,
    chunkNames: `${nameOf(entries[0])}-[hash]`,
    // Also of a single entry: what a command does not load is not parsed. In one file `drillyard run` takes a tenth more.
    splitting: true,
    plugins: [ownPlaces(source, places), foundAtRunTime(source)],
  });
  const scripts = await build({
    ...common,
    entryPoints: Object.keys(metafile.outputs).filter((file) => file.endsWith('.js')),
    outdir: join(out, 'bundle'),
    outbase: modules,
    bundle: false,
    define: {},
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    supported: { 'dynamic-import': false },
    banner: { js: '(function (exports, require, module, __chunkPlace) {' },
    footer: { js: '})' },
  });
  rmSync(modules, { recursive: true });
  const exportsOf = (entry) => metafile.outputs[join(modules, `${nameOf(entry)}.js`)].exports;
  return {
    inputs: Object.keys(metafile.inputs),
    outputs: Object.keys(scripts.metafile.outputs),
    exports: Object.fromEntries(entries.map((entry) => [entry, exportsOf(entry)])),
  };
}

/** The one that is a module. */
async function bundleLoader(out, places) {
  const source = join(process.cwd(), out, 'src');
  const { inputs, outputs } = (
    await build({
      ...common,
      entryPoints: [{ in: join(source, `${loaderEntry}.js`), out: nameOf(loaderEntry) }],
      outdir: join(out, 'bundle'),
      plugins: [ownPlaces(source, places), foundAtRunTime(source)],
      banner: { js: 'const __chunkPlace = import.meta.url;' },
    })
  ).metafile;
  return { inputs: Object.keys(inputs), outputs: Object.keys(outputs), exports: {} };
}

const loaderEntry = 'loading/bundle-loader';
const allGroups = [[loaderEntry], ...groups];
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
      // prom-client asks it for the span of an exemplar, and no figure here has exemplars: a tenth of the start of a service.
      bundler.onResolve({ filter: /^@opentelemetry\/api$/ }, ({ importer }) =>
        importer.includes('/prom-client/') ? { path: 'nothing', namespace: 'nothing' } : undefined,
      );
      bundler.onLoad({ filter: /^nothing$/, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};' }));
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
