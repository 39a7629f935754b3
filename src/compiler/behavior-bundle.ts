// A behavior's modules as one function expression (tools/ambient.ts). Every file comes through behavior-modules.ts, so the output knows no
// absolute path, no tsconfig and no folder it was made in. Why: docs/decisions/008.
//   BEHAVIOR-BUNDLE-1. Equal files give equal code, wherever they lie.
//   BEHAVIOR-BUNDLE-2. The code has no async function and no `import()`: esbuild lowers what it finds to helpers, and helpers are findings;
//     so is an `import()` that it left as it was.
//   BEHAVIOR-BUNDLE-3. esbuild reads no file by itself: it never sees a module with `require` or `import()`, whose globs it would expand on
//     the real file system (behavior-oracles.ts), and a build that has an input of no namespace of ours is refused whole.
import type { Message, PartialMessage, Plugin } from 'esbuild';
import { sha256Digest } from '../contract/digest.js';
import { limits } from '../contract/limits.js';
import type { BehaviorKit } from '../contract/run/dialect.js';
import type { GraphqlSettings } from '../contract/world/tool-graphql.js';
import type { ContentCache } from '../files/content-cache.js';
import { compareTexts } from '../text/compare-texts.js';
import { bundleFunction } from '../tools/ambient.js';
import { graphqlKit, kitEntry, kitPlugin } from './behavior-kits.js';
import { type BehaviorModule, BehaviorModules, type BundleFinding, type Refusal, type RefusedFile } from './behavior-modules.js';
import {
  ambientFindings,
  asyncFindings,
  importFindings,
  patternFindings,
  runTimeLoadingFindings,
  unavailable,
} from './behavior-oracles.js';
import { endedText, hasEnded, loadEsbuild } from './esbuild.js';
import { keepBundle, keptBundle } from './kept-bundles.js';

export interface BundleRequest {
  /** Real, absolute. */
  root: string;
  /** Of the tool file, relative to the root: what `module` is relative to. */
  toolFile: string;
  module: string;
  isSdk: (specifier: string) => boolean;
  /** The behavior gets the kit, made with these. */
  graphql?: GraphqlSettings | undefined;
  /** Put around the behavior first. */
  kit?: BehaviorKit | undefined;
  /** Where sound bundles are kept. */
  cache?: ContentCache | undefined;
}
export interface BundledFile {
  path: string;
  role: 'entry' | 'helper';
  text: string;
  bytes: number;
}
export interface BundleResult {
  behavior?: { code: string; codeHash: string };
  /** The entry first, then by path. */
  files: BundledFile[];
  refused: RefusedFile[];
  findings: BundleFinding[];
}

/**
 * Everything that could run asynchronously or load code is lowered, so that it shows (BEHAVIOR-BUNDLE-2); and `**` to a call of `Math.pow`,
 * which the realm has made the same on every machine (tools/globals/power.ts).
 */
const loweredFeatures = {
  'async-await': false,
  'async-generator': false,
  'for-await': false,
  'dynamic-import': false,
  'exponent-operator': false,
} as const;
const helperCalls = /\b__(?:async|await|asyncGenerator|yieldStar|forAwait)\b/;

export async function bundleBehavior(request: BundleRequest): Promise<BundleResult> {
  const kept = request.cache && readKept(request, request.cache);
  if (kept !== undefined) return kept;
  const modules = new BehaviorModules(request.root, request.isSdk);
  const entry = entryOf(request, modules);
  if (!('path' in entry)) return { files: [], refused: [...modules.refused.values()], findings: [{ ...entry, line: 1, column: 1 }] };
  const kits = kitsOf(request);
  const { body, messages, warnings } = await runEsbuild(modules, entry.path, kits);
  const findings = [...messages.map((message) => findingOf(message, entry.path)), ...warnings.map(warningOf)];
  const loaded = byPath(modules);
  if (body !== undefined) {
    if (helperCalls.test(body)) findings.push(...(await asyncFindings(loaded)));
    if (findings.every(({ code }) => code !== 'DY6004')) findings.push(...importFindings(body, loaded));
    findings.push(...patternFindings(body, loaded), ...(await ambientFindings(body, loaded)));
    if (body.length > limits.behaviorBundleBytesMax)
      findings.push({
        code: 'DY6009',
        line: 1,
        column: 1,
        message: `the bundle has more than ${limits.behaviorBundleBytesMax} characters`,
      });
  }
  const code = body === undefined ? undefined : bundleFunction(body);
  const refused = [...modules.refused.values()];
  if (request.cache && code !== undefined && findings.length + refused.length === 0)
    keepBundle({ cache: request.cache, modules, entry: entry.path, kits }, code);
  return {
    ...(code === undefined ? {} : { behavior: behaviorOf(code) }),
    files: filesOf(modules, entry.path),
    refused,
    findings,
  };
}

function readKept(request: BundleRequest, cache: ContentCache): BundleResult | undefined {
  const modules = new BehaviorModules(request.root, request.isSdk);
  const entry = entryOf(request, modules);
  const code = 'path' in entry ? keptBundle({ cache, modules, entry: entry.path, kits: kitsOf(request) }) : undefined;
  if (!('path' in entry) || code === undefined) return undefined;
  return { behavior: behaviorOf(code), files: filesOf(modules, entry.path), refused: [], findings: [] };
}

function entryOf({ module, toolFile }: BundleRequest, modules: BehaviorModules): { path: string } | Refusal {
  return modules.resolve(module.startsWith('.') ? module : `./${module}`, toolFile);
}

const behaviorOf = (code: string): { code: string; codeHash: string } => ({ code, codeHash: sha256Digest(code) });

/** esbuild loads in parallel; what is reported does not depend on who came first. */
function byPath(modules: BehaviorModules): BehaviorModule[] {
  return [...modules.files.values()].sort((a, b) => compareTexts(a.path, b.path));
}

function filesOf(modules: BehaviorModules, entry: string): BundledFile[] {
  const files = byPath(modules).map(({ path, text, bytes }) => ({
    path,
    text,
    bytes,
    role: path === entry ? ('entry' as const) : ('helper' as const),
  }));
  return files.sort((a, b) => Number(b.role === 'entry') - Number(a.role === 'entry'));
}

function kitsOf({ kit, graphql }: BundleRequest): BehaviorKit[] {
  return [...(kit === undefined ? [] : [kit]), ...(graphql === undefined ? [] : [graphqlKit(graphql)])];
}

async function runEsbuild(
  modules: BehaviorModules,
  entry: string,
  kits: readonly BehaviorKit[],
): Promise<{ body?: string; messages: Message[]; warnings: Message[] }> {
  // Loaded here: most tools are of data alone.
  const { build } = await loadEsbuild();
  try {
    const { outputFiles, warnings, metafile } = await build({
      entryPoints: ['drillyard:entry'],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'behavior',
      platform: 'neutral',
      target: 'es2022',
      supported: loweredFeatures,
      charset: 'utf8',
      legalComments: 'none',
      minifyWhitespace: true,
      minifyIdentifiers: false,
      minifySyntax: false,
      sourcemap: false,
      metafile: true,
      treeShaking: true,
      tsconfigRaw: { compilerOptions: { target: 'es2022', useDefineForClassFields: true, verbatimModuleSyntax: false } },
      logLevel: 'silent',
      plugins: [...(kits.length === 0 ? [] : [kitPlugin(kits)]), packagePlugin(modules, { entry, kits })],
    });
    if (Object.keys(metafile.inputs).some((input) => !/^(?:entry|sdk|tool|kit):/.test(input)))
      return { messages: [foreignInput], warnings: [] };
    return { body: outputFiles[0]?.text.trimEnd() ?? '', messages: [], warnings };
  } catch (error) {
    const { errors, warnings } = error as { errors?: Message[]; warnings?: Message[] };
    if (errors === undefined && !hasEnded(error)) throw error;
    return { messages: errors ?? [tooDeep], warnings: warnings ?? [] };
  }
}

/** Names neither the input nor where it lies: it is no file of the source. */
const foreignInput = messageOf('DY6008', 'the bundle would hold a file that is none of its modules');
const tooDeep = messageOf('DY6003', endedText);

function messageOf(code: Refusal['code'], text: string): Message {
  return { id: '', pluginName: '', text, location: null, notes: [], detail: { code } satisfies Pick<Refusal, 'code'> };
}

/**
 * What `drillyard/tool-sdk` is in a bundle. The names of the first statement are in every bundle; one of the others only where it is used,
 * so that the code, and with it the hash, of a behavior does not change when the SDK gets another.
 */
const sdkModule = [
  'export const { decodeTokenRequest, defineTool, defineToolBehavior, encodeTokenReply, grantTokens, mintToken, readToken, ToolFailure } = $sdk;',
  ...['addCalendarTime', 'instantOf', 'isoTime', 'isTimeZone', 'timeZoneNames', 'zonedTime'].map(
    (name) => `export const ${name} = /* @__PURE__ */ (() => $sdk.${name})();`,
  ),
].join('\n');

/** Imports the behavior by its default export, so that a module without one is an error of esbuild's own. */
function packagePlugin(modules: BehaviorModules, { entry, kits }: { entry: string; kits: readonly BehaviorKit[] }): Plugin {
  const refuse = ({ message, ...detail }: Refusal) => ({ errors: [{ text: message, detail }] });
  return {
    name: 'drillyard',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point') return { path, namespace: 'entry' };
        if (path === 'drillyard:behavior') return { path: entry, namespace: 'tool' };
        if (kind !== 'import-statement')
          return refuse({
            code: 'DY6004',
            message: `'${path}' is loaded with ${kind === 'dynamic-import' ? 'import()' : 'require()'}; a behavior has static imports only`,
          });
        const found = modules.import(path, importer);
        if (!('path' in found)) return refuse(found);
        return found.path === null ? { path: 'tool-sdk', namespace: 'sdk' } : { path: found.path, namespace: 'tool' };
      });
      onLoad({ filter: /.*/, namespace: 'entry' }, () => ({
        contents: kits.length === 0 ? "import behavior from 'drillyard:behavior'; export default behavior;" : kitEntry(kits),
        loader: 'js',
      }));
      onLoad({ filter: /.*/, namespace: 'sdk' }, () => ({
        contents: sdkModule,
        loader: 'js',
      }));
      onLoad({ filter: /.*/, namespace: 'tool' }, async ({ path }) => {
        const module = modules.load(path);
        if (!('text' in module)) return refuse(module);
        const errors = await loadingErrors(module);
        return errors.length > 0 ? { errors } : { contents: module.text, loader: module.loader };
      });
    },
  };
}

/** What forbids the bundler to see a module: ways of loading at run time, or errors of the parser, which are then the only ones. */
async function loadingErrors(module: BehaviorModule): Promise<PartialMessage[]> {
  try {
    const findings = await runTimeLoadingFindings(module);
    return findings.map(({ message, ...detail }) => ({ text: message, detail }));
  } catch (error) {
    const { errors } = error as { errors?: Message[] };
    if (errors === undefined || errors.length === 0) throw error;
    return errors.map(({ text, location }) => ({
      text,
      location: location && { ...location, namespace: '', file: `tool:${module.path}` },
    }));
  }
}

function findingOf(message: Message, entry: string): BundleFinding {
  const refusal = message.detail as Omit<Refusal, 'message'> | BundleFinding | undefined;
  const place = placeOf(message);
  if (refusal !== undefined) return { ...place, ...refusal, message: message.text };
  if (/No matching export in ".*" for import "default"/.test(message.text) && place.file === undefined) {
    return {
      code: 'DY6007',
      file: entry,
      line: 1,
      column: 1,
      message: 'the module has no default export',
      suggestion: 'Write `export default defineToolBehavior({ operations: { ... } })`.',
    };
  }
  if (/top-level await/i.test(message.text))
    return { ...place, code: 'DY6005', message: 'a behavior is synchronous; it cannot await while it loads' };
  return { ...place, code: 'DY6003', message: message.text };
}

function warningOf(message: Message): BundleFinding {
  const place = placeOf(message);
  if (message.id === 'empty-import-meta') return { ...place, code: 'DY6004', message: 'import.meta is not available to tool behavior' };
  if (message.id === 'unsupported-dynamic-import') return { ...place, code: 'DY6004', message: unavailable('import()') };
  return { ...place, code: 'DY6010', message: message.text };
}

/** esbuild counts columns from 0, and names a file by namespace and path. */
function placeOf({ location }: Message): { file?: string; line: number; column: number } {
  if (location === null || !location.file.startsWith('tool:')) return { line: 1, column: 1 };
  return { file: location.file.slice('tool:'.length), line: location.line, column: location.column + 1 };
}
