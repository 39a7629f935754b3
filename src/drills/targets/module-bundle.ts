// A target's module as one file: its own source files joined, those of its workspace and TypeScript included, installed packages left where
// they are. One file, so that loading it again for an attempt gives all of the agent's own code fresh state; on disk, so that stacks have
// names.
import { createHash } from 'node:crypto';
import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BuildFailure, Loader, Plugin } from 'esbuild';
import { endedText, hasEnded, loadEsbuild } from '../../compiler/esbuild.js';
import type { RunError } from '../../contract/run/run.js';
import { runError } from '../ports/run-error.js';
import { pathInside } from './repository-path.js';

export interface BundleFault {
  message: string;
  /** Relative to the repository; lines and columns from 1. Absent: of no place in a file. */
  place?: { file: string; line: number; column: number };
}
export type Bundle = { kind: 'bundle'; url: string } | { kind: 'failed'; error: RunError };

/** Written into `directory`, under a name of its own. */
export async function bundleModule({ root, module, directory }: { root: string; module: string; directory: string }): Promise<Bundle> {
  const entry = pathInside(root, module);
  if (entry === undefined) return loadFailed(`The module "${module}" does not exist inside the repository.`);
  try {
    const { text } = await bundleText(entry, directory);
    return { kind: 'bundle', url: pathToFileURL(store(text, directory)).href };
  } catch (error) {
    const lines = faultsOf(error, { root, entry }).map(({ message, place }) =>
      place === undefined ? message : `${place.file}:${place.line}:${place.column}: ${message}`,
    );
    return loadFailed(`The module "${module}" cannot be loaded: ${lines.join('; ')}.`);
  }
}

/** Why the module could not be joined for a run; nothing is written, and nothing run. A module that is not there has none. */
export async function bundleFaults({ root, module }: { root: string; module: string }): Promise<BundleFault[]> {
  const entry = pathInside(root, module);
  if (entry === undefined || !statSync(entry).isFile()) return [];
  try {
    await bundleText(entry, dirname(entry));
    return [];
  } catch (error) {
    return faultsOf(error, { root, entry });
  }
}

function faultsOf(error: unknown, { root, entry }: { root: string; entry: string }): BundleFault[] {
  const { errors } = error as Partial<BuildFailure>;
  if (errors === undefined && hasEnded(error)) return [{ message: endedText }];
  if (errors === undefined) throw error;
  return errors.map(({ text: message, location }) => {
    if (location === null) return { message };
    const file = relative(realpathSync(root), resolve(dirname(entry), location.file))
      .split(sep)
      .join('/');
    return { message, place: { file, line: location.line, column: location.column + 1 } };
  });
}

/** Its own files: what its bundle is made of, by real paths. Of a module that cannot be joined the module alone. */
export async function moduleSources({ root, module }: { root: string; module: string }): Promise<string[]> {
  const entry = pathInside(root, module);
  if (entry === undefined || !statSync(entry).isFile()) return [];
  try {
    return (await bundleText(entry, dirname(entry))).inputs;
  } catch {
    return [entry];
  }
}

interface BundleText {
  text: string;
  inputs: string[];
}
let secondTry: Promise<unknown> = Promise.resolve();

/** One child bundles all modules of this process, and what it ended at may be another one: a second try waits for those before it. */
async function bundleText(entry: string, directory: string): Promise<BundleText> {
  try {
    return await joinText(entry, directory);
  } catch (error) {
    if (!hasEnded(error)) throw error;
  }
  const again = secondTry.then(() => joinText(entry, directory));
  secondTry = again.catch(() => {});
  return await again;
}

async function joinText(entry: string, directory: string): Promise<BundleText> {
  const url = pathToFileURL(entry).href;
  const { build } = await loadEsbuild();
  const result = await build({
    entryPoints: [entry],
    absWorkingDir: dirname(entry),
    bundle: true,
    write: false,
    // Never written: it is what the source map's paths are relative to.
    outfile: join(directory, 'bundle.mjs'),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'silent',
    keepNames: true,
    metafile: true,
    // CommonJS inside the bundle, and packages that it requires.
    banner: {
      js: `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(${JSON.stringify(url)});`,
    },
    plugins: [ownSources],
  });
  const inputs = Object.keys(result.metafile.inputs).map((input) => resolve(dirname(entry), input));
  return { text: result.outputFiles[0]?.text ?? '', inputs };
}

const loaders: { [extension: string]: Loader } = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts', '.tsx': 'tsx', '.jsx': 'jsx' };

/** Of `drillyard` itself there is one in a process: what an agent gets of it must be what runs the agent. */
const thisPackage = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * What a bare name can mean besides an installed package: a path of tsconfig.json, or a package of the same workspace, which a link in
 * node_modules leads to.
 */
function isOwnSource(path: string): boolean {
  return !path.split(sep).includes('node_modules') && !path.startsWith(join(thisPackage, 'dist'));
}

/**
 * Installed packages stay outside, by the place they resolve to from the file that names them; every own file keeps its own location. What
 * finds no `drillyard` from where it lies gets this one.
 */
const ownSources: Plugin = {
  name: 'own-sources',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === ownSources || kind === 'entry-point' || path.startsWith('node:') || path.startsWith('file:')) return null;
      const options = { kind, importer, pluginData: ownSources };
      const nearest = await resolve(path, { ...options, resolveDir });
      const isThisPackage = nearest.errors.length > 0 && /^drillyard(?:\/|$)/.test(path);
      const found = isThisPackage ? await resolve(path, { ...options, resolveDir: thisPackage }) : nearest;
      if (found.errors.length > 0 || found.external || isOwnSource(found.path)) return found;
      return { path: kind === 'require-call' || kind === 'require-resolve' ? found.path : pathToFileURL(found.path).href, external: true };
    });
    onResolve({ filter: /\.node$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path), external: true }));
    onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => ({
      contents: located(await readFile(path, 'utf8'), path),
      loader: loaders[extname(path)] ?? 'js',
    }));
  },
};

/** What a file says about its own place holds in the bundle too. One line, so that line numbers stay. */
function located(source: string, path: string): string {
  if (!/import\.meta|__dirname|__filename/.test(source)) return source;
  const commonJs = /\.c[jt]s$/.test(path) || /__dirname|__filename/.test(source);
  const places = commonJs ? `var __filename = ${JSON.stringify(path)}, __dirname = ${JSON.stringify(dirname(path))};` : '';
  return `${places}${source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)).replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))}`;
}

function store(text: string, directory: string): string {
  const file = join(directory, `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.mjs`);
  writeFileSync(file, text);
  return file;
}

function loadFailed(message: string): Bundle {
  return { kind: 'failed', error: runError('target.LOAD_FAILED', message) };
}
