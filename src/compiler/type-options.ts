// With which options a module is checked: those of the nearest tsconfig.json above it, or else strict ones that fit where it will run.
//   TYPE-OPTIONS-1. `drillyard` and its parts mean the types of this installation, which is what runs, whether or not the repository has it
//     installed.
import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import type { CompilerOptions, Diagnostic, ParseConfigFileHost } from 'typescript';
import { installation } from '../files/installation.js';
import type { TypeScript } from './typescript.js';
import type { TypeScriptFile } from './typescript-sources.js';

export interface FoundConfig {
  path: string;
  /** Undefined: it says nothing, as one that only lists others. */
  options: CompilerOptions | undefined;
  errors: readonly Diagnostic[];
}

/** "No inputs" and an empty list of files: it is asked for its options alone. */
const aboutInputs = new Set([18002, 18003]);

export function readConfig(ts: TypeScript, path: string): FoundConfig {
  const errors: Diagnostic[] = [];
  const host: ParseConfigFileHost = {
    useCaseSensitiveFileNames: ts.sys.useCaseSensitiveFileNames,
    getCurrentDirectory: () => dirname(path),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: () => [],
    onUnRecoverableConfigFileDiagnostic: (error) => errors.push(error),
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(path, {}, host);
  if (parsed === undefined) return { path, options: undefined, errors };
  errors.push(...ts.getConfigFileParsingDiagnostics(parsed).filter(({ code }) => !aboutInputs.has(code)));
  const said = Object.keys(parsed.options).filter((name) => !['configFile', 'configFilePath', 'pathsBasePath'].includes(name));
  return { path, options: said.length === 0 ? undefined : parsed.options, errors };
}

/** For a repository that says nothing. A behavior has what ECMAScript has; an agent has Node, as far as its types are installed. */
export function defaultOptions(ts: TypeScript, role: TypeScriptFile['role'], { hasNodeTypes }: { hasNodeTypes: boolean }): CompilerOptions {
  return {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    moduleDetection: ts.ModuleDetectionKind.Force,
    esModuleInterop: true,
    allowImportingTsExtensions: true,
    allowJs: true,
    resolveJsonModule: true,
    jsx: ts.JsxEmit.Preserve,
    lib: role === 'behavior' ? ['lib.es2023.d.ts'] : ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: role === 'agent' && hasNodeTypes ? ['node'] : [],
  };
}

/** What holds whatever the repository says. */
export function withOwnTypes(ts: TypeScript, options: CompilerOptions, from: string, sdkNames: readonly string[]): CompilerOptions {
  const paths = { ...options.paths };
  const own = ownTypes();
  for (const [name, path] of own) paths[name] = [path];
  const sdk = own.get('drillyard/tool-sdk') as string;
  // Another runner's own types, where it is installed, may say more.
  for (const name of sdkNames) if (ts.resolveModuleName(name, from, options, ts.sys).resolvedModule === undefined) paths[name] = [sdk];
  // Where the repository has not installed it, nothing would be found; the compiler's own copy is added all the same.
  const types = options.types === undefined ? {} : { types: options.types.filter((name) => name !== globalsName) };
  return { ...options, ...types, paths, noEmit: true, skipLibCheck: true, composite: false, incremental: false };
}

/** By what is imported: the declarations that package.json names, or in a checkout without them the source. */
function ownTypes(): Map<string, string> {
  const { root } = installation();
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: { [name: string]: { types?: string } } };
  const types = new Map<string, string>();
  for (const [name, { types: declared }] of Object.entries(exports)) {
    if (declared === undefined) continue;
    const source = join(root, declared.replace('./dist/', '').replace(/\.d\.ts$/, '.ts'));
    types.set(name.replace('.', 'drillyard'), existsSync(join(root, declared)) ? join(root, declared) : source);
  }
  return types;
}

/** What an agent finds in Node, where nothing tells its types: anything. */
export const untypedNode = [
  ...["'node:*'", ...builtinModules.filter((name) => !/^(_|node:)/.test(name)).map((name) => `'${name}'`)].map(
    (name) => `declare module ${name};`,
  ),
  ...['process', 'Buffer', 'global', 'require', 'module', '__dirname', '__filename', 'setImmediate', 'clearImmediate'].map(
    (name) => `declare var ${name}: any;`,
  ),
  'type Buffer = any;',
  'interface ImportMeta { url: string; dirname: string; filename: string; resolve(specifier: string): string }',
].join('\n');

/** What a tsconfig.json names among its `types`, so that an editor knows what a behavior has beside ECMAScript. */
const globalsName = 'drillyard/behavior-globals';
/**
 * What a behavior has beside ECMAScript (tools/globals), for programs where no library tells of it. The build writes it to
 * behavior-globals.d.ts.
 */
export const addedTypes = `
interface URL {
  hash: string; host: string; hostname: string; href: string; readonly origin: string; password: string; pathname: string; port: string;
  protocol: string; search: string; readonly searchParams: URLSearchParams; username: string; toString(): string; toJSON(): string;
}
declare var URL: {
  new (url: string | URL, base?: string | URL): URL; prototype: URL;
  canParse(url: string | URL, base?: string | URL): boolean; parse(url: string | URL, base?: string | URL): URL | null;
};
interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number; append(name: string, value: string): void; delete(name: string, value?: string): void;
  get(name: string): string | null; getAll(name: string): string[]; has(name: string, value?: string): boolean;
  set(name: string, value: string): void; sort(): void; toString(): string;
  forEach(use: (value: string, name: string, params: URLSearchParams) => void, self?: any): void;
  entries(): IterableIterator<[string, string]>; keys(): IterableIterator<string>; values(): IterableIterator<string>;
}
declare var URLSearchParams: {
  new (init?: string | URLSearchParams | Iterable<readonly [string, string]> | { readonly [name: string]: string }): URLSearchParams;
  prototype: URLSearchParams;
};
interface TextEncoder {
  readonly encoding: string; encode(text?: string): Uint8Array;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: { new (): TextEncoder; prototype: TextEncoder };
interface TextDecoder {
  readonly encoding: string; readonly fatal: boolean; readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare var TextDecoder: { new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder; prototype: TextDecoder };
declare function atob(data: string): string;
declare function btoa(data: string): string;
declare function structuredClone<T>(value: T): T;
`;

/** Whether a program with these options has them already. */
export function tellsOfAdded({ lib, types }: CompilerOptions, hasNodeTypes: boolean): boolean {
  // Without a list the library of the browser is there; without a list of types, those of Node are where they are installed.
  return (
    lib === undefined || lib.some((name) => /dom|webworker/.test(name)) || (types === undefined ? hasNodeTypes : types.includes('node'))
  );
}
