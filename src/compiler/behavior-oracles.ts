// What a module uses, asked of esbuild's own parser: it rewrites one thing on request, and what it rewrites is there. Text search only
// finds the line.
import { deniedMethods, deniedNames } from '../tools/ambient.js';
import { laterSyntax } from '../tools/globals/later-patterns.js';
import { mayImport } from '../tools/import-calls.js';
import { scriptTokens } from '../tools/script-tokens.js';
import type { BehaviorModule, BundleFinding } from './behavior-modules.js';
import { loadEsbuild } from './esbuild.js';

export const unavailable = (what: string): string => `${what} is not available to tool behavior; it has static imports only`;
const importCall = /\bimport\s*(?:\/\*[\s\S]*?\*\/\s*)?\(/;

/**
 * Runs only where a bundle already shows that there is something to find. A module that esbuild changes when async functions are not
 * supported has one.
 */
export async function asyncFindings(modules: readonly BehaviorModule[]): Promise<BundleFinding[]> {
  const unsupported = { 'async-await': false, 'async-generator': false, 'for-await': false };
  return findingsWhere(modules, { supported: unsupported }, ({ text, path }) => ({
    code: 'DY6005',
    file: path,
    ...placeOfFirst(text, /\basync\b|\bawait\b/),
    message: 'a behavior is synchronous; it has an async function here',
    suggestion: 'Handlers return their result. What happens later is an event: context.events.scheduleAt.',
  }));
}

/**
 * `require` in any form, and `import()`. Asked before the bundler sees the module: where their argument is a template or a sum, esbuild
 * reads every file that matches it, from the working directory up and without asking a plugin.
 * A module that the parser refuses throws the parser's `BuildFailure`.
 */
export async function runTimeLoadingFindings(module: BehaviorModule): Promise<BundleFinding[]> {
  const finding =
    (what: string, pattern: RegExp) =>
    ({ path, text }: BehaviorModule): BundleFinding => ({
      code: 'DY6004',
      file: path,
      ...placeOfFirst(text, pattern),
      message: unavailable(what),
    });
  return [
    ...(await findingsWhere([module], { supported: { 'dynamic-import': false } }, finding('import()', importCall))),
    ...(await findingsWhere([module], { define: { require: 'drillyard_require' } }, finding('require', /\brequire\b/))),
  ];
}

/** `import()` that esbuild does not know how to rewrite (with a second argument, in dead code) is in the bundle as it was written. */
export function importFindings(body: string, modules: readonly BehaviorModule[]): BundleFinding[] {
  if (!mayImport(body)) return [];
  const module = modules.find(({ text }) => importCall.test(text));
  const place = module === undefined ? { line: 1, column: 1 } : { file: module.path, ...placeOfFirst(module.text, importCall) };
  return [{ code: 'DY6004', ...place, message: unavailable('import()') }];
}

/** Literals that only later versions of Node take: on the others the bundle would not be code. */
export function patternFindings(body: string, modules: readonly BehaviorModule[]): BundleFinding[] {
  if (!/\(\?(?:[ims-]+:|<[^=!])/.test(body)) return [];
  for (const { kind, text } of scriptTokens(body) ?? []) {
    const later = kind === 'pattern' ? laterSyntax(text.slice(1, text.lastIndexOf('/'))) : undefined;
    if (later === undefined) continue;
    const module = modules.find((one) => one.text.includes(text));
    const place = module === undefined ? { line: 1, column: 1 } : { file: module.path, ...placeAt(module.text, module.text.indexOf(text)) };
    const message = `a regular expression is none on every supported version of Node: ${later}`;
    return [{ code: 'DY6003', ...place, message }];
  }
  return [];
}

/**
 * Names that the realm denies and a bundle's body (not yet wrapped, so that ambient names are free in it) mentions: loud at run time, so
 * said already now.
 */
export async function ambientFindings(body: string, modules: readonly BehaviorModule[]): Promise<BundleFinding[]> {
  const names = [...Object.keys(deniedNames), ...Object.keys(deniedMethods).filter((path) => path.split('.').length === 2), 'Date'];
  const mentioned = names.filter((name) => new RegExp(`(?<![\\w$])${name.replace('.', '\\s*\\.\\s*')}(?![\\w$])`).test(body));
  if (mentioned.length === 0) return [];
  const marked = (name: string) => `drillyard_denied_${mentioned.indexOf(name)}_`;
  const { transform } = await loadEsbuild();
  const { code: rewritten } = await transform(body, {
    loader: 'js',
    define: Object.fromEntries(mentioned.map((name) => [name, marked(name)])),
    logLevel: 'silent',
  });
  const denied = mentioned.filter((name) => name !== 'Date' && rewritten.includes(marked(name)));
  return [
    ...denied.flatMap((name) => {
      const written = new RegExp(`(?<![\\w$.])${name.replaceAll('.', '\\s*\\.\\s*')}(?![\\w$])`);
      return ambientFinding(modules, { name, written, advice: (deniedNames[name] ?? deniedMethods[name]) as string });
    }),
    ...(mentioned.includes('Date') ? timelessFindings(rewritten, marked('Date'), modules) : []),
  ];
}

/** The present, asked of `Date`; `mark` stands for the name in `code`. */
function timelessFindings(code: string, mark: string, modules: readonly BehaviorModule[]): BundleFinding[] {
  const ways = [
    {
      name: 'new Date()',
      found: `\\bnew ${mark}(?: *\\( *\\)|(?! *[(.\\w]))`,
      written: /(?<![\w$.])new\s+Date(?:\s*\(\s*\)|(?!\s*[(.\w$]))/,
    },
    { name: 'Date()', found: `(?<!\\bnew )${mark} *\\(`, written: /(?<!(?:[\w$.]|\bnew\s+))Date\s*\(/ },
  ];
  const advice = 'virtual time is context.clock.nowUs(), in microseconds: new Date(context.clock.nowUs() / 1000)';
  return ways
    .filter(({ found }) => new RegExp(found).test(code))
    .flatMap(({ name, written }) => ambientFinding(modules, { name, written, advice }));
}

/** At the first place that is written so. */
function ambientFinding(
  modules: readonly BehaviorModule[],
  { name, written, advice }: { name: string; written: RegExp; advice: string },
): BundleFinding[] {
  const module = modules.find(({ text }) => written.test(text));
  if (module === undefined) return [];
  return [
    {
      code: 'DY6006',
      file: module.path,
      ...placeOfFirst(module.text, written),
      message: `${name} is not available to tool behavior and will throw`,
      suggestion: `${advice[0]?.toUpperCase()}${advice.slice(1)}.`,
    },
  ];
}

async function findingsWhere(
  modules: readonly BehaviorModule[],
  change: object,
  finding: (module: BehaviorModule) => BundleFinding,
): Promise<BundleFinding[]> {
  const findings: BundleFinding[] = [];
  const { transform } = await loadEsbuild();
  for (const module of modules) {
    if (module.loader === 'json') continue;
    const options = { loader: module.loader, target: 'es2022', logLevel: 'silent', tsconfigRaw: {} } as const;
    const [plain, changed] = await Promise.all([transform(module.text, options), transform(module.text, { ...options, ...change })]);
    if (plain.code !== changed.code) findings.push(finding(module));
  }
  return findings;
}

function placeOfFirst(text: string, pattern: RegExp): { line: number; column: number } {
  return placeAt(text, text.search(pattern));
}

function placeAt(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, Math.max(0, index));
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - lineStart + 1 };
}
