// Builds the project into dist/ (or, with `--out DIR`, into another folder directly below the root): what has changed since the build
// before.
//   node scripts/build.mjs          with types checked and declared: what is published and what CI tests
//   node scripts/build.mjs --fast   the same code without a look at its types, for the inner loop
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { compile, copyAssets, emitCode } from './build-code.mjs';
import { compileShipped, writeBuildId } from './build-shipped.mjs';
import { hashOfAll, keep, readKept, readSources } from './build-sources.mjs';
import { checkTypes, copyDeclarations } from './build-types.mjs';
import { bundleEntries, entrySources } from './bundle.mjs';
import { turnFiles, vendor } from './vendor.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const outFlag = process.argv.indexOf('--out');
const out = outFlag > 0 ? process.argv[outFlag + 1] : 'dist';
const isFast = process.argv.includes('--fast');
/** Each one script and one style sheet: the inspector's web app, and the page of a report. */
const pages = { app: join('src', 'inspector', 'app', 'main.tsx'), 'report-page': join('src', 'viewer', 'report', 'report-page.tsx') };

const sources = readSources();
const kept = readKept(out);
say('compiling src, test and bench, and checking their types and those of the pages: a few seconds to a minute');
const checked = isFast ? undefined : checkTypes();
await makeCode();
// Also where a type is wrong: the code is there.
keep(out, kept);
if (!isFast) {
  say('compiling the library');
  const shipping = out === 'dist' ? compileShipped(kept.id, kept.shipped) : undefined;
  await checked;
  copyDeclarations(out);
  kept.shipped = await shipping;
}
keep(out, kept);
say('done');

/** All that runs. */
async function makeCode() {
  const { versions, changed } = await emitCode(out, sources.code, kept.code);
  kept.code = versions;
  kept.assets = copyAssets(out, sources.assets, kept.assets);
  const changedOfProgram = changed.filter((name) => name.startsWith('src/'));
  if (changedOfProgram.length > 0 || kept.bundles === undefined) await makeProgram(changedOfProgram);
  const pagesAre = hashOfAll(sources.pages);
  if (kept.pages !== pagesAre) for (const [name, entry] of Object.entries(pages)) await bundlePage(name, entry);
  kept.pages = pagesAre;
}

/** What is made of the code of src as a whole. */
async function makeProgram(changed) {
  // The last build turned each into a line that loads its bundle.
  await compile(
    out,
    entrySources.filter((name) => !changed.includes(name)),
  );
  const names = turnFiles(
    out,
    [...new Set([...changed, ...entrySources])].map((name) => join(out, name.replace(/\.ts$/, '.js'))),
  );
  const vendored = [...new Set([...(kept.vendored ?? []), ...names])].sort();
  if (vendored.length !== kept.vendored?.length) await vendor(out, vendored);
  kept.vendored = vendored;
  await writeBehaviorGlobals();
  kept.id = await writeBuildId(out);
  kept.bundles = await bundleEntries(out, changed, kept.bundles);
}

/** The types that `drillyard/behavior-globals` names. */
async function writeBehaviorGlobals() {
  const { addedTypes } = await import(pathToFileURL(join(root, out, 'src', 'compiler', 'type-options.js')).href);
  writeFileSync(join(out, 'src', 'tools', 'behavior-globals.d.ts'), addedTypes.trimStart());
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

/** On stderr: `npm pack --json` builds too, and stdout is its own. A fast build is over before anybody wonders. */
function say(what) {
  if (!isFast) console.error(`build: ${what} (${Math.round(process.uptime())} s)`);
}
