// Loads the bundles of this program (scripts/bundle.mjs), which are scripts: of those Node.js 20 takes what was compiled before. Each part
// is a function that gets what a module of CommonJS gets: packages and modules of Node.js it requires, other parts are loaded here. This
// file is the only bundle that is a module, and loads nothing that another one brings along.
import { readFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { buildCacheFolder } from '../files/user-cache-folder.js';
import { CompiledCode } from './compiled-code.js';
import { importModule } from './own-code.js';
import { tuning } from './tuning.js';

type Exports = { [name: string]: unknown };
type Part = (exports: Exports, require: (specifier: string) => unknown, module: { exports: Exports }, place: string) => void;

const program = new URL('../../', import.meta.url);
const packages = createRequire(new URL('bundle/any.cjs', program));
const loaded = new Map<string, { exports: Exports }>();
let code: CompiledCode | undefined;

/** Of the packages that are not bundled, which are modules and files of CommonJS. Node.js 20 has no such thing. */
export function keepPackages(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  const folder = buildCacheFolder();
  if (folder !== undefined) enableCompileCache?.(join(folder, 'node'));
}

/** `name`: of an entry of scripts/bundle.mjs. The first one of a thread says what kind of thread it is. */
export function loadBundle(name: string): Exports {
  code ??= begin(name);
  return load(`bundle/${name}.cjs`, code);
}

/** Commands load different parts. */
function begin(name: string): CompiledCode {
  const [, , command = ''] = process.argv;
  const kind = isMainThread && /^[a-z]{1,16}$/.test(command) ? `${name}-${command}` : name;
  const started = new CompiledCode(kind, { bundles: readFileSync(new URL('bundle/id.txt', program), 'utf8'), program: program.href });
  process.once('exit', () => started.keep());
  setTimeout(() => started.keep(), tuning.keptAfterMs).unref();
  return started;
}

function load(path: string, from: CompiledCode): Exports {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const file = new URL(path, program);
  const script = compile(path, readFileSync(file, 'utf8'), from);
  const own = { exports: {} };
  loaded.set(path, own);
  (script.runInThisContext() as Part)(own.exports, (specifier) => need(specifier, from), own, file.href);
  // As members, not as the two getters a member that a bundler makes of them: no export changes, and hot code asks for them at each use.
  own.exports = Object.defineProperty({ ...own.exports }, '__esModule', { value: true });
  return own.exports;
}

function compile(path: string, source: string, from: CompiledCode): Script {
  const cachedData = from.of(path);
  const script = new Script(source, { filename: new URL(path, program).href, ...(cachedData === undefined ? {} : { cachedData }) });
  from.add(path, script);
  return script;
}

function need(specifier: string, from: CompiledCode): unknown {
  if (specifier.startsWith('./')) return load(`bundle/${specifier.slice(2).replace(/\.js$/, '.cjs')}`, from);
  if (specifier !== 'drillyard-own-code') return packages(specifier);
  return { importModule, requireFile: (file: URL) => requireFile(file, from), keepCompiled: () => from.keep() };
}

/** It is asked once by who needs it. */
function requireFile(file: URL, from: CompiledCode): unknown {
  const path = file.href.slice(program.href.length);
  const script = compile(path, `(function (exports, require, module) {${readFileSync(file, 'utf8')}\n})`, from);
  const own = { exports: {} };
  (script.runInThisContext() as Part)(own.exports, packages, own, file.href);
  return own.exports;
}
